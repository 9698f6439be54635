// What is done with finished moments: merging them, and the scatter between and within the classes.

#include <algorithm>
#include <cassert>
#include <vector>

#include "core/threads.hpp"
#include "statistics/class_moments.hpp"
#include "statistics/merge_moments.hpp"

namespace fewest {

void merge(ClassMoments& moments, const ClassMoments& other, const std::int32_t* target) {
    assert(moments.n_columns == other.n_columns);
    for (std::size_t c = 0; c < other.n_classes; ++c) {
        const std::size_t to = static_cast<std::size_t>(target[c]) * moments.n_columns;
        const std::size_t from = c * other.n_columns;
        for (std::size_t j = 0; j < moments.n_columns; ++j) {
            if (other.weight[from + j] == 0.0) continue;
            merge_group(moments.weight[to + j], moments.mean_high[to + j], moments.mean_low[to + j],
                        moments.scatter[to + j], other.weight[from + j], other.mean_high[from + j],
                        other.mean_low[from + j], other.scatter[from + j]);
        }
    }
    for (std::size_t j = 0; j < moments.n_columns; ++j) {
        moments.lowest[j] = std::min(moments.lowest[j], other.lowest[j]);
        moments.highest[j] = std::max(moments.highest[j], other.highest[j]);
        moments.missing[j] += other.missing[j];
        moments.checksum[j] += other.checksum[j];
    }
}

namespace {

// Chosen for speed alone.
constexpr std::size_t cells_per_thread = std::size_t{1} << 15;

/// Scatter of a tile of columns, class after class. No branches in the loops: the compiler makes packs of columns.
class TileScatter {
public:
    explicit TileScatter(std::size_t width)
        : width_(width), origin_(width), mean_(width), total_(width), between_(width), within_(width) {}

    /// Adds a class to the grand mean. Means are taken about that of the first class observed, so that their digits
    /// are not lost beside a large offset; a class without weight adds nothing.
    void add_to_mean(const double* __restrict weight, const double* __restrict high, const double* __restrict low) {
        double* __restrict origin = origin_.data();
        double* __restrict mean = mean_.data();
        double* __restrict total = total_.data();
        for (std::size_t j = 0; j < width_; ++j) {
            origin[j] = total[j] == 0.0 ? high[j] : origin[j];
            mean[j] += weight[j] * about(origin[j], high[j], low[j]);
            total[j] += weight[j];
        }
    }

    void finish_mean() {
        for (std::size_t j = 0; j < width_; ++j) mean_[j] /= total_[j] > 0.0 ? total_[j] : 1.0;
    }

    void add_scatter(const double* __restrict weight, const double* __restrict high, const double* __restrict low,
                     const double* __restrict scatter) {
        const double* __restrict origin = origin_.data();
        const double* __restrict mean = mean_.data();
        double* __restrict between = between_.data();
        double* __restrict within = within_.data();
        for (std::size_t j = 0; j < width_; ++j) {
            const double difference = about(origin[j], high[j], low[j]) - mean[j];
            between[j] += weight[j] * difference * difference;
            within[j] += scatter[j];
        }
    }

    void store(double* between, double* within, double* total_weight) const {
        for (std::size_t j = 0; j < width_; ++j) {
            const double total = total_[j] > 0.0 ? total_[j] : 1.0;
            between[j] = between_[j] / total;
            within[j] = within_[j] / total;
            total_weight[j] = total_[j];
        }
    }

private:
    static double about(double origin, double high, double low) {
        double error;
        const double step = two_sum(high, -origin, error);
        return step + (error + low);
    }

    std::size_t width_;
    std::vector<double> origin_, mean_, total_, between_, within_;
};

}  // namespace

void scatter(const ClassMoments& moments, const std::int32_t* class_order, std::size_t n_threads, double* between,
             double* within, double* total_weight) {
    constexpr std::size_t columns_per_task = 1024;
    const std::size_t n_columns = moments.n_columns;
    const std::size_t n_tasks = (n_columns + columns_per_task - 1) / columns_per_task;
    const std::size_t most_threads = n_columns * moments.n_classes / cells_per_thread;
    run_tasks(n_tasks, std::min(n_threads, std::max<std::size_t>(most_threads, 1)), [&](std::size_t task, std::size_t) {
        const std::size_t first = task * columns_per_task;
        const std::size_t last = std::min(n_columns, first + columns_per_task);
        const std::size_t width = last - first;
        TileScatter tile(width);
        for (std::size_t c = 0; c < moments.n_classes; ++c) {
            const std::size_t at = static_cast<std::size_t>(class_order[c]) * n_columns + first;
            tile.add_to_mean(moments.weight + at, moments.mean_high + at, moments.mean_low + at);
        }
        tile.finish_mean();
        for (std::size_t c = 0; c < moments.n_classes; ++c) {
            const std::size_t at = static_cast<std::size_t>(class_order[c]) * n_columns + first;
            tile.add_scatter(moments.weight + at, moments.mean_high + at, moments.mean_low + at, moments.scatter + at);
        }
        tile.store(between + first, within + first, total_weight + first);
    });
}

}  // namespace fewest
