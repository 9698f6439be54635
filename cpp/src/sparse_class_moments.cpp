#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "fewest/class_moments.hpp"
#include "fewest/merge_moments.hpp"
#include "fewest/threads.hpp"

namespace fewest {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Part of the result's definition, as for dense rows; longer, since most columns are empty in most rows.
constexpr std::size_t chunk_rows = std::size_t{1} << 17;

// Chosen for speed alone: a tile's cells stay in the cache while all rows pass.
constexpr std::size_t tile_bytes = std::size_t{1} << 22;
constexpr std::size_t stored_worth_a_thread = std::size_t{1} << 15;

/// The stored values of one class and column, about their first one. One cache line: one miss a value.
struct alignas(64) Cell {
    double shift = 0.0;
    double sum = 0.0;
    double square = 0.0;
    double weight = 0.0;
    double lowest = infinity;
    double highest = -infinity;
    std::uint64_t checksum = 0;
    std::uint32_t observed = 0;
    std::uint32_t missing = 0;

    void add(double x, double w) {
        x += 0.0;  // -0.0 becomes 0.0, whose bits add nothing: the checksum of a zero that is not stored
        if (observed++ == 0) shift = x;
        const double difference = x - shift;
        sum += w * difference;
        square += w * difference * difference;
        weight += w;
        lowest = std::min(lowest, x);
        highest = std::max(highest, x);
        std::uint64_t bits;
        std::memcpy(&bits, &x, sizeof bits);
        checksum += bits;
    }
};

template <class T, class Index>
class SparseTile {
public:
    SparseTile(const SparseLines<T, Index>& rows, const std::int32_t* codes, const double* weights,
               ClassMoments& moments, std::size_t first_column, std::size_t width)
        : rows_(rows), codes_(codes), weights_(weights), moments_(moments), first_column_(first_column),
          width_(width), cells_(moments.n_classes * width) {}

    /// False when a value is infinite or overflows.
    bool add_chunk(std::size_t first_row, std::size_t last_row) {
        std::fill(cells_.begin(), cells_.end(), Cell{});
        missing_weights_.clear();
        count_classes(first_row, last_row);
        if (rows_.is_by_column)
            add_columns(first_row, last_row);
        else
            add_rows(first_row, last_row);
        return merge_cells();
    }

private:
    double weight_of(std::size_t row) const { return weights_ ? weights_[row] : 1.0; }

    void count_classes(std::size_t first_row, std::size_t last_row) {
        class_rows_.assign(moments_.n_classes, 0);
        class_weights_.assign(moments_.n_classes, 0.0);
        for (std::size_t row = first_row; row < last_row; ++row) {
            if (weight_of(row) <= 0.0) continue;
            ++class_rows_[static_cast<std::size_t>(codes_[row])];
            class_weights_[static_cast<std::size_t>(codes_[row])] += weight_of(row);
        }
    }

    /// The first place in line `line` whose index is at least `bound`.
    const Index* seek(std::size_t line, std::size_t bound) const {
        return std::lower_bound(rows_.indices + rows_.starts[line], rows_.indices + rows_.starts[line + 1],
                                static_cast<Index>(bound));
    }

    void add(std::size_t cell, double x, double w) {
        if (x == x) {
            cells_[cell].add(x, w);
            return;
        }
        // Rare, so what is missing is weighed in a table of its own and a cell stays one cache line.
        if (missing_weights_.empty()) missing_weights_.assign(cells_.size(), 0.0);
        missing_weights_[cell] += w;
        ++cells_[cell].missing;
    }

    void add_rows(std::size_t first_row, std::size_t last_row) {
        const bool is_whole_row = width_ == rows_.n_columns;
        const auto end_column = static_cast<Index>(first_column_ + width_);
        for (std::size_t row = first_row; row < last_row; ++row) {
            if (weight_of(row) <= 0.0) continue;
            const Index* at = is_whole_row ? rows_.indices + rows_.starts[row] : seek(row, first_column_);
            const Index* end = rows_.indices + rows_.starts[row + 1];
            const T* value = rows_.data + (at - rows_.indices);
            const std::size_t cells = static_cast<std::size_t>(codes_[row]) * width_;
            for (; at != end && *at < end_column; ++at, ++value)
                add(cells + static_cast<std::size_t>(*at) - first_column_, static_cast<double>(*value),
                    weight_of(row));
        }
    }

    void add_columns(std::size_t first_row, std::size_t last_row) {
        const auto end_row = static_cast<Index>(last_row);
        for (std::size_t j = 0; j < width_; ++j) {
            const std::size_t column = first_column_ + j;
            const Index* at = seek(column, first_row);
            const Index* end = rows_.indices + rows_.starts[column + 1];
            for (; at != end && *at < end_row; ++at) {
                const auto row = static_cast<std::size_t>(*at);
                if (weight_of(row) <= 0.0) continue;
                add(static_cast<std::size_t>(codes_[row]) * width_ + j,
                    static_cast<double>(rows_.data[at - rows_.indices]), weight_of(row));
            }
        }
    }

    bool merge_cells() {
        bool is_finite = true;
        for (std::size_t c = 0; c < moments_.n_classes; ++c) {
            if (class_rows_[c] == 0) continue;
            const std::size_t to = c * moments_.n_columns + first_column_;
            for (std::size_t j = 0; j < width_; ++j) {
                const std::size_t from = c * width_ + j;
                const Cell& cell = cells_[from];
                if (cell.weight > 0.0) {
                    is_finite = is_finite && std::isfinite(cell.sum) && std::isfinite(cell.square);
                    const double offset = cell.sum / cell.weight;
                    merge_into(to + j, cell.weight, cell.shift, offset,
                               std::max(cell.square - offset * cell.sum, 0.0));
                    moments_.checksum[to + j] += cell.checksum;
                }
                moments_.missing[first_column_ + j] += cell.missing;
                double lowest = cell.lowest;
                double highest = cell.highest;
                if (cell.observed + cell.missing < class_rows_[c]) {
                    const double missing = cell.missing > 0 ? missing_weights_[from] : 0.0;
                    merge_into(to + j, class_weights_[c] - cell.weight - missing, 0.0, 0.0, 0.0);
                    lowest = std::min(lowest, 0.0);
                    highest = std::max(highest, 0.0);
                }
                moments_.lowest[first_column_ + j] = std::min(moments_.lowest[first_column_ + j], lowest);
                moments_.highest[first_column_ + j] = std::max(moments_.highest[first_column_ + j], highest);
            }
        }
        return is_finite;
    }

    void merge_into(std::size_t at, double weight, double high, double low, double scatter) {
        if (weight > 0.0)
            merge_group(moments_.weight[at], moments_.mean_high[at], moments_.mean_low[at], moments_.scatter[at],
                        weight, high, low, scatter);
    }

    const SparseLines<T, Index>& rows_;
    const std::int32_t* codes_;
    const double* weights_;
    ClassMoments& moments_;
    std::size_t first_column_;
    std::size_t width_;
    std::vector<Cell> cells_;  ///< [n_classes][width]
    std::vector<double> missing_weights_;  ///< like cells_, or empty
    std::vector<std::size_t> class_rows_;
    std::vector<double> class_weights_;
};

}  // namespace

template <class T, class Index>
bool add_rows(const SparseLines<T, Index>& rows, const std::int32_t* codes, const double* weights,
              std::size_t n_threads, ClassMoments& moments) {
    assert(rows.n_columns == moments.n_columns);
    if (rows.n_rows == 0 || rows.n_columns == 0) return true;
    const std::size_t n_stored = static_cast<std::size_t>(
        rows.starts[rows.is_by_column ? rows.n_columns : rows.n_rows] - rows.starts[0]);
    n_threads = std::min(n_threads, std::max<std::size_t>(n_stored / stored_worth_a_thread, 1));

    // A column lies in one tile and meets its rows in order, so tiles may be cut anywhere.
    const std::size_t fits = std::max<std::size_t>(tile_bytes / sizeof(Cell) / moments.n_classes, 64);
    const std::size_t share = (rows.n_columns + n_threads - 1) / n_threads;
    const std::size_t width = std::min({fits, share, rows.n_columns});
    std::atomic<bool> go_on{true};
    run_tasks((rows.n_columns + width - 1) / width, n_threads, [&](std::size_t tile) {
        const std::size_t first = tile * width;
        SparseTile<T, Index> cells(rows, codes, weights, moments, first, std::min(width, rows.n_columns - first));
        for (std::size_t row = 0; row < rows.n_rows && go_on; row += chunk_rows)
            if (!cells.add_chunk(row, std::min(rows.n_rows, row + chunk_rows))) go_on = false;
    });
    return go_on;
}

#define FEWEST_INSTANTIATE(T, Index)                                                                           \
    template bool add_rows(const SparseLines<T, Index>&, const std::int32_t*, const double*, std::size_t,      \
                           ClassMoments&);
FEWEST_INSTANTIATE(float, std::int32_t)
FEWEST_INSTANTIATE(float, std::int64_t)
FEWEST_INSTANTIATE(double, std::int32_t)
FEWEST_INSTANTIATE(double, std::int64_t)
#undef FEWEST_INSTANTIATE

}  // namespace fewest
