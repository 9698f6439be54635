#pragma once
// Numbers become categories: how many thresholds each exceeds.

#include <cstddef>
#include <cstdint>

#include "statistics/class_moments.hpp"

namespace fewest {

/// The distinct values of every column, ascending: distinct[column * most + i], n_distinct[column] of them; most + 1
/// where there are more, -1 where a value is not whole (only_whole), 0 where nothing is observed. Where a column's values are
/// whole and close together, whole numbers between them are listed that no row holds.
template <class T>
void few_distinct(const DenseRows<T>& rows, std::size_t most, bool only_whole, std::size_t n_threads, double* distinct,
                  std::int32_t* n_distinct);

/// codes[column * stride + row] = how many of the column's thresholds the value exceeds; `missing` where it is NaN.
template <class T, class Code>
void encode_columns(const DenseRows<T>& rows, const double* thresholds, std::size_t most,
                    const std::int32_t* n_thresholds, Code missing, std::size_t n_threads, Code* codes,
                    std::ptrdiff_t stride);

}  // namespace fewest
