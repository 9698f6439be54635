#include "statistics/row_hashes.hpp"

#include <algorithm>
#include <cstring>

#include "core/threads.hpp"

namespace fewest {

namespace {

/// Their sums stay in the cache while one column after the other is added.
constexpr std::size_t rows_at_once = 2048;
constexpr std::uint32_t bits_of_nan = 0x7fc00000u;

std::uint64_t splitmix64(std::uint64_t hash) {
    hash += 0x9E3779B97F4A7C15u;
    hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
    hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
    return hash ^ (hash >> 31);
}

template <class T>
std::uint64_t hash_of(T value, std::uint64_t key) {
    const float number = static_cast<float>(value);
    std::uint32_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    bits = number != number ? bits_of_nan : bits;
    return number == 0 ? 0 : splitmix64(bits + key);
}

}  // namespace

template <class T>
void add_row_hashes(const DenseRows<T>& rows, const std::uint64_t* keys, const std::uint8_t* is_counted,
                    std::size_t n_threads, std::uint64_t* sums) {
    const auto column_at = [&](std::size_t top, std::size_t column) {
        return rows.data + static_cast<std::ptrdiff_t>(top) * rows.row_stride +
               static_cast<std::ptrdiff_t>(column) * rows.column_stride;
    };
    run_tasks((rows.n_rows + rows_at_once - 1) / rows_at_once, n_threads, [&](std::size_t task, std::size_t) {
        const std::size_t top = task * rows_at_once, n_rows = std::min(rows_at_once, rows.n_rows - top);
        if (rows.column_stride == 1) {
            for (std::size_t row = top; row < top + n_rows; ++row)
                for (std::size_t column = 0; column < rows.n_columns; ++column)
                    if (is_counted[column]) sums[row] += hash_of(column_at(row, 0)[column], keys[column]);
            return;
        }
        for (std::size_t column = 0; column < rows.n_columns; ++column) {
            if (!is_counted[column]) continue;
            const T* const values = column_at(top, column);
            for (std::size_t row = 0; row < n_rows; ++row)
                sums[top + row] += hash_of(values[static_cast<std::ptrdiff_t>(row) * rows.row_stride], keys[column]);
        }
    });
}

template void add_row_hashes<double>(const DenseRows<double>&, const std::uint64_t*, const std::uint8_t*, std::size_t,
                                     std::uint64_t*);
template void add_row_hashes<float>(const DenseRows<float>&, const std::uint64_t*, const std::uint8_t*, std::size_t,
                                    std::uint64_t*);

}  // namespace fewest
