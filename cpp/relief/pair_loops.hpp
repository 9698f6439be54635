#pragma once
// The inner loops over pairs of rows that all count, compiled once for each SIMD level.
// C headers only: a C++ library symbol compiled for a newer level must not be linked into an older one.

#include <stddef.h>

namespace fewest {

/// Rows that are compared with others at a time, and those others.
constexpr size_t n_own_rows = 16;
constexpr size_t n_other_rows = 64;

/// Rows side by side, [column][row], and the sum over the columns of each.
struct RowLines {
    const double* values;
    const double* sums;
};

/// All sums run in the same order at every level.
struct PairLoops {
    /// out[own][other] = exp(-rate t), t = sum_d |x_d - y_d| or, is_squared, the root of sum_d (x_d - y_d)^2.
    /// Of sums of differences up to some 1e-16 of the rows' sums is lost. Pre: rate t is at most 700.
    void (*kernels)(const RowLines& own, const RowLines& others, size_t n_columns, double rate, bool is_squared,
                    double* out);
    /// sums[d] += sum over own and others of factors[own][other] |x_d - y_d|.
    void (*add_differences)(const double* own, const double* others, size_t n_columns, const double* factors,
                            double* sums);
};

extern const PairLoops pair_loops_base;
#if defined(FEWEST_X86_LEVELS)
extern const PairLoops pair_loops_v2;
extern const PairLoops pair_loops_v3;
#endif

/// Those of the level in use.
const PairLoops& pair_loops();

}  // namespace fewest
