#pragma once
// What a table of counts tells.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "information/entropies.hpp"

namespace fewest {

/// Mutual information in nats, from the cells of a table and its margins.
inline double information(const Entropies& entropies, const std::vector<std::int64_t>& cells,
                          const std::vector<std::int64_t>& x_counts, const std::vector<std::int64_t>& y_counts,
                          std::int64_t n_rows) {
    std::int64_t sum = entropies.of(n_rows);
    for (const std::int64_t cell : cells) sum += entropies.of(cell);
    for (const std::int64_t count : x_counts) sum -= entropies.of(count);
    for (const std::int64_t count : y_counts) sum -= entropies.of(count);
    return entropies.nats(sum, n_rows);
}

/// Pearson's chi square: n (sum n_ab^2 / (n_a n_b) - 1), which needs no cell without rows. The terms are added in the order
/// of their size: categories are numbered as they appear, and must not show in the last bit.
class ChiSquare {
public:
    void add(std::int64_t both, std::int64_t of_x, std::int64_t of_y) {
        const auto count = static_cast<double>(both);
        if (both > 0) terms_.push_back(count * count / (static_cast<double>(of_x) * static_cast<double>(of_y)));
    }

    double of_rows(std::int64_t n_rows) {
        std::sort(terms_.begin(), terms_.end());
        const double sum = std::accumulate(terms_.begin(), terms_.end(), 0.0);
        return n_rows > 0 ? std::max(sum - 1.0, 0.0) * static_cast<double>(n_rows) : 0.0;
    }

private:
    std::vector<double> terms_;
};

}  // namespace fewest
