#include "information/byte_columns.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#include <type_traits>
#include <vector>

#include "core/threads.hpp"

namespace fewest {

namespace {

// Rows are read along memory, in runs long enough to be fetched ahead; the tile of bytes stays in the cache till it is
// turned.
constexpr std::size_t columns_at_once = 512;
constexpr std::size_t rows_at_once = 64;
constexpr std::size_t rows_a_task = 2048;

/// Most columns of small numbers lie from here on; any other begins half a byte's range below its first value.
constexpr std::int64_t usual_base = -64;

template <class T>
const T* place(const DenseRows<T>& rows, std::size_t row, std::size_t column) {
    return rows.data + static_cast<std::ptrdiff_t>(row) * rows.row_stride +
           static_cast<std::ptrdiff_t>(column) * rows.column_stride;
}

/// What a byte of 0 shall stand for, by a value of the column.
template <class T>
std::int64_t base_for(T value) {
    const auto number = static_cast<double>(value);
    const bool is_usual = number >= usual_base && number < usual_base + missing_byte - 1;
    const bool is_near = number > -furthest_base + missing_byte && number < furthest_base;
    return is_usual || !is_near ? usual_base : static_cast<std::int64_t>(number) - missing_byte / 2;
}

/// The first value of a column that is not missing among its first rows.
template <class T>
T first_observed(const DenseRows<T>& rows, std::size_t column) {
    for (std::size_t row = 0; row < std::min(rows_at_once, rows.n_rows); ++row) {
        const T value = *place(rows, row, column);
        if (value == value) return value;
    }
    return T{};
}

/// What rows leave behind for the columns of a tile.
struct TileSums {
    std::array<std::uint64_t, columns_at_once> checksum{}, bits;
    std::array<std::int64_t, columns_at_once> missing{};
    std::array<std::uint8_t, columns_at_once> lowest, highest_next{}, missing_now{};

    TileSums() { lowest.fill(missing_byte); }

    /// Resets the first `count` columns.
    void begin(std::size_t count) {
        std::fill_n(lowest.begin(), count, missing_byte);
        std::fill_n(highest_next.begin(), count, std::uint8_t{0});
        std::fill_n(missing_now.begin(), count, std::uint8_t{0});
        std::fill_n(bits.begin(), count, std::uint64_t{0});
    }

    ByteSums view() { return {lowest.data(), highest_next.data(), missing_now.data(), bits.data()}; }

    /// The bits of rows of one class are summed, and multiplied by its key once.
    void add_bits(std::uint64_t key) {
        for (std::size_t i = 0; i < columns_at_once; ++i) checksum[i] += key * bits[i];
    }

    void add_missing() {
        for (std::size_t i = 0; i < columns_at_once; ++i) missing[i] += missing_now[i];
        missing_now.fill(0);
    }

    /// A highest byte that stands for none is known by its successor.
    bool fits(std::size_t i) const { return highest_next[i] <= misfit_byte; }
};

/// Rows of a tile, side by side in memory; copied there where they are not.
template <class T>
class LinedUpRows {
public:
    explicit LinedUpRows(const DenseRows<T>& rows)
        : rows_(rows), room_(is_lined_up() ? 0 : rows_at_once * columns_at_once) {}

    void move_to(std::size_t top, std::size_t n_rows, std::size_t first, std::size_t end) {
        first_row_ = place(rows_, top, first);
        if (is_lined_up()) return;
        for (std::size_t column = first; column < end; ++column)
            for (std::size_t row = 0; row < n_rows; ++row)
                room_[row * columns_at_once + column - first] = *place(rows_, top + row, column);
    }

    const T* row(std::size_t row) const {
        return is_lined_up() ? first_row_ + static_cast<std::ptrdiff_t>(row) * rows_.row_stride
                             : room_.data() + row * columns_at_once;
    }

private:
    bool is_lined_up() const { return rows_.column_stride == 1; }

    const DenseRows<T>& rows_;
    std::vector<T> room_;
    const T* first_row_ = nullptr;
};

}  // namespace

namespace {

/// Reads a tile of columns over a run of rows that lie one row after the other, or anyhow.
template <class T>
void read_rows(const DenseRows<T>& rows, const std::int32_t* classes, const std::uint64_t* keys,
               const ByteColumns& columns, std::size_t first, std::size_t end, std::size_t begin, std::size_t stop,
               TileSums& sums) {
    const RowToBytes<T> to_byte_row = byte_kernels().of(T{});
    LinedUpRows<T> lined_up(rows);
    std::array<std::uint8_t, rows_at_once * columns_at_once> tile;
    std::array<std::size_t, rows_at_once> order;
    std::array<double, columns_at_once> shift;
    std::copy(columns.base + first, columns.base + end, shift.begin());
    for (std::size_t top = begin; top < stop; top += rows_at_once) {
        const std::size_t n_rows = std::min(rows_at_once, stop - top);
        const std::int32_t* const class_of = classes + top;
        lined_up.move_to(top, n_rows, first, end);
        std::iota(order.begin(), order.begin() + n_rows, std::size_t{0});
        std::stable_sort(order.begin(), order.begin() + n_rows,
                         [&](std::size_t a, std::size_t b) { return class_of[a] < class_of[b]; });
        for (std::size_t i = 0; i < n_rows;) {
            const std::int32_t now = class_of[order[i]];
            sums.bits.fill(0);
            for (; i < n_rows && class_of[order[i]] == now; ++i)
                to_byte_row(lined_up.row(order[i]), end - first, columns.base + first, shift.data(), sums.view(),
                            tile.data() + order[i] * columns_at_once);
            sums.add_bits(keys[now]);
        }
        sums.add_missing();
        byte_kernels().turn(tile.data(), n_rows, end - first, columns_at_once,
                            columns.codes + static_cast<std::ptrdiff_t>(first) * columns.stride + top, columns.stride);
        bool is_any = false;
        for (std::size_t i = 0; i < end - first; ++i) is_any |= sums.fits(i);
        if (!is_any) break;
    }
}

/// The same for columns whose rows lie side by side: a run of rows is to the kernel what a row is otherwise.
template <class T>
void read_columns(const DenseRows<T>& rows, const std::int32_t* classes, const std::uint64_t* keys,
                  const ByteColumns& columns, std::size_t first, std::size_t end, std::size_t begin, std::size_t stop,
                  TileSums& sums) {
    const RowToBytes<T> to_byte_row = byte_kernels().of(T{});
    const std::size_t n_longest = std::min(columns_at_once, stop - begin);
    std::array<std::int64_t, columns_at_once> base;
    std::array<double, columns_at_once> shift;
    TileSums run;
    for (std::size_t column = first; column < end; ++column) {
        const std::size_t of_tile = column - first;
        std::fill_n(base.begin(), n_longest, columns.base[column]);
        std::fill_n(shift.begin(), n_longest, static_cast<double>(columns.base[column]));
        for (std::size_t top = begin; top < stop && sums.fits(of_tile); top += columns_at_once) {
            const std::size_t n_rows = std::min(columns_at_once, stop - top);
            run.begin(n_rows);
            to_byte_row(place(rows, top, column), n_rows, base.data(), shift.data(), run.view(),
                        columns.codes + static_cast<std::ptrdiff_t>(column) * columns.stride + top);
            for (std::size_t i = 0; i < n_rows; ++i) {
                sums.lowest[of_tile] = std::min(sums.lowest[of_tile], run.lowest[i]);
                sums.highest_next[of_tile] = std::max(sums.highest_next[of_tile], run.highest_next[i]);
                sums.missing[of_tile] += run.missing_now[i];
                sums.checksum[of_tile] += keys[classes[top + i]] * run.bits[i];
            }
        }
    }
}

}  // namespace

template <class T>
void to_bytes(const DenseRows<T>& rows, const std::int32_t* classes, const std::uint64_t* keys, bool is_base_given,
              std::size_t n_threads, const ByteColumns& columns) {
    for (std::size_t column = 0; column < rows.n_columns; ++column) {
        if (!is_base_given) columns.base[column] = base_for(first_observed(rows, column));
        columns.is_whole[column] = 1;
        columns.lowest[column] = missing_byte;
        columns.highest_next[column] = 0;
        columns.missing[column] = 0;
        columns.checksum[column] = 0;
    }
    const bool is_by_column = rows.row_stride == 1 && rows.column_stride != 1;
    const std::size_t at_once = is_by_column ? 8 : columns_at_once;
    const std::size_t n_tiles = (rows.n_columns + at_once - 1) / at_once;
    const std::size_t n_runs = (rows.n_rows + rows_a_task - 1) / rows_a_task;
    std::vector<std::mutex> of_tile(n_tiles);
    // What is merged are whole numbers, so any order gives the same.
    run_tasks(n_tiles * n_runs, n_threads, [&](std::size_t task, std::size_t) {
        const std::size_t first = task % n_tiles * at_once, end = std::min(first + at_once, rows.n_columns);
        const std::size_t begin = task / n_tiles * rows_a_task, stop = std::min(begin + rows_a_task, rows.n_rows);
        std::mutex& mutex = of_tile[task % n_tiles];
        {
            const std::lock_guard<std::mutex> lock(mutex);
            if (std::none_of(columns.is_whole + first, columns.is_whole + end, [](std::uint8_t is) { return is; }))
                return;
        }
        TileSums sums;
        if (is_by_column)
            read_columns(rows, classes, keys, columns, first, end, begin, stop, sums);
        else
            read_rows(rows, classes, keys, columns, first, end, begin, stop, sums);
        const std::lock_guard<std::mutex> lock(mutex);
        for (std::size_t i = 0; i < end - first; ++i) {
            columns.is_whole[first + i] &= sums.fits(i);
            columns.lowest[first + i] = std::min(columns.lowest[first + i], sums.lowest[i]);
            columns.highest_next[first + i] = std::max(columns.highest_next[first + i], sums.highest_next[i]);
            columns.missing[first + i] += sums.missing[i];
            columns.checksum[first + i] += sums.checksum[i];
        }
    });
}

void byte_counts(const std::uint8_t* codes, std::ptrdiff_t stride, std::size_t n_rows, const std::int64_t* columns,
                 std::size_t n_columns, std::size_t n_threads, std::int64_t* counts) {
    run_tasks(n_columns, n_threads, [&](std::size_t i, std::size_t) {
        const std::uint8_t* const bytes = codes + static_cast<std::ptrdiff_t>(columns[i]) * stride;
        for (std::size_t row = 0; row < n_rows; ++row) ++counts[i * 256 + bytes[row]];
    });
}

#define FEWEST_FOR_TYPE(T)                                                                                       \
    template void to_bytes<T>(const DenseRows<T>&, const std::int32_t*, const std::uint64_t*, bool, std::size_t, \
                              const ByteColumns&);

FEWEST_FOR_TYPE(double)
FEWEST_FOR_TYPE(float)
FEWEST_FOR_TYPE(std::int64_t)
FEWEST_FOR_TYPE(std::uint64_t)
FEWEST_FOR_TYPE(std::int32_t)
FEWEST_FOR_TYPE(std::uint32_t)
FEWEST_FOR_TYPE(std::int16_t)
FEWEST_FOR_TYPE(std::uint16_t)
FEWEST_FOR_TYPE(std::int8_t)
FEWEST_FOR_TYPE(std::uint8_t)

}  // namespace fewest
