#pragma once
// How much farther rows are from the misses within a distance than from the hits within it, by column.

#include "relief/margin_rows.hpp"

namespace fewest {

/// Which rows are near a row: those nearer than the mean distance between two rows; or, is_by_row, than the row's own mean
/// distance to the others less half their standard deviation. Far are, likewise, those beyond the mean, or beyond it plus
/// half the standard deviation.
struct ThresholdRule {
    bool is_squared;  ///< distances are roots of sums of squares, not sums of differences
    bool is_by_row;
    bool has_far;
};

/// For each column, the sum over some rows of a margin, and how many rows have one.
struct MarginSums {
    double* sums;
    std::int64_t* counts;
};

/// The margins of these rows: near, the mean difference to the near misses less that to the near hits; far, the mean
/// difference to the far hits less that to the far misses (zero without has_far). Where there are hits without misses, or
/// the reverse, what is not there counts nothing; a row without either has no margin. Distances within 1e-12 of a threshold are neither below nor above it.
void threshold_margins(const MarginRows& rows, const std::int64_t* queries, std::size_t n_queries,
                       const ThresholdRule& rule, std::size_t n_threads, const MarginSums& near, const MarginSums& far);

}  // namespace fewest
