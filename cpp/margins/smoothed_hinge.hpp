#pragma once
// The smoothed objective of a linear SVM with hinge loss and an L1 penalty: weights near the optimum, to start from.

#include <cstddef>
#include <vector>

namespace fewest {

/// The same numbers twice: columns one after the other, and rows one after the other.
struct HingeRows {
    const double* columns;  ///< n_columns by n_rows
    const double* rows;     ///< n_rows by n_columns
    std::size_t n_columns, n_rows;

    const double* column(std::size_t j) const { return columns + j * n_rows; }
    const double* row(std::size_t i) const { return rows + i * n_columns; }
};

/// Approximates the minimum of sum_j penalty_j |w_j| + sum_i cost_i max(0, 1 - sign_i (x_i w + b)) by Newton's method.
///
/// The kinks of the loss and of the absolute values are rounded off, less and less: the smoothed objective is quadratic
/// in pieces, and each step costs the rows near the margin times the square of the columns.
class SmoothedHinge {
public:
    /// sizes : of each column, the largest absolute number
    SmoothedHinge(const HingeRows& rows, const double* signs, const double* costs, const double* penalties,
                  const double* sizes);

    /// False where a step fails. Weights that the smoothing makes no difference to are zero.
    bool minimize();

    const std::vector<double>& weights() const { return weights_; }
    double intercept() const { return intercept_; }

private:
    void find_residuals();
    bool step();
    double slope_at(double length) const;
    double share(double residual) const;
    double rounding_of(std::size_t column) const;

    HingeRows rows_;
    const double *signs_, *costs_, *penalties_, *sizes_;
    double width_ = 1;        ///< half the width of the rounded kink of the loss
    std::size_t stride_ = 1;  ///< every how many rows are used
    std::vector<double> weights_, residuals_, changes_, weight_changes_;
    double intercept_ = 0, intercept_change_ = 0;
};

}  // namespace fewest
