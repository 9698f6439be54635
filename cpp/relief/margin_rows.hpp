#pragma once
// Rows whose margins are wanted, and the margin of one of them where values are missing or are categories.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace fewest {

/// Rows in one unit of length, those of a class side by side.
struct MarginRows {
    const double* values;  ///< [row][column]; NaN is missing
    std::size_t n_rows;
    std::size_t n_columns;
    const std::int64_t* class_ends;  ///< ascending; the last is n_rows
    std::size_t n_classes;
    const bool*
        is_categorical;  ///< by column: values differ or do not; null where there are only numbers, and no missing values
    double category_difference;  ///< how much two categories differ

    const double* row(std::size_t i) const { return values + i * n_columns; }
    std::size_t class_begin(std::size_t c) const { return c == 0 ? 0 : static_cast<std::size_t>(class_ends[c - 1]); }
    std::size_t class_end(std::size_t c) const { return static_cast<std::size_t>(class_ends[c]); }
    std::size_t class_of(std::size_t i) const {
        const auto row = static_cast<std::int64_t>(i);
        return static_cast<std::size_t>(std::upper_bound(class_ends, class_ends + n_classes, row) - class_ends);
    }

    /// Rows to take at a time, whatever the number of threads: few where there are few rows, so that threads have a
    /// share each, and few where there are many, so that their distances to all rows take little room.
    std::size_t rows_at_once(std::size_t n_queries) const {
        constexpr std::size_t most = 64, n_parts = 8, most_distances = std::size_t{1} << 22;
        // Fewer distances stay in a core's cache; but the more columns, the more often all rows are read for it.
        constexpr std::size_t most_cached = std::size_t{1} << 18, columns_each = 8;
        const std::size_t even = std::min(most, (n_queries + n_parts - 1) / n_parts),
                          n = std::max<std::size_t>(n_rows, 1);
        const std::size_t cached = std::max(most_cached / n, n_columns / columns_each);
        const std::size_t wanted = std::min({even, cached, most_distances / n});
        return std::max<std::size_t>(4, (wanted + 3) / 4 * 4);
    }
};

/// The distance over the columns that both rows have, each times its weight (null: one), times the weight of all columns
/// over that of those; infinite where that is none. is_squared: squares, without the root.
inline double observed_distance(const MarginRows& rows, const double* x, const double* y, const double* weights,
                                bool is_squared) {
    double sum = 0, observed = 0, all = 0;
    for (std::size_t d = 0; d < rows.n_columns; ++d) {
        const double weight = weights ? weights[d] : 1.0, difference = x[d] - y[d];
        all += weight;
        if (difference != difference) continue;
        double apart = difference < 0 ? -difference : difference;
        if (rows.is_categorical[d] && apart > 0) apart = rows.category_difference;
        sum += weight * (is_squared ? apart * apart : apart);
        observed += weight;
    }
    return observed > 0 ? sum * (all / observed) : std::numeric_limits<double>::infinity();
}

/// The margin of one row in every column, from groups of neighbours of which each has values in some columns only.
class ObservedMargin {
public:
    explicit ObservedMargin(std::size_t n_columns)
        : differences(n_columns), factors(n_columns), hits_(n_columns), misses_(n_columns), shares_(n_columns) {}

    /// Of the group at hand: differences to its rows, each times a factor, and the sum of these factors.
    std::vector<double> differences, factors;

    /// The group at hand were the hits.
    void end_hits() {
        for (std::size_t d = 0; d < hits_.size(); ++d)
            hits_[d] = factors[d] > 0 ? differences[d] / factors[d] : std::numeric_limits<double>::quiet_NaN();
        clear(differences, factors);
    }

    /// The group at hand were misses with this share.
    void end_misses(double share) {
        for (std::size_t d = 0; d < hits_.size(); ++d) {
            if (!(factors[d] > 0)) continue;
            misses_[d] += share * (differences[d] / factors[d]);
            shares_[d] += share;
        }
        all_shares_ += share;
        clear(differences, factors);
    }

    /// Adds the margin in each column that has one, and makes ready for the next row. Where needs_both is false, hits
    /// without misses have a margin too, and misses without hits: what is not there counts nothing.
    void end_row(double miss_factor, double hit_factor, double* sums, std::int64_t* counts, bool needs_both = true) {
        for (std::size_t d = 0; d < hits_.size(); ++d) {
            const bool has_misses = shares_[d] > 0, has_hits = hits_[d] == hits_[d];
            if (needs_both ? !(has_misses && has_hits) : !(has_misses || has_hits)) continue;
            if (!has_misses || !has_hits) {
                sums[d] += has_hits ? -hit_factor * hits_[d] : miss_factor * (misses_[d] * (all_shares_ / shares_[d]));
                ++counts[d];
                continue;
            }
            const double grown = shares_[d] == all_shares_ ? misses_[d] : misses_[d] * (all_shares_ / shares_[d]);
            sums[d] += miss_factor * grown - hit_factor * hits_[d];
            ++counts[d];
        }
        clear(misses_, shares_);
        all_shares_ = 0;
    }

private:
    static void clear(std::vector<double>& a, std::vector<double>& b) {
        std::fill(a.begin(), a.end(), 0.0);
        std::fill(b.begin(), b.end(), 0.0);
    }

    std::vector<double> hits_, misses_, shares_;
    double all_shares_ = 0;
};

}  // namespace fewest
