#include "evaluation/nested_svms.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "core/factor_loops.hpp"
#include "core/interruption.hpp"
#include "core/threads.hpp"
#include "core/vector_sums.hpp"

namespace fewest {
namespace {

/// Newton's steps end after few, mostly three to eight; those of an SVM that goes on for longer have reached rounding.
constexpr std::size_t most_steps = 100;
/// A slope of the objective along a step, relative to that at its start, that is zero but for rounding.
constexpr double flat = 1e-10;

/// What the SVMs on one number of columns share.
struct Problem {
    const SvmTrainingRows* training;
    std::size_t n_columns;
    /// The unknowns are the rows' coefficients, and not the weights.
    bool is_by_rows;
    std::vector<double> lines;    // [row][column]; of weights only
    std::vector<double> squares;  // of weights: products of columns over all rows, padded; of rows: products of rows
    std::vector<std::size_t> all_columns;

    std::size_t n_rows() const { return training->n_rows; }
};

/// What is known of one SVM from one number of columns to the next.
struct Svm {
    std::vector<double> weights, outputs;
};

/// Solves one SVM after the other; what it needs in between is kept for the next.
class Solver {
public:
    void solve(const Problem& problem, std::int32_t positive, Svm& svm);

private:
    double sign(std::size_t i) const { return codes_[i] == positive_ ? 1.0 : -1.0; }
    double slack(std::size_t i) const { return 1 - sign(i) * svm_->outputs[i]; }
    bool find_active();
    void find_step_by_weights(const Problem& problem);
    void find_step_by_rows(const Problem& problem);
    double step_length(double slope_of_norm, double square_of_step);

    Svm* svm_ = nullptr;
    const std::int32_t* codes_ = nullptr;
    std::int32_t positive_ = 0;
    double cost_ = 0;
    std::vector<double> coefficients_;  // w = sum_i coefficient_i x_i; of rows only
    std::vector<char> is_active_;
    std::vector<std::size_t> active_, changed_;
    std::vector<double> step_, output_step_, multiples_, matrix_, factor_;
    std::vector<char> is_in_matrix_;
    bool has_matrix_ = false;
    std::vector<std::pair<double, std::size_t>> turns_;
};

/// Whether the rows with slack are others than before.
bool Solver::find_active() {
    bool is_changed = false;
    active_.clear();
    for (std::size_t i = 0; i < svm_->outputs.size(); ++i) {
        const char is_active = slack(i) > 0;
        is_changed |= is_active != is_active_[i];
        is_active_[i] = is_active;
        if (is_active) active_.push_back(i);
    }
    return is_changed;
}

/// The least squares of the rows with slack: (1 + 2 cost X'X) step = -gradient.
void Solver::find_step_by_weights(const Problem& problem) {
    const FactorLoops& loops = factor_loops();
    const std::size_t p = problem.n_columns, n = problem.n_rows(), stride = padded(p);
    if (!has_matrix_) {
        has_matrix_ = true;
        // Of all rows, or of none, whichever is nearer.
        const bool has_all = 2 * active_.size() > n;
        is_in_matrix_.assign(n, has_all);
        if (has_all)
            matrix_ = problem.squares;
        else
            matrix_.assign(stride * p, 0.0);
    }
    changed_.clear();
    multiples_.clear();
    for (std::size_t i = 0; i < n; ++i) {
        if (is_in_matrix_[i] == is_active_[i]) continue;
        changed_.push_back(i);
        multiples_.push_back(is_active_[i] ? 1.0 : -1.0);
        is_in_matrix_[i] = is_active_[i];
    }
    loops.add_outer(matrix_.data(), p, problem.lines.data(), changed_.data(), changed_.size(), multiples_.data());
    factor_ = matrix_;
    for (std::size_t k = 0; k < p; ++k) {
        double* const row = factor_.data() + k * stride;
        for (std::size_t j = k; j < p; ++j) row[j] *= 2 * cost_;
        row[k] += 1;
    }
    multiples_.clear();
    for (const std::size_t i : active_) multiples_.push_back(2 * cost_ * slack(i) * sign(i));
    step_.assign(p, 0.0);
    for (std::size_t k = 0; k < p; ++k) step_[k] = -svm_->weights[k];
    loops.add_rows(problem.lines.data(), p, active_.data(), active_.size(), multiples_.data(), step_.data());
    // Positive definite by at least one; rounding of large columns may say otherwise, and then it goes along the gradient.
    if (loops.factor(factor_.data(), p)) loops.solve(factor_.data(), p, step_.data());
    output_step_.assign(n, 0.0);
    loops.add_rows(problem.training->columns, n, problem.all_columns.data(), p, step_.data(), output_step_.data());
}

/// The same with the rows' coefficients for unknowns: (XX' + 1 / 2 cost) coefficients = signs, over the rows with slack.
void Solver::find_step_by_rows(const Problem& problem) {
    const FactorLoops& loops = factor_loops();
    const std::size_t n = problem.n_rows(), m = active_.size(), stride = padded(m), from = padded(n);
    factor_.assign(stride * std::max<std::size_t>(m, 1), 0.0);
    multiples_.resize(m);
    for (std::size_t a = 0; a < m; ++a) {
        const double* const products = problem.squares.data() + active_[a] * from;
        for (std::size_t b = a; b < m; ++b) factor_[a * stride + b] = products[active_[b]];
        factor_[a * stride + a] += 1 / (2 * cost_);
        multiples_[a] = sign(active_[a]);
    }
    for (std::size_t i = 0; i < n; ++i) step_[i] = -coefficients_[i];
    if (loops.factor(factor_.data(), m)) {
        loops.solve(factor_.data(), m, multiples_.data());
        for (std::size_t a = 0; a < m; ++a) step_[active_[a]] += multiples_[a];
    } else {
        for (const std::size_t i : active_) step_[i] += 2 * cost_ * slack(i) * sign(i);
    }
    for (std::size_t i = 0; i < n; ++i) output_step_[i] = dot(problem.squares.data() + i * from, step_.data(), n);
}

/// The length of a step at which the objective is least, at most one: of a quadratic that changes where a row gains or
/// loses its slack, the slope is a line between these lengths, and it only rises.
///
/// slope_of_norm : w times the step; square_of_step : the step times itself
double Solver::step_length(double slope_of_norm, double square_of_step) {
    double slope = slope_of_norm, rise = square_of_step;
    turns_.clear();
    for (std::size_t i = 0; i < svm_->outputs.size(); ++i) {
        const double change = -sign(i) * output_step_[i], own = slack(i);
        if (own > 0) {
            slope += 2 * cost_ * own * change;
            rise += 2 * cost_ * change * change;
        }
        if (change == 0) continue;
        const double turn = -own / change;
        if (own > 0 ? change < 0 && turn < 1 : change > 0 && turn < 1) turns_.emplace_back(std::max(turn, 0.0), i);
    }
    std::sort(turns_.begin(), turns_.end());
    const double first = slope;
    double at = 0;
    for (const auto& [turn, i] : turns_) {
        if (slope + rise * (turn - at) >= 0) break;
        slope += rise * (turn - at);
        at = turn;
        const double change = output_step_[i];
        rise += (slack(i) > 0 ? -1.0 : 1.0) * 2 * cost_ * change * change;
    }
    const double at_one = slope + rise * (1 - at);
    if (at_one <= flat * std::abs(first)) return 1;
    return rise > 0 ? std::min(1.0, at - slope / rise) : 1;
}

void Solver::solve(const Problem& problem, std::int32_t positive, Svm& svm) {
    svm_ = &svm;
    const SvmTrainingRows& training = *problem.training;
    const std::size_t n = problem.n_rows(), p = problem.n_columns;
    codes_ = training.codes;
    positive_ = positive;
    cost_ = training.cost;
    is_active_.assign(n, 0);
    has_matrix_ = false;
    output_step_.resize(n);
    if (problem.is_by_rows) {
        // Where the columns were fewer until now, these are the coefficients of their weights.
        coefficients_.resize(n);
        for (std::size_t i = 0; i < n; ++i) coefficients_[i] = 2 * cost_ * std::max(slack(i), 0.0) * sign(i);
        for (std::size_t i = 0; i < n; ++i)
            svm_->outputs[i] = dot(problem.squares.data() + i * padded(n), coefficients_.data(), n);
        step_.resize(n);
    }
    find_active();
    for (std::size_t step = 0; step < most_steps; ++step) {
        check_interruption();
        double length;
        if (problem.is_by_rows) {
            find_step_by_rows(problem);
            length = step_length(dot(svm_->outputs.data(), step_.data(), n), dot(output_step_.data(), step_.data(), n));
            add_multiple(coefficients_.data(), step_.data(), length, n);
        } else {
            find_step_by_weights(problem);
            length = step_length(dot(svm_->weights.data(), step_.data(), p), dot(step_.data(), step_.data(), p));
            add_multiple(svm_->weights.data(), step_.data(), length, p);
        }
        add_multiple(svm_->outputs.data(), output_step_.data(), length, n);
        if (!find_active() && length == 1) break;
    }
    if (problem.is_by_rows)
        for (std::size_t j = 0; j < p; ++j) svm_->weights[j] = dot(training.columns + j * n, coefficients_.data(), n);
}

/// Prepares the rows for the next number of columns.
void extend(Problem& problem, std::size_t n_columns) {
    const SvmTrainingRows& training = *problem.training;
    const std::size_t n = training.n_rows, before = problem.n_columns;
    const bool was_by_rows = problem.is_by_rows && before > 0;
    problem.n_columns = n_columns;
    problem.is_by_rows = n_columns > n;
    problem.all_columns.resize(n_columns);
    std::iota(problem.all_columns.begin(), problem.all_columns.end(), std::size_t{0});
    if (problem.is_by_rows) {
        const std::size_t first = was_by_rows ? before : 0, stride = padded(n);
        if (!was_by_rows) problem.squares.assign(stride * n, 0.0);
        const std::vector<double> ones(n_columns - first, 1.0);
        factor_loops().add_outer(problem.squares.data(), n, training.columns, problem.all_columns.data() + first,
                                 n_columns - first, ones.data());
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j) problem.squares[j * stride + i] = problem.squares[i * stride + j];
        return;
    }
    problem.lines.resize(n * n_columns);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n_columns; ++j) problem.lines[i * n_columns + j] = training.columns[j * n + i];
    problem.squares.assign(padded(n_columns) * n_columns, 0.0);
    std::vector<std::size_t> rows(n);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    const std::vector<double> ones(n, 1.0);
    factor_loops().add_outer(problem.squares.data(), n_columns, problem.lines.data(), rows.data(), n, ones.data());
}

}  // namespace

void nested_svm_decisions(const SvmTrainingRows& training, const double* asked, std::size_t n_asked,
                          const std::size_t* ends, std::size_t n_ends, std::size_t n_threads, double* decisions) {
    const std::size_t n_svms = training.n_classes == 2 ? 1 : training.n_classes;
    const Svm zero{std::vector<double>(training.n_columns), std::vector<double>(training.n_rows)};
    std::vector<Svm> svms(n_svms, zero);
    std::vector<Solver> solvers(std::max<std::size_t>(n_threads, 1));
    Problem problem{&training, 0, false, {}, {}, {}};
    for (std::size_t e = 0; e < n_ends; ++e) {
        extend(problem, ends[e]);
        run_tasks(n_svms, n_threads, [&](std::size_t m, std::size_t worker) {
            solvers[worker].solve(problem, static_cast<std::int32_t>(n_svms == 1 ? 1 : m), svms[m]);
            std::vector<double> outputs(n_asked);
            factor_loops().add_rows(asked, n_asked, problem.all_columns.data(), ends[e], svms[m].weights.data(),
                                    outputs.data());
            for (std::size_t i = 0; i < n_asked; ++i) decisions[(e * n_asked + i) * n_svms + m] = outputs[i];
        });
    }
}

}  // namespace fewest
