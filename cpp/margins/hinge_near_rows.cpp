// The rows of the simplex method that are near their margins: only these can stop a step.

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/factor_loops.hpp"
#include "margins/hinge_simplex.hpp"

namespace fewest {
namespace {

/// At first one in this number of rows is taken as near the margin.
constexpr std::size_t near_at_first = 4;

}  // namespace

/// Takes the rows as near that the next steps may bring to the margin, if they go as far as the steps before: at first one
/// in four.
void HingeSimplex::find_near_rows() {
    const std::size_t n = rows_.n_rows;
    double near = 0;
    if (values_before_.size() == values_.size()) {
        near = std::max(2 * distance_moved(0), near_ / 4);
    } else {
        std::vector<double> sorted(n);
        for (std::size_t i = 0; i < n; ++i) sorted[i] = std::abs(residuals_[i]) / lengths_[i];
        const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(n / near_at_first);
        std::nth_element(sorted.begin(), at, sorted.end());
        near = *at;
    }
    take_near_rows(near);
}

/// Takes the rows as near that come to the margin where weights and intercept move by this or more; after the residuals of
/// all rows were computed.
void HingeSimplex::take_near_rows(double near) {
    near_ = near;
    values_before_ = values_;
    near_rows_.clear();
    for (std::size_t i = 0; i < rows_.n_rows; ++i)
        if (std::abs(residuals_[i]) <= (1 + rounding) * near * lengths_[i]) near_rows_.push_back(i);
}

/// Takes more rows as near, for a step by which weights and intercept will have moved so far.
void HingeSimplex::widen(double moved) {
    std::vector<std::size_t> columns;
    std::vector<double> multiples, outputs(rows_.n_rows, values_[0]);
    for (std::size_t v = 1; v < n_variables(); ++v)
        if (values_[v] != 0) {
            columns.push_back(inside_[v - 1]);
            multiples.push_back(values_[v]);
        }
    factor_loops().add_rows(rows_.columns, rows_.n_rows, columns.data(), columns.size(), multiples.data(),
                            outputs.data());
    for (std::size_t i = 0; i < rows_.n_rows; ++i)
        residuals_[i] = is_on_margin_[i] ? 0.0 : margins_[i] - signs_[i] * outputs[i];
    take_near_rows(2 * moved);
}

/// How far weights and intercept will be, after a step along direction_, from where all residuals were computed.
double HingeSimplex::distance_moved(double step) const {
    double sum = 0;
    for (std::size_t v = 0; v < values_.size(); ++v) {
        const double own = values_[v] - values_before_[v] + (step > 0 ? step * direction_[v] : 0.0);
        sum += own * own;
    }
    return std::sqrt(sum);
}

}  // namespace fewest
