#pragma once
// The inner loop of moments of squared distances under a Gaussian kernel, in float, compiled once for each SIMD level.
// C headers only: a C++ library symbol compiled for a newer level must not be linked into an older one.

#include <stddef.h>

namespace fewest {

/// The number of pairs taken at a time: what is read is padded to a multiple of it.
constexpr size_t moment_lanes = 8;
/// Of the powers 0 to 4 of the distance less the centre.
constexpr size_t n_moments = 5;

/// The number of parts in which sums are kept, which every level adds in one order.
constexpr size_t n_moment_parts = 4;
/// Numbers of one sum of all moments.
constexpr size_t n_moment_numbers = n_moments * n_moment_parts;

/// One row against others: their squared distances and weights.
struct DistancePairs {
    const float* base;     ///< on the columns that are in anyway
    const float* others;   ///< the values of the others in one column more
    float own;             ///< and of the row itself
    const float* weights;  ///< 0 where a pair does not count
    size_t n;              ///< a multiple of moment_lanes
};

/// Where moments of a row against others are added, [moment][part] for each width, `further` numbers apart.
struct MomentSums {
    size_t n_widths;  ///< eta, 2 eta, 4 eta ...
    double* of_kernel;
    double* of_square;
    size_t further;
    double kernel_factor;  ///< what the pairs count in the sums of the kernel
    double square_factor;  ///< and in those of its square
};

struct MomentLoops {
    /// Adds, over the pairs, weight times exp(-eta distance) times each moment of distance - centre, the same with the
    /// square of the kernel, and both at the other widths. A kernel below 1e-9 counts as that.
    void (*add_moments)(const DistancePairs& pairs, float eta, float centre, const MomentSums& sums);
};

extern const MomentLoops moment_loops_base;
#if defined(FEWEST_X86_LEVELS)
extern const MomentLoops moment_loops_v2;
extern const MomentLoops moment_loops_v3;
#endif

/// Of the level in use (accumulate_rows.hpp).
const MomentLoops& moment_loops();

}  // namespace fewest
