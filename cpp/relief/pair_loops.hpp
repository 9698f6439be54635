#pragma once
// The inner loops over pairs of rows that all count, compiled once for each SIMD level.
// C headers only: a C++ library symbol compiled for a newer level must not be linked into an older one.

#include <stddef.h>

namespace fewest {

/// Rows that are compared with others at a time, and those others.
constexpr size_t n_own_rows = 16;
constexpr size_t n_other_rows = 64;

/// Rows side by side, [column][row], and the sum over the columns of each.
template <class T>
struct RowLines {
    const T* values;
    const T* sums;
};

/// In double, or in float for a first approximation. All sums run in the same order at every level.
template <class T>
struct PairLoopsOf {
    /// out[own][other] = exp(-rate t), t = sum_d |x_d - y_d| or, is_squared, the root of sum_d (x_d - y_d)^2.
    /// Of sums of differences some units in the last place of the rows' sums are lost. Pre: rate t is at most 700 in
    /// double, 80 in float.
    void (*kernels)(const RowLines<T>& own, const RowLines<T>& others, size_t n_columns, T rate, bool is_squared,
                    T* out);
    /// sums[d] += sum over own and others of factors[own][other] |x_d - y_d|.
    void (*add_differences)(const T* own, const T* others, size_t n_columns, const T* factors, double* sums);
};

struct PairLoops {
    PairLoopsOf<double> exact;
    PairLoopsOf<float> rough;
};

extern const PairLoops pair_loops_base;
#if defined(FEWEST_X86_LEVELS)
extern const PairLoops pair_loops_v2;
extern const PairLoops pair_loops_v3;
#endif

/// Those of the level in use.
const PairLoops& pair_loops();

}  // namespace fewest
