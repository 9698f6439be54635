#include "fewest/neighbour_margins.hpp"

#include <cmath>

#include "fewest/distance_loops.hpp"
#include "fewest/large_array.hpp"
#include "fewest/threads.hpp"

namespace fewest {
namespace {

/// Distances that differ by less, as a share of the larger, are the same.
constexpr double tie = 1e-12;
/// So many lines of distances share one least distance in a first look.
constexpr std::size_t n_lines = 16;

/// All rows in float32, and how far a distance between them can be from the true one.
class Packed {
public:
    Packed(const MarginRows& rows, bool is_squared, std::size_t n_threads)
        : rows_(rows), is_squared_(is_squared), n_runs_((rows.n_rows + n_lanes - 1) / n_lanes),
          values_(n_runs_ * n_lanes * rows.n_columns) {
        std::vector<std::vector<double>> errors(std::max<std::size_t>(n_threads, 1),
                                                std::vector<double>(rows.n_columns));
        run_tasks(n_runs_, n_threads, [&](std::size_t run, std::size_t worker) { pack(run, errors[worker]); });
        double sum = 0, sum_of_squares = 0, largest = 0;
        for (std::size_t d = 0; d < rows.n_columns; ++d) {
            double error = 0;
            for (const auto& own : errors) error = std::max(error, own[d]);
            sum += error;
            sum_of_squares += error * error;
            largest = std::max(largest, error);
        }
        const double n = static_cast<double>(rows.n_columns);
        if (rows.is_state) {
            largest = std::max(largest, std::abs(rows.state_difference) * 1e-7);
            // Few columns may stand for all.
            sum = n * largest;
            sum_of_squares = n * largest * largest;
        }
        // Squares of less than this are lost in float32.
        slack_ = is_squared ? 2 * std::sqrt(sum_of_squares) + 1e-18 * std::sqrt(n) : 2 * sum;
        const double n_sums = static_cast<double>(rows.n_columns / n_columns_at_once);
        loss_ = (static_cast<double>(n_columns_at_once) + n_sums + 20) * std::ldexp(1.0, -24);
    }

    PackedRows view() const { 
        return {values_.data(), n_runs_, rows_.n_columns, rows_.is_state, static_cast<float>(rows_.state_difference)};
    }
    std::size_t stride() const { return n_runs_ * n_lanes; }

    /// A row whose true distance is at most this has at most that distance in float32.
    float at_most(double distance) const {
        double limit = is_squared_ ? std::sqrt(distance) + slack_ : distance + slack_;
        if (is_squared_) limit *= limit;
        limit *= (1 + 1e-6) / (1 - loss_);
        return limit < 3e38 ? static_cast<float>(limit) : 3e38f;
    }

private:
    void pack(std::size_t run, std::vector<double>& errors) {
        float* const to = values_.data() + run * n_lanes * rows_.n_columns;
        for (std::size_t lane = 0; lane < n_lanes; ++lane) {
            const std::size_t i = run * n_lanes + lane;
            const double* const row = i < rows_.n_rows ? rows_.row(i) : nullptr;
            for (std::size_t d = 0; d < rows_.n_columns; ++d) {
                const double value = row ? row[d] : 0.0;
                const float stored = static_cast<float>(value);
                to[d * n_lanes + lane] = stored;
                errors[d] = std::max(errors[d], std::abs(value - static_cast<double>(stored)));
            }
        }
    }

    const MarginRows& rows_;
    bool is_squared_;
    std::size_t n_runs_;
    LargeArray<float> values_;
    double slack_, loss_;
};

struct Run {
    std::size_t begin, end;
};

/// What one thread needs to find the neighbours of one row after the other.
class Finder {
public:
    Finder(const MarginRows& rows, const NeighbourRule& rule, const Packed& packed)
        : rows_(rows), rule_(rule), packed_(packed), loops_(distance_loops()), places_(rows.n_rows),
          least_(rows.n_rows / n_lines + 1) {}

    /// The nearest rows to a row among those of up to two runs, itself not among them, by their distances in float32 (its
    /// own is infinite). Fills neighbours and weights; gives back the sum of the weights.
    double find(std::size_t query, const float* near, const Run (&runs)[2], std::size_t n_others) {
        neighbours.clear();
        weights.clear();
        const std::size_t k = rule_.n_neighbours;
        if (n_others <= k) {
            take(near, runs, 3e38f);
            for (std::size_t i = 0; i < n_places_; ++i) neighbours.push_back(places_[i]);
            weights.assign(neighbours.size(), 1.0);
            return static_cast<double>(neighbours.size());
        }
        take(near, runs, first_limit(near, runs, k));
        if (n_places_ > k) {
            // The true distances of those that seem nearest bound the true distance of the k-th.
            const auto is_nearer = [&](std::int64_t a, std::int64_t b) { return near[a] < near[b]; };
            std::nth_element(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(k - 1),
                             places_.begin() + static_cast<std::ptrdiff_t>(n_places_), is_nearer);
            double farthest = 0;
            for (std::size_t i = 0; i < k; ++i) farthest = std::max(farthest, distance(query, places_[i]));
            take(near, runs, packed_.at_most(farthest * (1 + 4 * tie)));
        }
        distances_.clear();
        for (std::size_t i = 0; i < n_places_; ++i) distances_.push_back(distance(query, places_[i]));
        return share(k);
    }

    std::vector<std::int64_t> neighbours;
    std::vector<double> weights;

private:
    double distance(std::size_t query, std::int64_t place) const {
        const double* const x = rows_.row(query);
        const double* const y = rows_.row(static_cast<std::size_t>(place));
        if (rows_.is_state) return observed_distance(rows_, x, y, nullptr, rule_.is_squared);
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

    /// A limit up to which there are at least k distances, and few more; finite.
    /// Of n_lines distances the least is known: k that are up to the k-th of these lie in lines of their own.
    float first_limit(const float* near, const Run (&runs)[2], std::size_t k) {
        std::size_t n = 0;
        for (const Run& run : runs) {
            const std::size_t n_least = run.begin < run.end ? (run.end - run.begin) / n_lines : 0;
            if (n_least) loops_.least_of_lines(near + run.begin, n_least, n_lines, least_.data() + n);
            n += n_least;
        }
        if (n < 2 * k) return 3e38f;
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
        sorted_ = distances_;
        std::nth_element(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(k - 1), sorted_.end());
        const double kth = sorted_[k - 1], nearer = kth * (1 - tie), as_near = kth * (1 + tie);
        std::size_t n_nearer = 0, n_tied = 0;
        for (const double d : distances_) {
            n_nearer += d < nearer;
            n_tied += d >= nearer && d <= as_near;
        }
        const double part = static_cast<double>(k - n_nearer) / static_cast<double>(n_tied);
        // By their places, so that sums run in one order.
        std::size_t n = 0;
        for (std::size_t i = 0; i < n_places_; ++i)
            if (distances_[i] <= as_near) {
                neighbours.push_back(places_[i]);
                weights.push_back(distances_[i] < nearer ? 1.0 : part);
                ++n;
            }
        return static_cast<double>(k);
    }

    const MarginRows& rows_;
    const NeighbourRule& rule_;
    const Packed& packed_;
    const DistanceLoops& loops_;
    std::vector<std::int64_t> places_;
    std::size_t n_places_ = 0;
    std::vector<float> least_;
    std::vector<double> distances_, sorted_;
};

/// What one thread keeps from block to block.
struct Scratch {
    Scratch(const MarginRows& rows, const NeighbourRule& rule, const Packed& packed, std::size_t n_at_once)
        : finder(rows, rule, packed), observed(rows.is_state ? rows.n_columns : 0),
          queries(n_at_once * rows.n_columns), near(n_at_once * packed.stride()), sums(rows.n_columns),
          counts(rows.n_columns) {}

    Finder finder;
    ObservedMargin observed;
    LargeArray<float> queries;
    LargeArray<float> near;
    std::vector<double> sums;
    std::vector<std::int64_t> counts;
};

/// Adds the differences to the neighbours of a group, the mean times a factor; or, where values may be missing, makes
/// them the group at hand.
void add_group(const MarginRows& rows, std::size_t query, double total, double factor, Scratch& scratch) {
    const DistanceLoops& loops = distance_loops();
    const Finder& found = scratch.finder;
    for (std::size_t i = 0; i < found.neighbours.size(); ++i) {
        const double* const other = rows.row(static_cast<std::size_t>(found.neighbours[i]));
        if (rows.is_state)
            loops.add_observed_differences(rows.row(query), other, rows.is_state, rows.state_difference,
                                           found.weights[i], rows.n_columns, scratch.observed.differences.data(), scratch.observed.factors.data());
        else
            loops.add_differences(rows.row(query), other, factor * (found.weights[i] / total), rows.n_columns,
                                  scratch.sums.data());
    }
}

/// Adds the margins of one row to those of its block; near: its distances to all rows in float32.
void add_margin(const MarginRows& rows, const NeighbourRule& rule, std::size_t query, float* near, Scratch& scratch) {
    const std::size_t own = rows.class_of(query), begin = rows.class_begin(own), end = rows.class_end(own);
    if (end - begin < 2) return;
    near[query] = INFINITY;
    double total = scratch.finder.find(query, near, {{begin, end}, {0, 0}}, end - begin - 1);
    add_group(rows, query, total, -rule.hit_factors[own], scratch);
    if (rows.is_state) scratch.observed.end_hits();
    if (!rule.class_shares) {
        total = scratch.finder.find(query, near, {{0, begin}, {end, rows.n_rows}}, rows.n_rows - (end - begin));
        add_group(rows, query, total, rule.miss_factors[own], scratch);
        if (rows.is_state) scratch.observed.end_misses(1.0);
    } else {
        for (std::size_t c = 0; c < rows.n_classes; ++c) {
            const std::size_t n = rows.class_end(c) - rows.class_begin(c);
            if (c == own || n == 0) continue;
            total = scratch.finder.find(query, near, {{rows.class_begin(c), rows.class_end(c)}, {0, 0}}, n);
            add_group(rows, query, total, rule.miss_factors[own] * rule.class_shares[c], scratch);
            if (rows.is_state) scratch.observed.end_misses(rule.class_shares[c]);
        }
    }
    if (rows.is_state)
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
    const Packed packed(rows, rule.is_squared, n_threads);
    std::vector<Scratch> scratch;
    scratch.reserve(n_threads);
    for (std::size_t t = 0; t < n_threads; ++t) scratch.emplace_back(rows, rule, packed, n_at_once);
    Turns turns;
    run_tasks(n_blocks, n_threads, [&](std::size_t block, std::size_t worker) {
        Scratch& own = scratch[worker];
        const std::size_t first = block * n_at_once, n = std::min(n_at_once, n_queries - first);
        const std::size_t n_packed = (n + n_abreast - 1) / n_abreast * n_abreast;
        for (std::size_t q = 0; q < n_packed; ++q) {
            const double* const row = rows.row(static_cast<std::size_t>(queries[first + std::min(q, n - 1)]));
            float* const to = own.queries.data() + q / n_abreast * n_abreast * n_columns + q % n_abreast;
            for (std::size_t d = 0; d < n_columns; ++d) to[d * n_abreast] = static_cast<float>(row[d]);
        }
        std::fill(own.sums.begin(), own.sums.end(), 0.0);
        std::fill(own.counts.begin(), own.counts.end(), 0);
        distance_loops().scan(packed.view(), own.queries.data(), n_packed, rule.is_squared, own.near.data(),
                              packed.stride());
        for (std::size_t q = 0; q < n; ++q)
            add_margin(rows, rule, static_cast<std::size_t>(queries[first + q]),
                       own.near.data() + q * packed.stride(), own);
        turns.take(block, [&] {
            for (std::size_t d = 0; d < n_columns; ++d) {
                sums[d] += own.sums[d];
                counts[d] += own.counts[d];
            }
        });
    });
}

}  // namespace fewest
