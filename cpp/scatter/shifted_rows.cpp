#include "scatter/shifted_rows.hpp"

#include <algorithm>
#include <atomic>

#include "core/threads.hpp"

namespace fewest {

namespace {

constexpr std::size_t rows_at_once = 64;
// Few enough that, where columns lie apart in memory, a line fetched for one row is still there for the next.
constexpr std::size_t columns_at_once = 64;

}  // namespace

template <class T>
bool shifted_rows(const DenseRows<T>& rows, const std::int64_t* chosen, std::size_t n_chosen, const double* pivot,
                  const double* factor, std::size_t n_threads, double* out) {
    const std::size_t n_columns = rows.n_columns;
    const std::size_t width = rows.column_stride == 1 ? std::max<std::size_t>(n_columns, 1) : columns_at_once;
    std::atomic<bool> has_missing{false};
    run_tasks((n_chosen + rows_at_once - 1) / rows_at_once, n_threads, [&](std::size_t task, std::size_t) {
        const std::size_t begin = task * rows_at_once, end = std::min(begin + rows_at_once, n_chosen);
        bool is_missing = false;
        for (std::size_t first = 0; first < n_columns; first += width) {
            const std::size_t last = std::min(first + width, n_columns);
            for (std::size_t i = begin; i < end; ++i) {
                const T* const row = rows.data + static_cast<std::ptrdiff_t>(chosen[i]) * rows.row_stride;
                const double times = factor ? factor[i] : 1.0;
                double* const to = out + i * n_columns;
                const auto write = [&](std::size_t column, T value) {
                    const double shifted = (static_cast<double>(value) - pivot[column]) * times;
                    is_missing |= shifted != shifted;
                    to[column] = shifted;
                };
                if (rows.column_stride == 1) {
                    for (std::size_t column = first; column < last; ++column) write(column, row[column]);
                } else {
                    for (std::size_t column = first; column < last; ++column)
                        write(column, row[static_cast<std::ptrdiff_t>(column) * rows.column_stride]);
                }
            }
        }
        if (is_missing) has_missing = true;
    });
    return has_missing;
}

template bool shifted_rows<double>(const DenseRows<double>&, const std::int64_t*, std::size_t, const double*,
                                   const double*, std::size_t, double*);
template bool shifted_rows<float>(const DenseRows<float>&, const std::int64_t*, std::size_t, const double*,
                                  const double*, std::size_t, double*);

}  // namespace fewest
