// What is done with finished moments: merging them, and the scatter between and within the classes.

#include <algorithm>
#include <cassert>
#include <vector>

#include "fewest/class_moments.hpp"
#include "fewest/merge_moments.hpp"
#include "fewest/threads.hpp"

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

// Chosen for speed alone.
constexpr std::size_t cells_worth_a_thread = std::size_t{1} << 15;

void scatter(const ClassMoments& moments, const std::int32_t* class_order, std::size_t n_threads, double* between,
             double* within, double* total_weight) {
    constexpr std::size_t columns_per_task = 1024;
    const std::size_t n_columns = moments.n_columns;
    const std::size_t n_tasks = (n_columns + columns_per_task - 1) / columns_per_task;
    const std::size_t worth = n_columns * moments.n_classes / cells_worth_a_thread;
    run_tasks(n_tasks, std::min(n_threads, std::max<std::size_t>(worth, 1)), [&](std::size_t task, std::size_t) {
        const std::size_t first = task * columns_per_task;
        const std::size_t last = std::min(n_columns, first + columns_per_task);
        // Class means are taken about that of one class, so that their digits are not lost beside a large
        // offset: origin holds it, mean the grand mean about it.
        std::vector<double> origin(columns_per_task, 0.0);
        std::vector<double> mean(columns_per_task, 0.0);
        const auto about_origin = [&](std::size_t at, std::size_t j) {
            double error;
            const double step = two_sum(moments.mean_high[at + j], -origin[j - first], error);
            return step + (error + moments.mean_low[at + j]);
        };
        std::fill(between + first, between + last, 0.0);
        std::fill(within + first, within + last, 0.0);
        std::fill(total_weight + first, total_weight + last, 0.0);
        for (std::size_t c = 0; c < moments.n_classes; ++c) {
            const std::size_t at = static_cast<std::size_t>(class_order[c]) * n_columns;
            for (std::size_t j = first; j < last; ++j) {
                const double weight = moments.weight[at + j];
                if (weight == 0.0) continue;
                if (total_weight[j] == 0.0) origin[j - first] = moments.mean_high[at + j];
                mean[j - first] += weight * about_origin(at, j);
                total_weight[j] += weight;
                within[j] += moments.scatter[at + j];
            }
        }
        for (std::size_t j = first; j < last; ++j)
            if (total_weight[j] > 0.0) mean[j - first] /= total_weight[j];
        for (std::size_t c = 0; c < moments.n_classes; ++c) {
            const std::size_t at = static_cast<std::size_t>(class_order[c]) * n_columns;
            for (std::size_t j = first; j < last; ++j) {
                const double difference = about_origin(at, j) - mean[j - first];
                between[j] += moments.weight[at + j] * difference * difference;
            }
        }
        for (std::size_t j = first; j < last; ++j) {
            if (total_weight[j] == 0.0) continue;
            between[j] /= total_weight[j];
            within[j] /= total_weight[j];
        }
    });
}

}  // namespace fewest
