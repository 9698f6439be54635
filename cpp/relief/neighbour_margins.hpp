#pragma once
// How much farther rows are from their nearest rows of other classes than from those of their own, by column.

#include "relief/margin_rows.hpp"

namespace fewest {

/// Which neighbours count, and how much. The margin of a row of class y is
/// miss_factors[y] (sum_c class_shares[c] mean over the nearest of class c) - hit_factors[y] (mean over the nearest hits).
struct NeighbourRule {
    const std::size_t* n_neighbours;  ///< by class, as hits and as misses; where misses are of any class, the row's own
    bool is_squared;                  ///< sums of squares tell which are nearest, not sums of differences
    const double* class_shares;       ///< null: the nearest of all other classes together, with a share of one
    const double* hit_factors;
    const double* miss_factors;
};

/// For each column, the sum of the margins of these rows, and how many have one; a row that is alone in its class has
/// none. Distances within 1e-12 of the k-th are ties, and share what is left of k equally. A class none of whose
/// neighbours has a value in a column is left out of its margins, and the shares of the others grow to the same total.
/// Distances are seen first in float32; those that may be among the nearest are then computed exactly.
void neighbour_margins(const MarginRows& rows, const std::int64_t* queries, std::size_t n_queries,
                       const NeighbourRule& rule, std::size_t n_threads, double* sums, std::int64_t* counts);

}  // namespace fewest
