#include "thresholds/stumps.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include "core/threads.hpp"

namespace fewest {
namespace {

using Column = SortedColumns::Column;
constexpr std::uint32_t has_threshold = SortedColumns::has_threshold;

/// Fewer values than this are swept over before another thread has started.
constexpr std::size_t few = std::size_t{1} << 16;

/// Of two classes, one counted as positive and the other as negative: a side gets right half of what it holds, and half of
/// what its two classes differ by.
class StumpsOfTwo {
public:
    explicit StumpsOfTwo(const CountedRows& rows)
        : total_(rows.totals[0] + rows.totals[1]), sum_(rows.totals[0] - rows.totals[1]), signed_(rows.n_rows) {
        for (std::size_t row = 0; row < rows.n_rows; ++row)
            signed_[row] = rows.codes[row] == 0 ? rows.counts[row] : -rows.counts[row];
    }

    std::int64_t right(const Column& column) const {
        std::int64_t missing = 0;
        for (const std::uint32_t* at = column.missing; at != column.end; ++at)
            missing += signed_[SortedColumns::row_of(*at)];
        std::int64_t most = std::abs(sum_);
        most = std::max(most, half(column.below, column.above, missing));
        most = std::max(most, half(column.above, column.missing, 0));
        if (column.missing != column.end) {
            most = std::max(most, half(column.below, column.above, 0));
            most = std::max(most, half(column.above, column.missing, missing));
        }
        return (total_ + most) / 2;
    }

private:
    /// The most that the two sides of a threshold differ by, over the thresholds of one part; near: what lies on the side
    /// that the sweep begins on. |near| + |sum - near| is convex in near: its largest value is at the least or the most.
    std::int64_t half(const std::uint32_t* at, const std::uint32_t* last, std::int64_t near) const {
        std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = std::numeric_limits<std::int64_t>::min();
        for (; at != last; ++at) {
            near += signed_[SortedColumns::row_of(*at)];
            const bool is_threshold = *at & has_threshold;
            least = is_threshold && near < least ? near : least;
            most = is_threshold && near > most ? near : most;
        }
        if (least > most) return 0;  // no threshold
        return std::max(std::abs(least) + std::abs(sum_ - least), std::abs(most) + std::abs(sum_ - most));
    }

    std::int64_t total_, sum_;
    std::vector<std::int64_t> signed_;
};

/// Of any number of classes, in the same time: counts only grow, and so does the heaviest of them, on the near side on the
/// way in and on the far side on the way back.
class StumpsOfMany {
public:
    explicit StumpsOfMany(const CountedRows& rows)
        : rows_(rows), none_(rows.n_classes), missing_(rows.n_classes), near_(rows.n_classes), far_(rows.n_classes) {}

    std::int64_t right(const Column& column) {
        std::fill(missing_.begin(), missing_.end(), 0);
        for (const std::uint32_t* at = column.missing; at != column.end; ++at) missing_[class_of(*at)] += count_of(*at);
        std::int64_t most = *std::max_element(rows_.totals, rows_.totals + rows_.n_classes);
        most = std::max(most, half(column.below, column.above, missing_));
        most = std::max(most, half(column.above, column.missing, none_));
        if (column.missing != column.end) {
            most = std::max(most, half(column.below, column.above, none_));
            most = std::max(most, half(column.above, column.missing, missing_));
        }
        return most;
    }

private:
    std::size_t class_of(std::uint32_t entry) const {
        return static_cast<std::size_t>(rows_.codes[SortedColumns::row_of(entry)]);
    }
    std::int64_t count_of(std::uint32_t entry) const { return rows_.counts[SortedColumns::row_of(entry)]; }

    /// The most that the two sides of a threshold get right, over the thresholds of one part.
    std::int64_t half(const std::uint32_t* first, const std::uint32_t* last, const std::vector<std::int64_t>& beside) {
        near_ = beside;
        kept_.resize(static_cast<std::size_t>(last - first));
        std::int64_t heaviest = *std::max_element(near_.begin(), near_.end());
        for (const std::uint32_t* at = first; at != last; ++at) {
            std::int64_t& own = near_[class_of(*at)];
            own += count_of(*at);
            heaviest = std::max(heaviest, own);
            kept_[static_cast<std::size_t>(at - first)] = heaviest;
        }
        for (std::size_t c = 0; c < rows_.n_classes; ++c) far_[c] = rows_.totals[c] - near_[c];
        heaviest = *std::max_element(far_.begin(), far_.end());
        std::int64_t most = 0;
        for (const std::uint32_t* at = last; at != first;) {
            --at;
            if (*at & has_threshold) most = std::max(most, kept_[static_cast<std::size_t>(at - first)] + heaviest);
            std::int64_t& own = far_[class_of(*at)];
            own += count_of(*at);
            heaviest = std::max(heaviest, own);
        }
        return most;
    }

    const CountedRows& rows_;
    std::vector<std::int64_t> none_, missing_, near_, far_, kept_;
};

}  // namespace

void stumps_right(const SortedColumns& columns, const CountedRows& rows, const std::vector<std::size_t>& chosen,
                  std::size_t n_threads, std::int64_t* right) {
    if (chosen.size() * columns.n_rows() < few) n_threads = 1;
    if (rows.n_classes == 2) {
        const StumpsOfTwo stumps(rows);
        run_tasks(chosen.size(), n_threads,
                  [&](std::size_t k, std::size_t) { right[chosen[k]] = stumps.right(columns.column(chosen[k])); });
        return;
    }
    std::vector<StumpsOfMany> stumps(std::max<std::size_t>(n_threads, 1), StumpsOfMany(rows));
    run_tasks(chosen.size(), n_threads, [&](std::size_t k, std::size_t worker) {
        right[chosen[k]] = stumps[worker].right(columns.column(chosen[k]));
    });
}

}  // namespace fewest
