#pragma once
// A linear SVM with squared hinge whose unknowns are the weights of columns: for tables with more rows than columns.

#include <cstddef>
#include <memory>
#include <vector>

#include "core/symmetric_inverse.hpp"
#include "margins/svm_steps.hpp"

namespace fewest {

/// Rows one after the other, as several SVMs share them; an SVM has a constant column of ones after the others, whose
/// weight is the intercept.
struct SvmTable {
    const double* rows;  // n_rows by n_columns
    std::size_t n_columns, n_rows;
    const double* costs;
    /// The columns that were not dropped, and the largest size of a value in each column.
    std::vector<std::size_t> left;
    std::vector<double> extents;

    const double* row(std::size_t i) const { return rows + i * n_columns; }
    /// outputs = the rows' products with these weights
    void find_outputs(const std::vector<double>& weights, std::vector<double>& outputs) const;
    /// The matrix of least squares I + sum over active rows of 2 cost x x', over the columns that are left and the
    /// constant: its upper triangle, padded.
    std::vector<double> normal_matrix(const std::vector<char>& is_active) const;
    /// Adds rows to such a matrix that became active, and takes out those that are not any more.
    void change_rows(std::vector<double>& matrix, const std::vector<std::size_t>& rows,
                     const std::vector<char>& is_active) const;
};

/// One SVM: min 1/2 |w|^2 + sum_i cost_i max(0, 1 - sign_i x_i w)^2.
///
/// Finite Newton: for the rows that have slack the problem is least squares. A step towards its solution is made, of the
/// best length, until the rows with slack stay the same: then the solution is exact, but for rounding. At first the
/// matrix of least squares is changed by the rows that change, and factored. Once columns are dropped its inverse is kept
/// up to date instead. Residuals are computed from the rows, so that no error of either is left in the weights.
class WeightSvm {
public:
    WeightSvm(const SvmTable& table, const double* signs, const double* start);

    /// Takes columns out, after the first solve() and before they are taken out of the table.
    void drop(const std::vector<std::size_t>& columns);
    /// Solves the SVM; after columns were dropped, once the outputs of its target are known.
    void solve();

    /// After columns were dropped: the least squares of the same rows without them, and its outputs, to be found.
    const std::vector<double>& target() const { return target_; }
    std::vector<double>& target_outputs() { return target_outputs_; }

    double weight(std::size_t column) const { return weights_[column]; }
    /// |w|^2, that of the intercept included; infinite where the equations have too few digits to be solved.
    double squared_norm() const;
    /// 2 cost_i slack_i sign_i; the weights are the sum of the rows with these.
    double coefficient(std::size_t i) const;

private:
    class Factored;
    class Inverted;

    template <class Equations>
    void solve(Equations& equations, bool is_whole);
    void find_residual();
    double move(bool is_whole);

    const SvmTable* table_;
    SvmState state_;
    std::unique_ptr<SymmetricInverse> inverse_;
    bool is_exact_ = true;
    std::vector<double> weights_, residual_, step_, moves_, target_, target_outputs_;
};

}  // namespace fewest
