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

/// Hashes of rows and columns from each other. A column that is counted has the hash splitmix64 of the sum over the rows
/// of times[row] splitmix64(bits + hashes[row]), the bits of a value being those of add_row_contents; totals[row] += the
/// sum over these columns of splitmix64(bits + the column's hash). All modulo 2^64.
void add_content_hashes(const DenseRows<double>& rows, const std::uint64_t* hashes, const std::uint64_t* times,
                        const std::uint8_t* is_counted, std::size_t n_threads, std::uint64_t* totals);

}  // namespace fewest
