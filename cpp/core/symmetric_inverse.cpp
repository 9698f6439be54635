#include "core/symmetric_inverse.hpp"

#include <cmath>

#include "core/interruption.hpp"

namespace fewest {
namespace {

/// The time of a smaller matrix is too short to ask whether to stop.
constexpr std::size_t many = 256;

/// The lower half becomes L, where the matrix is L L^T.
void factor(double* matrix, std::size_t n, const double* least) {
    for (std::size_t k = 0; k < n; ++k) {
        if (n >= many) check_interruption();
        const double pivot = std::sqrt(std::max(matrix[k * n + k], least[k]));
        matrix[k * n + k] = pivot;
        for (std::size_t i = k + 1; i < n; ++i) matrix[i * n + k] = matrix[k * n + i] /= pivot;
        // The upper half holds the same numbers, so that a line of them can be read in one go.
        const double* const line = matrix + k * n;
        for (std::size_t i = k + 1; i < n; ++i) {
            const double share = line[i];
            for (std::size_t j = i; j < n; ++j) matrix[i * n + j] -= share * line[j];
        }
    }
}

/// Row i of `inverse` becomes that of L^-1.
void invert_factor(const double* matrix, std::size_t n, std::vector<double>& inverse) {
    for (std::size_t i = 0; i < n; ++i) {
        if (n >= many) check_interruption();
        double* const row = inverse.data() + i * n;
        for (std::size_t k = 0; k < i; ++k) {
            const double share = matrix[i * n + k];
            const double* const other = inverse.data() + k * n;
            for (std::size_t j = 0; j <= k; ++j) row[j] -= share * other[j];
        }
        row[i] = 1;
        for (std::size_t j = 0; j <= i; ++j) row[j] /= matrix[i * n + i];
    }
}

}  // namespace

void SymmetricInverse::invert(std::vector<double>& matrix, const std::vector<std::size_t>& places,
                              const std::vector<double>& least) {
    const std::size_t n = places.size();
    factor(matrix.data(), n, least.data());
    std::vector<double> inverse(n * n);
    invert_factor(matrix.data(), n, inverse);
    std::fill(matrix.begin(), matrix.end(), 0.0);
    for (std::size_t k = 0; k < n; ++k) {
        if (n >= many) check_interruption();
        for (std::size_t i = 0; i <= k; ++i) {
            const double share = inverse[k * n + i];
            for (std::size_t j = 0; j <= k; ++j) matrix[i * n + j] += share * inverse[k * n + j];
        }
    }
    std::fill(numbers_.begin(), numbers_.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) numbers_[places[i] * size_ + places[j]] = matrix[i * n + j];
}

}  // namespace fewest
