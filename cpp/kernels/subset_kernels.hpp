#pragma once
// Sums of Gaussian kernels over all pairs of rows, on sets of columns that differ by one, at any width.
//
//     sum over i > j of w_i w_j T(c_i, c_j) exp(-eta D_ij),  D_ij = sum over the set of (x_if - x_jf)^2
//
// for one or more tables T at once.
//
// D is made a row at a time and shared by a few sets; nothing is kept that grows with the square of the rows.

#include <cstddef>
#include <cstdint>

namespace fewest {

/// The sets: the columns `selected`, and each of `among` beside them (sign 1) or taken from them (sign -1).
struct SubsetKernels {
    const double* values;  ///< [column][row], none missing
    std::size_t n_rows;
    const std::int64_t* selected;
    std::size_t n_selected;
    const std::int64_t* among;
    std::size_t n_among;
    double sign;
    const std::int32_t* codes;  ///< the class of each row
    const double* weights;      ///< of each row
    const double* tables;       ///< [form][class][class]: T, symmetric
    std::size_t n_forms;
    std::size_t n_classes;
};

/// sums[a][form]: with eta[a] for the set of among[a]; of the squares of the kernels for the forms for which that is said.
void write_sums(const SubsetKernels& kernels, const double* eta, const bool* is_squared, double* sums,
                std::size_t n_threads);

/// sums[a][form][k]: with 2^(k/2) eta[a], k below n_widths, which is even.
void write_ladder_sums(const SubsetKernels& kernels, const double* eta, std::size_t n_widths, double* sums,
                       std::size_t n_threads);

}  // namespace fewest
