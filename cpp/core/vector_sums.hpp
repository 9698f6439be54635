#pragma once
// Sums over numbers that lie side by side.

#include <cstddef>

namespace fewest {

/// In four lines of sums, so that a compiler may keep them side by side.
inline double dot(const double* a, const double* b, std::size_t n) {
    double sums[4] = {0, 0, 0, 0};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
    for (; i < n; ++i) sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// to += factor * from
inline void add_multiple(double* __restrict to, const double* __restrict from, double factor, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) to[i] += factor * from[i];
}

}  // namespace fewest
