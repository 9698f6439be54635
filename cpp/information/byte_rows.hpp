#pragma once
// Rows of close whole numbers as bytes, and bytes as bit planes, compiled once for each SIMD level.
// C headers only: a C++ library symbol compiled for a newer level must not be linked into an older one.

#include <stddef.h>
#include <stdint.h>

namespace fewest {

/// The byte of a missing value, and of one that fits none: those are whole numbers from base to base + 253.
constexpr uint8_t missing_byte = 255;
constexpr uint8_t misfit_byte = 254;

/// What rows leave behind for a run of columns.
struct ByteSums {
    uint8_t* lowest;        ///< the lowest byte
    uint8_t* highest_next;  ///< one more than the highest byte; zero where nothing was observed
    uint8_t* missing;       ///< how many; to be emptied before 256 rows were added
    uint64_t* bits;         ///< sum of the bits of the values as doubles
};

/// One row of one type: out[i] = row[i] - base[i]. shift is the same as base.
template <class T>
using RowToBytes = void (*)(const T* row, size_t n_columns, const int64_t* base, const double* shift,
                            const ByteSums& sums, uint8_t* out);

struct ByteKernels {
    RowToBytes<double> doubles;
    RowToBytes<float> floats;
    RowToBytes<int64_t> int64s;
    RowToBytes<uint64_t> uint64s;
    RowToBytes<int32_t> int32s;
    RowToBytes<uint32_t> uint32s;
    RowToBytes<int16_t> int16s;
    RowToBytes<uint16_t> uint16s;
    RowToBytes<int8_t> int8s;
    RowToBytes<uint8_t> uint8s;

    RowToBytes<double> of(double) const { return doubles; }
    RowToBytes<float> of(float) const { return floats; }
    RowToBytes<int64_t> of(int64_t) const { return int64s; }
    RowToBytes<uint64_t> of(uint64_t) const { return uint64s; }
    RowToBytes<int32_t> of(int32_t) const { return int32s; }
    RowToBytes<uint32_t> of(uint32_t) const { return uint32s; }
    RowToBytes<int16_t> of(int16_t) const { return int16s; }
    RowToBytes<uint16_t> of(uint16_t) const { return uint16s; }
    RowToBytes<int8_t> of(int8_t) const { return int8s; }
    RowToBytes<uint8_t> of(uint8_t) const { return uint8s; }

    /// Turns a tile: to[column * to_stride + row] = from[row * from_stride + column].
    void (*turn)(const uint8_t* from, size_t n_rows, size_t n_columns, size_t from_stride, uint8_t* to,
                 ptrdiff_t to_stride);

    /// One bit for each of n_words times 64 bytes, for each of n_wanted bytes from first_wanted on: whether it is that
    /// one. Of the first n_planes they are stored, planes[i * stride + word]; of all they are counted.
    void (*to_planes)(const uint8_t* bytes, size_t n_words, uint8_t first_wanted, size_t n_wanted, size_t n_planes,
                      size_t stride, uint64_t* planes, int64_t* counts);

    /// The first n_planes bits of 64 bytes, a word for each.
    void (*to_bits)(const uint8_t* bytes, size_t n_planes, uint64_t* words);

    /// to[i] = how many of the limits values[i] exceeds, at most 250; missing_byte where it is NaN.
    void (*count_exceeded)(const double* values, size_t n_values, const double* limits, size_t n_limits, uint8_t* to);
};

extern const ByteKernels byte_kernels_base;
#if defined(FEWEST_X86_LEVELS)
extern const ByteKernels byte_kernels_v2;
extern const ByteKernels byte_kernels_v3;
#endif

/// Of the level in use (accumulate_rows.hpp).
const ByteKernels& byte_kernels();

}  // namespace fewest
