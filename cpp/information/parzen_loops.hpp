#pragma once
// The inner loops of Parzen sums, compiled once for each SIMD level.
// C headers only: a C++ library symbol compiled for a newer level must not be linked into an older one.

#include <stddef.h>
#include <stdint.h>

namespace fewest {

/// The number of grid points that a value contributes to: the nearest one, and ten on either side.
constexpr size_t n_taps = 21;
/// The same with zeros, so that they can begin at a multiple of four.
constexpr size_t n_padded_taps = 24;
/// Lines of a grid that are kept at a time: those a value has part of, and those of all values that share one of them.
constexpr int64_t n_lines = 64;

/// Two columns on a grid of lines. The rows come in the order of the first column's lines.
struct GridPair {
    size_t n_rows;
    const int64_t* rows;     ///< which row comes where
    const int64_t* order;    ///< the places in the order of x_first and then of y_first
    const int64_t* x_first;  ///< by place, ascending: the first line that the row has part of
    const double* x_taps;    ///< [place][n_taps]: how much of each line
    const int64_t* y_first;  ///< by row: the first point of the line that it has part of, a multiple of four
    const double* y_taps;    ///< [row][n_padded_taps]
    const double* weights;   ///< by row; null where all are one
    double* lines;           ///< room for n_lines of them, which begins at a multiple of 64 bytes
    size_t line_length;      ///< a multiple of four
    double* sums;            ///< by place: sum over rows i of w_i Gx_ki Gy_ki
};

struct ParzenLoops {
    /// Adds one row of a symmetric matrix of products x[i] y[i] to the sums of both its ends: weight x y to sums[i], and
    /// gives back the sum over i of w_i x y. y may be null (all one), as may the weights (then weight is one).
    double (*add_row)(const double* x, const double* y, size_t n, const double* weights, double weight, double* sums);
    /// The same for all rows of two matrices below the diagonal, row after row; sums begin with the diagonal, which is 1.
    void (*triangle_sums)(const double* x, const double* y, size_t n_rows, const double* weights, double* sums);
    void (*grid_sums)(const GridPair& pair);
};

extern const ParzenLoops parzen_loops_base;
#if defined(FEWEST_X86_LEVELS)
extern const ParzenLoops parzen_loops_v2;
extern const ParzenLoops parzen_loops_v3;
#endif

/// Of the level in use (accumulate_rows.hpp).
const ParzenLoops& parzen_loops();

}  // namespace fewest
