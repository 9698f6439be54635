#include "statistics/row_hashes.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/threads.hpp"

namespace fewest {

namespace {

/// Their sums stay in the cache while one column after the other is added.
constexpr std::size_t rows_at_once = 2048;
constexpr std::size_t columns_at_once = 4;
constexpr std::uint32_t bits_of_nan = 0x7fc00000u;
constexpr std::uint64_t bits_of_long_nan = 0x7ff8000000000000u;

std::uint64_t splitmix64(std::uint64_t hash) {
    hash += 0x9E3779B97F4A7C15u;
    hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
    hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
    return hash ^ (hash >> 31);
}

/// The bits of a value as a float32, with one NaN, and its column's key, finalised as by SplitMix64; 0 for zero.
struct FinalisedBits {
    template <class T>
    std::uint64_t operator()(T value, std::uint64_t key) const {
        const float number = static_cast<float>(value);
        std::uint32_t bits;
        std::memcpy(&bits, &number, sizeof bits);
        bits = number != number ? bits_of_nan : bits;
        return number == 0 ? 0 : splitmix64(bits + key);
    }
};

/// The bits of a value as a float64, with one zero and one NaN.
inline std::uint64_t bits_of(double value) {
    const double number = value + 0.0;
    std::uint64_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    return number != number ? bits_of_long_nan : bits;
}

/// The bits of a value, the low ones filled, times its column's key.
struct MixedBits {
    template <class T>
    std::uint64_t operator()(T value, std::uint64_t key) const {
        const std::uint64_t bits = bits_of(static_cast<double>(value));
        return (bits ^ (bits >> 29)) * key;
    }
};

template <class T, class Hash>
void add_hashes(const DenseRows<T>& rows, const std::uint64_t* keys, const std::uint8_t* is_counted,
                std::size_t n_threads, std::uint64_t* sums, Hash hash) {
    const auto column_at = [&](std::size_t top, std::size_t column) {
        return rows.data + static_cast<std::ptrdiff_t>(top) * rows.row_stride +
               static_cast<std::ptrdiff_t>(column) * rows.column_stride;
    };
    run_tasks((rows.n_rows + rows_at_once - 1) / rows_at_once, n_threads, [&](std::size_t task, std::size_t) {
        const std::size_t top = task * rows_at_once, n_rows = std::min(rows_at_once, rows.n_rows - top);
        if (rows.column_stride == 1) {
            for (std::size_t row = top; row < top + n_rows; ++row)
                for (std::size_t column = 0; column < rows.n_columns; ++column)
                    if (is_counted[column]) sums[row] += hash(column_at(row, 0)[column], keys[column]);
            return;
        }
        // Columns that lie one behind the other, several at a time: a sum is read and written once for all of them.
        std::size_t column = 0;
        if (rows.row_stride == 1)
            for (; column + columns_at_once <= rows.n_columns; column += columns_at_once) {
                const T* values[columns_at_once];
                std::uint64_t own_keys[columns_at_once], n_counted = 0;
                for (std::size_t c = column; c < column + columns_at_once; ++c)
                    if (is_counted[c]) {
                        values[n_counted] = column_at(top, c);
                        own_keys[n_counted++] = keys[c];
                    }
                if (n_counted == columns_at_once) {
                    for (std::size_t row = 0; row < n_rows; ++row) {
                        std::uint64_t sum = 0;
                        for (std::size_t c = 0; c < columns_at_once; ++c) sum += hash(values[c][row], own_keys[c]);
                        sums[top + row] += sum;
                    }
                } else {
                    for (std::size_t c = 0; c < n_counted; ++c)
                        for (std::size_t row = 0; row < n_rows; ++row)
                            sums[top + row] += hash(values[c][row], own_keys[c]);
                }
            }
        for (; column < rows.n_columns; ++column) {
            if (!is_counted[column]) continue;
            const T* const values = column_at(top, column);
            for (std::size_t row = 0; row < n_rows; ++row)
                sums[top + row] += hash(values[static_cast<std::ptrdiff_t>(row) * rows.row_stride], keys[column]);
        }
    });
}

}  // namespace

template <class T>
void add_row_hashes(const DenseRows<T>& rows, const std::uint64_t* keys, const std::uint8_t* is_counted,
                    std::size_t n_threads, std::uint64_t* sums) {
    add_hashes(rows, keys, is_counted, n_threads, sums, FinalisedBits{});
}

template <class T>
void add_row_contents(const DenseRows<T>& rows, const std::uint64_t* keys, const std::uint8_t* is_counted,
                      std::size_t n_threads, std::uint64_t* sums) {
    add_hashes(rows, keys, is_counted, n_threads, sums, MixedBits{});
}

void add_content_hashes(const DenseRows<double>& rows, const std::uint64_t* hashes, const std::uint64_t* times,
                        const std::uint8_t* is_counted, std::size_t n_threads, std::uint64_t* totals) {
    // Tiles small enough for the cache, whatever way the rows lie. Sums of whole numbers do not depend on the order.
    constexpr std::size_t tile_rows = 256, tile_columns = 64;
    std::vector<std::size_t> columns;
    for (std::size_t column = 0; column < rows.n_columns; ++column)
        if (is_counted[column]) columns.push_back(column);
    const auto value_at = [&](std::size_t row, std::size_t column) {
        return rows.data[static_cast<std::ptrdiff_t>(row) * rows.row_stride +
                         static_cast<std::ptrdiff_t>(column) * rows.column_stride];
    };
    std::vector<std::uint64_t> of_columns(columns.size());
    const std::size_t n_groups = (columns.size() + tile_columns - 1) / tile_columns;
    run_tasks(n_groups, n_threads, [&](std::size_t group, std::size_t) {
        const std::size_t first = group * tile_columns, end = std::min(columns.size(), first + tile_columns);
        for (std::size_t row = 0; row < rows.n_rows; ++row)
            for (std::size_t c = first; c < end; ++c)
                of_columns[c] += times[row] * splitmix64(bits_of(value_at(row, columns[c])) + hashes[row]);
        for (std::size_t c = first; c < end; ++c) of_columns[c] = splitmix64(of_columns[c]);
    });
    run_tasks((rows.n_rows + tile_rows - 1) / tile_rows, n_threads, [&](std::size_t tile, std::size_t) {
        const std::size_t end = std::min(rows.n_rows, (tile + 1) * tile_rows);
        for (std::size_t first = 0; first < columns.size(); first += tile_columns)
            for (std::size_t row = tile * tile_rows; row < end; ++row)
                for (std::size_t c = first; c < std::min(columns.size(), first + tile_columns); ++c)
                    totals[row] += splitmix64(bits_of(value_at(row, columns[c])) + of_columns[c]);
    });
}

#define FEWEST_INSTANTIATE(function, T)                                                                    \
    template void function<T>(const DenseRows<T>&, const std::uint64_t*, const std::uint8_t*, std::size_t, \
                              std::uint64_t*)
FEWEST_INSTANTIATE(add_row_hashes, double);
FEWEST_INSTANTIATE(add_row_hashes, float);
FEWEST_INSTANTIATE(add_row_contents, double);
FEWEST_INSTANTIATE(add_row_contents, float);
#undef FEWEST_INSTANTIATE

}  // namespace fewest
