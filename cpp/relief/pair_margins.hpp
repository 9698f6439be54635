#pragma once
// Margins of rows against all others, for tables of numbers with many rows: blocks of pairs, each pair looked at once.

#include "relief/margin_rows.hpp"

namespace fewest {

/// Whether pair_margins takes these rows: enough of them, no missing values or categories, and no two rows so far apart
/// that exp(-distance / width) would be lost.
bool can_pair(const MarginRows& rows, std::size_t n_queries, const double* weights, double width, bool is_squared);

/// What weighted_margins gives, but for rounding. is_rough: in float32, to about 1e-7, at a third of the cost, where no
/// kernel is lost by it. Gives back whether it was.
bool pair_margins(const MarginRows& rows, const std::int64_t* queries, std::size_t n_queries, const double* weights,
                  double width, bool is_squared, bool is_rough, std::size_t n_threads, double* sums,
                  std::int64_t* counts);

}  // namespace fewest
