#pragma once
// Decision stumps: one threshold in one column, each side said to be of its heaviest class.

#include <vector>

#include "thresholds/counted_rows.hpp"
#include "thresholds/sorted_columns.hpp"

namespace fewest {

/// For each of the chosen columns, at its position, how much the best of its stumps gets right, by count; no less than saying the heaviest class of all.
/// A threshold lies between two neighbouring values. Rows without a value go all to the side where more is got right.
/// Pre: the totals' sum is below 2^61.
void stumps_right(const SortedColumns& columns, const CountedRows& rows, const std::vector<std::size_t>& chosen,
                  std::size_t n_threads, std::int64_t* right);

}  // namespace fewest
