#pragma once
// The inner loop of the dense class moments, compiled once for each SIMD level.
// C headers only: a C++ library symbol compiled for a newer level must not be linked into an older one.

#include <stddef.h>
#include <stdint.h>

namespace fewest {

/// Sums over rows of one class for a run of columns, about a shift per column.
struct RunningSums {
    const double* shift;
    double* sum;          ///< of w (x - shift)
    double* square;       ///< of w (x - shift)^2
    double* weight;       ///< of w over observed values; used only where values may be missing
    double* lowest;
    double* highest;
    uint64_t* checksum;
    uint64_t* missing;    ///< how many; used only where values may be missing
};

/// Adds n_rows rows to the sums, in their order; weights is null when the rows are not weighted.
template <class T>
using AccumulateRows = void (*)(const T* const* rows, const double* weights, size_t n_rows, size_t n_columns,
                                const RunningSums& sums);

/// One SIMD level's kernels, by type and by what they must cope with.
struct RowKernels {
    AccumulateRows<double> doubles[2][2];  ///< [is_weighted][may_miss_values]
    AccumulateRows<float> floats[2][2];
};

extern const RowKernels row_kernels_base;
#if defined(FEWEST_X86_LEVELS)
extern const RowKernels row_kernels_v2;
extern const RowKernels row_kernels_v3;
#endif

/// The kernels of the newest level that this processor has, unless a lower one was asked for.
const RowKernels& row_kernels();

/// The name of the level in use: "base", "x86-64-v2" or "x86-64-v3".
const char* simd_level();

/// Uses the named level from now on; false when it is unknown or this processor lacks it. For tests.
bool use_simd_level(const char* name);

}  // namespace fewest
