#include "margins/smoothed_hinge.hpp"

#include <algorithm>
#include <cmath>

#include "core/factor_loops.hpp"
#include "core/interruption.hpp"
#include "core/vector_sums.hpp"

namespace fewest {
namespace {

/// The widths of the rounded kink, one after the other; the first, which all rows are within at the start, on some of
/// the rows alone.
constexpr double widths[] = {1.5, 0.3, 0.1, 0.03};
/// The first uses this number of rows for each column.
constexpr std::size_t rows_of_column = 6;
constexpr int most_steps = 5;
/// The slope along a step is zero where it is this share of that at its beginning.
constexpr double flat = 0.1;
/// What a last step gains, as a share of the objective.
constexpr double converged = 3e-4;
/// The kink of an absolute value is rounded where the weight moves no output by more than this share of the width.
constexpr double rounded_weight = 0.1;
/// The share of its curvature that an absolute value has beyond that: it makes all systems solvable.
constexpr double ridge = 1e-3;

}  // namespace

SmoothedHinge::SmoothedHinge(const HingeRows& rows, const double* signs, const double* costs, const double* penalties,
                             const double* sizes)
    : rows_(rows), signs_(signs), costs_(costs), penalties_(penalties), sizes_(sizes), weights_(rows.n_columns),
      residuals_(rows.n_rows), changes_(rows.n_rows), weight_changes_(rows.n_columns) {}

/// The slope of the loss of a row, as a share of its cost.
double SmoothedHinge::share(double residual) const {
    return std::min(std::max((residual + width_) / (2 * width_), 0.0), 1.0);
}

double SmoothedHinge::rounding_of(std::size_t column) const { return rounded_weight * width_ / sizes_[column]; }

bool SmoothedHinge::minimize() {
    for (const double width : widths) {
        const bool is_first = width == widths[0];
        width_ = width;
        stride_ = is_first ? std::max<std::size_t>(rows_.n_rows / (rows_of_column * rows_.n_columns), 1) : 1;
        find_residuals();
        for (int k = 0; k < (is_first ? 2 : most_steps); ++k) {
            check_interruption();
            double objective = 0;
            for (std::size_t j = 0; j < rows_.n_columns; ++j) objective += penalties_[j] * std::abs(weights_[j]);
            for (std::size_t i = 0; i < rows_.n_rows; i += stride_)
                objective += static_cast<double>(stride_) * costs_[i] * std::max(residuals_[i], 0.0);
            if (!step()) return false;
            const double first = slope_at(0);
            if (!(first < 0)) break;
            // The slope along the step rises: where it is positive at the end, secants say about where it is zero.
            double low = 0, low_slope = first, high = 1, high_slope = slope_at(1), length = 1, last = high_slope;
            for (int round = 0; round < 12 && high_slope > -flat * first && std::abs(last) > -flat * first; ++round) {
                length = low + (high - low) * std::min(std::max(low_slope / (low_slope - high_slope), 0.1), 0.9);
                last = slope_at(length);
                (last < 0 ? low : high) = length;
                (last < 0 ? low_slope : high_slope) = last;
            }
            add_multiple(weights_.data(), weight_changes_.data(), length, weights_.size());
            intercept_ += length * intercept_change_;
            find_residuals();
            if (-first * length < converged * objective) break;
        }
    }
    for (std::size_t j = 0; j < weights_.size(); ++j)
        if (std::abs(weights_[j]) < rounding_of(j)) weights_[j] = 0;
    return true;
}

/// margin - sign_i (x_i w + b), of the rows in use.
void SmoothedHinge::find_residuals() {
    for (std::size_t i = 0; i < rows_.n_rows; i += stride_)
        residuals_[i] = 1 - signs_[i] * (intercept_ + dot(rows_.row(i), weights_.data(), weights_.size()));
}

/// Newton's step, and by how much it changes the residuals; false where its system cannot be solved.
bool SmoothedHinge::step() {
    const std::size_t p = rows_.n_columns, stride = padded(p);
    const double times = static_cast<double>(stride_);
    // The matrix of the weights, its border for the intercept, and the right sides.
    std::vector<double> matrix(p * stride), border(p), multiples;
    std::vector<std::size_t> near;
    double corner = 0, intercept_right = 0;
    std::fill(weight_changes_.begin(), weight_changes_.end(), 0.0);
    for (std::size_t i = 0; i < rows_.n_rows; i += stride_) {
        const double slope = times * costs_[i] * share(residuals_[i]) * signs_[i];
        if (slope != 0) add_multiple(weight_changes_.data(), rows_.row(i), slope, p);
        intercept_right += slope;
        if (std::abs(residuals_[i]) >= width_) continue;
        near.push_back(i);
        multiples.push_back(times * costs_[i] / (2 * width_));
        corner += multiples.back();
    }
    if (near.empty()) return false;
    factor_loops().add_outer(matrix.data(), p, rows_.rows, near.data(), near.size(), multiples.data());
    factor_loops().add_rows(rows_.rows, p, near.data(), near.size(), multiples.data(), border.data());
    for (std::size_t j = 0; j < p; ++j) {
        const double rounded = rounding_of(j), size = std::abs(weights_[j]), slope = std::min(size / rounded, 1.0);
        weight_changes_[j] -= penalties_[j] * (weights_[j] < 0 ? -slope : slope);
        matrix[j * stride + j] += penalties_[j] * (size < rounded ? 1 / rounded : ridge / size);
    }
    if (!factor_loops().factor(matrix.data(), p)) return false;
    std::vector<double> solved = border;
    factor_loops().solve(matrix.data(), p, solved.data());
    factor_loops().solve(matrix.data(), p, weight_changes_.data());
    const double left = corner - dot(border.data(), solved.data(), p);
    if (!(left > 1e-12 * corner)) return false;
    intercept_change_ = (intercept_right - dot(border.data(), weight_changes_.data(), p)) / left;
    add_multiple(weight_changes_.data(), solved.data(), -intercept_change_, p);
    for (std::size_t i = 0; i < rows_.n_rows; i += stride_)
        changes_[i] = -signs_[i] * (intercept_change_ + dot(rows_.row(i), weight_changes_.data(), p));
    return true;
}

/// The slope of the smoothed objective along the step, at a share of its length.
double SmoothedHinge::slope_at(double length) const {
    double loss = 0, penalty = 0;
    for (std::size_t i = 0; i < rows_.n_rows; i += stride_)
        loss += costs_[i] * share(residuals_[i] + length * changes_[i]) * changes_[i];
    for (std::size_t j = 0; j < weights_.size(); ++j) {
        const double weight = weights_[j] + length * weight_changes_[j];
        penalty += penalties_[j] * std::min(std::max(weight / rounding_of(j), -1.0), 1.0) * weight_changes_[j];
    }
    return static_cast<double>(stride_) * loss + penalty;
}

}  // namespace fewest
