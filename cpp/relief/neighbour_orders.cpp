#include "relief/neighbour_orders.hpp"

#include <algorithm>
#include <numeric>

#include "core/threads.hpp"
#include "relief/distance_loops.hpp"

namespace fewest {
namespace {

/// Distances that differ by less, as a share of the larger, are the same.
constexpr double tie = 1e-12;
/// Columns whose values of all rows are in a core's cache while their margins are added up.
constexpr std::size_t n_cached_values = std::size_t{1} << 16;

/// The neighbours of one row in one group of rows: those of a class, or of all other classes.
struct Group {
    std::size_t k = 0;  ///< how many are wanted
    double kth = -1;    ///< the distance of the k-th; negative until it is met
    bool is_full = false;
    std::vector<std::int32_t> rows;
    std::vector<double> distances;

    void begin(std::size_t n_wanted) {
        k = n_wanted;
        kth = -1;
        is_full = false;
        rows.clear();
        distances.clear();
    }

    /// Takes the next row; false where it is farther than the k-th and no tie with it.
    bool take(std::int32_t row, double distance) {
        if (kth >= 0 && distance > kth * (1 + tie)) {
            is_full = true;
            return false;
        }
        rows.push_back(row);
        distances.push_back(distance);
        if (rows.size() == k) kth = distance;
        return true;
    }
};

/// What one thread needs for one labelling after the other.
struct Scratch {
    std::vector<Group> groups;
    std::vector<std::size_t> starts;  ///< by row: its first neighbour
    std::vector<std::int32_t> neighbours;
    std::vector<double> factors;
    std::vector<const double*> pointers;
    std::vector<std::size_t> class_counts;
};

/// Adds the neighbours of a group, with what their differences count: the mean times a factor.
void add_group(const Group& group, double factor, Scratch& scratch) {
    const std::size_t n = group.rows.size();
    double part = 1.0, total = static_cast<double>(n), nearer = 0;
    if (n > group.k) {
        nearer = group.kth * (1 - tie);
        const auto n_nearer = static_cast<std::size_t>(
            std::count_if(group.distances.begin(), group.distances.end(), [&](double d) { return d < nearer; }));
        part = static_cast<double>(group.k - n_nearer) / static_cast<double>(n - n_nearer);
        total = static_cast<double>(group.k);
    }
    for (std::size_t i = 0; i < n; ++i) {
        const double weight = group.distances[i] < nearer ? 1.0 : part;
        scratch.neighbours.push_back(group.rows[i]);
        scratch.factors.push_back(factor * (weight / total));
    }
}

}  // namespace

NeighbourOrders::NeighbourOrders(const double* values, std::size_t n_rows, std::size_t n_columns, bool is_squared,
                                 std::size_t n_threads)
    : n_rows_(n_rows), others_(n_rows * (n_rows - 1)), distances_(n_rows * (n_rows - 1)) {
    const DistanceLoops& loops = distance_loops();
    std::vector<std::vector<double>> own(std::max<std::size_t>(n_threads, 1), std::vector<double>(n_rows));
    run_tasks(n_rows, n_threads, [&](std::size_t q, std::size_t worker) {
        double* const to = own[worker].data();
        for (std::size_t i = 0; i < n_rows; ++i)
            to[i] = loops.distance(values + q * n_columns, values + i * n_columns, n_columns, is_squared);
        std::int32_t* const order = others_.data() + q * (n_rows - 1);
        std::iota(order, order + q, 0);
        std::iota(order + q, order + n_rows - 1, static_cast<std::int32_t>(q + 1));
        std::sort(order, order + n_rows - 1,
                  [&](std::int32_t a, std::int32_t b) { return to[a] < to[b] || (to[a] == to[b] && a < b); });
        for (std::size_t i = 0; i + 1 < n_rows; ++i) distances_[q * (n_rows - 1) + i] = to[order[i]];
    });
}

void NeighbourOrders::add_margins(const double* values, std::size_t n_columns, const std::int32_t* codes,
                                  std::size_t n_labellings, std::size_t n_classes, const NeighbourRule& rule,
                                  std::size_t n_threads, double* sums) const {
    const DistanceLoops& loops = distance_loops();
    std::vector<Scratch> scratch(std::max<std::size_t>(n_threads, 1));
    const std::size_t n_groups = rule.class_shares ? n_classes : 2;
    const std::size_t width = std::max<std::size_t>(n_cached_values / n_rows_ / n_summed_at_once, 1) * n_summed_at_once;
    run_tasks(n_labellings, n_threads, [&](std::size_t labelling, std::size_t worker) {
        Scratch& own = scratch[worker];
        const std::int32_t* const class_of = codes + labelling * n_rows_;
        own.groups.resize(n_groups);
        own.class_counts.assign(n_classes, 0);
        for (std::size_t i = 0; i < n_rows_; ++i) ++own.class_counts[static_cast<std::size_t>(class_of[i])];
        own.neighbours.clear();
        own.factors.clear();
        own.starts.assign(1, 0);
        for (std::size_t q = 0; q < n_rows_; ++q) {
            check_interruption();
            const auto y = static_cast<std::size_t>(class_of[q]);
            if (own.class_counts[y] >= 2) {
                // Where misses are of any class, the hits are group 0 and the misses group 1.
                std::size_t n_open = 0;
                for (std::size_t g = 0; g < n_groups; ++g) {
                    own.groups[g].begin(rule.n_neighbours[rule.class_shares ? g : y]);
                    n_open += !rule.class_shares || own.class_counts[g] > (g == y ? 1 : 0);
                }
                const std::int32_t* const order = others_.data() + q * (n_rows_ - 1);
                const double* const distance = distances_.data() + q * (n_rows_ - 1);
                for (std::size_t i = 0; i + 1 < n_rows_ && n_open > 0; ++i) {
                    const auto c = static_cast<std::size_t>(class_of[order[i]]);
                    Group& group = own.groups[rule.class_shares ? c : (c == y ? 0 : 1)];
                    if (!group.is_full && !group.take(order[i], distance[i])) --n_open;
                }
                for (std::size_t g = 0; g < n_groups; ++g) {
                    const bool is_hit = rule.class_shares ? g == y : g == 0;
                    const double share = rule.class_shares ? rule.class_shares[g] : 1.0;
                    add_group(own.groups[g], is_hit ? -rule.hit_factors[y] : rule.miss_factors[y] * share, own);
                }
            }
            own.starts.push_back(own.neighbours.size());
        }
        own.pointers.resize(own.neighbours.size());
        for (std::size_t i = 0; i < own.neighbours.size(); ++i)
            own.pointers[i] = values + static_cast<std::size_t>(own.neighbours[i]) * n_columns;
        double* const out = sums + labelling * n_columns;
        std::fill(out, out + n_columns, 0.0);
        for (std::size_t first = 0; first < n_columns; first += width) {
            const std::size_t last = std::min(first + width, n_columns);
            for (std::size_t q = 0; q < n_rows_; ++q)
                loops.add_differences(values + q * n_columns, own.pointers.data() + own.starts[q],
                                      own.factors.data() + own.starts[q], own.starts[q + 1] - own.starts[q], first,
                                      last, out);
        }
    });
}

}  // namespace fewest
