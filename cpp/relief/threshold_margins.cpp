#include "relief/threshold_margins.hpp"

#include <cmath>

#include "core/large_array.hpp"
#include "core/threads.hpp"
#include "relief/distance_loops.hpp"

namespace fewest {
namespace {

/// Distances that differ by less, as a share of the threshold, are as far as it.
constexpr double tie = 1e-12;

/// What one thread keeps from block to block.
struct Scratch {
    Scratch(const MarginRows& rows, std::size_t n_at_once)
        : distances(n_at_once * rows.n_rows), observed(rows.is_categorical ? rows.n_columns : 0) {
        for (auto& sums_of : sums) sums_of.resize(rows.n_columns);
        for (auto& counts_of : counts) counts_of.resize(rows.n_columns);
    }

    LargeArray<double> distances;
    ObservedMargin observed;
    std::vector<double> sums[2];  ///< near, far
    std::vector<std::int64_t> counts[2];
    /// The rows that count for the margins of a block, with their factors, and where those of each margin end.
    std::vector<const double*> others;
    std::vector<double> factors;
    struct Group {
        const double* row;
        std::size_t part, end;
    };
    std::vector<Group> groups;
};

/// Distances of some rows to all: [query][row]. All of these rows meet some others while those are in the cache.
void measure(const MarginRows& rows, const std::int64_t* queries, std::size_t n_queries, bool is_squared,
             double* distances) {
    constexpr std::size_t most_values = std::size_t{1} << 14;
    const DistanceLoops& loops = distance_loops();
    const std::size_t step = std::max<std::size_t>(n_abreast, most_values / std::max<std::size_t>(rows.n_columns, 1));
    for (std::size_t first = 0; first < rows.n_rows; first += step) {
        const std::size_t last = std::min(first + step, rows.n_rows);
        for (std::size_t q = 0; q < n_queries; ++q) {
            const double* const own = rows.row(static_cast<std::size_t>(queries[q]));
            double* const to = distances + q * rows.n_rows;
            std::size_t i = first;
            for (; !rows.is_categorical && i + n_abreast <= last; i += n_abreast)
                loops.distances(own, rows.row(i), rows.n_columns, is_squared, to + i);
            for (; i < last; ++i)
                to[i] = rows.is_categorical ? observed_distance(rows, own, rows.row(i), nullptr, is_squared)
                                            : loops.distance(own, rows.row(i), rows.n_columns, is_squared);
            for (i = first; is_squared && i < last; ++i) to[i] = std::sqrt(to[i]);
        }
        check_interruption();
    }
    for (std::size_t q = 0; q < n_queries; ++q)
        distances[q * rows.n_rows + static_cast<std::size_t>(queries[q])] = INFINITY;
}

/// Distances of one row to all; infinite to itself.
struct Line {
    const double* distances;
    std::size_t n;
    const double* begin() const { return distances; }
    const double* end() const { return distances + n; }
    double operator[](std::size_t i) const { return distances[i]; }
};

struct MeanDistance {
    double sum = 0, n = 0;
    double mean() const { return n > 0 ? sum / n : 0.0; }
};

MeanDistance mean_of(const Line& distances) {
    MeanDistance found;
    for (const double distance : distances)
        if (std::isfinite(distance)) {
            found.sum += distance;
            found.n += 1;
        }
    return found;
}

/// The limits of a row: near are those below the first, far those above the second.
struct Limits {
    double near, far;
};

Limits limits_about(double mean, double half_width) {
    return {(mean - half_width) * (1 - tie), (mean + half_width) * (1 + tie)};
}

Limits limits_of(const Line& distances) {
    const MeanDistance found = mean_of(distances);
    const double mean = found.mean();
    double squares = 0;
    for (const double distance : distances)
        if (std::isfinite(distance)) squares += (distance - mean) * (distance - mean);
    return limits_about(mean, found.n > 0 ? std::sqrt(squares / found.n) / 2 : 0.0);
}

/// Makes the rows of [begin, end) that count the group at hand, each with this factor.
template <class Counts>
void add_group(const MarginRows& rows, std::size_t query, const Line& line, std::size_t begin, std::size_t end,
               double factor, const Counts& does_count, Scratch& mine) {
    const DistanceLoops& loops = distance_loops();
    for (std::size_t i = begin; i < end; ++i) {
        if (!does_count(line[i])) continue;
        if (rows.is_categorical) {
            loops.add_observed_differences(rows.row(query), rows.row(i), rows.is_categorical, rows.category_difference,
                                           1.0, rows.n_columns, mine.observed.differences.data(),
                                           mine.observed.factors.data());
        } else {
            mine.others.push_back(rows.row(i));
            mine.factors.push_back(factor);
        }
    }
}

/// Adds sign times the margin of a row over those that count, where there are any.
template <class Counts>
void add_margin(const MarginRows& rows, std::size_t query, const Line& line, double sign, std::size_t part,
                const Counts& does_count, Scratch& mine) {
    const std::size_t own = rows.class_of(query), begin = rows.class_begin(own), end = rows.class_end(own);
    std::size_t n_hits = 0, n_all = 0;
    for (std::size_t i = begin; i < end; ++i) n_hits += does_count(line[i]);
    for (const double distance : line) n_all += does_count(distance);
    if (n_all == 0) return;
    // Of those that are none the factor is not used.
    const double hit = -sign / static_cast<double>(n_hits), miss = sign / static_cast<double>(n_all - n_hits);
    add_group(rows, query, line, begin, end, hit, does_count, mine);
    if (rows.is_categorical) mine.observed.end_hits();
    add_group(rows, query, line, 0, begin, miss, does_count, mine);
    add_group(rows, query, line, end, rows.n_rows, miss, does_count, mine);
    if (rows.is_categorical) {
        mine.observed.end_misses(1.0);
        mine.observed.end_row(sign, sign, mine.sums[part].data(), mine.counts[part].data(), false);
        return;
    }
    mine.groups.push_back({rows.row(query), part, mine.others.size()});
    for (std::int64_t& count : mine.counts[part]) ++count;
}

/// Adds the differences of a block, for all its margins in some columns while these are in the cache.
void add_differences(const MarginRows& rows, Scratch& mine) {
    const DistanceLoops& loops = distance_loops();
    for (std::size_t column = 0; column < rows.n_columns; column += n_summed_at_once) {
        check_interruption();
        const std::size_t end = std::min(column + n_summed_at_once, rows.n_columns);
        std::size_t first = 0;
        for (const Scratch::Group& group : mine.groups) {
            loops.add_differences(group.row, mine.others.data() + first, mine.factors.data() + first, group.end - first,
                                  column, end, mine.sums[group.part].data());
            first = group.end;
        }
    }
    mine.others.clear();
    mine.factors.clear();
    mine.groups.clear();
}

/// Calls compute(query, its distances, scratch) for every row of a block, begin before and end(scratch) after it, blocks
/// in order.
template <class Begin, class Compute, class End>
void in_blocks(const MarginRows& rows, const std::int64_t* queries, std::size_t n_queries, std::size_t n_threads,
               bool is_squared, const Begin& begin, const Compute& compute, const End& end) {
    const std::size_t n_at_once = rows.rows_at_once(n_queries), n_blocks = (n_queries + n_at_once - 1) / n_at_once;
    n_threads = std::max<std::size_t>(1, std::min(n_threads, n_blocks));
    std::vector<Scratch> scratch;
    scratch.reserve(n_threads);
    for (std::size_t t = 0; t < n_threads; ++t) scratch.emplace_back(rows, n_at_once);
    Turns turns;
    run_tasks(n_blocks, n_threads, [&](std::size_t block, std::size_t worker) {
        Scratch& mine = scratch[worker];
        const std::size_t first = block * n_at_once, last = std::min(first + n_at_once, n_queries);
        const auto compute_block = [&] {
            begin(mine);
            measure(rows, queries + first, last - first, is_squared, mine.distances.data());
            for (std::size_t q = first; q < last; ++q) {
                check_interruption();
                compute(q, Line{mine.distances.data() + (q - first) * rows.n_rows, rows.n_rows}, mine);
            }
            add_differences(rows, mine);
        };
        turns.take(block, compute_block, [&] { end(mine); });
    });
}

}  // namespace

void threshold_margins(const MarginRows& rows, const std::int64_t* queries, std::size_t n_queries,
                       const ThresholdRule& rule, std::size_t n_threads, const MarginSums& near,
                       const MarginSums& far) {
    const MarginSums parts[2] = {near, far};
    for (const MarginSums& part : parts) {
        std::fill(part.sums, part.sums + rows.n_columns, 0.0);
        std::fill(part.counts, part.counts + rows.n_columns, 0);
    }
    Limits of_all{};
    if (!rule.is_by_row) {
        MeanDistance all;
        std::vector<MeanDistance> found(n_queries);
        const auto nothing = [](Scratch&) {};
        in_blocks(
            rows, queries, n_queries, n_threads, rule.is_squared, nothing,
            [&](std::size_t q, const Line& line, Scratch&) { found[q] = mean_of(line); }, nothing);
        for (std::size_t q = 0; q < n_queries; ++q) {
            all.sum += found[q].sum;
            all.n += found[q].n;
        }
        of_all = limits_about(all.mean(), 0.0);
    }
    in_blocks(
        rows, queries, n_queries, n_threads, rule.is_squared,
        [](Scratch& mine) {
            for (auto& sums : mine.sums) std::fill(sums.begin(), sums.end(), 0.0);
            for (auto& counts : mine.counts) std::fill(counts.begin(), counts.end(), 0);
        },
        [&](std::size_t q, const Line& line, Scratch& mine) {
            const auto query = static_cast<std::size_t>(queries[q]);
            const Limits limits = rule.is_by_row ? limits_of(line) : of_all;
            add_margin(rows, query, line, 1.0, 0, [&](double distance) { return distance < limits.near; }, mine);
            if (!rule.has_far) return;
            const auto is_far = [&](double distance) { return distance > limits.far && std::isfinite(distance); };
            add_margin(rows, query, line, -1.0, 1, is_far, mine);
        },
        [&](Scratch& mine) {
            for (std::size_t part = 0; part < 2; ++part)
                for (std::size_t d = 0; d < rows.n_columns; ++d) {
                    parts[part].sums[d] += mine.sums[part][d];
                    parts[part].counts[d] += mine.counts[part][d];
                }
        });
}

}  // namespace fewest
