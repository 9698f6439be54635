#include "wrappers/subset_svms.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/threads.hpp"
#include "core/vector_sums.hpp"

namespace fewest {
namespace {

constexpr std::size_t max_steps = 100, max_halvings = 40;
/// A minimum is reached where no derivative is above this share of the largest at zero weights, or of the sum of costs
/// where that is larger and below one: the derivatives of columns of which none separates the classes are all rounding.
constexpr double tolerance = 1e-10;
/// Rows that are worked on at a time: their values of a few columns stay in the cache.
constexpr std::size_t n_at_once = 256;
/// What a step must gain, as a share of what the derivative promises (Armijo).
constexpr double least_gain = 1e-4;

/// The training and the test rows of each fold.
struct Folds {
    explicit Folds(const FoldedRows& rows) : train(rows.n_folds), test(rows.n_folds) {
        for (std::size_t i = 0; i < rows.n_rows; ++i)
            for (std::size_t k = 0; k < rows.n_folds; ++k)
                (static_cast<std::size_t>(rows.folds[i]) == k ? test : train)[k].push_back(i);
    }

    std::vector<std::vector<std::size_t>> train, test;
};

/// Newton's method for one SVM. The objective is convex and quadratic wherever no row's slack begins or ends, so that
/// the last step ends at the minimum but for rounding.
class Svm {
public:
    /// lines: one for each column, of n_rows values each.
    void reset(const double* lines, std::size_t n_rows, std::size_t n_columns) {
        lines_ = lines;
        n_rows_ = n_rows;
        n_weights_ = n_columns + 1;
        for (auto* own : {&weights, &tried_, &step_, &gradient_}) own->assign(n_weights_, 0.0);
        hessian_.assign(n_weights_ * n_weights_, 0.0);
    }

    /// signs: 1 or -1 by row. Gives back whether the minimum was found; weights: that of the intercept last.
    bool solve(const double* signs, const double* costs) {
        std::fill(weights.begin(), weights.end(), 0.0);
        double value = evaluate(weights, signs, costs);
        double total = 0;
        for (std::size_t i = 0; i < n_rows_; ++i) total += costs[i];
        const double enough = tolerance * std::max(std::min(1.0, total), largest_derivative());
        for (std::size_t n_steps = 0; n_steps < max_steps; ++n_steps) {
            if (largest_derivative() <= enough) return true;
            check_interruption();
            if (!find_step()) return false;
            const double slope = dot(gradient_.data(), step_.data(), n_weights_);
            double length = 1, reached = value;
            for (std::size_t n_halvings = 0;; ++n_halvings, length /= 2) {
                if (n_halvings == max_halvings) return false;
                for (std::size_t a = 0; a < n_weights_; ++a) tried_[a] = weights[a] - length * step_[a];
                reached = evaluate(tried_, signs, costs);
                // What rounding takes from the value near the minimum is no failure.
                if (reached <= value - least_gain * length * slope + 1e-14 * std::abs(value)) break;
            }
            weights.swap(tried_);
            value = reached;
        }
        return false;
    }

    std::vector<double> weights;

private:
    double largest_derivative() const {
        double largest = 0;
        for (const double derivative : gradient_) largest = std::max(largest, std::abs(derivative));
        return largest;
    }

    /// The objective at these weights; sets its gradient and its second derivatives, of which the lower half.
    double evaluate(const std::vector<double>& at, const double* signs, const double* costs) {
        const std::size_t n_columns = n_weights_ - 1;
        double value = dot(at.data(), at.data(), n_weights_) / 2;
        gradient_ = at;
        std::fill(hessian_.begin(), hessian_.end(), 0.0);
        for (std::size_t a = 0; a < n_weights_; ++a) hessian_[a * n_weights_ + a] = 1.0;
        double ones[n_at_once], slack[n_at_once], factors[n_at_once], products[n_at_once];
        std::fill(ones, ones + n_at_once, 1.0);
        for (std::size_t first = 0; first < n_rows_; first += n_at_once) {
            const std::size_t n = std::min(n_at_once, n_rows_ - first);
            std::fill(slack, slack + n, at[n_columns]);
            for (std::size_t a = 0; a < n_columns; ++a) add_multiple(slack, line(a) + first, at[a], n);
            for (std::size_t i = 0; i < n; ++i) {
                const double own = 1 - signs[first + i] * slack[i], cost = costs[first + i];
                factors[i] = own > 0 ? 2 * cost : 0.0;
                slack[i] = own > 0 ? 2 * cost * own : 0.0;
                value += own > 0 ? cost * own * own : 0.0;
                slack[i] *= signs[first + i];
            }
            for (std::size_t a = 0; a < n_weights_; ++a) {
                const double* const own = a < n_columns ? line(a) + first : ones;
                gradient_[a] -= dot(slack, own, n);
                for (std::size_t i = 0; i < n; ++i) products[i] = factors[i] * own[i];
                for (std::size_t b = 0; b <= a; ++b)
                    hessian_[a * n_weights_ + b] += dot(products, b < n_columns ? line(b) + first : ones, n);
            }
        }
        return value;
    }

    /// step = inverse of the second derivatives times the gradient, by Cholesky's factors.
    bool find_step() {
        const std::size_t n = n_weights_;
        double* const h = hessian_.data();
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = 0; b < a; ++b)
                h[a * n + b] = (h[a * n + b] - dot(h + a * n, h + b * n, b)) / h[b * n + b];
            const double left = h[a * n + a] - dot(h + a * n, h + a * n, a);
            if (!(left > 0)) return false;
            h[a * n + a] = std::sqrt(left);
        }
        for (std::size_t a = 0; a < n; ++a) step_[a] = (gradient_[a] - dot(h + a * n, step_.data(), a)) / h[a * n + a];
        for (std::size_t a = n; a-- > 0;) {
            for (std::size_t b = a + 1; b < n; ++b) step_[a] -= h[b * n + a] * step_[b];
            step_[a] /= h[a * n + a];
        }
        return true;
    }

    const double* line(std::size_t a) const { return lines_ + a * n_rows_; }

    const double* lines_ = nullptr;
    std::size_t n_rows_ = 0, n_weights_ = 0;
    std::vector<double> tried_, step_, gradient_, hessian_;
};

/// What one thread keeps from subset to subset.
class Evaluation {
public:
    Evaluation(const FoldedRows& rows, const Folds& folds) : rows_(rows), folds_(folds) {}

    /// Sets which rows are misclassified on these columns; gives back whether all SVMs were solved.
    bool evaluate(const std::int64_t* columns, std::size_t size, std::uint8_t* is_wrong) {
        for (std::size_t fold = 0; fold < rows_.n_folds; ++fold)
            if (!evaluate_fold(fold, columns, size, is_wrong)) return false;
        return true;
    }

private:
    bool evaluate_fold(std::size_t fold, const std::int64_t* columns, std::size_t size, std::uint8_t* is_wrong) {
        const auto &train = folds_.train[fold], &test = folds_.test[fold];
        labels_.assign(rows_.n_classes, false);
        costs_.clear();
        for (const std::size_t i : train) {
            labels_[static_cast<std::size_t>(rows_.labels[i])] = true;
            costs_.push_back(rows_.costs[i]);
        }
        classes_.clear();
        for (std::size_t c = 0; c < rows_.n_classes; ++c)
            if (labels_[c]) classes_.push_back(static_cast<std::int32_t>(c));
        if (classes_.size() < 2) {
            for (const std::size_t i : test) is_wrong[i] = classes_.empty() || rows_.labels[i] != classes_[0];
            return true;
        }
        scale(train, fold, columns, size, train_lines_);
        scale(test, fold, columns, size, test_lines_);
        svm_.reset(train_lines_.data(), train.size(), size);
        best_.assign(test.size(), -INFINITY);
        predicted_.assign(test.size(), classes_[0]);
        signs_.resize(train.size());
        outputs_.resize(test.size());
        const bool are_two = classes_.size() == 2;
        for (std::size_t c = are_two; c < classes_.size(); ++c) {
            for (std::size_t i = 0; i < train.size(); ++i)
                signs_[i] = rows_.labels[train[i]] == classes_[c] ? 1.0 : -1.0;
            if (!svm_.solve(signs_.data(), costs_.data())) return false;
            std::fill(outputs_.begin(), outputs_.end(), svm_.weights[size]);
            for (std::size_t a = 0; a < size; ++a)
                add_multiple(outputs_.data(), test_lines_.data() + a * test.size(), svm_.weights[a], test.size());
            for (std::size_t i = 0; i < test.size(); ++i) {
                if (!(outputs_[i] > (are_two ? 0.0 : best_[i]))) continue;
                best_[i] = outputs_[i];
                predicted_[i] = classes_[c];
            }
        }
        for (std::size_t i = 0; i < test.size(); ++i) is_wrong[test[i]] = rows_.labels[test[i]] != predicted_[i];
        return true;
    }

    void scale(const std::vector<std::size_t>& which, std::size_t fold, const std::int64_t* columns, std::size_t size,
               std::vector<double>& lines) const {
        lines.resize(which.size() * size);
        for (std::size_t a = 0; a < size; ++a) {
            const auto column = static_cast<std::size_t>(columns[a]);
            const std::size_t at = fold * rows_.n_columns + column;
            const double centre = rows_.centre[at], unit = rows_.unit[at], factor = rows_.factor[at];
            double* const to = lines.data() + a * which.size();
            for (std::size_t i = 0; i < which.size(); ++i) {
                const double value =
                    rows_.values[static_cast<std::size_t>(rows_.order[which[i]]) * rows_.n_columns + column];
                to[i] = value == value ? (value * factor - centre) / unit : 0.0;
            }
        }
    }

    const FoldedRows& rows_;
    const Folds& folds_;
    Svm svm_;
    std::vector<bool> labels_;
    std::vector<std::int32_t> classes_, predicted_;
    std::vector<double> costs_, signs_, train_lines_, test_lines_, outputs_, best_;
};

}  // namespace

void subset_svms(const FoldedRows& rows, const std::int64_t* subsets, std::size_t n_subsets, std::size_t size,
                 std::size_t n_threads, std::uint8_t* is_wrong, bool* is_solved) {
    const Folds folds(rows);
    std::vector<Evaluation> evaluations(std::max<std::size_t>(n_threads, 1), Evaluation(rows, folds));
    run_tasks(n_subsets, n_threads, [&](std::size_t i, std::size_t worker) {
        is_solved[i] = evaluations[worker].evaluate(subsets + i * size, size, is_wrong + i * rows.n_rows);
    });
}

}  // namespace fewest
