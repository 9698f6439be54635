#pragma once
// Linear support vector machines with squared hinge, solved exactly, on columns that may be dropped one after the other.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "margins/row_svm.hpp"
#include "margins/weight_svm.hpp"

namespace fewest {

/// SVMs on the same columns, one a class against the rest. A column's value is the norm over the SVMs of its weights.
class LinearSVMs {
public:
    virtual ~LinearSVMs() = default;
    LinearSVMs(const LinearSVMs&) = delete;
    LinearSVMs& operator=(const LinearSVMs&) = delete;

    /// Takes a column out, after the first solve().
    virtual void drop(std::size_t column) = 0;
    virtual void solve(std::size_t n_threads) = 0;
    /// False where rounding errors have made weights that no optimum has: half their square is no more than the loss
    /// without weights, the sum of the costs.
    virtual bool is_solved() const = 0;
    virtual double norm(std::size_t column) const = 0;
    /// One for each SVM and row: the weights are the sums of the rows with these.
    virtual void find_coefficients(double* coefficients) const = 0;
    /// The columns left of the least value, as many as there is room for, the least first. Values that differ by no
    /// more than `tie` are equal, and of equals the one with the highest number comes first.
    void least(const std::int64_t* numbers, double tie, std::int64_t* columns, std::size_t n_columns);

protected:
    struct Value {
        double norm;
        std::size_t column;
        bool operator<(const Value& other) const {
            return norm < other.norm || (norm == other.norm && column < other.column);
        }
    };
    LinearSVMs() = default;

    /// The values of columns among which are the n_columns of the least value that are left, and those tied with them.
    virtual std::vector<Value>& near_least(std::size_t n_columns, double tie) = 0;
};

/// By the weights of columns, where these are fewer.
class WeightSvms final : public LinearSVMs {
public:
    /// rows : n_rows by n_columns; signs, start : n_svms by n_rows. All but start must outlive this.
    WeightSvms(const double* rows, std::size_t n_columns, std::size_t n_rows, const double* costs, const double* signs,
               std::size_t n_svms, const double* start);

    void drop(std::size_t column) override;
    void solve(std::size_t n_threads) override;
    bool is_solved() const override;
    double norm(std::size_t column) const override;
    void find_coefficients(double* coefficients) const override;

private:
    std::vector<Value>& near_least(std::size_t n_columns, double tie) override;
    void find_outputs(std::size_t n_threads);

    SvmTable table_;
    std::vector<WeightSvm> svms_;
    std::vector<std::size_t> waiting_;
    bool is_solved_ = false;
    std::vector<char> is_dropped_;
    /// The first of the columns beside each that hold the same; copies stand side by side.
    std::vector<std::size_t> first_copy_;
    std::vector<Value> values_;
};

/// By the coefficients of rows, where these are fewer. Since a weight is the product of the column with the rows'
/// coefficients, it moves no more than the column is long times as far as these: so what was known once bounds what is now.
class RowSvms final : public LinearSVMs {
public:
    /// columns : n_columns by n_rows; gram : the products of all rows plus one; signs, start : n_svms by n_rows. All but
    /// gram and start must outlive this.
    RowSvms(const double* columns, std::size_t n_columns, std::size_t n_rows, const double* costs, const double* signs,
            std::size_t n_svms, const double* gram, const double* start);

    void drop(std::size_t column) override;
    void solve(std::size_t n_threads) override;
    bool is_solved() const override;
    double norm(std::size_t column) const override;
    void find_coefficients(double* coefficients) const override;

private:
    const double* column(std::size_t j) const { return columns_ + j * n_rows_; }
    std::vector<Value>& near_least(std::size_t n_columns, double tie) override;
    void find_norms(const std::vector<std::size_t>& columns, double* norms) const;
    void find_distances();
    void rule_out(double limit);
    void ask(std::size_t count, double tie);

    const double* columns_;
    std::size_t n_columns_, n_rows_;
    const double* costs_;
    RowGram gram_;
    std::vector<RowSvm> svms_;
    std::vector<char> is_dropped_, is_asked_;
    std::vector<double> lengths_;
    /// The coefficients of the SVMs, one after the other.
    std::vector<double> coefficients_;

    /// Coefficients of former solutions, the oldest first, and how far each is from those of now.
    std::deque<std::vector<double>> former_;
    std::vector<double> distances_;
    /// The number of former solutions that are not remembered any more.
    std::size_t n_forgotten_ = 0;
    /// The value of each column when it was asked for last, less what it could have moved from then to the oldest
    /// solution that is remembered, and the number of the solution for which that is.
    std::vector<double> known_;
    std::vector<std::size_t> known_at_;

    /// Columns, and the coefficients of each SVM, as small whole numbers, which suffice to rule most columns out. Of each
    /// the unit, and how far its numbers are from it.
    struct Rounded {
        std::vector<std::int16_t> numbers;
        std::vector<double> units, errors;
        Rounded(std::size_t n_lines, std::size_t n) : numbers(n_lines * n), units(n_lines), errors(n_lines) {}
        void round(const double* line, std::size_t n, std::size_t k);
    };
    /// The lengths of the coefficients of each SVM.
    std::vector<double> sizes_;
    Rounded rounded_columns_, rounded_coefficients_;

    /// The columns that are to be asked next, all that were asked, and a heap of the lowest of these, the highest in front.
    std::vector<std::size_t> waiting_;
    std::vector<Value> asked_, lowest_;
};

}  // namespace fewest
