#include "margins/weight_svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/factor_loops.hpp"
#include "core/interruption.hpp"
#include "core/symmetric_loops.hpp"
#include "core/vector_sums.hpp"

namespace fewest {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// A correction of the weights that could not change an output by more than this share is the last.
constexpr double negligible = 1e-12;
/// The equations are unsolved where the last correction of the weights could still change an output by this share.
constexpr double not_solved = 1e-5;
/// Rows whose products are added to a matrix in one pass over it.
constexpr std::size_t rows_at_once = 64;

}  // namespace

void SvmTable::find_outputs(const std::vector<double>& weights, std::vector<double>& outputs) const {
    symmetric_loops().row_products(rows, n_columns, nullptr, n_rows, weights.data(), 1, 0, outputs.data(), 0);
    for (double& output : outputs) output += weights[n_columns];
}

std::vector<double> SvmTable::normal_matrix(const std::vector<char>& is_active) const {
    const std::size_t size = left.size() + 1;
    std::vector<double> matrix(size * padded(size));
    for (std::size_t k = 0; k < size; ++k) matrix[k * padded(size) + k] = 1;
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < n_rows; ++i)
        if (is_active[i]) active.push_back(i);
    change_rows(matrix, active, is_active);
    return matrix;
}

void SvmTable::change_rows(std::vector<double>& matrix, const std::vector<std::size_t>& changed,
                           const std::vector<char>& is_active) const {
    const std::size_t size = left.size() + 1, stride = padded(size);
    std::vector<double> lines(rows_at_once * stride), scaled(rows_at_once * stride);
    for (std::size_t first = 0; first < changed.size(); first += rows_at_once) {
        check_interruption();
        const std::size_t n_lines = std::min(rows_at_once, changed.size() - first);
        for (std::size_t k = 0; k < n_lines; ++k) {
            const std::size_t i = changed[first + k];
            const double factor = is_active[i] ? 2 * costs[i] : -2 * costs[i];
            double* const line = lines.data() + k * stride;
            for (std::size_t j = 0; j + 1 < size; ++j) line[j] = row(i)[left[j]];
            line[size - 1] = 1;
            for (std::size_t j = 0; j < size; ++j) scaled[k * stride + j] = factor * line[j];
        }
        symmetric_loops().add_products(matrix.data(), size, stride, scaled.data(), lines.data(), n_lines);
    }
}

/// The equations of least squares by the factor of their matrix, for many changes at a time.
class WeightSvm::Factored {
public:
    Factored(const SvmTable& table, const SvmState& state)
        : table_(table), state_(state), matrix_(table.normal_matrix(state.is_active)), gathered_(table.left.size() + 1),
          least_(table.left.size() + 1, 1.0) {}

    void change(const std::vector<std::size_t>& rows) {
        table_.change_rows(matrix_, rows, state_.is_active);
        is_factored_ = is_factored_ && rows.empty();
    }

    void solve(const std::vector<double>& residual, std::vector<double>& step) {
        const std::size_t size = gathered_.size();
        if (!is_factored_) {
            factor_ = matrix_;
            factor_loops().factor_above(factor_.data(), size, least_.data());
            is_factored_ = true;
        }
        for (std::size_t k = 0; k + 1 < size; ++k) gathered_[k] = residual[table_.left[k]];
        gathered_.back() = residual.back();
        factor_loops().solve(factor_.data(), size, gathered_.data());
        std::fill(step.begin(), step.end(), 0.0);
        for (std::size_t k = 0; k + 1 < size; ++k) step[table_.left[k]] = gathered_[k];
        step.back() = gathered_.back();
    }

    /// Rounding errors of the changes go with a new matrix.
    bool renew() {
        if (is_new_) return false;
        matrix_ = table_.normal_matrix(state_.is_active);
        is_factored_ = false;
        return is_new_ = true;
    }

private:
    const SvmTable& table_;
    const SvmState& state_;
    std::vector<double> matrix_, factor_, gathered_, least_;
    bool is_factored_ = false, is_new_ = false;
};

/// The same by the inverse of the matrix, for few changes.
class WeightSvm::Inverted {
public:
    Inverted(const SvmTable& table, const SvmState& state, SymmetricInverse& inverse)
        : table_(table), state_(state), inverse_(inverse) {}

    void invert() {
        std::vector<double> matrix = table_.normal_matrix(state_.is_active);
        std::vector<std::size_t> indices = table_.left;
        indices.push_back(table_.n_columns);
        inverse_.invert(matrix, indices, std::vector<double>(indices.size(), 1.0));
    }

    void change(const std::vector<std::size_t>& rows) {
        // Each change costs about the square of the size, and a new start about its cube.
        if (2 * rows.size() > table_.left.size()) return invert();
        std::vector<double> line(table_.n_columns + 1), image(line.size());
        for (const std::size_t i : rows) {
            std::copy(table_.row(i), table_.row(i) + table_.n_columns, line.begin());
            line.back() = 1;
            inverse_.times(line.data(), image.data());
            const double product = dot(line.data(), image.data(), line.size());
            const double change =
                state_.is_active[i] ? state_.least_pivot(i) + product : product - state_.least_pivot(i);
            // No row can have had so much say that nothing is left without it: that is rounding, and will be noticed.
            if (change != 0) inverse_.add(-1 / change, image.data());
        }
    }

    void solve(const std::vector<double>& residual, std::vector<double>& step) const {
        inverse_.times(residual.data(), step.data());
    }

    bool renew() {
        if (is_new_) return false;
        invert();
        return is_new_ = true;
    }

private:
    const SvmTable& table_;
    const SvmState& state_;
    SymmetricInverse& inverse_;
    bool is_new_ = false;
};

WeightSvm::WeightSvm(const SvmTable& table, const double* signs, const double* start)
    : table_(&table), state_(table.n_rows, table.costs, signs, start), weights_(table.n_columns + 1),
      residual_(weights_.size()), step_(weights_.size()), moves_(table.n_rows), target_outputs_(table.n_rows) {}

double WeightSvm::coefficient(std::size_t i) const {
    return 2 * table_->costs[i] * state_.signs[i] * std::max(0.0, state_.slack(i));
}

double WeightSvm::squared_norm() const {
    return !is_exact_ ? infinity : dot(weights_.data(), weights_.data(), weights_.size());
}

/// What is left of the equations of least squares of the active rows, from the rows themselves.
void WeightSvm::find_residual() {
    std::vector<std::size_t> active;
    std::vector<double> shortfalls;
    double sum = 0;
    for (std::size_t i = 0; i < state_.n_rows; ++i) {
        if (!state_.is_active[i]) continue;
        active.push_back(i);
        shortfalls.push_back(2 * state_.costs[i] * (state_.signs[i] - state_.outputs[i]));
        sum += shortfalls.back();
    }
    const std::size_t n = table_->n_columns;
    std::fill(step_.begin(), step_.end(), 0.0);
    factor_loops().add_rows(table_->rows, n, active.data(), active.size(), shortfalls.data(), step_.data());
    std::fill(residual_.begin(), residual_.end(), 0.0);
    for (const std::size_t j : table_->left) residual_[j] = step_[j] - weights_[j];
    residual_[n] = sum - weights_[n];
}

/// Makes the step, whole or of the best length; returns the largest move of an output.
double WeightSvm::move(bool is_whole) {
    const std::size_t size = weights_.size();
    double length = 1, moved = 0;
    if (!is_whole)
        length =
            state_.step_length(moves_, dot(weights_.data(), step_.data(), size), dot(step_.data(), step_.data(), size));
    add_multiple(weights_.data(), step_.data(), length, size);
    for (std::size_t i = 0; i < state_.n_rows; ++i) {
        state_.outputs[i] += length * moves_[i];
        moved = std::max(moved, std::abs(length * moves_[i]));
    }
    return moved;
}

template <class Equations>
void WeightSvm::solve(Equations& equations, bool is_whole) {
    const std::size_t n = table_->n_columns;
    // After an inverse that was kept up to date there is another way; without it only an error.
    const double allowed = inverse_ ? not_refined : not_solved;
    double last_reach = infinity;
    for (std::size_t round = 0; round < most_svm_steps; ++round) {
        check_interruption();
        find_residual();
        equations.solve(residual_, step_);
        const double size = state_.largest_output();
        double reach = std::abs(step_[n]);
        for (std::size_t j = 0; j < n; ++j) reach += table_->extents[j] * std::abs(step_[j]);
        const bool is_stalled = reach > 0.1 * last_reach;
        if (is_stalled && reach > not_refined * size && equations.renew()) {
            last_reach = infinity;
            continue;
        }
        if (reach <= negligible * size || is_stalled) {
            is_exact_ = reach <= allowed * size;
            for (std::size_t j = 0; j <= n; ++j) weights_[j] += step_[j];
            return;
        }
        table_->find_outputs(step_, moves_);
        const double moved = move(is_whole || state_.stays_active(moves_));
        is_whole = false;
        const std::vector<std::size_t> changed = state_.update_active();
        equations.change(changed);
        last_reach = changed.empty() ? reach : infinity;
        if (moved > no_slack * size) continue;
        // A step that is not small and does not descend: its equations were not solved.
        is_exact_ = reach <= allowed * size;
        if (reach <= not_refined * size || !equations.renew()) return;
        last_reach = infinity;
    }
    is_exact_ = false;
}

void WeightSvm::drop(const std::vector<std::size_t>& columns) {
    if (!inverse_) {
        inverse_ = std::make_unique<SymmetricInverse>(table_->n_columns + 1);
        Inverted(*table_, state_, *inverse_).invert();
    }
    target_ = weights_;
    for (const std::size_t j : columns) {
        inverse_->row(j, step_.data());
        if (step_[j] > 0) add_multiple(target_.data(), step_.data(), -target_[j] / step_[j], target_.size());
        target_[j] = 0;
        inverse_->leave_out(j, step_.data());
        for (std::size_t i = 0; i < state_.n_rows; ++i) state_.outputs[i] -= weights_[j] * table_->row(i)[j];
        weights_[j] = 0;
    }
}

void WeightSvm::solve() {
    if (!inverse_) {
        Factored equations(*table_, state_);
        return solve(equations, true);
    }
    for (std::size_t i = 0; i < state_.n_rows; ++i) moves_[i] = target_outputs_[i] - state_.outputs[i];
    for (std::size_t j = 0; j < weights_.size(); ++j) step_[j] = target_[j] - weights_[j];
    if (state_.stays_active(moves_)) {
        weights_ = target_;
        state_.outputs = target_outputs_;
    } else {
        move(false);
    }
    Inverted equations(*table_, state_, *inverse_);
    equations.change(state_.update_active());
    solve(equations, false);
}

}  // namespace fewest
