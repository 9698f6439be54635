#pragma once
// Columns of close whole numbers, a byte a value.

#include <cstddef>
#include <cstdint>

#include "information/byte_rows.hpp"
#include "statistics/class_moments.hpp"

namespace fewest {

/// No base is further from zero: differences from it fit 32 bits.
constexpr std::int64_t furthest_base = 1'000'000'000;

/// What one read of rows leaves behind, for every column.
struct ByteColumns {
    std::int64_t* base;          ///< what a byte of 0 stands for; found by the first rows unless it is given
    std::uint8_t* is_whole;      ///< whether all values are missing or whole, and close enough together for bytes
    std::uint8_t* lowest;        ///< the lowest byte; missing_byte where nothing was observed
    std::uint8_t* highest_next;  ///< one more than the highest; 0 where nothing was observed
    std::int64_t* missing;       ///< how many values are
    std::uint64_t* checksum;     ///< as of class moments
    std::uint8_t* codes;         ///< [column * stride + row]: the value less its base, missing_byte where it is NaN
    std::ptrdiff_t stride;
};

/// Reads rows once. classes: of each row, an index into keys. Columns that are not whole hold nothing of use but that.
template <class T>
void to_bytes(const DenseRows<T>& rows, const std::int32_t* classes, const std::uint64_t* keys, bool is_base_given,
              std::size_t n_threads, const ByteColumns& columns);

/// counts[i * 256 + byte] += how often the byte stands in columns[i].
void byte_counts(const std::uint8_t* codes, std::ptrdiff_t stride, std::size_t n_rows, const std::int64_t* columns,
                 std::size_t n_columns, std::size_t n_threads, std::int64_t* counts);

}  // namespace fewest
