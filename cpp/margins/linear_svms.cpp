#include "margins/linear_svms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/threads.hpp"
#include "core/vector_sums.hpp"

namespace fewest {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Slack below this is rounding.
constexpr double no_slack = 1e-13;
/// A step of refinement that moves the solution by more than this share says that the inverse is none.
constexpr double refined = 1e-7;
constexpr std::size_t most_steps = 500;
/// A bound is wider by this share than it has to be.
constexpr double more_than_rounding = 1e-13;
/// How many columns are asked first for their values.
constexpr std::size_t asked_first = 16;
/// Fewer products than this are added sooner than a second thread is started.
constexpr std::size_t worth_a_thread = 200000;

double largest(const std::vector<double>& numbers) {
    double most = 0;
    for (const double number : numbers) most = std::max(most, std::abs(number));
    return most;
}

}  // namespace

LinearSvm::LinearSvm(const SvmRows& rows, const double* signs, const double* gram, const double* start)
    : rows_(rows), signs_(signs), gram_(gram), is_active_(rows.n_rows), is_dropped_(rows.n_columns),
      unknowns_(gram ? rows.n_rows : rows.n_columns + 1), outputs_(rows.n_rows), target_(unknowns_.size()),
      target_outputs_(rows.n_rows), coefficients_(start, start + rows.n_rows), line_(unknowns_.size()),
      image_(unknowns_.size()) {
    inverse_ = SymmetricInverse(size());
    first_copy_.resize(gram_ ? 0 : rows_.n_columns);
    for (std::size_t j = 0; j < first_copy_.size(); ++j) {
        const double* const values = rows_.column(j);
        const bool is_copy = j > 0 && std::equal(values, values + rows_.n_rows, rows_.column(j - 1));
        first_copy_[j] = is_copy ? first_copy_[j - 1] : j;
    }
    if (gram_) {
        unknowns_ = coefficients_;
    } else {
        for (std::size_t j = 0; j < rows_.n_columns; ++j) unknowns_[j] = dot(rows_.column(j), start, rows_.n_rows);
        for (std::size_t i = 0; i < rows_.n_rows; ++i) unknowns_[rows_.n_columns] += start[i];
    }
    find_outputs(unknowns_, outputs_);
    for (std::size_t i = 0; i < rows_.n_rows; ++i) is_active_[i] = slack(outputs_, i) > 0;
    start_anew();
}

/// line_ = the row, with its constant
void LinearSvm::take_row(std::size_t i) {
    for (std::size_t j = 0; j < rows_.n_columns; ++j) line_[j] = is_dropped_[j] ? 0.0 : rows_.column(j)[i];
    line_[rows_.n_columns] = 1;
}

void LinearSvm::set_active(std::size_t i, bool is_active) {
    is_active_[i] = is_active;
    if (gram_ && !is_active) {
        inverse_.leave_out(i, line_);
    } else if (gram_) {
        const double* const products = gram_ + i * rows_.n_rows;
        inverse_.times(products, image_.data());
        const double pivot = products[i] + least_pivot(i) - dot(products, image_.data(), rows_.n_rows);
        image_[i] = -1;
        inverse_.add(1 / std::max(pivot, least_pivot(i)), image_.data());
    } else {
        take_row(i);
        inverse_.times(line_.data(), image_.data());
        const double product = dot(line_.data(), image_.data(), line_.size());
        const double change = is_active ? least_pivot(i) + product : product - least_pivot(i);
        // No row can have had so much say that nothing is left without it: that is rounding, and will be noticed.
        if (change != 0) inverse_.add(-1 / change, image_.data());
    }
}

/// The inverse from nothing but the active rows and the columns that are left.
void LinearSvm::start_anew() {
    const std::size_t n = rows_.n_rows;
    std::vector<std::size_t> places;
    std::vector<double> matrix, least;
    for (std::size_t k = 0; k < size(); ++k)
        if (gram_ ? is_active_[k] : k == rows_.n_columns || !is_dropped_[k]) {
            places.push_back(k);
            least.push_back(gram_ ? least_pivot(k) : 1.0);
        }
    const std::size_t n_places = places.size();
    matrix.resize(n_places * n_places);
    if (gram_) {
        for (std::size_t i = 0; i < n_places; ++i)
            for (std::size_t j = 0; j < n_places; ++j) matrix[i * n_places + j] = gram_[places[i] * n + places[j]];
    } else {
        std::vector<double> row(n_places);
        for (std::size_t k = 0; k < n; ++k) {
            if (!is_active_[k]) continue;
            check_interruption();
            take_row(k);
            for (std::size_t j = 0; j < n_places; ++j) row[j] = line_[places[j]];
            for (std::size_t i = 0; i < n_places; ++i) {
                const double share = 2 * rows_.costs[k] * row[i];
                for (std::size_t j = 0; j < n_places; ++j) matrix[i * n_places + j] += share * row[j];
            }
        }
    }
    for (std::size_t i = 0; i < n_places; ++i) matrix[i * n_places + i] += least[i];
    inverse_.invert(matrix, places, least);
}

void LinearSvm::drop(std::size_t column) {
    is_dropped_[column] = 1;
    const double* const values = rows_.column(column);
    if (gram_) {
        inverse_.times(values, image_.data());
        const double left = 1 - dot(values, image_.data(), rows_.n_rows);
        if (left > 0) inverse_.add(1 / left, image_.data());
    } else {
        inverse_.leave_out(column, line_);
        unknowns_[column] = 0;
    }
    find_outputs(unknowns_, outputs_);
}

void LinearSvm::find_outputs(const std::vector<double>& unknowns, std::vector<double>& outputs) const {
    const std::size_t n = rows_.n_rows;
    std::fill(outputs.begin(), outputs.end(), gram_ ? 0.0 : unknowns.back());
    for (std::size_t j = 0; j < (gram_ ? n : rows_.n_columns); ++j) {
        if (unknowns[j] == 0) continue;
        const double* const values = gram_ ? gram_ + j * n : rows_.column(j);
        for (std::size_t i = 0; i < n; ++i) outputs[i] += unknowns[j] * values[i];
    }
}

/// The least squares of the active rows, into the target; false where the inverse does not lead there.
bool LinearSvm::solve_active() {
    const std::size_t n = rows_.n_rows;
    std::vector<double> shortfalls(n);
    target_ = unknowns_;
    for (std::size_t i = 0; i < n && gram_; ++i)
        if (!is_active_[i]) target_[i] = 0;
    double step = infinity;
    for (std::size_t round = 0; round < 2; ++round) {
        find_outputs(target_, target_outputs_);
        for (std::size_t i = 0; i < n; ++i) {
            const double shortfall = is_active_[i] ? signs_[i] - target_outputs_[i] : 0.0;
            shortfalls[i] = gram_ ? shortfall - (is_active_[i] ? least_pivot(i) * target_[i] : 0.0)
                                  : 2 * rows_.costs[i] * shortfall;
        }
        if (gram_) {
            inverse_.times(shortfalls.data(), image_.data());
        } else {
            for (std::size_t j = 0; j < rows_.n_columns; ++j)
                line_[j] = is_dropped_[j] ? 0.0 : dot(rows_.column(j), shortfalls.data(), n) - target_[j];
            line_.back() = -target_.back();
            for (const double shortfall : shortfalls) line_.back() += shortfall;
            inverse_.times(line_.data(), image_.data());
        }
        for (std::size_t j = 0; j < target_.size(); ++j) target_[j] += image_[j];
        step = largest(image_);
    }
    find_outputs(target_, target_outputs_);
    // The least there is cannot be above what no weights at all give.
    double reached = 0, allowed = 0;
    for (std::size_t j = 0; j < target_.size(); ++j) reached += target_[j] * (gram_ ? target_outputs_[j] : target_[j]);
    for (std::size_t i = 0; i < n; ++i) {
        if (!is_active_[i]) continue;
        const double shortfall = signs_[i] - target_outputs_[i];
        reached += 2 * rows_.costs[i] * shortfall * shortfall;
        allowed += 2 * rows_.costs[i];
    }
    return step <= refined * largest(target_) && reached <= (1 + refined) * allowed;
}

/// Where on the way to the target, or beyond, the objective is least: its slope is piecewise linear.
double LinearSvm::step_length() const {
    const std::size_t n = rows_.n_rows;
    double slope = 0, curvature = 0;
    for (std::size_t j = 0; j < target_.size(); ++j) {
        const double move = target_[j] - unknowns_[j];
        if (!gram_) slope += unknowns_[j] * move, curvature += move * move;
    }
    std::vector<std::pair<double, std::size_t>> turns;
    const auto weight_of = [&](std::size_t i, double gain) { return 2 * rows_.costs[i] * gain * gain; };
    for (std::size_t i = 0; i < n; ++i) {
        const double left = slack(outputs_, i), change = target_outputs_[i] - outputs_[i], gain = signs_[i] * change;
        if (gram_) slope += unknowns_[i] * change, curvature += (target_[i] - unknowns_[i]) * change;
        if (left > 0 || (left == 0 && gain < 0)) {
            slope -= 2 * rows_.costs[i] * left * gain;
            curvature += weight_of(i, gain);
        }
        if (left * gain > 0) turns.emplace_back(left / gain, i);
    }
    std::sort(turns.begin(), turns.end());
    double at = 0;
    for (const auto& [turn, i] : turns) {
        if (slope + curvature * (turn - at) >= 0) break;
        slope += curvature * (turn - at);
        at = turn;
        const double gain = signs_[i] * (target_outputs_[i] - outputs_[i]);
        curvature += gain > 0 ? -weight_of(i, gain) : weight_of(i, gain);
    }
    return curvature > 0 ? at - std::min(slope, 0.0) / curvature : at;
}

/// Whether the rows that have slack at the target are those it was solved for.
bool LinearSvm::is_solved() const {
    for (std::size_t i = 0; i < rows_.n_rows; ++i) {
        const double left = slack(target_outputs_, i);
        if (is_active_[i] ? left < -no_slack : left > no_slack) return false;
    }
    return true;
}

/// Solves for the rows that are active. Gives back how far the outputs move, as a share of the largest.
double LinearSvm::step(bool is_whole) {
    if (!solve_active()) {
        start_anew();
        solve_active();
    }
    is_whole = is_whole || is_solved();
    const double length = is_whole ? 1.0 : step_length();
    double moved = 0, size = 1;
    for (std::size_t i = 0; i < rows_.n_rows; ++i) {
        moved = std::max(moved, std::abs(target_outputs_[i] - outputs_[i]) * length);
        size = std::max(size, std::abs(outputs_[i]));
    }
    if (is_whole) {
        unknowns_ = target_;
        outputs_ = target_outputs_;
    } else {
        for (std::size_t j = 0; j < target_.size(); ++j) unknowns_[j] += length * (target_[j] - unknowns_[j]);
        find_outputs(unknowns_, outputs_);
    }
    return moved / size;
}

/// Makes those rows active that have slack.
void LinearSvm::follow_slack() {
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < rows_.n_rows; ++i)
        if ((slack(outputs_, i) > 0) != static_cast<bool>(is_active_[i])) changed.push_back(i);
    // Each change costs the square of the size, and a new start about its cube.
    if (2 * changed.size() > size()) {
        for (const std::size_t i : changed) is_active_[i] = !is_active_[i];
        start_anew();
    } else {
        for (const std::size_t i : changed) set_active(i, !is_active_[i]);
    }
}

void LinearSvm::solve() {
    // Most likely the rows with slack are the same as before a column was dropped. If not, this is a better start than
    // outputs that lack the column.
    step(true);
    for (std::size_t round = 0; round < most_steps && !is_solved(); ++round) {
        check_interruption();
        follow_slack();
        if (step(false) <= no_slack) break;
    }
    settle();
}

void LinearSvm::settle() {
    if (gram_) coefficients_ = unknowns_;
    for (std::size_t i = 0; i < rows_.n_rows && !gram_; ++i)
        coefficients_[i] = 2 * rows_.costs[i] * signs_[i] * std::max(0.0, slack(outputs_, i));
}

double LinearSvm::weight(std::size_t column) const {
    if (gram_) return dot(rows_.column(column), coefficients_.data(), rows_.n_rows);
    // The sum over rows would lose what digits the columns' size takes away; copies are alike but for rounding.
    std::size_t copy = first_copy_[column];
    while (is_dropped_[copy] && copy < column) ++copy;
    return unknowns_[copy];
}

LinearSVMs::LinearSVMs(const SvmRows& rows, const double* signs, std::size_t n_svms, std::vector<double> gram,
                       const double* start)
    : rows_(rows), gram_(std::move(gram)), is_dropped_(rows.n_columns), is_asked_(rows.n_columns),
      lengths_(rows.n_columns), known_(rows.n_columns) {
    svms_.reserve(n_svms);
    for (std::size_t m = 0; m < n_svms; ++m)
        svms_.emplace_back(rows_, signs + m * rows.n_rows, gram_.empty() ? nullptr : gram_.data(),
                           start + m * rows.n_rows);
    for (std::size_t j = 0; j < rows.n_columns; ++j)
        lengths_[j] = std::sqrt(dot(rows.column(j), rows.column(j), rows.n_rows));
    moved_ = std::sqrt(dot(start, start, n_svms * rows.n_rows));
}

void LinearSVMs::drop(std::size_t column) {
    const std::size_t n = rows_.n_rows;
    const double* const values = rows_.column(column);
    is_dropped_[column] = 1;
    for (std::size_t i = 0; i < n && !gram_.empty(); ++i)
        for (std::size_t k = 0; k < n; ++k) gram_[i * n + k] -= values[i] * values[k];
    for (LinearSvm& svm : svms_) svm.drop(column);
}

void LinearSVMs::solve(std::size_t n_threads) {
    std::vector<double> moves(svms_.size());
    const std::size_t side = gram_.empty() ? rows_.n_columns : rows_.n_rows;
    run_tasks(svms_.size(), side * side * svms_.size() < worth_a_thread ? 1 : n_threads,
              [&](std::size_t m, std::size_t) {
                  const std::vector<double> before = svms_[m].coefficients();
                  svms_[m].solve();
                  for (std::size_t i = 0; i < before.size(); ++i) {
                      const double move = svms_[m].coefficients()[i] - before[i];
                      moves[m] += move * move;
                  }
              });
    double sum = 0;
    for (const double move : moves) sum += move;
    moved_ += std::sqrt(sum);
}

double LinearSVMs::norm(std::size_t column) const {
    double sum = 0;
    for (const LinearSvm& svm : svms_) {
        const double weight = svm.weight(column);
        sum += weight * weight;
    }
    return std::sqrt(sum);
}

/// lowest : a heap of the lowest so far, the highest of them in front
void LinearSVMs::ask(std::size_t column, std::size_t count, std::vector<Worth>& lowest) {
    const Worth found{norm(column), column};
    is_asked_[column] = 1;
    known_[column] = found.norm + moved_ * lengths_[column];
    asked_.push_back(found);
    if (lowest.size() == count && !(found < lowest.front())) return;
    if (lowest.size() == count) {
        std::pop_heap(lowest.begin(), lowest.end());
        lowest.pop_back();
    }
    lowest.push_back(found);
    std::push_heap(lowest.begin(), lowest.end());
}

void LinearSVMs::least(const std::int64_t* numbers, double tie, std::int64_t* columns, std::size_t n_columns) {
    // First those that were lowest last time: one of them is likely the lowest now, and spares most of the others.
    const std::vector<Worth> near(std::move(asked_));
    asked_.clear();
    std::vector<Worth> lowest;
    for (const Worth& other : near)
        if (!is_dropped_[other.column]) ask(other.column, n_columns, lowest);
    const double reach = moved_ * (1 + more_than_rounding);
    for (std::size_t j = 0; j < rows_.n_columns; ++j) {
        if (is_dropped_[j] || is_asked_[j]) continue;
        // Where the unknowns are weights these are at hand, and more exact than a bound.
        if (gram_.empty() || lowest.size() < n_columns || known_[j] - reach * lengths_[j] <= lowest.front().norm + tie)
            ask(j, n_columns, lowest);
    }
    for (const Worth& other : asked_) is_asked_[other.column] = 0;
    std::sort(asked_.begin(), asked_.end());
    // Runs of equals, each from the highest number on.
    for (auto first = asked_.begin(); first != asked_.end();) {
        auto last = first + 1;
        while (last != asked_.end() && last->norm - (last - 1)->norm <= tie) ++last;
        std::sort(first, last, [&](const Worth& a, const Worth& b) { return numbers[a.column] > numbers[b.column]; });
        first = last;
    }
    for (std::size_t k = 0; k < n_columns; ++k) columns[k] = static_cast<std::int64_t>(asked_[k].column);
    asked_.resize(std::min(asked_.size(), n_columns + asked_first));
}

}  // namespace fewest
