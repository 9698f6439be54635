#pragma once
// How far apart the distributions of the classes lie, column by column.

#include "thresholds/counted_rows.hpp"
#include "thresholds/sorted_columns.hpp"

namespace fewest {

/// For each column the largest distance between two distribution functions: of each class against all others, the mean
/// over the classes by their share in what was observed. 0 where fewer than two classes were, NaN where nothing was.
/// is_exact: the square of the totals' sum is below 2^63, and distances are compared as whole numbers.
void distribution_distances(const SortedColumns& columns, const CountedRows& rows, bool is_exact, std::size_t n_threads,
                            double* distances);

}  // namespace fewest
