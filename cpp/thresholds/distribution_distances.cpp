#include "thresholds/distribution_distances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/threads.hpp"

namespace fewest {
namespace {

using Column = SortedColumns::Column;
constexpr std::uint32_t has_threshold = SortedColumns::has_threshold;

/// What one column has of each class, and how far the classes have been found apart.
class Sweep {
public:
    Sweep(const CountedRows& rows, bool is_exact)
        : rows_(rows), is_exact_(is_exact), met_(rows.n_classes), farthest_(rows.n_classes) {}

    double distance(const Column& column) {
        totals_.assign(rows_.totals, rows_.totals + rows_.n_classes);
        for (const std::uint32_t* at = column.missing; at != column.end; ++at) totals_[class_of(*at)] -= count_of(*at);
        total_ = std::accumulate(totals_.begin(), totals_.end(), std::int64_t{0});
        if (total_ == 0) return std::numeric_limits<double>::quiet_NaN();
        if (rows_.n_classes == 2 && is_exact_) return of_two(column);
        std::fill(farthest_.begin(), farthest_.end(), 0.0);
        sweep(column.below, column.above);
        sweep(column.above, column.missing);
        return mean();
    }

private:
    std::size_t class_of(std::uint32_t entry) const {
        return static_cast<std::size_t>(rows_.codes[SortedColumns::row_of(entry)]);
    }
    std::int64_t count_of(std::uint32_t entry) const { return rows_.counts[SortedColumns::row_of(entry)]; }

    /// A row of the one class adds the total of the other, a row of that takes away the total of the first: whole
    /// numbers, and 0 in the end.
    double of_two(const Column& column) const {
        if (totals_[0] == 0 || totals_[1] == 0) return 0.0;
        const std::int64_t farthest =
            std::max(of_two(column.below, column.above), of_two(column.above, column.missing));
        return static_cast<double>(farthest) / static_cast<double>(totals_[0] * totals_[1]);
    }

    std::int64_t of_two(const std::uint32_t* at, const std::uint32_t* last) const {
        const std::int64_t steps[2] = {totals_[1], -totals_[0]};
        std::int64_t apart = 0, farthest = 0;
        for (; at != last; ++at) {
            apart += steps[class_of(*at)] * count_of(*at);
            farthest = std::max(farthest, *at & has_threshold ? std::abs(apart) : 0);
        }
        return farthest;
    }

    /// Between two rows of a class its distance from the others changes one way only: so it is farthest just before or
    /// just behind a value that the class has, or where the sweep ends.
    void sweep(const std::uint32_t* first, const std::uint32_t* last) {
        std::fill(met_.begin(), met_.end(), 0);
        n_met_ = 0;
        for (const std::uint32_t* at = first; at != last; first = at) {
            do ++at;
            while (at != last && !(at[-1] & has_threshold));
            for (const std::uint32_t* one = first; one != at; ++one) note(class_of(*one));
            for (const std::uint32_t* one = first; one != at; ++one) {
                met_[class_of(*one)] += count_of(*one);
                n_met_ += count_of(*one);
            }
            for (const std::uint32_t* one = first; one != at; ++one) note(class_of(*one));
        }
        for (std::size_t c = 0; c < rows_.n_classes; ++c) note(c);
    }

    void note(std::size_t c) {
        const std::int64_t own = totals_[c], others = total_ - own;
        if (own == 0 || others == 0) return;
        double apart;
        if (is_exact_) {
            // Times own * others, a whole number.
            apart = static_cast<double>(std::abs(met_[c] * total_ - n_met_ * own));
        } else {
            apart = std::abs(static_cast<double>(met_[c]) / static_cast<double>(own) -
                             static_cast<double>(n_met_ - met_[c]) / static_cast<double>(others));
        }
        farthest_[c] = std::max(farthest_[c], apart);
    }

    double mean() const {
        double sum = 0;
        std::size_t n_observed = 0;
        double last = 0;
        for (std::size_t c = 0; c < rows_.n_classes; ++c) {
            const std::int64_t own = totals_[c], others = total_ - own;
            if (own == 0 || others == 0) continue;
            ++n_observed;
            last = is_exact_ ? farthest_[c] / (static_cast<double>(own) * static_cast<double>(others)) : farthest_[c];
            sum += last * (static_cast<double>(own) / static_cast<double>(total_));
        }
        // Of two classes each is as far from the other.
        return n_observed == 2 ? last : sum;
    }

    const CountedRows& rows_;
    bool is_exact_;
    std::vector<std::int64_t> totals_, met_;
    std::vector<double> farthest_;
    std::int64_t total_ = 0, n_met_ = 0;
};

}  // namespace

void distribution_distances(const SortedColumns& columns, const CountedRows& rows, bool is_exact, std::size_t n_threads,
                            double* distances) {
    std::vector<Sweep> sweeps(std::max<std::size_t>(n_threads, 1), Sweep(rows, is_exact));
    run_tasks(columns.n_columns(), n_threads,
              [&](std::size_t j, std::size_t worker) { distances[j] = sweeps[worker].distance(columns.column(j)); });
}

}  // namespace fewest
