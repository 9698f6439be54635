#include "information/encode_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/threads.hpp"
#include "information/byte_rows.hpp"

namespace fewest {

namespace {

// Rows are read along memory, in runs long enough to be fetched ahead; the tile turned by them stays in the cache.
constexpr std::size_t columns_at_once = 32;
constexpr std::size_t rows_at_once = 64;
/// With more limits a value is looked up among them.
constexpr std::int32_t few_limits = 16;

template <class T>
const T* place(const DenseRows<T>& rows, std::size_t row, std::size_t column) {
    return rows.data + static_cast<std::ptrdiff_t>(row) * rows.row_stride +
           static_cast<std::ptrdiff_t>(column) * rows.column_stride;
}

}  // namespace

namespace {

/// Whether a column holds whole numbers that lie close together, and between which.
class CloseWholes {
public:
    /// Adds values; NaN is none.
    void add(const double* values, std::size_t count) {
        double lowest = lowest_, highest = highest_;
        bool are_whole = true;
        for (std::size_t i = 0; i < count; ++i) {
            const double value = values[i];
            lowest = value < lowest ? value : lowest;
            highest = value > highest ? value : highest;
            const double small = std::fabs(value) < 1e9 ? value : 0.5;  // larger ones, and NaN, cannot be cast
            are_whole &= (static_cast<double>(static_cast<std::int32_t>(small)) == value) | (value != value);
        }
        lowest_ = lowest;
        highest_ = highest;
        are_whole_ &= are_whole;
    }

    bool are_whole() const { return are_whole_; }
    bool is_any() const { return lowest_ <= highest_; }
    double lowest() const { return lowest_; }
    /// How many whole numbers there are from the lowest to the highest.
    std::size_t n_between() const { return static_cast<std::size_t>(highest_ - lowest_) + 1; }

private:
    double lowest_ = std::numeric_limits<double>::infinity(), highest_ = -lowest_;
    bool are_whole_ = true;
};

/// The distinct values of a column, whatever they are.
class AnyValues {
public:
    AnyValues(double* values, std::size_t most, bool only_whole)
        : values_(values), most_(most), only_whole_(only_whole) {}

    void add(const double* values, std::size_t n_values) {
        for (std::size_t i = 0; i < n_values && is_open_; ++i) {
            const double value = values[i];
            double* const end = values_ + count_;
            double* const at = std::lower_bound(values_, end, value);
            if (value != value || (at < end && *at == value)) continue;
            if (count_ == most_ || (only_whole_ && value != std::floor(value))) {
                is_fraction_ = count_ != most_ || (only_whole_ && value != std::floor(value));
                count_ = most_ + 1;
                is_open_ = false;
                return;
            }
            std::copy_backward(at, end, end + 1);
            *at = value;
            ++count_;
        }
    }

    bool is_open() const { return is_open_; }
    std::int32_t count() const { return is_fraction_ ? -1 : static_cast<std::int32_t>(count_); }

private:
    double* values_;
    std::size_t most_, count_ = 0;
    bool only_whole_, is_open_ = true, is_fraction_ = false;
};

/// Columns of a run of rows, each in a line.
template <class T>
struct Tile {
    double values[columns_at_once][rows_at_once];

    std::size_t fill(const DenseRows<T>& rows, std::size_t top, std::size_t first, std::size_t end) {
        const std::size_t n_rows = std::min(rows_at_once, rows.n_rows - top);
        for (std::size_t row = 0; row < n_rows; ++row)
            for (std::size_t column = first; column < end; ++column)
                values[column - first][row] = static_cast<double>(*place(rows, top + row, column));
        return n_rows;
    }
};

}  // namespace

template <class T>
void few_distinct(const DenseRows<T>& rows, std::size_t most, bool only_whole, std::size_t n_threads, double* distinct,
                  std::int32_t* n_distinct) {
    const std::size_t n_tasks = (rows.n_columns + columns_at_once - 1) / columns_at_once;
    run_tasks(n_tasks, n_threads, [&](std::size_t task, std::size_t) {
        const std::size_t first = task * columns_at_once, end = std::min(first + columns_at_once, rows.n_columns);
        Tile<T> tile;
        std::vector<CloseWholes> wholes(end - first);
        for (std::size_t top = 0; top < rows.n_rows; top += rows_at_once) {
            const std::size_t n_rows = tile.fill(rows, top, first, end);
            bool is_any = false;
            for (std::size_t c = 0; c < end - first; ++c) {
                if (wholes[c].are_whole()) wholes[c].add(tile.values[c], n_rows);
                is_any |= wholes[c].are_whole();
            }
            if (!is_any) break;
        }
        std::vector<AnyValues> others;
        std::vector<std::size_t> of_column;
        for (std::size_t column = first; column < end; ++column) {
            const CloseWholes& whole = wholes[column - first];
            if (whole.are_whole() && whole.is_any() && whole.n_between() <= most) {
                // All of them count as categories, whether or not each is there: one without rows changes nothing.
                n_distinct[column] = static_cast<std::int32_t>(whole.n_between());
                for (std::size_t i = 0; i < whole.n_between(); ++i)
                    distinct[column * most + i] = whole.lowest() + static_cast<double>(i);
            } else {
                others.emplace_back(distinct + column * most, most, only_whole);
                of_column.push_back(column);
            }
        }
        for (std::size_t top = 0; top < rows.n_rows && !others.empty(); top += rows_at_once) {
            const std::size_t n_rows = tile.fill(rows, top, first, end);
            bool is_any = false;
            for (std::size_t i = 0; i < others.size(); ++i) {
                others[i].add(tile.values[of_column[i] - first], n_rows);
                is_any |= others[i].is_open();
            }
            if (!is_any) break;
        }
        for (std::size_t i = 0; i < others.size(); ++i) n_distinct[of_column[i]] = others[i].count();
    });
}

namespace {

/// The codes of consecutive values of one column.
template <class Code>
void encode_run(const double* values, std::size_t n_values, const double* limits, std::int32_t n_limits, Code missing,
                Code* to) {
    if constexpr (sizeof(Code) == 1) {
        if (n_limits <= few_limits) {
            byte_kernels().count_exceeded(values, n_values, limits, static_cast<std::size_t>(n_limits), to);
            return;
        }
    }
    for (std::size_t i = 0; i < n_values; ++i)
        to[i] = values[i] != values[i]
                    ? missing
                    : static_cast<Code>(std::lower_bound(limits, limits + n_limits, values[i]) - limits);
}

}  // namespace

template <class T, class Code>
void encode_columns(const DenseRows<T>& rows, const double* thresholds, std::size_t most,
                    const std::int32_t* n_thresholds, Code missing, std::size_t n_threads, Code* codes,
                    std::ptrdiff_t stride) {
    const std::size_t n_tasks = (rows.n_columns + columns_at_once - 1) / columns_at_once;
    run_tasks(n_tasks, n_threads, [&](std::size_t task, std::size_t) {
        const std::size_t first = task * columns_at_once, end = std::min(first + columns_at_once, rows.n_columns);
        if constexpr (std::is_same_v<T, double>) {
            if (rows.row_stride == 1) {
                for (std::size_t column = first; column < end; ++column)
                    encode_run(place(rows, 0, column), rows.n_rows, thresholds + column * most, n_thresholds[column],
                               missing, codes + static_cast<std::ptrdiff_t>(column) * stride);
                return;
            }
        }
        Tile<T> tile;
        for (std::size_t top = 0; top < rows.n_rows; top += rows_at_once) {
            const std::size_t n_rows = tile.fill(rows, top, first, end);
            for (std::size_t column = first; column < end; ++column) {
                const double* const limits = thresholds + column * most;
                encode_run(tile.values[column - first], n_rows, limits, n_thresholds[column], missing,
                           codes + static_cast<std::ptrdiff_t>(column) * stride + top);
            }
        }
    });
}

#define FEWEST_FOR_TYPES(T, Code)                                                                                     \
    template void encode_columns<T, Code>(const DenseRows<T>&, const double*, std::size_t, const std::int32_t*, Code, \
                                          std::size_t, Code*, std::ptrdiff_t);

FEWEST_FOR_TYPES(double, std::uint8_t)
FEWEST_FOR_TYPES(double, std::uint16_t)
FEWEST_FOR_TYPES(float, std::uint8_t)
FEWEST_FOR_TYPES(float, std::uint16_t)

template void few_distinct<double>(const DenseRows<double>&, std::size_t, bool, std::size_t, double*, std::int32_t*);
template void few_distinct<float>(const DenseRows<float>&, std::size_t, bool, std::size_t, double*, std::int32_t*);

}  // namespace fewest
