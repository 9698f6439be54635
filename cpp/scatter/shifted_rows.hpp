#pragma once
// Chosen rows of a table, less a pivot a column, side by side in memory.

#include <cstddef>
#include <cstdint>

#include "statistics/class_moments.hpp"

namespace fewest {

/// out[i][column] = (rows[chosen[i]][column] - pivot[column]) * factor[i], row-major; factor may be null (all one).
/// Whether any of them is NaN.
template <class T>
bool shifted_rows(const DenseRows<T>& rows, const std::int64_t* chosen, std::size_t n_chosen, const double* pivot,
                  const double* factor, std::size_t n_threads, double* out);

}  // namespace fewest
