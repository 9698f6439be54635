#pragma once
// A hash of every row, from its values.

#include <cstddef>
#include <cstdint>

#include "statistics/class_moments.hpp"

namespace fewest {

/// sums[row] += the sum, modulo 2^64, over the columns that are counted and whose value is not zero, of the finaliser of
/// SplitMix64 on the value's bits as a float32, with one NaN, plus the column's key.
template <class T>
void add_row_hashes(const DenseRows<T>& rows, const std::uint64_t* keys, const std::uint8_t* is_counted,
                    std::size_t n_threads, std::uint64_t* sums);

/// sums[row] += the sum, modulo 2^64, over the columns that are counted, of the value's bits as a float64, with one zero
/// and one NaN, xor the same shifted by 29, times the column's key.
template <class T>
void add_row_contents(const DenseRows<T>& rows, const std::uint64_t* keys, const std::uint8_t* is_counted,
                      std::size_t n_threads, std::uint64_t* sums);

}  // namespace fewest
