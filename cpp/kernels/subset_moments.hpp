#pragma once
// Moments of squared distances under Gaussian kernels over all pairs of rows, in float: what bounds a value at all widths.
//
//     sum over i > j of w_i w_j T(c_i, c_j)+ exp(-eta D_ij) (D_ij - centre)^m,  m = 0 ... 4,
//
// the same with the negative part of T, and of exp(-2 eta D_ij) with T = 1; all three at eta, 2 eta, 4 eta ...,
// for sets of columns that differ by the one that is added.

#include <cstddef>

#include "kernels/subset_kernels.hpp"

namespace fewest {

/// Positive part of T, negative part, squared kernel.
constexpr std::size_t n_parts = 3;

/// moments[a][width][part][moment]: with eta[a] and its doubles, about centre[a]. One form; the sign is 1.
void write_moments(const SubsetKernels& kernels, const double* eta, std::size_t n_widths, const double* centre,
                   double* moments, std::size_t n_threads);

}  // namespace fewest
