#pragma once
// A linear SVM with hinge loss and an L1 penalty: a simplex method on the piecewise linear objective.

#include <cstddef>
#include <vector>

#include "margins/smoothed_hinge.hpp"

namespace fewest {

/// min over w and b of sum_j penalty_j |w_j| + sum_i cost_i max(0, 1 - sign_i (x_i w + b)).
///
/// At a vertex p columns have a weight and p + 1 rows lie on the margin. From there the steepest edge is followed: a
/// column gets a weight, or a row leaves the margin. The objective is convex along the edge and linear in pieces, and the
/// step goes to its minimum, past any number of rows and signs of weights. Costs and penalties may change: every vertex
/// remains one, and the next solution starts from the last. Few columns have a weight, so the edges are those of some
/// columns; others are added until none would lower the objective.
///
/// Where most columns get a weight the first solution starts near the optimum, at a point that is no vertex: columns have
/// weights there that are not basic. Each edge from such a weight descends in one direction, and once followed it is
/// basic or zero.
///
/// Rows far from the margin cannot reach it while weights move little: steps leave them out.
///
/// So that no step has length zero (w = 0, b = -1 has all rows of one sign on the margin), the margins of the rows are
/// perturbed. The solution is that of the final vertex with margins of 1; its duality gap says whether it is optimal.
class HingeSimplex {
public:
    HingeSimplex(const HingeRows& rows, const double* signs);

    /// False where rounding errors prevent it.
    /// weights : (n_columns,), losses : (n_rows,), both overwritten
    bool solve(const double* costs, const double* penalties, double* weights, double* losses);

    /// By how much the loss falls for a unit of each column's weight, at the last solution, which had these costs.
    /// gains : (n_columns,), overwritten; of a column without a weight at most its penalty
    void find_gains(const double* costs, double* gains) const;

    /// Edges followed since the beginning.
    std::size_t n_steps() const { return n_steps_; }

private:
    /// What is zero at a vertex: the residual of a row, or the weight of a column.
    struct Edge {
        bool is_row;
        std::size_t index;  ///< the row, or the variable of the column
    };
    struct Break {
        double at, gain;    ///< the step at which the slope grows, and by how much
        std::size_t index;  ///< a row, or n_rows + a basic position
        bool operator<(const Break& other) const { return at > other.at || (at == other.at && index > other.index); }
    };

    /// The weight of a column gains where that lowers the loss by more than its penalty and this share of it.
    static constexpr double tolerance = 1e-9;
    /// What rounding leaves of a sum, as a share of its terms.
    static constexpr double rounding = 1e-13;

    // Variable 0 is the intercept, variable v the weight of column inside_[v - 1].
    std::size_t n_variables() const { return inside_.size() + 1; }
    double number(std::size_t row, std::size_t variable) const {
        return signs_[row] * (variable == 0 ? 1.0 : rows_.row(row)[inside_[variable - 1]]);
    }
    double penalty(std::size_t variable) const { return variable == 0 ? 0.0 : penalties_[inside_[variable - 1]]; }
    double size(std::size_t variable) const { return variable == 0 ? 1.0 : sizes_[inside_[variable - 1]]; }
    double* line(std::size_t position) { return tableau_.data() + position * n_variables(); }

    bool solve_from(bool is_near, double* weights, double* losses);
    void start(bool is_near);
    bool start_near_optimum();
    bool is_loose(const Edge& edge) const { return !edge.is_row && values_[edge.index] != 0; }
    bool add_columns(bool is_start);
    bool descend();
    bool factorize();
    bool refresh();
    void find_near_rows();
    void take_near_rows(double near);
    void widen(double moved);
    double distance_moved(double step) const;
    double find_changes();
    std::vector<Break>::iterator find_break(std::size_t edge, double direction);
    void find_vertex(const double* margins, std::vector<double>& values, std::vector<double>& residuals) const;
    void price();
    double loose_slope(std::size_t edge) const;
    double slope(std::size_t edge, double direction) const;
    std::size_t steepest(double& direction) const;
    void add_row(std::size_t row, double factor);
    bool follow(std::size_t edge, double direction);
    void exchange(std::size_t edge, const Edge& leaving, std::size_t position);
    bool write_solution(double* weights, double* losses) const;

    HingeRows rows_;
    const double* signs_;
    const double* costs_ = nullptr;
    const double* penalties_ = nullptr;
    double loss_cost_ = 0;  ///< of the rows with a loss
    double scale_ = 0;      ///< of the terms that slopes are sums of, for an edge of length one
    std::vector<std::size_t> inside_;
    std::vector<char> is_inside_;
    std::vector<double> sizes_;  ///< of each column, the largest absolute number

    /// The variables that are not zero, by position, and what is; there is an edge for each of the latter.
    std::vector<std::size_t> basic_;
    std::vector<Edge> edges_;
    /// How each basic variable changes along each edge, where what is zero grows by one: positions by edges.
    std::vector<double> tableau_;
    /// The inverse of the rows on the margin, as of the last refresh: positions by such rows.
    std::vector<double> inverse_;
    std::vector<double> values_;               ///< of all variables
    std::vector<double> margins_, residuals_;  ///< margin_i - sign_i (x_i w + b)
    std::vector<char> is_on_margin_, is_loss_;
    std::vector<double> lengths_;        ///< of each row, the norm of (1, x_i)
    std::vector<double> values_before_;  ///< at which the residuals of all rows were last computed
    /// The rows that may come to the margin while the variables are within near_ of these.
    std::vector<std::size_t> near_rows_;
    double near_ = 0;
    std::vector<double> gradient_;          ///< sum over rows with a loss of cost_i sign_i x_i, by variable
    std::vector<double> slopes_, squares_;  ///< of the edges: slope of the objective, squared length
    std::vector<double> changes_, multiples_, by_column_, pivot_;  // scratch
    std::vector<double> direction_;                                ///< how the variables change along an edge
    std::vector<std::size_t> order_;
    std::vector<Break> breaks_;
    std::size_t n_steps_ = 0;
    bool is_at_end_ = false;
    bool is_factorized_ = false;  ///< whether inverse and tableau are those of the basis, from the rows
};

}  // namespace fewest
