#pragma once
// The inner loops of sums of Gaussians between classes, compiled once for each SIMD level.
// C headers only: a C++ library symbol compiled for a newer level must not be linked into an older one.

#include <stddef.h>
#include <stdint.h>

namespace fewest {

/// The number of points of the grid that have a part of a value: from 14 below the nearest one to 13 above it.
constexpr size_t n_kernel_taps = 28;
/// Between points of the grid, in units of the kernel's width. The trapezoid rule errs by 2 exp(-pi^2 / 2 spacing^2) =
/// 1.03e-12 of each term; a point left out, 13.5 spacings away or more, adds less than 1e-14 to any.
constexpr double kernel_spacing = 0.4175;

/// Values to be spread over the lines of a grid, one line a class.
struct SpreadValues {
    const double* at;       ///< where each value lies, in spacings; not negative
    const int32_t* line;    ///< the line of each
    const double* weights;  ///< of each; null where all are one
    size_t n;
    const double* profile;  ///< exp(-(m spacing)^2) for m = -14 ... 13
};

/// Lines of this number of points, a multiple of four, one after the other; the first point of each is `base`.
struct GridLines {
    double* points;
    size_t n_lines;
    size_t length;
    int64_t base;
};

struct KernelSumLoops {
    /// Adds exp(-(x - g)^2), in units of the width, times the weight, to the points g near each value x: the one nearest
    /// to x is n_kernel_taps / 2 behind the first that is written to.
    void (*spread)(const SpreadValues& values, const GridLines& lines);
    /// Adds sum_g line_c(g)^2 to own[c] and sum_g line_c(g) total(g) to all[c] over the first n_points, a multiple of four.
    /// total: room for as many points.
    void (*add_products)(const GridLines& lines, size_t n_points, double* total, double* own, double* all);
};

extern const KernelSumLoops kernel_sum_loops_base;
#if defined(FEWEST_X86_LEVELS)
extern const KernelSumLoops kernel_sum_loops_v2;
extern const KernelSumLoops kernel_sum_loops_v3;
#endif

/// Those of the level in use.
const KernelSumLoops& kernel_sum_loops();

}  // namespace fewest
