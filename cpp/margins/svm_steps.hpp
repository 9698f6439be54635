#pragma once
// What the solvers of linear SVMs with squared hinge have in common: rows with slack, and the best length of a step.

#include <cstddef>
#include <vector>

namespace fewest {

/// Slack below this is rounding.
constexpr double no_slack = 1e-13;
constexpr std::size_t most_svm_steps = 500;
/// A step of refinement that moves outputs by more than this, and not less than the one before, says that the inverse
/// it was made with is none.
constexpr double not_refined = 1e-7;

/// The rows of one SVM, what they cost, and what they give so far.
struct SvmState {
    std::size_t n_rows;
    const double* costs;  // what each row's squared slack costs
    const double* signs;
    std::vector<char> is_active;
    std::vector<double> outputs;

    /// start : coefficients of a similar problem; where they are zero a row has no slack, if not all of them are
    SvmState(std::size_t n_rows, const double* costs, const double* signs, const double* start);

    double slack(std::size_t i) const { return 1 - signs[i] * outputs[i]; }
    double least_pivot(std::size_t i) const { return 1 / (2 * costs[i]); }
    double largest_output() const;

    /// Makes those rows active that have slack, and returns those that changed.
    std::vector<std::size_t> update_active();

    /// Whether the rows that have slack after this step are those that are active.
    bool stays_active(const std::vector<double>& moves) const;

    /// How much of a step, or more than it, makes the objective least; its slope along the step is piecewise linear.
    /// slope, curvature : of half the squared norm of the weights along the step
    double step_length(const std::vector<double>& moves, double slope, double curvature) const;
};

}  // namespace fewest
