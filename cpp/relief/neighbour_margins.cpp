#include "relief/neighbour_margins.hpp"

#include <cmath>

#include "core/threads.hpp"
#include "relief/approximate_distances.hpp"

namespace fewest {
namespace {

/// Distances that differ by less, as a share of the larger, are the same.
constexpr double tie = 1e-12;
/// At most this number of distances share one least distance, of which there are this multiple of k where rows suffice.
constexpr std::size_t most_lines = 16, n_least_times = 4;

struct Run {
    std::size_t begin, end;
};

/// What one thread needs to find the neighbours of one row after the other.
class Finder {
public:
    Finder(const MarginRows& rows, const NeighbourRule& rule, const ApproximateDistances& approximate)
        : rows_(rows), rule_(rule), approximate_(approximate), loops_(distance_loops()), places_(rows.n_rows),
          least_(rows.n_rows + 8), known_(rows.n_rows, -1.0) {}

    /// The k nearest rows to a row among those of up to two runs, itself not among them, by their approximate distances
    /// (its own is infinite). Fills neighbours and weights; gives back the sum of the weights.
    double find(std::size_t query, const float* near, const Run (&runs)[2], std::size_t n_others, std::size_t k) {
        neighbours.clear();
        weights.clear();
        if (n_others <= k) {
            take(near, runs, 3e38f);
            for (std::size_t i = 0; i < n_places_; ++i) neighbours.push_back(places_[i]);
            weights.assign(neighbours.size(), 1.0);
            return static_cast<double>(neighbours.size());
        }
        const float limit = first_limit(near, runs, n_others, k);
        float sure = -INFINITY;
        take(near, runs, limit);
        if (n_places_ >= k) {
            // The true distances of those that seem nearest bound the true distance of the k-th.
            const auto is_nearer = [&](std::int64_t a, std::int64_t b) { return near[a] < near[b]; };
            const auto end = places_.begin() + static_cast<std::ptrdiff_t>(n_places_);
            // Where thousands are as near, there is nothing to sort.
            if (!std::all_of(places_.begin(), end, [&](std::int64_t i) { return near[i] == near[places_[0]]; }))
                std::nth_element(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(k - 1), end, is_nearer);
            if (are_certain(query, near, limit, k)) {
                neighbours.assign(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(k));
                // In the order of their places, so that sums run in one order.
                std::sort(neighbours.begin(), neighbours.end());
                weights.assign(k, 1.0);
                return static_cast<double>(k);
            }
            sure = surely_nearer(query, near[places_[k - 1]]);
            double farthest = 0;
            for (std::size_t i = 0; i < k; ++i) {
                if (near[places_[i]] < sure) continue;
                double& known = known_[static_cast<std::size_t>(places_[i])];
                known = distance(query, places_[i]);
                farthest = std::max(farthest, known);
            }
            take(near, runs, approximate_.at_most(query, farthest * (1 + 4 * tie)));
        }
        distances_.clear();
        for (std::size_t i = 0; i < n_places_; ++i) {
            if (near[places_[i]] < sure) {
                distances_.push_back(-1.0);  // nearer than the k-th, however near
                continue;
            }
            double& known = known_[static_cast<std::size_t>(places_[i])];
            distances_.push_back(known < 0 ? distance(query, places_[i]) : known);
            known = -1;
        }
        return share(k);
    }

    std::vector<std::int64_t> neighbours;
    std::vector<double> weights;

private:
    double distance(std::size_t query, std::int64_t place) const {
        const double* const x = rows_.row(query);
        const double* const y = rows_.row(static_cast<std::size_t>(place));
        if (rows_.is_categorical) return observed_distance(rows_, x, y, nullptr, rule_.is_squared);
        return loops_.distance(x, y, rows_.n_columns, rule_.is_squared);
    }

    /// The places of all distances up to a limit.
    void take(const float* near, const Run (&runs)[2], float limit) {
        n_places_ = 0;
        for (const Run& run : runs)
            if (run.begin < run.end)
                n_places_ += loops_.places_up_to(near + run.begin, run.end - run.begin, limit,
                                                 static_cast<std::int64_t>(run.begin), places_.data() + n_places_);
    }

    /// Whether the first k places are those of the k nearest, and no other is as near as any of them. Others than those
    /// taken look farther than the limit.
    bool are_certain(std::size_t query, const float* near, float limit, std::size_t k) const {
        const float kth = near[places_[k - 1]];
        float next = limit;
        for (std::size_t i = k; i < n_places_; ++i) next = std::min(next, near[places_[i]]);
        if (!(kth < next)) return false;
        const double between = approximate_.above(query, kth);
        return kth < approximate_.at_least(query, between) &&
               approximate_.at_most(query, between * (1 + 4 * tie)) < next;
    }

    /// Rows that look nearer than this are nearer than the k-th and no tie with it, which looks as far as this.
    float surely_nearer(std::size_t query, float kth) const {
        // Fewer than k rows look nearer than the k-th, and all others are farther than this.
        const double least = approximate_.below(query, kth);
        if (!(least > 0 && approximate_.at_most(query, least) < kth)) return -INFINITY;
        return approximate_.at_least(query, least * (1 - 4 * tie));
    }

    /// A limit up to which there are at least k distances, and few more; finite.
    /// Of some distances the least is known: k that are up to the k-th of these lie in lines of their own.
    float first_limit(const float* near, const Run (&runs)[2], std::size_t n_others, std::size_t k) {
        const std::size_t n_lines = std::min(most_lines, n_others / (n_least_times * k));
        if (n_lines < 2) return 3e38f;
        std::size_t n = 0;
        for (const Run& run : runs) {
            const std::size_t n_least = run.begin < run.end ? (run.end - run.begin) / n_lines : 0;
            if (n_least) loops_.least_of_lines(near + run.begin, n_least, n_lines, least_.data() + n);
            n += n_least;
        }
        if (n < 2 * k) return 3e38f;
        if (n <= most_ranked) {
            std::fill(least_.begin() + static_cast<std::ptrdiff_t>(n),
                      least_.begin() + static_cast<std::ptrdiff_t>((n + 7) / 8 * 8), INFINITY);
            return std::min(loops_.kth_least(least_.data(), n, k), 3e38f);
        }
        std::nth_element(least_.begin(), least_.begin() + static_cast<std::ptrdiff_t>(k - 1),
                         least_.begin() + static_cast<std::ptrdiff_t>(n));
        return std::min(least_[k - 1], 3e38f);
    }

    /// Weights of the rows taken: one for those nearer than the k-th, what is left of k shared by those as near.
    double share(std::size_t k) {
        if (n_places_ <= k) {
            neighbours.assign(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(n_places_));
            weights.assign(n_places_, 1.0);
            return static_cast<double>(n_places_);
        }
        double kth = distances_[0];
        if (!std::all_of(distances_.begin(), distances_.end(), [&](double d) { return d == distances_[0]; })) {
            sorted_ = distances_;
            std::nth_element(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(k - 1), sorted_.end());
            kth = sorted_[k - 1];
        }
        const double nearer = kth * (1 - tie), as_near = kth * (1 + tie);
        std::size_t n_nearer = 0, n_tied = 0;
        for (const double d : distances_) {
            n_nearer += d < nearer;
            n_tied += d >= nearer && d <= as_near;
        }
        const double part = static_cast<double>(k - n_nearer) / static_cast<double>(n_tied);
        // In the order of their places, so that sums run in one order.
        for (std::size_t i = 0; i < n_places_; ++i)
            if (distances_[i] <= as_near) {
                neighbours.push_back(places_[i]);
                weights.push_back(distances_[i] < nearer ? 1.0 : part);
            }
        return static_cast<double>(k);
    }

    const MarginRows& rows_;
    const NeighbourRule& rule_;
    const ApproximateDistances& approximate_;
    const DistanceLoops& loops_;
    std::vector<std::int64_t> places_;
    std::size_t n_places_ = 0;
    std::vector<float> least_;
    std::vector<double> distances_, sorted_;
    std::vector<double> known_;  ///< by row: its distance, or -1
};

/// What one thread keeps from block to block.
struct Scratch {
    Scratch(const MarginRows& rows, const NeighbourRule& rule, const ApproximateDistances& approximate,
            std::size_t n_at_once)
        : finder(rows, rule, approximate), observed(rows.is_categorical ? rows.n_columns : 0),
          queries(n_at_once * approximate.query_bytes()), near(n_at_once * approximate.stride()), sums(rows.n_columns),
          counts(rows.n_columns) {}

    Finder finder;
    ObservedMargin observed;
    LargeArray<char> queries;
    LargeArray<float> near;
    std::vector<double> sums;
    std::vector<std::int64_t> counts;
    std::vector<const double*> others;
    std::vector<double> factors;
};

/// Adds the differences to the neighbours of a group, the mean times a factor; or, where values may be missing, makes
/// them the group at hand.
void add_group(const MarginRows& rows, std::size_t query, double total, double factor, Scratch& scratch) {
    const DistanceLoops& loops = distance_loops();
    const Finder& found = scratch.finder;
    scratch.others.clear();
    scratch.factors.clear();
    for (std::size_t i = 0; i < found.neighbours.size(); ++i) {
        const double* const other = rows.row(static_cast<std::size_t>(found.neighbours[i]));
        if (rows.is_categorical) {
            loops.add_observed_differences(rows.row(query), other, rows.is_categorical, rows.category_difference,
                                           found.weights[i], rows.n_columns, scratch.observed.differences.data(),
                                           scratch.observed.factors.data());
            continue;
        }
        scratch.others.push_back(other);
        scratch.factors.push_back(factor * (found.weights[i] / total));
    }
    loops.add_differences(rows.row(query), scratch.others.data(), scratch.factors.data(), scratch.others.size(), 0,
                          rows.n_columns, scratch.sums.data());
}

/// Adds the margins of one row to those of its block; near: a first, approximate distances at its distances to all rows.
void add_margin(const MarginRows& rows, const NeighbourRule& rule, std::size_t query, float* near, Scratch& scratch) {
    const std::size_t own = rows.class_of(query), begin = rows.class_begin(own), end = rows.class_end(own);
    if (end - begin < 2) return;
    near[query] = INFINITY;
    double total = scratch.finder.find(query, near, {{begin, end}, {0, 0}}, end - begin - 1, rule.n_neighbours[own]);
    add_group(rows, query, total, -rule.hit_factors[own], scratch);
    if (rows.is_categorical) scratch.observed.end_hits();
    if (!rule.class_shares) {
        total = scratch.finder.find(query, near, {{0, begin}, {end, rows.n_rows}}, rows.n_rows - (end - begin),
                                    rule.n_neighbours[own]);
        add_group(rows, query, total, rule.miss_factors[own], scratch);
        if (rows.is_categorical) scratch.observed.end_misses(1.0);
    } else {
        for (std::size_t c = 0; c < rows.n_classes; ++c) {
            const std::size_t n = rows.class_end(c) - rows.class_begin(c);
            if (c == own || n == 0) continue;
            total = scratch.finder.find(query, near, {{rows.class_begin(c), rows.class_end(c)}, {0, 0}}, n,
                                        rule.n_neighbours[c]);
            add_group(rows, query, total, rule.miss_factors[own] * rule.class_shares[c], scratch);
            if (rows.is_categorical) scratch.observed.end_misses(rule.class_shares[c]);
        }
    }
    if (rows.is_categorical)
        scratch.observed.end_row(rule.miss_factors[own], rule.hit_factors[own], scratch.sums.data(),
                                 scratch.counts.data());
    else
        for (std::int64_t& count : scratch.counts) ++count;
}

}  // namespace

void neighbour_margins(const MarginRows& rows, const std::int64_t* queries, std::size_t n_queries,
                       const NeighbourRule& rule, std::size_t n_threads, double* sums, std::int64_t* counts) {
    const std::size_t n_columns = rows.n_columns, n_at_once = rows.rows_at_once(n_queries);
    const std::size_t n_blocks = (n_queries + n_at_once - 1) / n_at_once;
    n_threads = std::max<std::size_t>(1, std::min(n_threads, n_blocks));
    std::fill(sums, sums + n_columns, 0.0);
    std::fill(counts, counts + n_columns, 0);
    const ApproximateDistances approximate(rows, rule.is_squared,
                                           rows.n_rows / (rule.class_shares ? rows.n_classes : 2), n_threads);
    std::vector<Scratch> scratch;
    scratch.reserve(n_threads);
    for (std::size_t t = 0; t < n_threads; ++t) scratch.emplace_back(rows, rule, approximate, n_at_once);
    Turns turns;
    run_tasks(n_blocks, n_threads, [&](std::size_t block, std::size_t worker) {
        Scratch& own = scratch[worker];
        const std::size_t first = block * n_at_once, n = std::min(n_at_once, n_queries - first);
        const auto compute = [&] {
            std::fill(own.sums.begin(), own.sums.end(), 0.0);
            std::fill(own.counts.begin(), own.counts.end(), 0);
            approximate.look(queries + first, n, own.queries.data(), own.near.data());
            for (std::size_t q = 0; q < n; ++q) {
                check_interruption();
                add_margin(rows, rule, static_cast<std::size_t>(queries[first + q]),
                           own.near.data() + q * approximate.stride(), own);
            }
        };
        turns.take(block, compute, [&] {
            for (std::size_t d = 0; d < n_columns; ++d) {
                sums[d] += own.sums[d];
                counts[d] += own.counts[d];
            }
        });
    });
}

}  // namespace fewest
