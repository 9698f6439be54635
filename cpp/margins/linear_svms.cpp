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
/// How many columns are asked first for their values.
constexpr std::size_t asked_first = 16;
/// Fewer products than this are added sooner than a second thread is started.
constexpr std::size_t worth_a_thread = 200000;
/// Rows whose outputs are found at a time.
constexpr std::size_t rows_at_once = 256;

}  // namespace

void LinearSVMs::least(const std::int64_t* numbers, double tie, std::int64_t* columns, std::size_t n_columns) {
    std::vector<Value>& values = near_least(n_columns, tie);
    std::sort(values.begin(), values.end());
    // Runs of equals, each from the highest number on.
    for (auto first = values.begin(); first != values.end();) {
        auto last = first + 1;
        while (last != values.end() && last->norm - (last - 1)->norm <= tie) ++last;
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
    : columns_(columns), n_columns_(n_columns), n_rows_(n_rows), gram_(gram, n_rows), is_dropped_(n_columns),
      is_asked_(n_columns), lengths_(n_columns), last_(n_svms, std::vector<double>(n_rows)), known_(n_columns) {
    svms_.reserve(n_svms);
    for (std::size_t m = 0; m < n_svms; ++m)
        svms_.emplace_back(gram_, n_rows, costs, signs + m * n_rows, start + m * n_rows);
    for (std::size_t j = 0; j < n_columns; ++j) lengths_[j] = std::sqrt(dot(column(j), column(j), n_rows));
}

void RowSvms::drop(std::size_t dropped) {
    is_dropped_[dropped] = 1;
    gram_.drop(column(dropped));
    for (RowSvm& svm : svms_) svm.drop(column(dropped));
}

void RowSvms::solve(std::size_t n_threads) {
    std::vector<double> moves(svms_.size());
    run_tasks(svms_.size(), n_rows_ * n_rows_ * svms_.size() < worth_a_thread ? 1 : n_threads,
              [&](std::size_t m, std::size_t) {
                  svms_[m].solve();
                  const std::vector<double>& now = svms_[m].coefficients();
                  for (std::size_t i = 0; i < n_rows_; ++i) moves[m] += (now[i] - last_[m][i]) * (now[i] - last_[m][i]);
                  last_[m] = now;
              });
    double sum = 0;
    for (const double move : moves) sum += move;
    moved_ += std::sqrt(sum);
}

double RowSvms::norm(std::size_t asked) const {
    double sum = 0;
    for (const RowSvm& svm : svms_) {
        const double weight = dot(column(asked), svm.coefficients().data(), n_rows_);
        sum += weight * weight;
    }
    return std::sqrt(sum);
}

void RowSvms::find_coefficients(double* coefficients) const {
    for (const RowSvm& svm : svms_)
        coefficients = std::copy(svm.coefficients().begin(), svm.coefficients().end(), coefficients);
}

/// lowest : a heap of the lowest so far, the highest of them in front
void RowSvms::ask(std::size_t column, std::size_t count, std::vector<Value>& lowest) {
    const Value found{norm(column), column};
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

std::vector<LinearSVMs::Value>& RowSvms::near_least(std::size_t n_columns, double tie) {
    // First those that were lowest last time: one of them is likely the lowest now, and spares most of the others.
    const std::vector<Value> near(std::move(asked_));
    asked_.clear();
    std::vector<Value> lowest;
    for (const Value& other : near)
        if (!is_dropped_[other.column]) ask(other.column, n_columns, lowest);
    const double reach = moved_ * (1 + more_than_rounding);
    for (std::size_t j = 0; j < n_columns_; ++j) {
        if (is_dropped_[j] || is_asked_[j]) continue;
        if (lowest.size() < n_columns || known_[j] - reach * lengths_[j] <= lowest.front().norm + tie)
            ask(j, n_columns, lowest);
    }
    for (const Value& other : asked_) is_asked_[other.column] = 0;
    return asked_;
}

}  // namespace fewest
