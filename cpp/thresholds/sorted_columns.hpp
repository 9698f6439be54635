#pragma once
// Columns in the order of their values, so that a sweep meets every threshold between two of them.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/large_array.hpp"
#include "statistics/class_moments.hpp"

namespace fewest {

/// The rows of each column in the order of their values. Rows that share the value most have need not be listed: a sweep
/// comes from both ends and stops before them, since what lies beyond is known from the totals.
class SortedColumns {
public:
    /// An entry is a row; this bit is set on the last of equal values, seen from where the sweep began.
    static constexpr std::uint32_t has_threshold = std::uint32_t{1} << 31;
    static std::uint32_t row_of(std::uint32_t entry) { return entry & (has_threshold - 1); }

    /// [below, above): rows below those not listed, ascending; [above, missing): those above, descending;
    /// [missing, end): those without a value. Where all are listed, they are in the first part, and no threshold lies
    /// behind the last.
    struct Column {
        const std::uint32_t *below, *above, *missing, *end;
    };

    /// starts: where the entries of each column begin, and where there is room up to.
    SortedColumns(std::size_t n_rows, std::vector<std::size_t> starts)
        : n_rows_(n_rows), starts_(std::move(starts)), ends_(3 * n_columns()), entries_(starts_.back()) {}

    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_columns() const { return starts_.size() - 1; }

    /// How many entries there is room for.
    std::size_t n_entries() const { return starts_.back(); }

    Column column(std::size_t j) const {
        const std::uint32_t* const first = entries_.data() + starts_[j];
        const std::size_t* const ends = ends_.data() + 3 * j;
        return {first, first + ends[0], first + ends[1], first + ends[2]};
    }

    /// Where the entries of a column are to be written, and where its three parts end, counted from there.
    std::uint32_t* entries(std::size_t j) { return entries_.data() + starts_[j]; }
    std::size_t* ends(std::size_t j) { return ends_.data() + 3 * j; }

private:
    std::size_t n_rows_;
    std::vector<std::size_t> starts_, ends_;
    LargeArray<std::uint32_t> entries_;
};

/// NaN is a missing value. Pre: fewer than 2^31 rows.
template <class T>
SortedColumns sort_columns(const DenseRows<T>& rows, std::size_t n_threads);

/// The same of a sparse matrix by column; zeros are not listed.
template <class Index>
SortedColumns sort_columns(const SparseLines<double, Index>& columns, std::size_t n_threads);

}  // namespace fewest
