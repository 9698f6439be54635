#include "margins/hinge_simplex.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "core/factor_loops.hpp"
#include "core/interruption.hpp"
#include "core/vector_sums.hpp"

namespace fewest {
namespace {

/// The first solution starts near the optimum for numbers of columns from this to this.
constexpr std::size_t fewest_dense = 4, most_dense = 2000;
/// How many columns are added at a time.
constexpr std::size_t columns_at_once = 100;
/// How much larger than 1 a margin is at most: the next where a vertex found with the one before is not optimal.
constexpr double perturbations[] = {1e-6, 1e-8, 1e-10};
/// A duality gap within this share of the objective is closed.
constexpr double closed = 1e-8;
/// A weight that moves no output by more than this is none.
constexpr double no_weight = 1e-9;
/// After this number of edges everything is computed from the rows again.
constexpr std::size_t refresh_every = 100;

/// A number in [0, 1) for each row, without pattern.
double noise(std::uint64_t row) {
    std::uint64_t bits = (row + 1) * 0x9e3779b97f4a7c15U;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    return static_cast<double>((bits ^ (bits >> 31)) >> 11) * 0x1p-53;
}

/// The `count` candidates of the largest gains, the first of ties.
std::vector<std::size_t> largest(std::vector<std::size_t> candidates, const std::vector<double>& gains,
                                 std::size_t count) {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](std::size_t a, std::size_t b) { return gains[a] > gains[b]; });
    candidates.resize(std::min(candidates.size(), count));
    return candidates;
}

/// A matrix becomes its inverse, by elimination with the largest pivot of each column. False where it has none.
bool invert(std::vector<double>& matrix, std::size_t n) {
    std::vector<std::size_t> swaps(n);
    for (std::size_t k = 0; k < n; ++k) {
        if (n > 200) check_interruption();
        std::size_t best = k;
        for (std::size_t i = k + 1; i < n; ++i)
            if (std::abs(matrix[i * n + k]) > std::abs(matrix[best * n + k])) best = i;
        swaps[k] = best;
        double* const own = matrix.data() + k * n;
        if (best != k) std::swap_ranges(own, own + n, matrix.data() + best * n);
        const double pivot = own[k];
        if (!(std::abs(pivot) > 1e-13)) return false;
        own[k] = 1;
        for (std::size_t j = 0; j < n; ++j) own[j] /= pivot;
        for (std::size_t i = 0; i < n; ++i) {
            if (i == k) continue;
            double* const other = matrix.data() + i * n;
            const double factor = other[k];
            other[k] = 0;
            if (factor != 0) add_multiple(other, own, -factor, n);
        }
    }
    for (std::size_t k = n; k-- > 0;)
        for (std::size_t i = 0; i < n && swaps[k] != k; ++i) std::swap(matrix[i * n + k], matrix[i * n + swaps[k]]);
    return true;
}

}  // namespace

HingeSimplex::HingeSimplex(const HingeRows& rows, const double* signs)
    : rows_(rows), signs_(signs), is_inside_(rows.n_columns), sizes_(rows.n_columns), margins_(rows.n_rows),
      residuals_(rows.n_rows), is_on_margin_(rows.n_rows), is_loss_(rows.n_rows), lengths_(rows.n_rows),
      changes_(rows.n_rows) {
    for (std::size_t j = 0; j < rows.n_columns; ++j)
        for (std::size_t i = 0; i < rows.n_rows; ++i) sizes_[j] = std::max(sizes_[j], std::abs(rows.column(j)[i]));
    for (std::size_t i = 0; i < rows.n_rows; ++i)
        lengths_[i] = std::sqrt(1 + dot(rows.row(i), rows.row(i), rows.n_columns));
}

bool HingeSimplex::solve(const double* costs, const double* penalties, double* weights, double* losses) {
    costs_ = costs;
    penalties_ = penalties;
    const bool is_first = basic_.empty();
    if (solve_from(is_first, weights, losses)) return true;
    if (!is_first) return false;
    // Once more from the vertex without weights.
    basic_.clear();
    inside_.clear();
    std::fill(is_inside_.begin(), is_inside_.end(), 0);
    return solve_from(false, weights, losses);
}

/// is_near : whether to start near the optimum, where nothing has been solved yet
bool HingeSimplex::solve_from(bool is_near, double* weights, double* losses) {
    for (const double size : perturbations) {
        for (std::size_t i = 0; i < rows_.n_rows; ++i) margins_[i] = 1 + size * noise(i);
        if (basic_.empty()) start(is_near);
        if (!refresh()) return false;
        while (descend() && add_columns(false))
            if (!refresh()) return false;
        if (!is_at_end_) return false;
        if (write_solution(weights, losses)) return true;
    }
    return false;
}

/// The best intercept without weights, and the columns that would get one first; or weights near the optimum.
void HingeSimplex::start(bool is_near) {
    is_factorized_ = false;
    if (is_near && start_near_optimum()) return;
    std::vector<std::size_t> order(rows_.n_rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto at = [&](std::size_t i) { return signs_[i] * margins_[i]; };
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return at(a) < at(b) || (at(a) == at(b) && a < b); });
    double slope = 0;
    for (std::size_t i = 0; i < rows_.n_rows; ++i)
        if (signs_[i] > 0) slope -= costs_[i];
    std::size_t found = 0;
    while (found + 1 < order.size() && (slope += costs_[order[found]]) < 0) ++found;
    basic_ = {0};
    edges_ = {{true, order[found]}};
    values_ = {0.0};
    add_columns(true);
}

/// All columns with weights near the optimum, and the row nearest to the margin on it. False where few columns would get
/// a weight, so that this takes longer than it saves.
bool HingeSimplex::start_near_optimum() {
    const std::size_t n = rows_.n_rows, p = rows_.n_columns;
    if (p < fewest_dense || p > most_dense || n < 2 * p) return false;
    std::vector<double> multipliers(n);
    double mean = 0, total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        mean += costs_[i] * signs_[i];
        total += costs_[i];
    }
    for (std::size_t i = 0; i < n; ++i) multipliers[i] = costs_[i] * (signs_[i] - mean / total);
    std::size_t n_gaining = 0;
    for (std::size_t j = 0; j < p; ++j)
        n_gaining += std::abs(dot(rows_.column(j), multipliers.data(), n)) > penalties_[j];
    if (2 * n_gaining < p) return false;
    SmoothedHinge smoothed(rows_, signs_, costs_, penalties_, sizes_.data());
    if (!smoothed.minimize()) return false;
    inside_.resize(p);
    std::iota(inside_.begin(), inside_.end(), std::size_t{0});
    std::fill(is_inside_.begin(), is_inside_.end(), 1);
    values_ = {smoothed.intercept()};
    values_.insert(values_.end(), smoothed.weights().begin(), smoothed.weights().end());
    std::size_t nearest = 0;
    double least = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double output = values_[0] + dot(rows_.row(i), values_.data() + 1, p);
        const double distance = std::abs(margins_[i] - signs_[i] * output);
        if (i > 0 && distance >= least) continue;
        least = distance;
        nearest = i;
    }
    basic_ = {0};
    edges_ = {{true, nearest}};
    for (std::size_t v = 1; v <= p; ++v) edges_.push_back({false, v});
    return true;
}

/// Adds the columns whose edges descend most, from outside; at the start those that do so for balanced signs. Whether
/// there are any.
bool HingeSimplex::add_columns(bool is_start) {
    const std::size_t n = rows_.n_rows;
    if (inside_.size() == rows_.n_columns) return false;
    std::vector<double> multipliers(n), gains(rows_.n_columns);
    double mean = 0, total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        mean += costs_[i] * signs_[i];
        total += costs_[i];
    }
    mean /= total;
    for (std::size_t i = 0; i < n; ++i)
        multipliers[i] = is_start ? costs_[i] * (signs_[i] - mean) : is_loss_[i] ? costs_[i] * signs_[i] : 0.0;
    double pull = loss_cost_;
    for (std::size_t e = 0; e < edges_.size() && !is_start; ++e)
        if (edges_[e].is_row) {
            multipliers[edges_[e].index] = -slopes_[e] * signs_[edges_[e].index];
            pull += std::abs(slopes_[e]);
        }
    std::vector<std::size_t> candidates;
    for (std::size_t j = 0; j < rows_.n_columns; ++j) {
        if (is_inside_[j]) continue;
        gains[j] = std::abs(dot(rows_.column(j), multipliers.data(), n));
        if (is_start || gains[j] > (1 + tolerance) * penalties_[j] + rounding * pull * sizes_[j])
            candidates.push_back(j);
    }
    const std::vector<std::size_t> added = largest(std::move(candidates), gains, columns_at_once);
    if (!added.empty()) is_factorized_ = false;
    for (const std::size_t j : added) {
        inside_.push_back(j);
        is_inside_[j] = 1;
        edges_.push_back({false, inside_.size()});
        values_.push_back(0);
    }
    return !added.empty();
}

void HingeSimplex::find_gains(const double* costs, double* gains) const {
    const std::size_t n = rows_.n_rows;
    std::vector<double> multipliers(n);
    for (std::size_t i = 0; i < n; ++i) multipliers[i] = is_loss_[i] ? costs[i] * signs_[i] : 0.0;
    for (std::size_t e = 0; e < edges_.size(); ++e)
        if (edges_[e].is_row) multipliers[edges_[e].index] = -slopes_[e] * signs_[edges_[e].index];
    for (std::size_t j = 0; j < rows_.n_columns; ++j) gains[j] = std::abs(dot(rows_.column(j), multipliers.data(), n));
}

/// Follows edges until none descends; false where that does not end.
bool HingeSimplex::descend() {
    const std::size_t most_steps = n_steps_ + 50 * n_variables() + rows_.n_rows;
    std::size_t n_since = 0;
    is_at_end_ = false;
    while (n_steps_ < most_steps) {
        check_interruption();
        double direction = 0;
        std::size_t edge = steepest(direction);
        if (edge == edges_.size() && n_since == 0) {
            // A weight that is neither basic nor zero, along which the objective is level, goes towards zero.
            edge = 0;
            while (edge < edges_.size() && !is_loose(edges_[edge])) ++edge;
            if (edge == edges_.size()) return is_at_end_ = true;
            direction = values_[edges_[edge].index] > 0 ? -1 : 1;
        }
        const bool is_followed = edge < edges_.size() && follow(edge, direction);
        if (!is_followed && n_since == 0) return false;
        n_steps_ += is_followed;
        if (!is_followed || ++n_since == refresh_every) {
            if (!refresh()) return false;
            n_since = 0;
        } else {
            price();
        }
    }
    return false;
}

/// The inverse of the rows on the margin and the tableau anew; false where these rows do not determine a vertex.
bool HingeSimplex::factorize() {
    const std::size_t n_basic = basic_.size(), n_edges = edges_.size();
    // In one order, so that a vertex has the same digits however it was reached.
    std::sort(edges_.begin(), edges_.end(),
              [](const Edge& a, const Edge& b) { return a.is_row != b.is_row ? a.is_row : a.index < b.index; });
    std::sort(basic_.begin(), basic_.end());
    inverse_.resize(n_basic * n_basic);
    for (std::size_t i = 0; i < n_basic; ++i)
        for (std::size_t k = 0; k < n_basic; ++k) inverse_[i * n_basic + k] = number(edges_[i].index, basic_[k]);
    if (!invert(inverse_, n_basic)) return false;
    tableau_.assign(n_basic * n_edges, 0.0);
    std::vector<double> numbers(n_edges - n_basic);
    for (std::size_t i = 0; i < n_basic; ++i) {
        for (std::size_t e = n_basic; e < n_edges; ++e) numbers[e - n_basic] = number(edges_[i].index, edges_[e].index);
        for (std::size_t k = 0; k < n_basic; ++k) {
            line(k)[i] = -inverse_[k * n_basic + i];
            add_multiple(line(k) + n_basic, numbers.data(), line(k)[i], numbers.size());
        }
    }
    return is_factorized_ = true;
}

/// Everything anew from the basic variables and the rows on the margin; false where these do not determine a vertex.
bool HingeSimplex::refresh() {
    if (!is_factorized_ && !factorize()) return false;
    const std::size_t n_basic = basic_.size();
    find_vertex(margins_.data(), values_, residuals_);
    std::fill(is_on_margin_.begin(), is_on_margin_.end(), 0);
    for (std::size_t e = 0; e < n_basic; ++e) is_on_margin_[edges_[e].index] = 1;
    std::vector<double> signed_costs(rows_.n_rows);
    loss_cost_ = 0;
    for (std::size_t i = 0; i < rows_.n_rows; ++i) {
        is_loss_[i] = !is_on_margin_[i] && residuals_[i] > 0;
        signed_costs[i] = is_loss_[i] ? costs_[i] * signs_[i] : 0.0;
        loss_cost_ += std::abs(signed_costs[i]);
    }
    gradient_.assign(n_variables(), 0.0);
    gradient_[0] = std::accumulate(signed_costs.begin(), signed_costs.end(), 0.0);
    for (std::size_t v = 1; v < n_variables(); ++v)
        gradient_[v] = dot(rows_.column(inside_[v - 1]), signed_costs.data(), rows_.n_rows);
    price();
    find_near_rows();
    return true;
}

/// The variables and the residuals of all rows where the rows on the margin have residuals of zero; after refresh().
void HingeSimplex::find_vertex(const double* margins, std::vector<double>& values,
                               std::vector<double>& residuals) const {
    const std::size_t n = rows_.n_rows, n_basic = basic_.size();
    std::vector<double> left(n_basic), outputs(n), multiples;
    std::vector<std::size_t> columns, in_use = basic_;
    values = values_;
    for (const std::size_t v : basic_) values[v] = 0;
    for (std::size_t e = n_basic; e < edges_.size(); ++e)
        if (is_loose(edges_[e])) in_use.push_back(edges_[e].index);
    // The second round solves for what rounding has left of the first.
    for (int round = 0; round < 2; ++round) {
        for (std::size_t i = 0; i < n_basic; ++i) {
            const std::size_t row = edges_[i].index;
            left[i] = margins ? margins[row] : 1.0;
            for (const std::size_t v : in_use) left[i] -= number(row, v) * values[v];
        }
        for (std::size_t k = 0; k < n_basic; ++k)
            values[basic_[k]] += dot(inverse_.data() + k * n_basic, left.data(), n_basic);
    }
    for (const std::size_t v : in_use)
        if (v > 0) {
            columns.push_back(inside_[v - 1]);
            multiples.push_back(values[v]);
        }
    std::fill(outputs.begin(), outputs.end(), values[0]);
    factor_loops().add_rows(rows_.columns, n, columns.data(), columns.size(), multiples.data(), outputs.data());
    residuals.resize(n);
    for (std::size_t i = 0; i < n; ++i) residuals[i] = (margins ? margins[i] : 1.0) - signs_[i] * outputs[i];
    for (std::size_t i = 0; i < n_basic; ++i) residuals[edges_[i].index] = 0;
}

/// Writes weights and losses at the vertex with margins of 1; whether the duality gap is closed there.
bool HingeSimplex::write_solution(double* weights, double* losses) const {
    std::vector<double> values, residuals;
    find_vertex(nullptr, values, residuals);
    double value = 0, bound = 0, most = 0, outputs = 1, total = 0;
    for (std::size_t v = 1; v < n_variables(); ++v) {
        value += penalty(v) * std::abs(values[v]);
        most = std::max(most, std::abs(values[v]));
        outputs += std::abs(values[v]) * sizes_[inside_[v - 1]];
    }
    for (std::size_t i = 0; i < rows_.n_rows; ++i) {
        losses[i] = std::max(0.0, residuals[i]);
        value += costs_[i] * losses[i];
        total += costs_[i];
        bound += is_loss_[i] ? costs_[i] : 0.0;
    }
    for (std::size_t e = 0; e < basic_.size(); ++e)
        bound += std::min(std::max(-slopes_[e], 0.0), costs_[edges_[e].index]);
    std::fill(weights, weights + rows_.n_columns, 0.0);
    for (const std::size_t v : basic_) {
        if (v == 0) continue;
        const std::size_t j = inside_[v - 1];
        const double size = std::abs(values[v]);
        if (size * sizes_[j] > no_weight && size > no_weight * most) weights[j] = values[v];
    }
    // Losses are differences from 1, with the rounding errors of outputs.
    return value - bound <= closed * value + 1e-15 * total * outputs;
}

}  // namespace fewest
