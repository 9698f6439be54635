#include "thresholds/sorted_columns.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "core/threads.hpp"

namespace fewest {
namespace {

/// Fewer than this are sorted by comparing.
constexpr std::size_t few = 512;
/// Rows in row order are read this number of columns at a time: a line of the cache.
constexpr std::size_t columns_at_once = 8;
/// A value that at least one in this number of rows has is left out, which saves time.
constexpr std::size_t rest_share = 8;

/// The bits of a number such that they ascend with it; both zeros are one.
std::uint64_t ascending_bits(double value) {
    value += 0.0;
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    return bits & sign ? ~bits : bits | sign;
}

unsigned n_bits(std::uint64_t number) {
    unsigned n = 0;
    for (; number != 0; number >>= 1) ++n;
    return n;
}

/// Sorts one column after the other; one for each thread.
class ColumnSorter {
public:
    void clear() {
        values_.clear();
        bits_.clear();
        rows_.clear();
        missing_.clear();
    }

    void add(double value, std::uint32_t row) {
        if (value != value) {
            missing_.push_back(row);
            return;
        }
        values_.push_back(value);
        bits_.push_back(ascending_bits(value));
        rows_.push_back(row);
    }

    std::size_t n_observed() const { return rows_.size(); }
    std::size_t n_missing() const { return missing_.size(); }

    /// Where all rows were added: the value that most have is left out, if that saves time.
    void write_all(std::uint32_t* entries, std::size_t* ends) {
        sort();
        const std::size_t n = n_observed();
        std::size_t first = 0, longest_first = 0, longest = 0;
        for (std::size_t i = 1; i <= n; ++i) {
            if (i < n && !differs(i)) continue;
            if (i - first > longest) {
                longest = i - first;
                longest_first = first;
            }
            first = i;
        }
        if (longest * rest_share >= n)
            write(longest_first, longest_first + longest, true, entries, ends);
        else
            write(n, n, false, entries, ends);
    }

    /// Where zeros, of which there are some, were not added.
    void write_around_zeros(std::uint32_t* entries, std::size_t* ends) {
        sort();
        const auto n_below = static_cast<std::size_t>(
            std::count_if(values_.begin(), values_.end(), [](double value) { return value < 0; }));
        write(n_below, n_below, true, entries, ends);
    }

private:
    std::uint32_t place(std::size_t i) const { return static_cast<std::uint32_t>(sorted_[i]); }
    std::uint32_t key(std::size_t i) const { return static_cast<std::uint32_t>(sorted_[i] >> 32); }

    /// Whether the value in place i of the order is another than the one before it.
    bool differs(std::size_t i) const {
        return key(i) != key(i - 1) || (is_shortened_ && values_[place(i)] != values_[place(i - 1)]);
    }

    /// Puts [key, place] in ascending order: 32 bits of the value, those in which the column varies, and where it was added.
    void sort() {
        const std::size_t n = n_observed();
        sorted_.resize(n);
        is_shortened_ = false;
        if (n == 0) return;
        std::uint64_t lowest = bits_[0], highest = bits_[0], varying = 0;
        for (const std::uint64_t bits : bits_) {
            lowest = std::min(lowest, bits);
            highest = std::max(highest, bits);
            varying |= bits ^ bits_[0];
        }
        // Low bits that all values share tell nothing: whole numbers and float32 need no more than 32 bits.
        unsigned shift = 0;
        while (shift < 63 && !((varying >> shift) & 1)) ++shift;
        unsigned n_key_bits = n_bits((highest - lowest) >> shift);
        if (n_key_bits > 32) {
            shift += n_key_bits - 32;
            n_key_bits = 32;
            is_shortened_ = true;
        }
        for (std::size_t i = 0; i < n; ++i) sorted_[i] = ((bits_[i] - lowest) >> shift) << 32 | i;
        if (n < few)
            std::sort(sorted_.begin(), sorted_.end());
        else
            sort_by_digits(n_key_bits);
        if (is_shortened_) sort_equal_keys();
    }

    /// By the lowest digit first, each time keeping the order of equal ones.
    void sort_by_digits(unsigned n_key_bits) {
        const std::size_t n = sorted_.size();
        const unsigned most_bits = n < (std::size_t{1} << 13) ? 8 : 11;
        const unsigned n_digits = (n_key_bits + most_bits - 1) / most_bits;
        if (n_digits == 0) return;
        const unsigned n_digit_bits = (n_key_bits + n_digits - 1) / n_digits;
        const std::size_t n_values = std::size_t{1} << n_digit_bits;
        const std::uint64_t mask = n_values - 1;
        counts_.assign(n_digits * n_values, 0);
        for (const std::uint64_t item : sorted_)
            for (unsigned d = 0; d < n_digits; ++d)
                ++counts_[d * n_values + ((item >> (32 + d * n_digit_bits)) & mask)];
        other_.resize(n);
        for (unsigned d = 0; d < n_digits; ++d) {
            std::uint32_t* const at = counts_.data() + d * n_values;
            std::uint32_t before = 0;
            for (std::size_t v = 0; v < n_values; ++v) before += std::exchange(at[v], before);
            const unsigned shift = 32 + d * n_digit_bits;
            for (const std::uint64_t item : sorted_) other_[at[(item >> shift) & mask]++] = item;
            sorted_.swap(other_);
        }
    }

    /// Values that share 32 bits may still differ.
    void sort_equal_keys() {
        const std::size_t n = sorted_.size();
        const auto is_less = [&](std::uint64_t a, std::uint64_t b) {
            const double x = values_[static_cast<std::uint32_t>(a)], y = values_[static_cast<std::uint32_t>(b)];
            return x != y ? x < y : a < b;
        };
        for (std::size_t first = 0, i = 1; i <= n; ++i) {
            if (i < n && key(i) == key(first)) continue;
            std::uint64_t *const begin = sorted_.data() + first, *const end = sorted_.data() + i;
            if (!std::is_sorted(begin, end, is_less)) std::sort(begin, end, is_less);
            first = i;
        }
    }

    /// Those in places [rest_first, rest_end) of the order are not listed; where has_rest, others like them were not added.
    void write(std::size_t rest_first, std::size_t rest_end, bool has_rest, std::uint32_t* entries,
               std::size_t* ends) const {
        const std::size_t n = n_observed();
        const auto entry = [&](std::size_t i, bool is_last) {
            return rows_[place(i)] | (is_last ? SortedColumns::has_threshold : 0);
        };
        std::uint32_t* out = entries;
        for (std::size_t i = 0; i < rest_first; ++i) *out++ = entry(i, i + 1 < rest_first ? differs(i + 1) : has_rest);
        ends[0] = static_cast<std::size_t>(out - entries);
        for (std::size_t i = n; i-- > rest_end;) *out++ = entry(i, i > rest_end ? differs(i) : true);
        ends[1] = static_cast<std::size_t>(out - entries);
        out = std::copy(missing_.begin(), missing_.end(), out);
        ends[2] = static_cast<std::size_t>(out - entries);
    }

    std::vector<double> values_;
    std::vector<std::uint64_t> bits_, sorted_, other_;
    std::vector<std::uint32_t> rows_, missing_, counts_;
    bool is_shortened_ = false;
};

}  // namespace

template <class T>
SortedColumns sort_columns(const DenseRows<T>& rows, std::size_t n_threads) {
    const std::size_t n = rows.n_rows;
    std::vector<std::size_t> starts(rows.n_columns + 1);
    for (std::size_t j = 0; j <= rows.n_columns; ++j) starts[j] = j * n;
    SortedColumns sorted(n, std::move(starts));
    const std::size_t width = rows.row_stride == 1 ? 1 : columns_at_once;
    const std::size_t n_tasks = (rows.n_columns + width - 1) / width;
    std::vector<ColumnSorter> sorters(std::max<std::size_t>(n_threads, 1));
    std::vector<std::vector<T>> rooms(sorters.size());
    run_tasks(n_tasks, n_threads, [&](std::size_t task, std::size_t worker) {
        ColumnSorter& sorter = sorters[worker];
        std::vector<T>& room = rooms[worker];
        const std::size_t first = task * width, last = std::min(first + width, rows.n_columns);
        const T* const data = rows.data + static_cast<std::ptrdiff_t>(first) * rows.column_stride;
        room.resize((last - first) * n);
        for (std::size_t row = 0; row < n; ++row)
            for (std::size_t j = 0; j < last - first; ++j)
                room[j * n + row] = data[static_cast<std::ptrdiff_t>(row) * rows.row_stride +
                                         static_cast<std::ptrdiff_t>(j) * rows.column_stride];
        for (std::size_t j = first; j < last; ++j) {
            const T* const column = room.data() + (j - first) * n;
            sorter.clear();
            for (std::size_t row = 0; row < n; ++row)
                sorter.add(static_cast<double>(column[row]), static_cast<std::uint32_t>(row));
            sorter.write_all(sorted.entries(j), sorted.ends(j));
        }
    });
    return sorted;
}

template <class Index>
SortedColumns sort_columns(const SparseLines<double, Index>& columns, std::size_t n_threads) {
    std::vector<std::size_t> starts(columns.n_columns + 1);
    for (std::size_t j = 0; j <= columns.n_columns; ++j) starts[j] = static_cast<std::size_t>(columns.starts[j]);
    SortedColumns sorted(columns.n_rows, std::move(starts));
    std::vector<ColumnSorter> sorters(std::max<std::size_t>(n_threads, 1));
    run_tasks(columns.n_columns, n_threads, [&](std::size_t j, std::size_t worker) {
        ColumnSorter& sorter = sorters[worker];
        const auto first = static_cast<std::size_t>(columns.starts[j]),
                   last = static_cast<std::size_t>(columns.starts[j + 1]);
        sorter.clear();
        for (std::size_t i = first; i < last; ++i)
            if (columns.data[i] != 0) sorter.add(columns.data[i], static_cast<std::uint32_t>(columns.indices[i]));
        if (sorter.n_observed() + sorter.n_missing() < columns.n_rows)
            sorter.write_around_zeros(sorted.entries(j), sorted.ends(j));
        else
            sorter.write_all(sorted.entries(j), sorted.ends(j));
    });
    return sorted;
}

template SortedColumns sort_columns(const DenseRows<float>&, std::size_t);
template SortedColumns sort_columns(const DenseRows<double>&, std::size_t);
template SortedColumns sort_columns(const SparseLines<double, std::int32_t>&, std::size_t);
template SortedColumns sort_columns(const SparseLines<double, std::int64_t>&, std::size_t);

}  // namespace fewest
