#include "relief/weighted_margins.hpp"

#include <array>
#include <cmath>

#include "core/threads.hpp"
#include "relief/distance_loops.hpp"
#include "relief/pair_margins.hpp"

namespace fewest {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What one thread keeps from row to row.
struct Scratch {
    explicit Scratch(const MarginRows& rows)
        : observed(rows.is_categorical ? rows.n_columns : 0), near(rows.n_rows), sums(rows.n_columns),
          counts(rows.n_columns) {}

    ObservedMargin observed;
    std::vector<double> near;
    std::vector<double> sums;
    std::vector<std::int64_t> counts;
};

/// A group of rows: distances become exp(-(t - least)/width). No sum underflows, as the nearest counts one.
struct Group {
    double least = infinity, total = 0;

    void look(const double* near, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) least = std::min(least, near[i]);
    }
    void weigh(double* near, std::size_t begin, std::size_t end, double width) {
        for (std::size_t i = begin; i < end; ++i) {
            near[i] = near[i] < infinity ? std::exp((least - near[i]) / width) : 0.0;
            total += near[i];
        }
    }
};

void add_rows(const MarginRows& rows, std::size_t query, std::size_t begin, std::size_t end, double factor,
              Scratch& scratch) {
    const DistanceLoops& loops = distance_loops();
    for (std::size_t i = begin; i < end; ++i) {
        if (scratch.near[i] == 0) continue;
        if (rows.is_categorical)
            loops.add_observed_differences(rows.row(query), rows.row(i), rows.is_categorical, rows.category_difference,
                                           scratch.near[i], rows.n_columns, scratch.observed.differences.data(),
                                           scratch.observed.factors.data());
        else
            loops.add_differences(rows.row(query), std::array{rows.row(i)}.data(),
                                  std::array{factor * scratch.near[i]}.data(), 1, 0, rows.n_columns,
                                  scratch.sums.data());
    }
}

void add_margin(const MarginRows& rows, std::size_t query, const double* weights, double width, bool is_squared,
                Scratch& scratch) {
    const std::size_t own = rows.class_of(query), begin = rows.class_begin(own), end = rows.class_end(own);
    if (end - begin < 2) return;
    double* const near = scratch.near.data();
    for (std::size_t i = 0; i < rows.n_rows; ++i) {
        const double sum =
            rows.is_categorical
                ? observed_distance(rows, rows.row(query), rows.row(i), weights, is_squared)
                : distance_loops().weighted_distance(rows.row(query), rows.row(i), weights, rows.n_columns, is_squared);
        near[i] = is_squared ? std::sqrt(sum) : sum;
    }
    near[query] = infinity;
    Group hits, misses;
    hits.look(near, begin, end);
    misses.look(near, 0, begin);
    misses.look(near, end, rows.n_rows);
    if (hits.least == infinity || misses.least == infinity) return;
    hits.weigh(near, begin, end, width);
    misses.weigh(near, 0, begin, width);
    misses.weigh(near, end, rows.n_rows, width);
    // 1 - o, with the sums over hits and misses brought to one unit: H / (H + M).
    const double inlier = hits.total / (hits.total + misses.total * std::exp((hits.least - misses.least) / width));
    if (rows.is_categorical) {
        add_rows(rows, query, begin, end, 1.0, scratch);
        scratch.observed.end_hits();
        add_rows(rows, query, 0, begin, 1.0, scratch);
        add_rows(rows, query, end, rows.n_rows, 1.0, scratch);
        scratch.observed.end_misses(1.0);
        scratch.observed.end_row(inlier, inlier, scratch.sums.data(), scratch.counts.data());
    } else {
        add_rows(rows, query, begin, end, -inlier / hits.total, scratch);
        add_rows(rows, query, 0, begin, inlier / misses.total, scratch);
        add_rows(rows, query, end, rows.n_rows, inlier / misses.total, scratch);
        for (std::int64_t& count : scratch.counts) ++count;
    }
}

}  // namespace

bool weighted_margins(const MarginRows& rows, const std::int64_t* queries, std::size_t n_queries, const double* weights,
                      double width, bool is_squared, bool is_rough, std::size_t n_threads, double* sums,
                      std::int64_t* counts) {
    if (can_pair(rows, n_queries, weights, width, is_squared))
        return pair_margins(rows, queries, n_queries, weights, width, is_squared, is_rough, n_threads, sums, counts);
    const std::size_t n_at_once = rows.rows_at_once(n_queries), n_blocks = (n_queries + n_at_once - 1) / n_at_once;
    n_threads = std::max<std::size_t>(1, std::min(n_threads, n_blocks));
    std::fill(sums, sums + rows.n_columns, 0.0);
    std::fill(counts, counts + rows.n_columns, 0);
    std::vector<Scratch> scratch(n_threads, Scratch(rows));
    Turns turns;
    run_tasks(n_blocks, n_threads, [&](std::size_t block, std::size_t worker) {
        Scratch& own = scratch[worker];
        const auto compute = [&] {
            std::fill(own.sums.begin(), own.sums.end(), 0.0);
            std::fill(own.counts.begin(), own.counts.end(), 0);
            for (std::size_t q = block * n_at_once; q < std::min((block + 1) * n_at_once, n_queries); ++q) {
                check_interruption();
                add_margin(rows, static_cast<std::size_t>(queries[q]), weights, width, is_squared, own);
            }
        };
        turns.take(block, compute, [&] {
            for (std::size_t d = 0; d < rows.n_columns; ++d) {
                sums[d] += own.sums[d];
                counts[d] += own.counts[d];
            }
        });
    });
    return false;
}

}  // namespace fewest
