#pragma once
// A support vector machine on few columns, solved exactly, from where one on much the same columns was.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "margins/step_turns.hpp"

namespace fewest {

/// Rows that may fall short of the margin: by z it costs z^2 / 2 ridge up to z = ridge cap, and then cap a unit.
struct SoftRows {
    const double* columns;  ///< n_columns by n_rows
    std::size_t n_columns, n_rows;
    const double* caps;
    const double* ridges;

    const double* column(std::size_t j) const { return columns + j * n_rows; }
};

/// Some columns of the rows, as all SVMs on them use them.
struct SubsetRows {
    SubsetRows(const SoftRows& rows, const std::vector<std::size_t>& columns);

    /// Puts another column in the place of one.
    void put(std::size_t place, std::size_t column);

    SoftRows rows;
    std::vector<std::size_t> columns;
    /// Of each row: 1 / ridge, and where the square ends.
    std::vector<double> stiffness, ends;
    /// The rows' numbers in these columns, row after row, and a one for the offset.
    std::vector<double> lines;

    std::size_t size() const { return columns.size() + 1; }
    const double* line(std::size_t n) const { return lines.data() + n * size(); }
};

/// min over v and b of |v|^2 / 2 + sum_n loss(1 - sign_n (x_n v + b)), whose double is w of the columns.
///
/// The loss is a square in pieces. For the pieces that the rows are on the problem is least squares: it is solved, the
/// step there is made as long as is best, and this is repeated until no row changes its piece. Every step lowers the
/// value, so that no pieces come again.
class MarginSvm {
public:
    /// weights : to begin with, the offset last
    MarginSvm(std::shared_ptr<const SubsetRows> subset, const double* signs, std::vector<double> weights);

    /// Begins anew where another SVM of the same signs is, with another column in the place of one of its: with the best
    /// weights for the pieces that its rows are on.
    /// The rows are the same, in which the columns were exchanged already.
    void begin_with_exchange(const MarginSvm& at, std::size_t place);
    /// Finds what those that begin with an exchange need.
    void prepare_exchanges();

    /// What the weights so far prove: w is no less.
    double lower_bound();
    /// Twice the value at the weights.
    double value() const;
    enum class End { solved, unsolved, lost };
    /// Makes one step; after lower_bound(), which finds the gradient.
    End advance();
    /// Makes steps until it is solved. False where that fails.
    bool solve();

    /// One a row: the slope of its loss, those of one sign shortened where the sums of the two signs differ.
    void write_alpha(double* alpha) const;
    double offset() const { return point_.back(); }

private:
    enum Piece : std::uint8_t { none, square, line };

    std::size_t size() const { return subset_->size(); }
    std::size_t n_rows() const { return subset_->rows.n_rows; }
    std::size_t n_columns() const { return subset_->columns.size(); }
    /// Without branches, which rows would take in no order that a processor could foresee.
    std::uint8_t piece(std::size_t n, double shortfall) const {
        return static_cast<std::uint8_t>(!(shortfall <= 0) + !(shortfall < subset_->ends[n]));
    }
    double slope(std::size_t n, double shortfall) const {
        return std::min(std::max(shortfall * subset_->stiffness[n], 0.0), subset_->rows.caps[n]);
    }
    void add_products(const std::vector<double>& weights);
    void find_shortfalls();
    void find_pieces();
    void find_matrix();
    void follow_pieces();
    bool step_for_pieces(const double* right);
    void find_slopes();
    void find_gradient();
    void find_changes();
    bool stays_on_pieces();
    double step_length();
    void move(double length);
    double find_alpha();

    std::shared_ptr<const SubsetRows> subset_;
    const double* signs_;
    /// Weights and offset; where it is best to go from there, and by how much that changes the shortfalls.
    std::vector<double> point_, step_, shortfalls_, changes_;
    /// Of each row, its piece.
    std::vector<std::uint8_t> pieces_;
    /// The rows that fall short and the slopes of these; those that would after the step; those that change their piece.
    std::vector<std::uint32_t> active_, active_there_, turning_;
    std::vector<double> slopes_, gradient_;
    std::size_t n_active_ = 0, n_active_there_ = 0, n_turning_ = 0;
    /// The second derivative on the pieces, and what is made of it.
    std::vector<double> matrix_, factor_;
    std::size_t n_square_ = 0;
    /// The right side of the equations for the pieces; only where others begin.
    std::vector<double> right_;
    /// What a step brings is rounding below this.
    double least_ = 0;
    int n_steps_ = 0;
    /// Whether the last step has led to the end.
    bool is_last_ = false;
    /// The weights that alpha stands for; the factor of the slopes of a sign, and which is shortened.
    std::vector<double> pulls_;
    double share_ = 1;
    bool is_positive_longer_ = false;
    /// Up to the end of a step and beyond it.
    std::vector<StepTurn> turns_, far_turns_, sorted_;
    std::vector<std::uint32_t> firsts_;
    /// Lines that are added with these multiples.
    std::vector<const double*> lines_;
    std::vector<double> multiples_;
    /// Rows whose products are added.
    std::vector<std::size_t> chosen_;
};

}  // namespace fewest
