#pragma once
// Linear support vector machines with squared hinge, solved exactly, on columns that may be dropped one after the other.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/symmetric_inverse.hpp"

namespace fewest {

/// Columns of rows; an SVM has a constant column of ones besides, whose weight is the intercept.
struct SvmRows {
    const double* columns;  // n_columns by n_rows
    std::size_t n_columns, n_rows;
    const double* costs;  // what each row's squared slack costs

    const double* column(std::size_t j) const { return columns + j * n_rows; }
};

/// One SVM: min 1/2 |w|^2 + sum_i cost_i max(0, 1 - sign_i x_i w)^2.
///
/// Finite Newton: for the rows that have slack the problem is least squares. It is solved, a step of the best length is
/// made, and this is repeated until the rows with slack are those it was solved for: then the solution is exact, but for
/// rounding. With a Gram matrix the unknowns are the rows' coefficients c (w = sum_i c_i x_i), without one the columns'
/// weights w: whichever are fewer. The inverse of the matrix of least squares follows every change, and a step of
/// refinement tells whether it still is one; if not it is made anew.
class LinearSvm {
public:
    /// gram : products of all rows plus one, n_rows by n_rows; null to work on weights. Changed by its owner.
    /// start : coefficients to begin with
    LinearSvm(const SvmRows& rows, const double* signs, const double* gram, const double* start);

    /// Takes a column out. With a Gram matrix: after it was taken out of that.
    void drop(std::size_t column);
    void solve();

    /// One a row: 2 cost_i slack_i sign_i; w is the sum of the rows with these.
    const std::vector<double>& coefficients() const { return coefficients_; }
    /// What a column weighs: columns that hold the same weigh the same to the bit.
    double weight(std::size_t column) const;

private:
    std::size_t size() const { return gram_ ? rows_.n_rows : rows_.n_columns + 1; }
    double slack(const std::vector<double>& outputs, std::size_t i) const { return 1 - signs_[i] * outputs[i]; }
    double least_pivot(std::size_t i) const { return 1 / (2 * rows_.costs[i]); }
    void take_row(std::size_t i);
    void set_active(std::size_t i, bool is_active);
    void start_anew();
    void find_outputs(const std::vector<double>& unknowns, std::vector<double>& outputs) const;
    bool solve_active();
    bool is_solved() const;
    double step_length() const;
    double step(bool is_whole);
    void follow_slack();
    void settle();

    SvmRows rows_;
    const double* signs_;
    const double* gram_;
    SymmetricInverse inverse_;
    std::vector<char> is_active_, is_dropped_;
    /// The first of the columns beside each that hold the same; copies stand side by side.
    std::vector<std::size_t> first_copy_;
    std::vector<double> unknowns_, outputs_, target_, target_outputs_, coefficients_;
    std::vector<double> line_, image_;  // scratch
};

/// LinearSvms on the same columns, one a class against the rest.
///
/// A column's value is the norm over the SVMs of its weights. Since a weight is the product of the column with the rows'
/// coefficients, it moves no more than the column is long times as far as these: so what was known once bounds what is now.
class LinearSVMs {
public:
    /// signs, start : n_svms by n_rows
    LinearSVMs(const SvmRows& rows, const double* signs, std::size_t n_svms, std::vector<double> gram,
               const double* start);
    LinearSVMs(const LinearSVMs&) = delete;
    LinearSVMs& operator=(const LinearSVMs&) = delete;

    void drop(std::size_t column);
    void solve(std::size_t n_threads);
    double norm(std::size_t column) const;
    /// The columns left of the least value, as many as there is room for, the least first. Values that differ by no
    /// more than `tie` are equal, and of equals the one with the highest number comes first.
    void least(const std::int64_t* numbers, double tie, std::int64_t* columns, std::size_t n_columns);

    std::size_t n_svms() const { return svms_.size(); }
    const LinearSvm& svm(std::size_t m) const { return svms_[m]; }

private:
    struct Worth {
        double norm;
        std::size_t column;
        bool operator<(const Worth& other) const {
            return norm < other.norm || (norm == other.norm && column < other.column);
        }
    };
    void ask(std::size_t column, std::size_t count, std::vector<Worth>& lowest);

    SvmRows rows_;
    std::vector<double> gram_;
    std::vector<LinearSvm> svms_;
    std::vector<char> is_dropped_, is_asked_;
    std::vector<double> lengths_;
    /// How far the coefficients have moved, from zero on.
    double moved_ = 0;
    /// The value of each column when it was asked for last, and as much more as it could have moved until then.
    std::vector<double> known_;
    std::vector<Worth> asked_;
};

}  // namespace fewest
