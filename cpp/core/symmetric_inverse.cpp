#include "core/symmetric_inverse.hpp"

#include <algorithm>

#include "core/symmetric_loops.hpp"
#include "core/vector_sums.hpp"

namespace fewest {

void SymmetricInverse::invert(std::vector<double>& matrix, const std::vector<std::size_t>& indices,
                              const std::vector<double>& least) {
    const std::size_t n = indices.size(), stride = padded(n);
    factor_loops().factor_above(matrix.data(), n, least.data());
    std::vector<double> scratch(n * stride);
    symmetric_loops().invert(matrix.data(), n, scratch.data());
    factors_.clear();
    std::fill(numbers_.begin(), numbers_.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i; j < n; ++j) numbers_[indices[i] * stride_ + indices[j]] = matrix[i * stride + j];
}

void SymmetricInverse::times(const double* v, double* out) const {
    symmetric_loops().times(numbers_.data(), size_, v, out);
    for (std::size_t k = 0; k < factors_.size(); ++k) {
        const double* const change = changes_.data() + k * stride_;
        add_multiple(out, change, factors_[k] * dot(change, v, size_), size_);
    }
}

void SymmetricInverse::row(std::size_t i, double* out) const {
    for (std::size_t j = 0; j < i; ++j) out[j] = numbers_[j * stride_ + i];
    std::copy(numbers_.begin() + static_cast<std::ptrdiff_t>(i * stride_ + i),
              numbers_.begin() + static_cast<std::ptrdiff_t>(i * stride_ + size_), out + i);
    for (std::size_t k = 0; k < factors_.size(); ++k) {
        const double* const change = changes_.data() + k * stride_;
        if (change[i] != 0) add_multiple(out, change, factors_[k] * change[i], size_);
    }
}

void SymmetricInverse::add(double factor, const double* v) {
    std::copy(v, v + size_, changes_.begin() + static_cast<std::ptrdiff_t>(factors_.size() * stride_));
    factors_.push_back(factor);
    if (factors_.size() == n_waiting_at_most) apply_changes();
}

void SymmetricInverse::leave_out(std::size_t k, double* line) {
    const double own = line[k];
    line[k] = 0;
    for (std::size_t j = 0; j < k; ++j) numbers_[j * stride_ + k] = 0;
    std::fill(numbers_.begin() + static_cast<std::ptrdiff_t>(k * stride_ + k),
              numbers_.begin() + static_cast<std::ptrdiff_t>(k * stride_ + size_), 0.0);
    for (std::size_t c = 0; c < factors_.size(); ++c) changes_[c * stride_ + k] = 0;
    if (own > 0) add(-1 / own, line);
}

void SymmetricInverse::apply_changes() {
    std::vector<double> scaled(factors_.size() * stride_);
    for (std::size_t k = 0; k < factors_.size(); ++k)
        for (std::size_t j = 0; j < size_; ++j) scaled[k * stride_ + j] = factors_[k] * changes_[k * stride_ + j];
    symmetric_loops().add_products(numbers_.data(), size_, scaled.data(), changes_.data(), factors_.size());
    factors_.clear();
}

}  // namespace fewest
