#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "core/threads.hpp"
#include "statistics/class_moments.hpp"
#include "statistics/merge_moments.hpp"

namespace fewest {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Part of the result's definition, as for dense rows: sums run over a chunk, then over chunks. A chunk of
// sparse rows is longer, since most columns are empty in most rows.
constexpr std::size_t chunk_rows = std::size_t{1} << 17;
constexpr std::size_t chunk_stored = std::size_t{1} << 22;

// Chosen for speed alone: the cells of one bucket of columns stay in the second-level cache.
constexpr std::size_t bucket_cells = std::size_t{1} << 13;
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
        const double known = shift;
        const double choice[2] = {known, x};
        shift = choice[observed == 0];  // no branch: which it is cannot be foreseen
        ++observed;
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

/// Rows of each class in a chunk, and what they weigh; rows of weight zero are left out.
struct ClassTotals {
    std::vector<std::size_t> rows;
    std::vector<double> weights;

    ClassTotals(const std::int32_t* codes, const double* row_weights, std::size_t first, std::size_t last,
                std::size_t n_classes)
        : rows(n_classes, 0), weights(n_classes, 0.0) {
        for (std::size_t row = first; row < last; ++row) {
            const double weight = row_weights ? row_weights[row] : 1.0;
            if (weight <= 0.0) continue;
            ++rows[static_cast<std::size_t>(codes[row])];
            weights[static_cast<std::size_t>(codes[row])] += weight;
        }
    }
};

/// One thread's cells, for one bucket of columns after the other.
class Bucket {
public:
    Bucket(ClassMoments& moments, std::size_t n_columns) : moments_(moments), cells_(moments.n_classes * n_columns) {}

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

    /// Moves the cells, [n_classes][width] from column `first` on, into the moments, together with the zeros that
    /// are not stored, and leaves them empty. False when a value is infinite or overflows.
    bool merge_into_moments(const ClassTotals& totals, std::size_t first, std::size_t width) {
        // A column without any value yet has nothing to merge with, and its tables need not be read.
        bool is_new = true;
        for (std::size_t j = 0; j < width; ++j)
            is_new = is_new && moments_.lowest[first + j] > moments_.highest[first + j];
        is_new = is_new && missing_weights_.empty();
        double zero = 0.0;  // NaN once a sum is infinite
        for (std::size_t c = 0; c < moments_.n_classes; ++c) {
            if (totals.rows[c] == 0) continue;
            Cell* cells = cells_.data() + c * width;
            const std::size_t to = c * moments_.n_columns + first;
            for (std::size_t j = 0; j < width; ++j) zero += 0.0 * (cells[j].sum + cells[j].square);
            if (is_new)
                write_class(cells, width, to, totals.weights[c]);
            else
                merge_class(cells, width, to, totals.rows[c], totals.weights[c], c * width);
            for (std::size_t j = 0; j < width; ++j) {
                const bool has_zeros = cells[j].observed + cells[j].missing < totals.rows[c];
                widen(first + j, std::min(cells[j].lowest, has_zeros ? 0.0 : infinity),
                      std::max(cells[j].highest, has_zeros ? 0.0 : -infinity));
                moments_.missing[first + j] += cells[j].missing;
                moments_.checksum[first + j] += cells[j].checksum * moments_.class_key[c];
                cells[j] = Cell{};
            }
        }
        missing_weights_.clear();
        return zero == 0.0;
    }

private:
    /// The moments of one class over columns that have none yet, nothing missing: stored values and zeros at once.
    void write_class(const Cell* cells, std::size_t width, std::size_t to, double class_weight) {
        const double per_weight = 1.0 / class_weight;
        for (std::size_t j = 0; j < width; ++j) {
            const Cell& cell = cells[j];
            const double offset = cell.sum / (cell.weight > 0.0 ? cell.weight : 1.0);
            const double zero_weight = class_weight - cell.weight;
            double low;
            const double high = two_sum(cell.shift, offset, low);
            // Without zeros the share is exactly one, and the mean keeps all its digits.
            const double share = zero_weight > 0.0 ? cell.weight * per_weight : 1.0;
            moments_.weight[to + j] = class_weight;
            moments_.mean_high[to + j] = high * share;
            moments_.mean_low[to + j] = low * share;
            moments_.scatter[to + j] =
                std::max(cell.square - offset * cell.sum, 0.0) + high * high * (share * std::max(zero_weight, 0.0));
        }
    }

    void merge_class(const Cell* cells, std::size_t width, std::size_t to, std::size_t class_rows, double class_weight,
                     std::size_t first_cell) {
        for (std::size_t j = 0; j < width; ++j) {
            const Cell& cell = cells[j];
            const double missing = cell.missing > 0 ? missing_weights_[first_cell + j] : 0.0;
            merge_stored(to + j, cell);
            if (cell.observed + cell.missing < class_rows) merge_zeros(to + j, class_weight - cell.weight - missing);
        }
    }

    void merge_stored(std::size_t to, const Cell& cell) {
        if (cell.weight <= 0.0) return;
        const double offset = cell.sum / cell.weight;
        merge_group(moments_.weight[to], moments_.mean_high[to], moments_.mean_low[to], moments_.scatter[to],
                    cell.weight, cell.shift, offset, std::max(cell.square - offset * cell.sum, 0.0));
    }

    void merge_zeros(std::size_t to, double weight) {
        if (weight > 0.0)
            merge_group(moments_.weight[to], moments_.mean_high[to], moments_.mean_low[to], moments_.scatter[to],
                        weight, 0.0, 0.0, 0.0);
    }

    void widen(std::size_t column, double lowest, double highest) {
        moments_.lowest[column] = std::min(moments_.lowest[column], lowest);
        moments_.highest[column] = std::max(moments_.highest[column], highest);
    }

    ClassMoments& moments_;
    std::vector<Cell> cells_;
    std::vector<double> missing_weights_;  ///< like cells_, or of no size
};

template <class T, class Index>
class SparseMoments {
public:
    SparseMoments(const SparseLines<T, Index>& rows, const std::int32_t* codes, const double* weights,
                  std::size_t n_threads, ClassMoments& moments)
        : rows_(rows), codes_(codes), weights_(weights), n_threads_(n_threads), moments_(moments) {
        while ((std::size_t{2} << shift_) * moments.n_classes <= bucket_cells) ++shift_;
        n_buckets_ = (rows.n_columns >> shift_) + 1;
        for (std::size_t t = 0; t < n_threads; ++t) buckets_.emplace_back(moments, std::size_t{1} << shift_);
    }

    /// Adds rows [first, last); false when a value is infinite or overflows.
    bool add_chunk(std::size_t first, std::size_t last) {
        return rows_.is_by_column ? add_columns(first, last) : add_rows(first, last);
    }

private:
    double weight_of(std::size_t row) const { return weights_ ? weights_[row] : 1.0; }
    std::size_t first_column(std::size_t bucket) const { return std::min(bucket << shift_, rows_.n_columns); }
    std::size_t width(std::size_t bucket) const { return first_column(bucket + 1) - first_column(bucket); }

    /// Rows come with their columns scattered, and a visit to a cell far away in memory costs more than all the
    /// arithmetic. So stored values are first dealt out to buckets of neighbouring columns, in row order.
    bool add_rows(std::size_t first, std::size_t last) {
        const std::size_t n_parts = n_threads_;
        const auto part_start = [&](std::size_t part) { return first + (last - first) * part / n_parts; };
        // place[part * n_buckets + bucket]: where the part's next entry of the bucket goes
        std::vector<std::size_t> place(n_parts * n_buckets_ + 1, 0);
        const auto for_each_stored = [&](std::size_t part, auto&& visit) {
            for (std::size_t row = part_start(part); row < part_start(part + 1); ++row) {
                if (weight_of(row) <= 0.0) continue;
                for (Index at = rows_.starts[row]; at < rows_.starts[row + 1]; ++at) visit(row, at);
            }
        };
        run_tasks(n_parts, n_threads_, [&](std::size_t part, std::size_t) {
            std::size_t* counts = place.data() + part * n_buckets_;
            for_each_stored(
                part, [&](std::size_t, Index at) { ++counts[static_cast<std::size_t>(rows_.indices[at]) >> shift_]; });
        });
        std::vector<std::size_t> starts(n_buckets_ + 1, 0);
        std::size_t total = 0;
        for (std::size_t bucket = 0; bucket < n_buckets_; ++bucket) {
            starts[bucket] = total;
            for (std::size_t part = 0; part < n_parts; ++part) {
                const std::size_t count = place[part * n_buckets_ + bucket];
                place[part * n_buckets_ + bucket] = total;
                total += count;
            }
        }
        starts[n_buckets_] = total;
        // What each stored value is, dealt out: its cell, itself, and its row in the chunk where rows have weights.
        const std::unique_ptr<std::uint32_t[]> dealt_cells(new std::uint32_t[total]);
        const std::unique_ptr<T[]> dealt_values(new T[total]);
        const std::unique_ptr<std::uint32_t[]> dealt_rows(new std::uint32_t[weights_ ? total : 0]);
        run_tasks(n_parts, n_threads_, [&](std::size_t part, std::size_t) {
            std::size_t* next = place.data() + part * n_buckets_;
            for_each_stored(part, [&](std::size_t row, Index at) {
                const auto column = static_cast<std::size_t>(rows_.indices[at]);
                const std::size_t bucket = column >> shift_;
                const std::size_t to = next[bucket]++;
                dealt_cells[to] = static_cast<std::uint32_t>(static_cast<std::size_t>(codes_[row]) * width(bucket) +
                                                             column - (bucket << shift_));
                dealt_values[to] = rows_.data[at];
                if (weights_) dealt_rows[to] = static_cast<std::uint32_t>(row - first);
            });
        });
        return for_each_bucket(first, last, [&](Bucket& cells, std::size_t bucket) {
            for (std::size_t i = starts[bucket]; i < starts[bucket + 1]; ++i)
                cells.add(dealt_cells[i], static_cast<double>(dealt_values[i]),
                          weights_ ? weights_[first + dealt_rows[i]] : 1.0);
        });
    }

    bool add_columns(std::size_t first, std::size_t last) {
        return for_each_bucket(first, last, [&](Bucket& cells, std::size_t bucket) {
            for (std::size_t j = 0; j < width(bucket); ++j) {
                const std::size_t column = first_column(bucket) + j;
                const Index* end = rows_.indices + rows_.starts[column + 1];
                const Index* at =
                    std::lower_bound(rows_.indices + rows_.starts[column], end, static_cast<Index>(first));
                for (; at != end && *at < static_cast<Index>(last); ++at) {
                    const auto row = static_cast<std::size_t>(*at);
                    if (weight_of(row) > 0.0)
                        cells.add(static_cast<std::size_t>(codes_[row]) * width(bucket) + j,
                                  static_cast<double>(rows_.data[at - rows_.indices]), weight_of(row));
                }
            }
        });
    }

    /// A column lies in one bucket and meets its rows in order, so the number of threads cannot change a sum.
    template <class Fill>
    bool for_each_bucket(std::size_t first, std::size_t last, Fill&& fill) {
        const ClassTotals totals(codes_, weights_, first, last, moments_.n_classes);
        std::atomic<bool> is_finite{true};
        run_tasks(n_buckets_, n_threads_, [&](std::size_t bucket, std::size_t worker) {
            fill(buckets_[worker], bucket);
            if (!buckets_[worker].merge_into_moments(totals, first_column(bucket), width(bucket))) is_finite = false;
        });
        return is_finite;
    }

    const SparseLines<T, Index>& rows_;
    const std::int32_t* codes_;
    const double* weights_;
    std::size_t n_threads_;
    ClassMoments& moments_;
    std::size_t shift_ = 0;  ///< log2 of the columns in a bucket
    std::size_t n_buckets_ = 0;
    std::vector<Bucket> buckets_;
};

/// Where a chunk that begins at `first` ends.
template <class T, class Index>
std::size_t chunk_end(const SparseLines<T, Index>& rows, std::size_t first) {
    const std::size_t last = std::min(rows.n_rows, first + chunk_rows);
    if (rows.is_by_column) return last;
    const Index* start = rows.starts + first;
    const Index* end = std::upper_bound(start, rows.starts + last, *start + static_cast<Index>(chunk_stored));
    return std::max(first + 1, static_cast<std::size_t>(end - rows.starts));
}

}  // namespace

template <class T, class Index>
bool add_rows(const SparseLines<T, Index>& rows, const std::int32_t* codes, const double* weights,
              std::size_t n_threads, ClassMoments& moments) {
    assert(rows.n_columns == moments.n_columns);
    if (rows.n_rows == 0 || rows.n_columns == 0) return true;
    const auto n_stored = static_cast<std::size_t>(rows.starts[rows.is_by_column ? rows.n_columns : rows.n_rows]);
    n_threads = std::max<std::size_t>(std::min(n_threads, n_stored / stored_worth_a_thread), 1);
    SparseMoments<T, Index> sums(rows, codes, weights, n_threads, moments);
    for (std::size_t first = 0, last; first < rows.n_rows; first = last) {
        last = chunk_end(rows, first);
        if (!sums.add_chunk(first, last)) return false;
    }
    return true;
}

#define FEWEST_INSTANTIATE(T, Index)                                                                      \
    template bool add_rows(const SparseLines<T, Index>&, const std::int32_t*, const double*, std::size_t, \
                           ClassMoments&);
FEWEST_INSTANTIATE(float, std::int32_t)
FEWEST_INSTANTIATE(float, std::int64_t)
FEWEST_INSTANTIATE(double, std::int32_t)
FEWEST_INSTANTIATE(double, std::int64_t)
#undef FEWEST_INSTANTIATE

}  // namespace fewest
