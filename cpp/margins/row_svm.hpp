#pragma once
// A linear SVM with squared hinge whose unknowns are coefficients of rows: for tables with no more rows than columns.

#include <cstddef>
#include <vector>

#include "core/symmetric_inverse.hpp"
#include "margins/svm_steps.hpp"

namespace fewest {

/// The products of all rows, plus one for the constant column, from which columns are taken out.
class RowGram {
public:
    /// products : n_rows by n_rows
    RowGram(const double* products, std::size_t n_rows);

    /// Takes out a column, which must outlive this.
    void drop(const double* column);
    /// out = products times v
    void times(const double* v, double* out) const;
    /// out = row i of the products
    void row(std::size_t i, double* out) const;
    /// The products of these rows with each other, with these numbers added on the diagonal: the upper triangle, padded.
    std::vector<double> over(const std::vector<std::size_t>& rows, const std::vector<double>& added) const;

private:
    static constexpr std::size_t n_waiting_at_most = 24;

    std::size_t n_rows_;
    std::vector<double> products_;
    /// Columns that are yet to be taken out of the products.
    std::vector<const double*> waiting_;
};

/// One SVM: min 1/2 |w|^2 + sum_i cost_i max(0, 1 - sign_i x_i w)^2, where w = sum_i c_i x_i.
///
/// Finite Newton as in WeightSvm, on the equations (products + 1/(2 cost)) c = signs of the active rows.
class RowSvm {
public:
    RowSvm(const RowGram& gram, std::size_t n_rows, const double* costs, const double* signs, const double* start);

    /// Takes a column out, after it was taken out of the products; solve() follows.
    void drop(const double* column);
    void solve();

    const std::vector<double>& coefficients() const { return coefficients_; }
    /// |w|^2, that of the intercept included; infinity where the SVM was not solved.
    double squared_norm() const;

private:
    void invert();
    void change(const std::vector<std::size_t>& rows, bool follows);
    void follow_changes();
    bool clear_inactive();
    double find_residual(const std::vector<double>& outputs);
    void find_step();

    const RowGram* gram_;
    SvmState state_;
    SymmetricInverse inverse_;
    bool is_new_ = true, is_solved_ = false;
    std::vector<double> coefficients_, residual_, step_, moves_;
    /// The coefficients of active rows alone, and the outputs with these.
    std::vector<double> cleared_, cleared_outputs_;
};

}  // namespace fewest
