#pragma once
// Margins of rows against all others, where near ones count more: one round of Iterative Relief.

#include "relief/margin_rows.hpp"

namespace fewest {

/// With f = exp(-t/width) of the weighted distance t (is_squared: the root of the sum of squares), the margin of a row is
/// (1 - o) [mean difference to the misses - to the hits], both weighted by f; o = sum of f over the misses over that over
/// all. For each column, the sum of the margins of these rows, and how many have one.
bool weighted_margins(const MarginRows& rows, const std::int64_t* queries, std::size_t n_queries, const double* weights,
                      double width, bool is_squared, bool is_rough, std::size_t n_threads, double* sums,
                      std::int64_t* counts);

}  // namespace fewest
