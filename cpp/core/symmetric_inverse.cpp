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
    slots_ = indices;
    factors_.clear();
    std::fill(changes_.begin(), changes_.end(), 0.0);
    std::fill(numbers_.begin(), numbers_.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i)
        std::copy(matrix.data() + i * stride + i, matrix.data() + i * stride + n, numbers_.data() + i * stride_ + i);
}

void SymmetricInverse::times(const double* v, double* out) {
    const std::size_t n = slots_.size();
    for (std::size_t k = 0; k < n; ++k) gathered_[k] = v[slots_[k]];
    symmetric_loops().times(numbers_.data(), n, stride_, gathered_.data(), image_.data());
    for (std::size_t c = 0; c < factors_.size(); ++c) {
        const double* const change = changes_.data() + c * stride_;
        add_multiple(image_.data(), change, factors_[c] * dot(change, gathered_.data(), n), n);
    }
    std::fill(out, out + size_, 0.0);
    for (std::size_t k = 0; k < n; ++k) out[slots_[k]] = image_[k];
}

std::size_t SymmetricInverse::slot_of(std::size_t i) const {
    return static_cast<std::size_t>(std::find(slots_.begin(), slots_.end(), i) - slots_.begin());
}

void SymmetricInverse::row(std::size_t i, double* out) const {
    const std::size_t own = slot_of(i), n = slots_.size();
    std::fill(out, out + size_, 0.0);
    for (std::size_t k = 0; k < n; ++k) {
        double number = k < own ? numbers_[k * stride_ + own] : numbers_[own * stride_ + k];
        for (std::size_t c = 0; c < factors_.size(); ++c)
            number += factors_[c] * changes_[c * stride_ + own] * changes_[c * stride_ + k];
        out[slots_[k]] = number;
    }
}

void SymmetricInverse::add(double factor, const double* v) {
    double* const change = changes_.data() + factors_.size() * stride_;
    for (std::size_t k = 0; k < slots_.size(); ++k) change[k] = v[slots_[k]];
    factors_.push_back(factor);
    if (factors_.size() == n_waiting_at_most_) apply_changes();
}

void SymmetricInverse::leave_out(std::size_t i, double* line) {
    // The last row moves to where the one was that goes; what was last becomes zero, as everything beyond it is.
    const std::size_t own = slot_of(i), last = slots_.size() - 1;
    const double pivot = line[i];
    for (std::size_t k = 0; k <= last; ++k) {
        double& to = k < own ? numbers_[k * stride_ + own] : numbers_[own * stride_ + k];
        to = k == own ? numbers_[last * stride_ + last] : k < last ? numbers_[k * stride_ + last] : 0.0;
    }
    for (std::size_t k = 0; k <= last; ++k) numbers_[k * stride_ + last] = 0;
    for (std::size_t c = 0; c < factors_.size(); ++c) {
        changes_[c * stride_ + own] = changes_[c * stride_ + last];
        changes_[c * stride_ + last] = 0;
    }
    slots_[own] = slots_[last];
    slots_.pop_back();
    line[i] = 0;
    if (pivot > 0) add(-1 / pivot, line);
}

void SymmetricInverse::include(std::size_t i) { slots_.push_back(i); }

void SymmetricInverse::apply_changes() {
    const std::size_t n = slots_.size();
    std::vector<double> scaled(factors_.size() * stride_);
    for (std::size_t c = 0; c < factors_.size(); ++c)
        for (std::size_t k = 0; k < n; ++k) scaled[c * stride_ + k] = factors_[c] * changes_[c * stride_ + k];
    symmetric_loops().add_products(numbers_.data(), n, stride_, scaled.data(), changes_.data(), factors_.size());
    factors_.clear();
    std::fill(changes_.begin(), changes_.end(), 0.0);
}

}  // namespace fewest
