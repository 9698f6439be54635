#pragma once
// A support vector machine on few columns, solved exactly, from where one on much the same columns was.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fewest {

/// Rows that may fall short of the margin: by z it costs z^2 / 2 ridge up to z = ridge cap, and then cap a unit.
struct SoftRows {
    const double* columns;  ///< n_columns by n_rows
    std::size_t n_columns, n_rows;
    const double* caps;
    const double* ridges;

    const double* column(std::size_t j) const { return columns + j * n_rows; }
};

/// min over v and b of |v|^2 / 2 + sum_n loss(1 - sign_n (x_n v + b)), whose double is w of the columns.
///
/// The loss is a square in pieces. For the pieces that the rows are on the problem is least squares: it is solved, the
/// step there is made as long as is best, and this is repeated until no row changes its piece. Every step lowers the
/// value, so that no pieces come again.
class MarginSvm {
public:
    MarginSvm(const SoftRows& rows, const double* signs);

    /// The columns to use, and the weights to begin with, the offset last.
    void use(const std::vector<std::size_t>& columns, const std::vector<double>& weights);
    /// Takes another column in the place of one. Begins with the best weights for the pieces that the rows are on.
    void exchange(std::size_t place, std::size_t column);

    enum class End { solved, too_high, lost };
    /// enough : where w is shown to be more than this, that ends it
    End solve(double enough);

    /// One a row: the slope of its loss, those of one sign shortened where the sums of the two signs differ.
    const std::vector<double>& alpha() const { return alpha_; }
    double offset() const { return point_.back(); }
    /// Twice the value at the weights.
    double value() const;
    /// 2 sum alpha - sum ridge alpha^2: less the squared pulls at any columns it is a lower bound of their w.
    double reach() const { return reach_; }
    /// The pull of alpha at the columns in use.
    const std::vector<double>& pulls() const { return pulls_; }

private:
    enum class Piece : char { none, square, line };

    std::size_t size() const { return columns_.size() + 1; }
    Piece piece(std::size_t n, double shortfall) const {
        return shortfall <= 0 ? Piece::none : shortfall < ends_[n] ? Piece::square : Piece::line;
    }
    double slope(std::size_t n, double shortfall) const {
        return std::min(std::max(shortfall * stiffness_[n], 0.0), rows_.caps[n]);
    }
    void put(std::size_t place, std::size_t column);
    void find_shortfalls();
    void find_pieces();
    void find_matrix();
    void add_to_matrix(std::size_t n, double sign);
    void follow_pieces();
    bool step_for_pieces(const double* right);
    void find_gradient();
    void find_changes();
    bool stays_on_pieces() const;
    double step_length();
    void move(double length);
    bool is_too_high(double enough);

    SoftRows rows_;
    const double* signs_;
    /// Of each row: 1 / ridge, and where the square ends.
    std::vector<double> stiffness_, ends_;
    std::vector<std::size_t> columns_;
    /// The rows' numbers in these columns, row after row, and a one for the offset.
    std::vector<double> lines_;
    /// Weights and offset; where it is best to go from there, and by how much that changes the shortfalls.
    std::vector<double> point_, step_, shortfalls_, changes_;
    std::vector<double> slopes_, gradient_;
    std::vector<Piece> pieces_;
    /// The second derivative on the pieces, and what is made of it.
    std::vector<double> matrix_, factor_;
    std::size_t n_square_ = 0;
    std::vector<double> alpha_, pulls_;
    double reach_ = 0;
    struct Turn {
        double at, curvature;
        bool operator<(const Turn& other) const { return at < other.at; }
    };
    std::vector<Turn> turns_;
};

}  // namespace fewest
