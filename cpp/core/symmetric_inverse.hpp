#pragma once
// The inverse of a symmetric matrix that changes by one row, one column or one product at a time.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/factor_loops.hpp"

namespace fewest {

/// Every change is a sum M + factor v v'. Changes wait until there are enough of them for one pass over the matrix. Rows
/// and columns are named by indices; those that are left out count as zero, and take no time.
class SymmetricInverse {
public:
    /// size : the number of indices
    explicit SymmetricInverse(std::size_t size)
        : size_(size), stride_(padded(size)), n_waiting_at_most_(std::clamp<std::size_t>(size / 16, 4, 24)),
          numbers_(size * stride_), changes_(n_waiting_at_most_ * stride_), gathered_(stride_), image_(stride_) {}

    /// Starts anew with the inverse of a positive definite matrix over these indices.
    /// matrix : its upper triangle, a row for each index, padded; overwritten
    /// least : no pivot is below these but for rounding
    void invert(std::vector<double>& matrix, const std::vector<std::size_t>& indices, const std::vector<double>& least);

    /// out = M v
    void times(const double* v, double* out);

    /// out = row i of M
    void row(std::size_t i, double* out) const;

    /// M += factor v v', where v is zero for what is left out
    void add(double factor, const double* v);

    /// The inverse of the matrix without row and column i. line : row i of M; overwritten
    void leave_out(std::size_t i, double* line);

    /// Takes an index in that was left out, with zeros.
    void include(std::size_t i);

private:
    void apply_changes();
    std::size_t slot_of(std::size_t i) const;

    std::size_t size_, stride_, n_waiting_at_most_;
    /// The index of each row that is stored, in any order.
    std::vector<std::size_t> slots_;
    std::vector<double> numbers_;
    /// The vectors of the changes that wait, one after the other, and their factors.
    std::vector<double> changes_, factors_;
    std::vector<double> gathered_, image_;
};

}  // namespace fewest
