#pragma once
// Columns cut into few bins, whose class counts bound what any stump of a column gets right.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/large_array.hpp"
#include "thresholds/sorted_columns.hpp"

namespace fewest {

/// The bin of each value, two bytes each, rows of a class one after the other: a pass over them in the order of memory adds up
/// what a bin holds of each class, where a sweep by values would jump from row to row.
class BinnedColumns {
public:
    /// codes : the class of each row
    BinnedColumns(const SortedColumns& columns, const std::int32_t* codes, std::size_t n_classes,
                  std::size_t n_threads);

    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_columns() const { return n_columns_; }

    /// For each column, what its best stump gets right at most, by count (stumps_right in stumps.hpp).
    /// Up to a threshold within a bin lies no more than up to the end of the bin, and beyond it no more than from its
    /// beginning on.
    void find_bounds(const std::int64_t* counts, std::size_t n_threads, std::int64_t* bounds) const;

private:
    /// Bins of values, and one for rows without a value.
    static constexpr std::size_t most_bins = 1023, missing = 1023, n_stored = 1024;

    void cut(const SortedColumns::Column& column, std::size_t j);
    std::int64_t bound(std::size_t j, const std::int64_t* counts, std::vector<std::int64_t>& held) const;

    std::size_t n_rows_, n_columns_, n_classes_;
    /// Where the rows of each class begin and end, the rows in that order, and the position of each in it.
    std::vector<std::size_t> class_starts_;
    std::vector<std::uint32_t> rows_, positions_;
    LargeArray<std::uint16_t> bins_;
    std::vector<std::size_t> n_bins_;
    std::vector<char> has_missing_;
    /// By column and bin, whether it holds several values, so that a threshold may lie within.
    std::vector<char> is_divided_;
};

}  // namespace fewest
