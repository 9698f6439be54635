#include "thresholds/binned_columns.hpp"

#include <algorithm>

#include "core/threads.hpp"

namespace fewest {
namespace {

constexpr std::uint32_t has_threshold = SortedColumns::has_threshold;

std::int64_t largest(const std::vector<std::int64_t>& counts) {
    return *std::max_element(counts.begin(), counts.end());
}

}  // namespace

BinnedColumns::BinnedColumns(const SortedColumns& columns, const std::int32_t* codes, std::size_t n_classes,
                             std::size_t n_threads)
    : n_rows_(columns.n_rows()), n_columns_(columns.n_columns()), n_classes_(n_classes), class_starts_(n_classes + 1),
      rows_(n_rows_), positions_(n_rows_), bins_(n_rows_ * n_columns_), n_bins_(n_columns_), has_missing_(n_columns_),
      is_divided_(n_columns_ * n_stored) {
    for (std::size_t i = 0; i < n_rows_; ++i) ++class_starts_[static_cast<std::size_t>(codes[i]) + 1];
    for (std::size_t c = 0; c < n_classes; ++c) class_starts_[c + 1] += class_starts_[c];
    std::vector<std::size_t> next(class_starts_.begin(), class_starts_.end() - 1);
    for (std::size_t i = 0; i < n_rows_; ++i) {
        const std::size_t position = next[static_cast<std::size_t>(codes[i])]++;
        rows_[position] = static_cast<std::uint32_t>(i);
        positions_[i] = static_cast<std::uint32_t>(position);
    }
    run_tasks(n_columns_, n_threads, [&](std::size_t j, std::size_t) { cut(columns.column(j), j); });
}

void BinnedColumns::cut(const SortedColumns::Column& column, std::size_t j) {
    std::uint16_t* const bins = bins_.data() + j * n_rows_;
    // A bin has no more rows than this, or all of them have one value: then any two neighbours have more than it together,
    // and there are fewer than most_bins.
    const std::size_t largest_bin = 2 * n_rows_ / (most_bins - 2) + 1;
    std::size_t bin = 0, n_in = 0;
    bool is_first = true;
    // Takes a run of equal values to a bin, and returns that.
    const auto take = [&](std::size_t length) {
        if (!is_first && n_in + length > largest_bin) {
            ++bin;
            n_in = 0;
        }
        is_divided_[j * n_stored + bin] = n_in > 0;
        n_in += length;
        is_first = false;
        return static_cast<std::uint16_t>(bin);
    };
    const std::uint32_t* run = column.below;
    for (const std::uint32_t* at = column.below; at != column.above;) {
        const bool is_last = (*at++ & has_threshold) || at == column.above;
        if (!is_last) continue;
        const std::uint16_t own = take(static_cast<std::size_t>(at - run));
        for (; run != at; ++run) bins[positions_[SortedColumns::row_of(*run)]] = own;
    }
    const auto n_listed = static_cast<std::size_t>(column.end - column.below);
    if (n_listed < n_rows_) {
        // Rows that are not listed have one value: they are those that neither part nor the missing ones name.
        const std::uint16_t own = take(n_rows_ - n_listed);
        std::vector<char> is_listed(n_rows_);
        for (const std::uint32_t* at = column.below; at != column.end; ++at) is_listed[SortedColumns::row_of(*at)] = 1;
        for (std::size_t i = 0; i < n_rows_; ++i)
            if (!is_listed[i]) bins[positions_[i]] = own;
    }
    for (const std::uint32_t* at = column.missing; at != column.above;) {
        // From the lowest on, which is listed last; a run ends before the threshold of the next.
        const std::uint32_t* const last = at--;
        while (at != column.above && !(at[-1] & has_threshold)) --at;
        const std::uint16_t own = take(static_cast<std::size_t>(last - at));
        for (const std::uint32_t* one = at; one != last; ++one) bins[positions_[SortedColumns::row_of(*one)]] = own;
    }
    for (const std::uint32_t* at = column.missing; at != column.end; ++at)
        bins[positions_[SortedColumns::row_of(*at)]] = static_cast<std::uint16_t>(missing);
    n_bins_[j] = is_first ? 0 : bin + 1;
    has_missing_[j] = column.missing != column.end;
}

/// counts : by position; held : room for what the bins hold of each class
std::int64_t BinnedColumns::bound(std::size_t j, const std::int64_t* counts, std::vector<std::int64_t>& held) const {
    const std::uint16_t* const bins = bins_.data() + j * n_rows_;
    held.assign(n_classes_ * n_stored, 0);
    std::vector<std::int64_t> totals(n_classes_), without(n_classes_);
    for (std::size_t c = 0; c < n_classes_; ++c) {
        std::int64_t* const of_class = held.data() + c * n_stored;
        for (std::size_t i = class_starts_[c]; i < class_starts_[c + 1]; ++i) of_class[bins[i]] += counts[i];
        for (std::size_t b = 0; b < n_stored; ++b) totals[c] += of_class[b];
        without[c] = of_class[missing];
    }
    std::int64_t most = largest(totals);
    std::vector<std::int64_t> near(n_classes_), far(n_classes_);
    const auto sweep = [&](const std::vector<std::int64_t>& beside) {
        near = beside;
        for (std::size_t c = 0; c < n_classes_; ++c) far[c] = totals[c] - near[c];
        for (std::size_t b = 0; b < n_bins_[j]; ++b) {
            const std::int64_t beyond = largest(far);
            for (std::size_t c = 0; c < n_classes_; ++c) {
                near[c] += held[c * n_stored + b];
                far[c] = totals[c] - near[c];
            }
            const std::int64_t up_to = largest(near);
            if (is_divided_[j * n_stored + b]) most = std::max(most, up_to + beyond);
            if (b + 1 < n_bins_[j]) most = std::max(most, up_to + largest(far));
        }
    };
    sweep(std::vector<std::int64_t>(n_classes_));
    if (has_missing_[j]) sweep(without);
    return most;
}

void BinnedColumns::find_bounds(const std::int64_t* counts, std::size_t n_threads, std::int64_t* bounds) const {
    std::vector<std::int64_t> ordered(n_rows_);
    for (std::size_t i = 0; i < n_rows_; ++i) ordered[i] = counts[rows_[i]];
    std::vector<std::vector<std::int64_t>> held(std::max<std::size_t>(n_threads, 1));
    run_tasks(n_columns_, n_threads,
              [&](std::size_t j, std::size_t worker) { bounds[j] = bound(j, ordered.data(), held[worker]); });
}

}  // namespace fewest
