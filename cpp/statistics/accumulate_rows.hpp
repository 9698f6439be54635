#pragma once
// The inner loop of the dense class moments, compiled once for each SIMD level.
// C headers only: a C++ library symbol compiled for a newer level must not be linked into an older one.

#include <stddef.h>
#include <stdint.h>

namespace fewest {

/// Sums over rows of one class for a run of columns, about a shift per column.
struct RunningSums {
    const double* shift;
    double* sum;     ///< of w (x - shift)
    double* square;  ///< of w (x - shift)^2
    double* weight;  ///< of w over observed values; used only where values may be missing
    double* lowest;
    double* highest;
    uint64_t* checksum;
    uint64_t* missing;  ///< how many; used only where values may be missing
};

/// How many columns a narrow block has: a cache line of doubles.
constexpr size_t narrow_columns = 8;

/// Column-major values that will be copied next: while one narrow block is summed they travel to the cache,
/// a line a row.
template <class T>
struct ComingColumns {
    const T* data;
    ptrdiff_t column_stride;
    size_t lines_fetched;  ///< so far: one of each column in turn
};

/// One SIMD level's kernels for one type, by what they must cope with: [is_weighted][may_miss_values].
/// Rows are added in their order; weights are read only by the weighted kernels.
template <class T>
struct RowKernelsOf {
    /// Rows of any width, each at its own place.
    void (*accumulate_rows[2][2])(const T* const* rows, const double* weights, size_t n_rows, size_t n_columns,
                                  const RunningSums& sums);
    /// Rows of a narrow row-major block, by number.
    void (*accumulate_narrow[2][2])(const T* block, const uint32_t* rows, const double* weights, size_t n_rows,
                                    const ComingColumns<T>& coming, const RunningSums& sums);
    /// Copies n_rows values of each of narrow_columns columns to a narrow row-major block.
    void (*transpose_to_narrow)(const T* columns, ptrdiff_t column_stride, size_t n_rows, T* block);
};

struct RowKernels {
    RowKernelsOf<double> doubles;
    RowKernelsOf<float> floats;

    const RowKernelsOf<double>& of(double) const { return doubles; }
    const RowKernelsOf<float>& of(float) const { return floats; }
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
