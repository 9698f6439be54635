#include "statistics/class_moments.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "core/threads.hpp"
#include "statistics/accumulate_rows.hpp"
#include "statistics/merge_moments.hpp"

namespace fewest {
namespace {

// Part of the result's definition: sums run over a chunk of rows, then over chunks.
constexpr std::size_t chunk_rows = 4096;

// Chosen for speed alone. Whole rows of up to a thousand columns are read in one sweep; what cannot be
// read in place is first copied, a few columns of a chunk at a time.
constexpr std::size_t tile_columns = 1024;
constexpr std::size_t copied_columns = 256;
constexpr std::size_t scratch_doubles = std::size_t{1} << 18;
constexpr std::size_t elements_per_thread = std::size_t{1} << 15;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The rows of one chunk in order of class, and where each class begins.
struct ChunkOrder {
    std::size_t first_row = 0;
    std::size_t last_row = 0;
    std::vector<std::int32_t> classes;  ///< those present, ascending
    std::vector<std::size_t> starts;    ///< into rows, one more than classes
    std::vector<std::size_t> rows;      ///< ascending within a class
    std::vector<double> weights;        ///< total of each class present, what a column that misses nothing has
};

ChunkOrder order_chunk(const std::int32_t* codes, const double* weights, std::size_t first, std::size_t last,
                       std::size_t n_classes) {
    std::vector<std::size_t> next(n_classes + 1, 0);
    const auto is_read = [&](std::size_t row) { return !weights || weights[row] > 0.0; };
    for (std::size_t row = first; row < last; ++row)
        if (is_read(row)) ++next[static_cast<std::size_t>(codes[row]) + 1];
    ChunkOrder order;
    order.first_row = first;
    order.last_row = last;
    for (std::size_t c = 0; c < n_classes; ++c) {
        if (next[c + 1] > 0) {
            order.classes.push_back(static_cast<std::int32_t>(c));
            order.starts.push_back(next[c]);
        }
        next[c + 1] += next[c];
    }
    order.starts.push_back(next[n_classes]);
    order.rows.resize(next[n_classes]);
    for (std::size_t row = first; row < last; ++row)
        if (is_read(row)) order.rows[next[static_cast<std::size_t>(codes[row])]++] = row;
    order.weights.assign(order.classes.size(), 0.0);
    for (std::size_t c = 0; c < order.classes.size(); ++c)
        for (std::size_t r = order.starts[c]; r < order.starts[c + 1]; ++r)
            order.weights[c] += weights ? weights[order.rows[r]] : 1.0;
    return order;
}

/// Sums of one chunk over one tile of columns: a row of each table for every class present.
struct ChunkSums {
    std::vector<double> shift, sum, square, weight, lowest, highest;
    std::vector<std::uint64_t> checksum, missing;

    void reset(std::size_t n_classes, std::size_t width) {
        const std::size_t size = n_classes * width;
        shift.resize(size);
        sum.assign(size, 0.0);
        square.assign(size, 0.0);
        weight.assign(size, 0.0);
        checksum.assign(size, 0);
        lowest.assign(width, infinity);
        highest.assign(width, -infinity);
        missing.assign(width, 0);
    }

    RunningSums of_class(std::size_t c, std::size_t width) {
        const std::size_t at = c * width;
        return {shift.data() + at, sum.data() + at, square.data() + at,   weight.data() + at,
                lowest.data(),     highest.data(),  checksum.data() + at, missing.data()};
    }
};

/// Room for the sums of a narrow block, whose last columns may lie beyond the tile.
struct NarrowSums {
    double shift[narrow_columns] = {}, sum[narrow_columns] = {}, square[narrow_columns] = {};
    double weight[narrow_columns] = {}, lowest[narrow_columns] = {}, highest[narrow_columns] = {};
    std::uint64_t checksum[narrow_columns] = {}, missing[narrow_columns] = {};

    RunningSums view() { return {shift, sum, square, weight, lowest, highest, checksum, missing}; }

    void load(const RunningSums& wide, std::size_t first, std::size_t count) {
        std::copy_n(wide.shift + first, count, shift);
        std::copy_n(wide.sum + first, count, sum);
        std::copy_n(wide.square + first, count, square);
        std::copy_n(wide.weight + first, count, weight);
        std::copy_n(wide.lowest + first, count, lowest);
        std::copy_n(wide.highest + first, count, highest);
        std::copy_n(wide.checksum + first, count, checksum);
        std::copy_n(wide.missing + first, count, missing);
    }

    void store(const RunningSums& wide, std::size_t first, std::size_t count) const {
        std::copy_n(sum, count, wide.sum + first);
        std::copy_n(square, count, wide.square + first);
        std::copy_n(weight, count, wide.weight + first);
        std::copy_n(lowest, count, wide.lowest + first);
        std::copy_n(highest, count, wide.highest + first);
        std::copy_n(checksum, count, wide.checksum + first);
        std::copy_n(missing, count, wide.missing + first);
    }
};

/// The median of three, whichever is NaN: any finite value will do as a shift.
inline double middle(double a, double b, double c) {
    const double low = a < b ? a : b;
    const double high = a < b ? b : a;
    const double capped = high < c ? high : c;
    return low > capped ? low : capped;
}

template <class T>
class DenseChunk {
public:
    DenseChunk(const DenseRows<T>& rows, const ChunkOrder& order, const double* weights, std::size_t first_column,
               std::size_t width)
        : rows_(rows), order_(order), weights_(weights), first_column_(first_column), width_(width) {}

    /// Fills `sums`; false when a value is infinite or overflows.
    bool add_to(ChunkSums& sums) {
        choose_shifts(sums, false);
        accumulate(sums, false);
        if (is_finite(sums)) return true;
        // Only now is it known that something is missing (or infinite): the common case never looks.
        choose_shifts(sums, true);
        accumulate(sums, true);
        return is_finite(sums);
    }

private:
    double value(std::size_t row, std::size_t column) const {
        return static_cast<double>(
            rows_.data[static_cast<std::ptrdiff_t>(row) * rows_.row_stride +
                       static_cast<std::ptrdiff_t>(first_column_ + column) * rows_.column_stride]);
    }

    /// A value of the column near its middle: sums about it lose no digits however far from zero the column
    /// lies, an outlier in the first row does no harm, and a constant column has differences of exactly zero.
    void choose_shifts(ChunkSums& sums, bool may_miss) {
        sums.reset(order_.classes.size(), width_);
        for (std::size_t c = 0; c < order_.classes.size(); ++c) {
            const std::size_t* rows = order_.rows.data() + order_.starts[c];
            const std::size_t count = order_.starts[c + 1] - order_.starts[c];
            const std::size_t second = count > 1 ? 1 : 0;
            const std::size_t third = count > 2 ? 2 : 0;
            double* shift = sums.shift.data() + c * width_;
            for (std::size_t j = 0; j < width_; ++j)
                shift[j] = middle(value(rows[0], j), value(rows[second], j), value(rows[third], j));
            if (!may_miss) continue;
            for (std::size_t j = 0; j < width_; ++j)
                for (std::size_t r = 0; r < count && !std::isfinite(shift[j]); ++r) shift[j] = value(rows[r], j);
            for (std::size_t j = 0; j < width_; ++j)
                if (!std::isfinite(shift[j])) shift[j] = 0.0;  // never observed, or infinite and refused below
        }
    }

    void accumulate(ChunkSums& sums, bool may_miss) {
        if (rows_.column_stride == 1)
            accumulate_in_place(sums, may_miss);
        else
            accumulate_copied(sums, may_miss);
    }

    void accumulate_in_place(ChunkSums& sums, bool may_miss) {
        std::vector<const T*> pointers(order_.rows.size());
        for (std::size_t r = 0; r < pointers.size(); ++r)
            pointers[r] = rows_.data + static_cast<std::ptrdiff_t>(order_.rows[r]) * rows_.row_stride +
                          static_cast<std::ptrdiff_t>(first_column_);
        const auto kernel = row_kernels().of(T{}).accumulate_rows[weights_ != nullptr][may_miss];
        const std::vector<double> weights = ordered_weights();
        for (std::size_t c = 0; c < order_.classes.size(); ++c) {
            const std::size_t start = order_.starts[c];
            kernel(pointers.data() + start, weights_ ? weights.data() + start : nullptr, order_.starts[c + 1] - start,
                   width_, sums.of_class(c, width_));
        }
    }

    /// The chunk's rows of a few columns are copied to a narrow row-major block and summed from there. A class
    /// meets its rows in the same order either way, so the bits are the same as in place.
    void accumulate_copied(ChunkSums& sums, bool may_miss) {
        const auto& kernels = row_kernels().of(T{});
        const auto kernel = kernels.accumulate_narrow[weights_ != nullptr][may_miss];
        std::vector<T> block((order_.last_row - order_.first_row) * narrow_columns);
        std::vector<std::uint32_t> rows(order_.rows.size());
        for (std::size_t r = 0; r < rows.size(); ++r)
            rows[r] = static_cast<std::uint32_t>(order_.rows[r] - order_.first_row);
        const std::vector<double> weights = ordered_weights();
        NarrowSums narrow;
        for (std::size_t first = 0; first < width_; first += narrow_columns) {
            const std::size_t count = std::min(narrow_columns, width_ - first);
            copy_to_narrow(first, count, block.data());
            const T* coming = place(std::min(first + narrow_columns, width_ - 1));
            for (std::size_t c = 0; c < order_.classes.size(); ++c) {
                const std::size_t start = order_.starts[c];
                const RunningSums wide = sums.of_class(c, width_);
                narrow.load(wide, first, count);
                kernel(block.data(), rows.data() + start, weights_ ? weights.data() + start : nullptr,
                       order_.starts[c + 1] - start, {coming, rows_.column_stride, start}, narrow.view());
                narrow.store(wide, first, count);
            }
        }
    }

    /// Where the chunk's first value of a column lies.
    const T* place(std::size_t column) const {
        return rows_.data + static_cast<std::ptrdiff_t>(first_column_ + column) * rows_.column_stride +
               static_cast<std::ptrdiff_t>(order_.first_row) * rows_.row_stride;
    }

    void copy_to_narrow(std::size_t first, std::size_t count, T* block) const {
        const T* from = place(first);
        const std::size_t n_rows = order_.last_row - order_.first_row;
        if (count == narrow_columns && rows_.row_stride == 1) {
            row_kernels().of(T{}).transpose_to_narrow(from, rows_.column_stride, n_rows, block);
            return;
        }
        for (std::size_t r = 0; r < n_rows; ++r)
            for (std::size_t j = 0; j < narrow_columns; ++j)
                block[r * narrow_columns + j] = j < count ? from[static_cast<std::ptrdiff_t>(r) * rows_.row_stride +
                                                                 static_cast<std::ptrdiff_t>(j) * rows_.column_stride]
                                                          : T{0};
    }

    std::vector<double> ordered_weights() const {
        std::vector<double> weights(weights_ ? order_.rows.size() : 0);
        for (std::size_t r = 0; r < weights.size(); ++r) weights[r] = weights_[order_.rows[r]];
        return weights;
    }

    bool is_finite(const ChunkSums& sums) const {
        // NaN and infinity survive every later addition, so the totals tell of every value; zero times
        // either is NaN.
        double zero = 0.0;
        for (const double x : sums.sum) zero += 0.0 * x;
        for (const double x : sums.square) zero += 0.0 * x;
        return zero == 0.0;
    }

    const DenseRows<T>& rows_;
    const ChunkOrder& order_;
    const double* weights_;
    std::size_t first_column_;
    std::size_t width_;
};

void merge_chunk(ClassMoments& moments, const ChunkOrder& order, const ChunkSums& sums, std::size_t first_column,
                 std::size_t width) noexcept {
    for (std::size_t c = 0; c < order.classes.size(); ++c) {
        const std::size_t to = static_cast<std::size_t>(order.classes[c]) * moments.n_columns + first_column;
        const std::size_t from = c * width;
        const std::uint64_t key = moments.class_key[order.classes[c]];
        for (std::size_t j = 0; j < width; ++j) {
            moments.checksum[first_column + j] += sums.checksum[from + j] * key;
            const double weight = sums.missing[j] == 0 ? order.weights[c] : sums.weight[from + j];
            if (weight == 0.0) continue;
            const double offset = sums.sum[from + j] / weight;
            const double about_mean = sums.square[from + j] - offset * sums.sum[from + j];
            merge_group(moments.weight[to + j], moments.mean_high[to + j], moments.mean_low[to + j],
                        moments.scatter[to + j], weight, sums.shift[from + j], offset, std::max(about_mean, 0.0));
        }
    }
    for (std::size_t j = 0; j < width; ++j) {
        const std::size_t to = first_column + j;
        moments.lowest[to] = std::min(moments.lowest[to], sums.lowest[j]);
        moments.highest[to] = std::max(moments.highest[to], sums.highest[j]);
        moments.missing[to] += static_cast<std::int64_t>(sums.missing[j]);
    }
}

std::size_t tile_width(std::size_t n_columns, std::size_t n_classes, bool is_copied) {
    const std::size_t fits = std::max<std::size_t>(16, scratch_doubles / 8 / std::max<std::size_t>(n_classes, 1));
    return std::min({n_columns, fits, is_copied ? copied_columns : tile_columns});
}

}  // namespace

template <class T>
bool add_rows(const DenseRows<T>& rows, const std::int32_t* codes, const double* weights, std::size_t n_threads,
              ClassMoments& moments) {
    assert(rows.n_columns == moments.n_columns);
    if (rows.n_rows == 0 || rows.n_columns == 0) return true;

    const std::size_t n_chunks = (rows.n_rows + chunk_rows - 1) / chunk_rows;
    std::vector<ChunkOrder> orders;
    orders.reserve(n_chunks);
    for (std::size_t k = 0; k < n_chunks; ++k)
        orders.push_back(order_chunk(codes, weights, k * chunk_rows, std::min(rows.n_rows, (k + 1) * chunk_rows),
                                     moments.n_classes));

    const std::size_t width = tile_width(rows.n_columns, moments.n_classes, rows.column_stride != 1);
    const std::size_t n_tiles = (rows.n_columns + width - 1) / width;
    const std::unique_ptr<Turns[]> turns(new Turns[n_tiles]);
    std::atomic<bool> go_on{true};
    const std::size_t most_threads = rows.n_rows * rows.n_columns / elements_per_thread;

    run_tasks(n_tiles * n_chunks, std::min(n_threads, std::max<std::size_t>(most_threads, 1)),
              [&](std::size_t task, std::size_t) {
                  const std::size_t tile = task / n_chunks;
                  const std::size_t chunk = task % n_chunks;
                  const std::size_t first = tile * width;
                  const std::size_t columns = std::min(width, rows.n_columns - first);
                  ChunkSums sums;
                  try {
                      if (go_on && !DenseChunk<T>(rows, orders[chunk], weights, first, columns).add_to(sums))
                          go_on = false;
                  } catch (...) {
                      go_on = false;
                      turns[tile].take(chunk, [] {});  // or the chunks after this one would wait for ever
                      throw;
                  }
                  turns[tile].take(chunk, [&] {
                      if (go_on) merge_chunk(moments, orders[chunk], sums, first, columns);
                  });
              });
    return go_on;
}

template bool add_rows(const DenseRows<float>&, const std::int32_t*, const double*, std::size_t, ClassMoments&);
template bool add_rows(const DenseRows<double>&, const std::int32_t*, const double*, std::size_t, ClassMoments&);

}  // namespace fewest
