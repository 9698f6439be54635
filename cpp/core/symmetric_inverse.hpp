#pragma once
// The inverse of a symmetric matrix that changes by one row, one column or one product at a time.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fewest {

/// Every change is a sum M + factor v v^T. A place that is not there has a row and a column of zeros.
class SymmetricInverse {
public:
    explicit SymmetricInverse(std::size_t size = 0) : size_(size), numbers_(size * size) {}

    /// Starts anew with the inverse of a positive definite matrix over these places.
    /// matrix : row by row, as many rows as places; overwritten
    /// least : what is left of each diagonal number in elimination is never below this, but for rounding
    void invert(std::vector<double>& matrix, const std::vector<std::size_t>& places, const std::vector<double>& least);

    const double* row(std::size_t i) const { return numbers_.data() + i * size_; }

    /// out = M v
    void times(const double* v, double* out) const {
        std::fill(out, out + size_, 0.0);
        for (std::size_t i = 0; i < size_; ++i) {
            if (v[i] == 0) continue;
            const double* const from = row(i);
            const double factor = v[i];
            for (std::size_t j = 0; j < size_; ++j) out[j] += factor * from[j];
        }
    }

    void add(double factor, const double* v) {
        for (std::size_t i = 0; i < size_; ++i) {
            if (v[i] == 0) continue;
            double* const to = numbers_.data() + i * size_;
            const double scaled = factor * v[i];
            for (std::size_t j = 0; j < size_; ++j) to[j] += scaled * v[j];
        }
    }

    /// The inverse without place k. `line` is scratch.
    void leave_out(std::size_t k, std::vector<double>& line) {
        line.assign(row(k), row(k) + size_);
        if (line[k] > 0) add(-1 / line[k], line.data());
        for (std::size_t j = 0; j < size_; ++j) numbers_[k * size_ + j] = numbers_[j * size_ + k] = 0;
    }

private:
    std::size_t size_;
    std::vector<double> numbers_;
};

}  // namespace fewest
