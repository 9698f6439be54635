// The edges of the simplex method: their slopes, which one to follow, and where that ends.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/factor_loops.hpp"
#include "core/vector_sums.hpp"
#include "margins/hinge_simplex.hpp"

namespace fewest {
namespace {

/// A change below this share of the largest is rounding.
constexpr double no_change = 1e-12;
/// A pivot below this share of the largest change leaves too few digits.
constexpr double least_pivot = 1e-9;

}  // namespace

/// The slopes and squared lengths of all edges.
void HingeSimplex::price() {
    const std::size_t n_edges = edges_.size();
    slopes_.assign(n_edges, 0.0);
    squares_.assign(n_edges, 1.0);
    scale_ = 0;
    for (std::size_t k = 0; k < basic_.size(); ++k) {
        const std::size_t v = basic_[k];
        const double slope = (values_[v] < 0 ? -penalty(v) : penalty(v)) - gradient_[v];
        const double most = penalty(v) + loss_cost_ * size(v);
        scale_ += most * most;
        const double* __restrict const own = line(k);
        double* __restrict const slopes = slopes_.data();
        double* __restrict const squares = squares_.data();
        for (std::size_t e = 0; e < n_edges; ++e) {
            slopes[e] += slope * own[e];
            squares[e] += own[e] * own[e];
        }
    }
    for (std::size_t e = 0; e < n_edges; ++e)
        if (!edges_[e].is_row) slopes_[e] -= gradient_[edges_[e].index];
    scale_ = std::sqrt(scale_);
}

/// The slope of the objective along an edge from a weight that is not zero.
double HingeSimplex::loose_slope(std::size_t edge) const {
    const std::size_t v = edges_[edge].index;
    return slopes_[edge] + (values_[v] < 0 ? -penalty(v) : penalty(v));
}

/// The slope of the objective along an edge, in either direction.
double HingeSimplex::slope(std::size_t edge, double direction) const {
    const Edge& own = edges_[edge];
    if (own.is_row) return direction > 0 ? slopes_[edge] + costs_[own.index] : -slopes_[edge];
    if (is_loose(own)) return direction * loose_slope(edge);
    return penalty(own.index) + direction * slopes_[edge];
}

/// The edge that descends most for its length, and its direction; their number where none descends.
std::size_t HingeSimplex::steepest(double& direction) const {
    std::size_t best = edges_.size();
    double most = 0;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
        const bool is_row = edges_[e].is_row;
        const double middle = is_row                ? 2 * slopes_[e] + costs_[edges_[e].index]
                              : is_loose(edges_[e]) ? loose_slope(e)
                                                    : slopes_[e];
        const double own = middle < 0 ? 1.0 : -1.0;
        const double descent = -slope(e, own);
        double least = rounding * scale_ * std::sqrt(squares_[e]);
        if (!is_row) least += tolerance * penalty(edges_[e].index) + rounding * loss_cost_ * size(edges_[e].index);
        if (descent <= least || descent * descent <= most * squares_[e]) continue;
        most = descent * descent / squares_[e];
        best = e;
        direction = own;
    }
    return best;
}

/// gradient_ += factor times the row with its sign
void HingeSimplex::add_row(std::size_t row, double factor) {
    const double* const numbers = rows_.row(row);
    loss_cost_ += factor;
    factor *= signs_[row];
    gradient_[0] += factor;
    for (std::size_t v = 1; v < n_variables(); ++v) gradient_[v] += factor * numbers[inside_[v - 1]];
}

/// The changes of the residuals of near rows along direction_, and the largest of them.
double HingeSimplex::find_changes() {
    const std::size_t n = rows_.n_rows, p = rows_.n_columns;
    order_.clear();
    multiples_.clear();
    for (std::size_t v = 1; v < n_variables(); ++v)
        if (direction_[v] != 0) {
            order_.push_back(inside_[v - 1]);
            multiples_.push_back(direction_[v]);
        }
    if (2 * near_rows_.size() > n) {
        std::fill(changes_.begin(), changes_.end(), direction_[0]);
        factor_loops().add_rows(rows_.columns, n, order_.data(), order_.size(), multiples_.data(), changes_.data());
    } else if (2 * order_.size() > p) {
        by_column_.assign(p, 0.0);
        for (std::size_t k = 0; k < order_.size(); ++k) by_column_[order_[k]] = multiples_[k];
        for (const std::size_t i : near_rows_) changes_[i] = direction_[0] + dot(rows_.row(i), by_column_.data(), p);
    } else {
        for (const std::size_t i : near_rows_) {
            const double* const numbers = rows_.row(i);
            double sum = direction_[0];
            for (std::size_t k = 0; k < order_.size(); ++k) sum += multiples_[k] * numbers[order_[k]];
            changes_[i] = sum;
        }
    }
    double most = 0;
    for (const std::size_t i : near_rows_) {
        changes_[i] = is_on_margin_[i] ? 0.0 : -signs_[i] * changes_[i];
        most = std::max(most, std::abs(changes_[i]));
    }
    return most;
}

/// Finds where the objective is least along direction_, from an edge, as far as near rows say: the break there has those
/// that are passed behind it. breaks_.end() where there is none.
std::vector<HingeSimplex::Break>::iterator HingeSimplex::find_break(std::size_t edge, double direction) {
    const std::size_t n = rows_.n_rows, n_basic = basic_.size();
    const Edge entering = edges_[edge];
    const double most = find_changes();
    double most_weight = 0;
    breaks_.clear();
    for (const std::size_t i : near_rows_) {
        const double change = changes_[i];
        if (is_loss_[i] ? change < -no_change * most : change > no_change * most)
            breaks_.push_back({std::max(0.0, -residuals_[i] / change), costs_[i] * std::abs(change), i});
    }
    for (std::size_t k = 0; k < n_basic; ++k) {
        const double change = direction_[basic_[k]], value = values_[basic_[k]];
        most_weight = std::max(most_weight, std::abs(change));
        if (basic_[k] > 0 && (value < 0 ? change > 0 : change < 0))
            breaks_.push_back({-value / change, 2 * penalty(basic_[k]) * std::abs(change), n + k});
    }
    const double value = entering.is_row ? 0.0 : values_[entering.index];
    if (value * direction < 0) breaks_.push_back({std::abs(value), 2 * penalty(entering.index), n + n_basic});
    // The breaks that are passed gather at the end.
    std::make_heap(breaks_.begin(), breaks_.end());
    auto end = breaks_.end();
    double slope_now = slope(edge, direction);
    const double level = no_change * slope_now;  // a slope of rounding alone is none
    for (bool is_found = false; !is_found;) {
        if (end == breaks_.begin()) return breaks_.end();
        std::pop_heap(breaks_.begin(), end);
        --end;
        slope_now += end->gain;
        const bool is_row = end->index < n, is_own = end->index == n + n_basic;
        const double pivot = is_row ? changes_[end->index] : is_own ? 1.0 : direction_[basic_[end->index - n]];
        is_found = slope_now >= level && (is_own || std::abs(pivot) > least_pivot * (is_row ? most : most_weight));
    }
    return end;
}

/// Goes along an edge to where the objective is least. False where rounding leaves no such vertex.
bool HingeSimplex::follow(std::size_t edge, double direction) {
    const std::size_t n = rows_.n_rows, n_basic = basic_.size(), n_edges = edges_.size();
    const Edge entering = edges_[edge];
    direction_.assign(n_variables(), 0.0);
    for (std::size_t k = 0; k < n_basic; ++k) direction_[basic_[k]] = direction * line(k)[edge];
    if (!entering.is_row) direction_[entering.index] = direction;
    auto end = find_break(edge, direction);
    while (near_rows_.size() < n) {
        const double moved = end == breaks_.end() ? std::numeric_limits<double>::infinity() : distance_moved(end->at);
        if (moved <= near_) break;
        widen(moved);
        end = find_break(edge, direction);
    }
    if (end == breaks_.end()) return false;
    const Break last = *end;
    for (auto passed = end + 1; passed != breaks_.end(); ++passed) {
        const std::size_t i = passed->index;
        if (i >= n) continue;
        add_row(i, is_loss_[i] ? -costs_[i] : costs_[i]);
        is_loss_[i] = !is_loss_[i];
    }
    for (const std::size_t i : near_rows_) residuals_[i] += last.at * changes_[i];
    for (std::size_t k = 0; k < n_basic; ++k) values_[basic_[k]] += last.at * direction_[basic_[k]];
    if (entering.is_row) {
        is_on_margin_[entering.index] = 0;
        is_loss_[entering.index] = direction > 0;
        residuals_[entering.index] = direction * last.at;
        if (direction > 0) add_row(entering.index, costs_[entering.index]);
    } else {
        values_[entering.index] += direction * last.at;
    }
    if (last.index == n + n_basic) {
        // The weight itself has become zero: the basis is as it was.
        values_[entering.index] = 0;
    } else if (last.index < n) {
        if (is_loss_[last.index]) add_row(last.index, -costs_[last.index]);
        is_loss_[last.index] = 0;
        is_on_margin_[last.index] = 1;
        residuals_[last.index] = 0;
        pivot_.assign(n_edges, 0.0);
        for (std::size_t k = 0; k < n_basic; ++k)
            add_multiple(pivot_.data(), line(k), -number(last.index, basic_[k]), n_edges);
        for (std::size_t e = 0; e < n_edges; ++e)
            if (!edges_[e].is_row) pivot_[e] -= number(last.index, edges_[e].index);
        exchange(edge, {true, last.index}, n_basic);
    } else {
        const std::size_t position = last.index - n;
        pivot_.assign(line(position), line(position) + n_edges);
        values_[basic_[position]] = 0;
        exchange(edge, {false, basic_[position]}, position);
    }
    return true;
}

/// What changes along pivot_ takes the place of the edge: a row, or the basic variable at a position.
void HingeSimplex::exchange(std::size_t edge, const Edge& leaving, std::size_t position) {
    const std::size_t n_edges = edges_.size(), n_basic = basic_.size();
    const double pivot = pivot_[edge];
    is_factorized_ = false;
    pivot_[edge] = 0;
    for (std::size_t k = 0; k < n_basic; ++k) {
        if (k == position) continue;
        const double factor = line(k)[edge] / pivot;
        add_multiple(line(k), pivot_.data(), -factor, n_edges);
        line(k)[edge] = factor;
    }
    const Edge entering = edges_[edge];
    edges_[edge] = leaving;
    if (!entering.is_row) {
        if (position == n_basic) {
            basic_.push_back(0);
            tableau_.resize((n_basic + 1) * n_edges);
        }
        basic_[position] = entering.index;
        for (std::size_t e = 0; e < n_edges; ++e) line(position)[e] = -pivot_[e] / pivot;
        line(position)[edge] = 1 / pivot;
    } else if (position < n_basic) {
        if (position + 1 < n_basic) std::copy(line(n_basic - 1), line(n_basic - 1) + n_edges, line(position));
        basic_[position] = basic_.back();
        basic_.pop_back();
    }
}

}  // namespace fewest
