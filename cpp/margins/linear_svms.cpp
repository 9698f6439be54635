#include "margins/linear_svms.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/symmetric_loops.hpp"
#include "core/threads.hpp"
#include "core/vector_sums.hpp"

namespace fewest {
namespace {

/// A bound is wider by this share than it has to be.
constexpr double more_than_rounding = 1e-13;
/// How many columns are asked first for their values, and at most at a time.
constexpr std::size_t asked_first = 16, asked_at_once = 64;
/// How many former solutions are remembered.
constexpr std::size_t remembered = 64;
/// Fewer products than this are added sooner than a second thread is started.
constexpr std::size_t worth_a_thread = 200000;
/// The largest size of a whole number that stands for a value of a column.
constexpr double largest_rounded = 32767, smallest_rounded = 1e-150;
/// Bounds from rounded numbers are this much wider than they have to be.
constexpr double wider = 1e-9;
/// Rows whose outputs are found at a time.
constexpr std::size_t rows_at_once = 256;

/// Also false where the weights are not finite. A square that is negative is rounding.
template <class Svm>
bool are_possible(const std::vector<Svm>& svms, const double* costs, std::size_t n_rows) {
    double most = 0;
    for (std::size_t i = 0; i < n_rows; ++i) most += 2.02 * costs[i];
    return std::all_of(svms.begin(), svms.end(), [&](const Svm& svm) { return std::abs(svm.squared_norm()) <= most; });
}

}  // namespace

void LinearSVMs::least(const std::int64_t* numbers, double tie, std::int64_t* columns, std::size_t n_columns) {
    std::vector<Value>& values = near_least(n_columns, tie);
    std::sort(values.begin(), values.end());
    // Runs of equals, each from the highest number on. A run ends by the distance from its first, so that it does not
    // depend on which further values are known.
    for (auto first = values.begin(); first != values.end();) {
        auto last = first + 1;
        while (last != values.end() && last->norm - first->norm <= tie) ++last;
        std::sort(first, last, [&](const Value& a, const Value& b) { return numbers[a.column] > numbers[b.column]; });
        first = last;
    }
    for (std::size_t k = 0; k < n_columns; ++k) columns[k] = static_cast<std::int64_t>(values[k].column);
    values.resize(std::min(values.size(), n_columns + asked_first));
}

WeightSvms::WeightSvms(const double* rows, std::size_t n_columns, std::size_t n_rows, const double* costs,
                       const double* signs, std::size_t n_svms, const double* start)
    : table_{rows, n_columns, n_rows, costs, {}, std::vector<double>(n_columns)}, is_dropped_(n_columns),
      first_copy_(n_columns) {
    for (std::size_t i = 0; i < n_rows; ++i)
        for (std::size_t j = 0; j < n_columns; ++j)
            table_.extents[j] = std::max(table_.extents[j], std::abs(table_.row(i)[j]));
    for (std::size_t j = 0; j < n_columns; ++j) {
        table_.left.push_back(j);
        bool is_copy = j > 0;
        for (std::size_t i = 0; i < n_rows && is_copy; ++i) is_copy = table_.row(i)[j] == table_.row(i)[j - 1];
        first_copy_[j] = is_copy ? first_copy_[j - 1] : j;
    }
    svms_.reserve(n_svms);
    for (std::size_t m = 0; m < n_svms; ++m) svms_.emplace_back(table_, signs + m * n_rows, start + m * n_rows);
}

void WeightSvms::drop(std::size_t column) {
    is_dropped_[column] = 1;
    waiting_.push_back(column);
}

void WeightSvms::solve(std::size_t n_threads) {
    if (is_solved_ && waiting_.empty()) return;
    is_solved_ = true;
    if (svms_.size() * table_.n_columns * table_.n_rows < worth_a_thread) n_threads = 1;
    if (!waiting_.empty()) {
        run_tasks(svms_.size(), n_threads, [&](std::size_t m, std::size_t) { svms_[m].drop(waiting_); });
        table_.left.erase(std::remove_if(table_.left.begin(), table_.left.end(),
                                         [&](std::size_t column) { return is_dropped_[column]; }),
                          table_.left.end());
        waiting_.clear();
        find_outputs(n_threads);
    }
    run_tasks(svms_.size(), n_threads, [&](std::size_t m, std::size_t) { svms_[m].solve(); });
}

bool WeightSvms::is_solved() const { return are_possible(svms_, table_.costs, table_.n_rows); }

/// Of all SVMs in one pass over the rows.
void WeightSvms::find_outputs(std::size_t n_threads) {
    const std::size_t size = table_.n_columns + 1, n_svms = svms_.size();
    std::vector<double> weights(n_svms * size);
    for (std::size_t m = 0; m < n_svms; ++m)
        std::copy(svms_[m].target().begin(), svms_[m].target().end(), weights.data() + m * size);
    run_tasks((table_.n_rows + rows_at_once - 1) / rows_at_once, n_threads, [&](std::size_t task, std::size_t) {
        const std::size_t first = task * rows_at_once, n_rows = std::min(rows_at_once, table_.n_rows - first);
        std::vector<double> outputs(n_svms * n_rows);
        symmetric_loops().row_products(table_.row(first), table_.n_columns, nullptr, n_rows, weights.data(), n_svms,
                                       size, outputs.data(), n_rows);
        for (std::size_t m = 0; m < n_svms; ++m)
            for (std::size_t i = 0; i < n_rows; ++i)
                svms_[m].target_outputs()[first + i] = outputs[m * n_rows + i] + weights[(m + 1) * size - 1];
    });
}

double WeightSvms::norm(std::size_t column) const {
    // Copies are alike but for rounding: they have the weight of the first that is left.
    std::size_t copy = first_copy_[column];
    while (is_dropped_[copy] && copy < column) ++copy;
    double sum = 0;
    for (const WeightSvm& svm : svms_) sum += svm.weight(copy) * svm.weight(copy);
    return std::sqrt(sum);
}

void WeightSvms::find_coefficients(double* coefficients) const {
    for (const WeightSvm& svm : svms_)
        for (std::size_t i = 0; i < table_.n_rows; ++i) *coefficients++ = svm.coefficient(i);
}

std::vector<LinearSVMs::Value>& WeightSvms::near_least(std::size_t, double) {
    values_.clear();
    for (const std::size_t j : table_.left) values_.push_back({norm(j), j});
    return values_;
}

RowSvms::RowSvms(const double* columns, std::size_t n_columns, std::size_t n_rows, const double* costs,
                 const double* signs, std::size_t n_svms, const double* gram, const double* start)
    : columns_(columns), n_columns_(n_columns), n_rows_(n_rows), costs_(costs), gram_(gram, n_rows),
      is_dropped_(n_columns), is_asked_(n_columns), lengths_(n_columns), coefficients_(n_svms * n_rows),
      known_(n_columns), known_at_(n_columns), sizes_(n_svms), rounded_columns_(n_columns, n_rows),
      rounded_coefficients_(n_svms, n_rows) {
    svms_.reserve(n_svms);
    for (std::size_t m = 0; m < n_svms; ++m)
        svms_.emplace_back(gram_, n_rows, costs, signs + m * n_rows, start + m * n_rows);
    for (std::size_t j = 0; j < n_columns; ++j) lengths_[j] = std::sqrt(dot(column(j), column(j), n_rows));
    for (std::size_t j = 0; j < n_columns; ++j) rounded_columns_.round(column(j), n_rows, j);
    // With coefficients of zero all weights are.
    former_.push_back(coefficients_);
}

void RowSvms::drop(std::size_t dropped) {
    is_dropped_[dropped] = 1;
    gram_.drop(column(dropped));
    for (RowSvm& svm : svms_) svm.drop(column(dropped));
}

void RowSvms::solve(std::size_t n_threads) {
    run_tasks(svms_.size(), n_rows_ * n_rows_ * svms_.size() < worth_a_thread ? 1 : n_threads,
              [&](std::size_t m, std::size_t) {
                  svms_[m].solve();
                  std::copy(svms_[m].coefficients().begin(), svms_[m].coefficients().end(),
                            coefficients_.data() + m * n_rows_);
              });
}

bool RowSvms::is_solved() const { return are_possible(svms_, costs_, n_rows_); }

void RowSvms::find_norms(const std::vector<std::size_t>& columns, double* norms) const {
    std::vector<double> weights(svms_.size() * columns.size());
    symmetric_loops().row_products(columns_, n_rows_, columns.data(), columns.size(), coefficients_.data(),
                                   svms_.size(), n_rows_, weights.data(), columns.size());
    std::fill(norms, norms + columns.size(), 0.0);
    for (std::size_t m = 0; m < svms_.size(); ++m)
        for (std::size_t k = 0; k < columns.size(); ++k) {
            const double weight = weights[m * columns.size() + k];
            norms[k] += weight * weight;
        }
    for (std::size_t k = 0; k < columns.size(); ++k) norms[k] = std::sqrt(norms[k]);
}

double RowSvms::norm(std::size_t asked) const {
    double found;
    find_norms({asked}, &found);
    return found;
}

void RowSvms::find_coefficients(double* coefficients) const {
    std::copy(coefficients_.begin(), coefficients_.end(), coefficients);
}

/// Adds the solution to those remembered, forgets the oldest if there are enough, and finds how far each is from now.
void RowSvms::find_distances() {
    if (former_.size() == remembered) {
        const double* const next = former_[1].data();
        double step;
        symmetric_loops().squared_distances(former_[0].data(), coefficients_.size(), &next, 1, &step);
        step = std::sqrt(step) * (1 + more_than_rounding);
        for (std::size_t j = 0; j < n_columns_; ++j)
            if (known_at_[j] == n_forgotten_) {
                known_[j] -= step * lengths_[j];
                ++known_at_[j];
            }
        former_.pop_front();
        ++n_forgotten_;
    }
    former_.push_back(coefficients_);
    for (std::size_t m = 0; m < svms_.size(); ++m) {
        const double* const of_svm = coefficients_.data() + m * n_rows_;
        sizes_[m] = std::sqrt(dot(of_svm, of_svm, n_rows_));
        rounded_coefficients_.round(of_svm, n_rows_, m);
    }
    distances_.resize(former_.size());
    std::vector<const double*> former;
    for (const std::vector<double>& other : former_) former.push_back(other.data());
    symmetric_loops().squared_distances(coefficients_.data(), coefficients_.size(), former.data(), former.size(),
                                        distances_.data());
    for (double& distance : distances_) distance = std::sqrt(distance) * (1 + more_than_rounding);
}

/// Line k becomes whole numbers times a unit; the error is the distance between both.
void RowSvms::Rounded::round(const double* line, std::size_t n, std::size_t k) {
    double largest = 0, sum = 0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(line[i]));
    // Where numbers are so small that they have no unit they are zero, as the sums of their squares are.
    units[k] = largest > smallest_rounded ? largest / largest_rounded : 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const double rounded = units[k] > 0 ? std::nearbyint(line[i] / units[k]) : 0.0;
        numbers[k * n + i] = static_cast<std::int16_t>(rounded);
        sum += (line[i] - units[k] * rounded) * (line[i] - units[k] * rounded);
    }
    errors[k] = std::sqrt(sum);
}

/// Takes from those that wait the columns whose rounded numbers show them to be above `limit`.
void RowSvms::rule_out(double limit) {
    const std::size_t n = waiting_.size(), n_svms = svms_.size();
    std::vector<std::int64_t> products(n_svms * n);
    symmetric_loops().short_row_products(rounded_columns_.numbers.data(), n_rows_, waiting_.data(), n,
                                         rounded_coefficients_.numbers.data(), n_svms, n_rows_, products.data(), n);
    const double most_below = 1 + static_cast<double>(n_rows_) / 2;
    std::size_t n_left = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t j = waiting_[k];
        double sum = 0;
        for (std::size_t m = 0; m < n_svms; ++m) {
            // |x c| >= |x~ c~| - |x - x~| |c| - |x~| |c - c~|, and |x~| <= |x| + |x - x~|.
            const double x_error = rounded_columns_.errors[j], c_error = rounded_coefficients_.errors[m];
            const double unit = std::ldexp(rounded_columns_.units[j] * rounded_coefficients_.units[m], product_shift);
            const double product = std::abs(static_cast<double>(products[m * n + k])) - most_below;
            const double error = x_error * sizes_[m] + (lengths_[j] + x_error) * c_error;
            const double least = product * unit - error * (1 + wider);
            if (least > 0) sum += least * least;
        }
        const double least = std::sqrt(sum) * (1 - wider);
        if (least > limit) {
            known_[j] = least;
            known_at_[j] = n_forgotten_ + former_.size() - 1;
        } else {
            waiting_[n_left++] = j;
        }
    }
    waiting_.resize(n_left);
}

/// Finds the values of the columns that wait. count : how many of the lowest are wanted
void RowSvms::ask(std::size_t count, double tie) {
    if (lowest_.size() == count) rule_out(lowest_.front().norm + tie);
    std::vector<double> norms(waiting_.size());
    find_norms(waiting_, norms.data());
    for (std::size_t k = 0; k < waiting_.size(); ++k) {
        const Value found{norms[k], waiting_[k]};
        is_asked_[found.column] = 1;
        known_[found.column] = found.norm;
        known_at_[found.column] = n_forgotten_ + former_.size() - 1;
        asked_.push_back(found);
        if (lowest_.size() == count && !(found < lowest_.front())) continue;
        if (lowest_.size() == count) {
            std::pop_heap(lowest_.begin(), lowest_.end());
            lowest_.pop_back();
        }
        lowest_.push_back(found);
        std::push_heap(lowest_.begin(), lowest_.end());
    }
    waiting_.clear();
}

std::vector<LinearSVMs::Value>& RowSvms::near_least(std::size_t n_columns, double tie) {
    find_distances();
    // First those that were lowest last time: one of them is likely the lowest now, and spares most of the others.
    for (const Value& other : asked_)
        if (!is_dropped_[other.column]) waiting_.push_back(other.column);
    asked_.clear();
    lowest_.clear();
    ask(n_columns, tie);
    for (std::size_t j = 0; j < n_columns_; ++j) {
        if (is_dropped_[j] || is_asked_[j]) continue;
        const double reach = distances_[known_at_[j] - n_forgotten_] * lengths_[j];
        if (lowest_.size() < n_columns || known_[j] - reach <= lowest_.front().norm + tie) waiting_.push_back(j);
        if (waiting_.size() == asked_at_once) ask(n_columns, tie);
    }
    ask(n_columns, tie);
    for (const Value& other : asked_) is_asked_[other.column] = 0;
    return asked_;
}

}  // namespace fewest
