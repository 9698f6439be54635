#include "margins/row_svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/interruption.hpp"
#include "core/symmetric_loops.hpp"
#include "core/vector_sums.hpp"

namespace fewest {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Residuals below this are rounding; those below the second need one correction, and no further look at the rows.
constexpr double exact = 1e-13, nearly_exact = 1e-11;
/// A step that leaves more than this of the equations is refined, at most this number of times.
constexpr double inexact = 1e-9;
constexpr std::size_t most_refinements = 10;

}  // namespace

RowGram::RowGram(const double* products, std::size_t n_rows) : n_rows_(n_rows), products_(n_rows * padded(n_rows)) {
    for (std::size_t i = 0; i < n_rows; ++i)
        std::copy(products + i * n_rows + i, products + (i + 1) * n_rows, products_.data() + i * padded(n_rows) + i);
}

void RowGram::drop(const double* column) {
    waiting_.push_back(column);
    if (waiting_.size() < n_waiting_at_most) return;
    const std::size_t stride = padded(n_rows_);
    std::vector<double> columns(waiting_.size() * stride), negative(columns.size());
    for (std::size_t k = 0; k < waiting_.size(); ++k)
        for (std::size_t i = 0; i < n_rows_; ++i) {
            columns[k * stride + i] = waiting_[k][i];
            negative[k * stride + i] = -waiting_[k][i];
        }
    symmetric_loops().add_products(products_.data(), n_rows_, stride, negative.data(), columns.data(), waiting_.size());
    waiting_.clear();
}

void RowGram::times(const double* v, double* out) const {
    symmetric_loops().times(products_.data(), n_rows_, padded(n_rows_), v, out);
    for (const double* const column : waiting_) add_multiple(out, column, -dot(column, v, n_rows_), n_rows_);
}

void RowGram::row(std::size_t i, double* out) const {
    const std::size_t stride = padded(n_rows_);
    for (std::size_t k = 0; k < i; ++k) out[k] = products_[k * stride + i];
    for (std::size_t k = i; k < n_rows_; ++k) out[k] = products_[i * stride + k];
    for (const double* const column : waiting_) add_multiple(out, column, -column[i], n_rows_);
}

std::vector<double> RowGram::over(const std::vector<std::size_t>& rows, const std::vector<double>& added) const {
    const std::size_t n = rows.size(), stride = padded(n);
    std::vector<double> chosen(n * stride), line(n_rows_);
    for (std::size_t i = 0; i < n; ++i) {
        row(rows[i], line.data());
        for (std::size_t j = i; j < n; ++j) chosen[i * stride + j] = line[rows[j]];
        chosen[i * stride + i] += added[i];
    }
    return chosen;
}

RowSvm::RowSvm(const RowGram& gram, std::size_t n_rows, const double* costs, const double* signs, const double* start)
    : gram_(&gram), state_(n_rows, costs, signs, start), inverse_(n_rows), coefficients_(n_rows), residual_(n_rows),
      step_(n_rows), moves_(n_rows), cleared_(n_rows), cleared_outputs_(n_rows) {
    invert();
}

/// The inverse from nothing but the active rows and the columns that are left.
void RowSvm::invert() {
    std::vector<std::size_t> active;
    std::vector<double> least;
    for (std::size_t i = 0; i < state_.n_rows; ++i) {
        if (!state_.is_active[i]) continue;
        active.push_back(i);
        least.push_back(state_.least_pivot(i));
    }
    std::vector<double> matrix = gram_->over(active, least);
    inverse_.invert(matrix, active, least);
}

/// The inverse after these rows became active, or are not any more. follows : the coefficients, so far the solution for
/// the rows that were active, become that for those that are
void RowSvm::change(const std::vector<std::size_t>& rows, bool follows) {
    // Each change costs about the square of the size, and a new start about its cube.
    if (2 * rows.size() > state_.n_rows) return invert();
    const std::size_t n = state_.n_rows;
    std::vector<double> products(n), image(n);
    for (const std::size_t i : rows) {
        if (!state_.is_active[i]) {
            inverse_.row(i, image.data());
            if (follows && image[i] > 0)
                add_multiple(coefficients_.data(), image.data(), -coefficients_[i] / image[i], n);
            if (follows) coefficients_[i] = 0;
            inverse_.leave_out(i, image.data());
            continue;
        }
        gram_->row(i, products.data());
        inverse_.include(i);
        inverse_.times(products.data(), image.data());
        const double pivot = std::max(products[i] + state_.least_pivot(i) - dot(products.data(), image.data(), n),
                                      state_.least_pivot(i));
        image[i] = -1;
        if (follows) {
            const double shortfall = state_.signs[i] - dot(products.data(), coefficients_.data(), n);
            add_multiple(coefficients_.data(), image.data(), -shortfall / pivot, n);
        }
        inverse_.add(1 / pivot, image.data());
    }
}

void RowSvm::drop(const double* column) {
    inverse_.times(column, step_.data());
    const double left = 1 - dot(column, step_.data(), state_.n_rows);
    if (!(left > 0)) return;  // rounding, which will be noticed
    const double weight = dot(column, coefficients_.data(), state_.n_rows);
    add_multiple(coefficients_.data(), step_.data(), weight / left, state_.n_rows);
    inverse_.add(1 / left, step_.data());
}

double RowSvm::squared_norm() const {
    return is_solved_ ? dot(coefficients_.data(), state_.outputs.data(), state_.n_rows) : infinity;
}

/// The step to the solution of the equations of the active rows, from what is left of them, and how it moves the outputs.
/// Where columns differ much in size the inverse has few digits, and the step is refined.
void RowSvm::find_step() {
    const std::size_t n = state_.n_rows;
    inverse_.times(residual_.data(), step_.data());
    gram_->times(step_.data(), moves_.data());
    const double size = state_.largest_output();
    double last_left = infinity;
    for (std::size_t k = 0; k < most_refinements; ++k) {
        std::vector<double> rest(n), correction(n);
        double left = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (state_.is_active[i]) rest[i] = residual_[i] - moves_[i] - state_.least_pivot(i) * step_[i];
            left = std::max(left, std::abs(rest[i]));
        }
        if (!(left > inexact * size) || left > 0.5 * last_left) return;
        last_left = left;
        inverse_.times(rest.data(), correction.data());
        for (std::size_t i = 0; i < n; ++i) step_[i] += correction[i];
        gram_->times(step_.data(), moves_.data());
    }
}

/// Sets aside the coefficients of rows that are not active; false where they have none.
bool RowSvm::clear_inactive() {
    std::vector<std::size_t> cleared;
    cleared_ = coefficients_;
    for (std::size_t i = 0; i < state_.n_rows; ++i)
        if (!state_.is_active[i] && coefficients_[i] != 0) {
            cleared_[i] = 0;
            cleared.push_back(i);
        }
    if (8 * cleared.size() > state_.n_rows) {
        gram_->times(cleared_.data(), cleared_outputs_.data());
        return true;
    }
    cleared_outputs_ = state_.outputs;
    for (const std::size_t i : cleared) {
        gram_->row(i, moves_.data());
        add_multiple(cleared_outputs_.data(), moves_.data(), -coefficients_[i], state_.n_rows);
    }
    return !cleared.empty();
}

/// What is left of the equations of the active rows; returns the largest.
double RowSvm::find_residual(const std::vector<double>& outputs) {
    double largest = 0;
    for (std::size_t i = 0; i < state_.n_rows; ++i) {
        residual_[i] = state_.is_active[i] ? state_.signs[i] - outputs[i] - state_.least_pivot(i) * cleared_[i] : 0.0;
        largest = std::max(largest, std::abs(residual_[i]));
    }
    return largest;
}

/// The solution for the active rows, those for the rows that have slack at it, and so on while they are fewer each time.
void RowSvm::follow_changes() {
    for (std::size_t most = state_.n_rows;;) {
        // An active row has a slack of its coefficient times its pivot: those that passed their margin are seen without
        // the outputs.
        std::vector<std::size_t> passed;
        for (std::size_t i = 0; i < state_.n_rows; ++i)
            if (state_.is_active[i] && state_.signs[i] * coefficients_[i] * state_.least_pivot(i) < -no_slack)
                passed.push_back(i);
        if (2 * passed.size() <= most) {
            for (const std::size_t i : passed) state_.is_active[i] = 0;
            change(passed, true);
        }
        gram_->times(coefficients_.data(), state_.outputs.data());
        const std::vector<std::size_t> changed = state_.update_active();
        const bool follows = 2 * changed.size() <= most;
        change(changed, follows);
        if (changed.empty() || !follows) return;
        most = changed.size();
    }
}

void RowSvm::solve() {
    const std::size_t n = state_.n_rows;
    bool is_whole = is_new_;
    is_solved_ = true;
    if (!is_new_) follow_changes();
    is_new_ = false;
    double last_left = infinity;
    bool may_renew = true;
    for (std::size_t round = 0; round < most_svm_steps; ++round) {
        check_interruption();
        const bool has_cleared = clear_inactive();
        const double left = find_residual(cleared_outputs_), size = state_.largest_output();
        const bool is_stalled = left > 0.1 * last_left;
        if (is_stalled && left > not_refined * size && may_renew) {
            invert();
            may_renew = false;
            last_left = infinity;
            continue;
        }
        if (!has_cleared && left <= exact * size) return;
        if (!has_cleared && (left <= nearly_exact * size || is_stalled)) {
            inverse_.times(residual_.data(), step_.data());
            for (std::size_t i = 0; i < n; ++i) coefficients_[i] += step_[i];
            // A last correction that is not small is seen in the norm.
            if (left > nearly_exact * size) gram_->times(coefficients_.data(), state_.outputs.data());
            is_solved_ = left <= not_refined * size;
            return;
        }
        find_step();
        double slope = 0, curvature = 0;
        for (std::size_t i = 0; i < n; ++i) {
            moves_[i] += cleared_outputs_[i] - state_.outputs[i];
            step_[i] += cleared_[i] - coefficients_[i];
            slope += coefficients_[i] * moves_[i];
            curvature += step_[i] * moves_[i];
        }
        double length = 1;
        if (!is_whole && !state_.stays_active(moves_)) length = state_.step_length(moves_, slope, curvature);
        is_whole = false;
        double moved = 0;
        for (std::size_t i = 0; i < n; ++i) {
            // What ends at zero is zero, whatever was rounded.
            const bool ends = length == 1 && !state_.is_active[i];
            coefficients_[i] = ends ? 0.0 : coefficients_[i] + length * step_[i];
            state_.outputs[i] += length * moves_[i];
            moved = std::max(moved, std::abs(length * moves_[i]));
        }
        const std::vector<std::size_t> changed = state_.update_active();
        change(changed, false);
        last_left = changed.empty() ? left : infinity;
        if (moved > no_slack * size) continue;
        if (left <= not_refined * size) return;
        // The step does not descend: its equations were not solved.
        if (!may_renew) break;
        invert();
        may_renew = false;
        last_left = infinity;
    }
    is_solved_ = false;
}

}  // namespace fewest
