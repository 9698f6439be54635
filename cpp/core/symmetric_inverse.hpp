#pragma once
// The inverse of a symmetric matrix that changes by one row, one column or one product at a time.

#include <cstddef>
#include <vector>

#include "core/factor_loops.hpp"

namespace fewest {

/// Every change is a sum M + factor v v'. Changes wait until there are enough of them for one pass over the matrix. An
/// index that is left out has a row and a column of zeros.
class SymmetricInverse {
public:
    explicit SymmetricInverse(std::size_t size)
        : size_(size), stride_(padded(size)), numbers_(size * stride_), changes_(n_waiting_at_most * stride_) {}

    /// Starts anew with the inverse of a positive definite matrix over these indices.
    /// matrix : its upper triangle, a row for each index, padded; overwritten
    /// least : no pivot is below these but for rounding
    void invert(std::vector<double>& matrix, const std::vector<std::size_t>& indices, const std::vector<double>& least);

    /// out = M v
    void times(const double* v, double* out) const;

    /// out = row i of M
    void row(std::size_t i, double* out) const;

    /// M += factor v v'
    void add(double factor, const double* v);

    /// The inverse of the matrix without row and column k. line : row k of M; overwritten
    void leave_out(std::size_t k, double* line);

private:
    static constexpr std::size_t n_waiting_at_most = 24;
    void apply_changes();

    std::size_t size_, stride_;
    std::vector<double> numbers_;
    /// The vectors of the changes that wait, one after the other, and their factors.
    std::vector<double> changes_, factors_;
};

}  // namespace fewest
