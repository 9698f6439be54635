#pragma once
// The inner loops over distances between rows, compiled once for each SIMD level.
// C headers only: a C++ library symbol compiled for a newer level must not be linked into an older one.

#include <stddef.h>
#include <stdint.h>

namespace fewest {

/// Columns whose sums of differences are in registers at a time.
constexpr size_t n_summed_at_once = 32;

/// Rows that are compared side by side, one a lane, and queries that meet them at a time.
constexpr size_t n_lanes = 16;
constexpr size_t n_abreast = 4;
/// Columns whose differences are added up before the sum joins that of the columns before: short sums lose few digits.
constexpr size_t n_columns_at_once = 128;

/// Among this number of numbers counting those below each is faster than sorting.
constexpr size_t most_ranked = 64;

/// Rows in float32, for a first, approximate distances at distances.
struct PackedRows {
    const float* values;  ///< [run of n_lanes rows][column][lane]
    size_t n_runs;
    size_t n_columns;
    const bool* is_categorical;  ///< by column: values differ or do not; null where every value is a number, and there
    float category_difference;   ///< how much two categories differ
};

/// Rows in bytes, for a first, approximate distances at distances where many columns are numbers.
struct ByteRows {
    const uint8_t* values;  ///< [run of n_lanes rows][group of 8 columns][lane][column]
    size_t n_runs;
    size_t n_groups;
    const float* errors;  ///< by row: taken off each distance to it
    float step;           ///< how long one byte is
};

/// Rows in whole numbers below 2^12, for approximate distances with a small error on either side.
struct WordRows {
    const uint16_t* values;  ///< [run of n_lanes rows][column][lane]
    size_t n_runs;
    size_t n_columns;
    const int32_t* sums;  ///< by row: over its columns
    const float* errors;  ///< by row: taken off each distance to it
    float step;           ///< how long one unit is
};
/// Sums of this number of numbers below 2^12 are below 2^16.
constexpr size_t n_words_at_once = 16;

/// x, y: two rows; is_categorical as above. What is missing is NaN. Sums run in the same order at every level.
struct DistanceLoops {
    /// Distances of n_queries rows (a multiple of n_abreast, stored [n_abreast of them][column][which]) to all rows, to
    /// float32: out[query * stride + row]. is_squared: sums of squares, without the root. Infinite where no column is
    /// observed in both.
    void (*scan)(const PackedRows& rows, const float* queries, size_t n_queries, bool is_squared, float* out,
                 size_t stride);
    /// out[query * stride + row] = step times the sum of |differences| of bytes, less the row's error; queries are stored
    /// [query][column], and n_queries is a multiple of n_abreast.
    void (*scan_bytes)(const ByteRows& rows, const uint8_t* queries, size_t n_queries, float* out, size_t stride);
    /// The same of words; query_sums: those of the queries over their columns.
    void (*scan_words)(const WordRows& rows, const uint16_t* queries, const int32_t* query_sums, size_t n_queries,
                       float* out, size_t stride);
    /// Writes the places of the numbers up to a limit, each plus first; gives back how many there are.
    size_t (*places_up_to)(const float* numbers, size_t n, float limit, int64_t first, int64_t* places);
    /// least[i] = the least of numbers[i], numbers[i + n], ... of which there are n_lines.
    void (*least_of_lines)(const float* numbers, size_t n, size_t n_lines, float* least);
    /// The k-th least of n numbers, n at most most_ranked; what lies behind them, up to a multiple of eight, is infinite.
    float (*kth_least)(const float* numbers, size_t n, size_t k);
    /// sum_d |x_d - y_d| or sum_d (x_d - y_d)^2.
    double (*distance)(const double* x, const double* y, size_t n, bool is_squared);
    /// The same to n_abreast rows, one behind the other.
    void (*distances)(const double* x, const double* rows, size_t n, bool is_squared, double* out);
    /// The same of weighted columns, weights[d] times each term.
    double (*weighted_distance)(const double* x, const double* y, const double* weights, size_t n, bool is_squared);
    /// sums[d] += factors[i] |x_d - others[i][d]| for each of n_others rows, one after the other; first <= d < n.
    void (*add_differences)(const double* x, const double* const* others, const double* factors, size_t n_others,
                            size_t first, size_t n, double* sums);
    /// The same where both are observed, and factors[d] += factor there.
    void (*add_observed_differences)(const double* x, const double* y, const bool* is_categorical,
                                     double category_difference, double factor, size_t n, double* sums,
                                     double* factors);
};

extern const DistanceLoops distance_loops_base;
#if defined(FEWEST_X86_LEVELS)
extern const DistanceLoops distance_loops_v2;
extern const DistanceLoops distance_loops_v3;
#endif

/// Of the level in use (accumulate_rows.hpp).
const DistanceLoops& distance_loops();

}  // namespace fewest
