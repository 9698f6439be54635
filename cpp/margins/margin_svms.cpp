#include "margins/margin_svms.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/factor_loops.hpp"
#include "core/interruption.hpp"
#include "core/vector_sums.hpp"

namespace fewest {
namespace {

constexpr int most_steps = 400;
/// What the next step would bring, as a share of the value, is rounding below this.
constexpr double nothing = 1e-17;
/// The slopes of the two signs are equal in sum where they differ by this share, all but rounding.
constexpr double balanced = 1e-13;

double product(const double* a, const double* b, std::size_t n) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

}  // namespace

SubsetRows::SubsetRows(const SoftRows& all, const std::vector<std::size_t>& chosen)
    : rows(all), columns(chosen), lines(all.n_rows * (chosen.size() + 1), 1.0) {
    for (std::size_t n = 0; n < rows.n_rows; ++n) {
        stiffness.push_back(1 / rows.ridges[n]);
        ends.push_back(rows.ridges[n] * rows.caps[n]);
    }
    for (std::size_t place = 0; place < columns.size(); ++place) put(place, columns[place]);
}

void SubsetRows::put(std::size_t place, std::size_t column) {
    columns[place] = column;
    const double* const numbers = rows.column(column);
    for (std::size_t n = 0; n < rows.n_rows; ++n) lines[n * size() + place] = numbers[n];
}

std::shared_ptr<const SubsetRows> SubsetRows::exchanged(std::size_t place, std::size_t column) const {
    const auto other = std::make_shared<SubsetRows>(*this);
    other->put(place, column);
    return other;
}

MarginSvm::MarginSvm(std::shared_ptr<const SubsetRows> subset, const double* signs, std::vector<double> weights)
    : subset_(std::move(subset)), signs_(signs), point_(std::move(weights)), step_(size()), shortfalls_(n_rows()),
      changes_(n_rows()), slopes_(n_rows()), gradient_(size()), pieces_(n_rows(), Piece::none), alpha_(n_rows()),
      pulls_(n_columns()) {
    find_shortfalls();
    find_pieces();
    find_matrix();
    least_ = nothing * value();
}

void MarginSvm::begin_with_exchange(const MarginSvm& at, std::shared_ptr<const SubsetRows> exchanged,
                                    std::size_t place) {
    subset_ = std::move(exchanged);
    // All else follows from these.
    point_ = at.point_;
    pieces_ = at.pieces_;
    matrix_ = at.matrix_;
    n_square_ = at.n_square_;
    const std::vector<double>& stiffness = subset_->stiffness;
    const std::size_t stride = padded(size());
    std::vector<double> own(size()), right(size());
    own[place] = 1;
    lines_.clear();
    multiples_.clear();
    for (std::size_t n = 0; n < n_rows(); ++n)
        if (pieces_[n] == Piece::square) {
            lines_.push_back(subset_->line(n));
            multiples_.push_back(lines_.back()[place] * stiffness[n]);
        }
    factor_loops().add_lines(lines_.data(), multiples_.data(), lines_.size(), size(), own.data());
    lines_.clear();
    multiples_.clear();
    for (std::size_t n = 0; n < n_rows(); ++n)
        if (pieces_[n] != Piece::none) {
            lines_.push_back(subset_->line(n));
            multiples_.push_back(signs_[n] * (pieces_[n] == Piece::square ? stiffness[n] : subset_->rows.caps[n]));
        }
    factor_loops().add_lines(lines_.data(), multiples_.data(), lines_.size(), size(), right.data());
    for (std::size_t i = 0; i < size(); ++i) matrix_[std::min(i, place) * stride + std::max(i, place)] = own[i];
    // Where the rows keep their pieces this is the answer already.
    const double offset = point_.back();
    if (step_for_pieces(right.data())) {
        point_ = step_;
        if (n_square_ == 0) point_.back() = offset;
    } else {
        point_[place] = 0;
    }
    find_shortfalls();
    follow_pieces();
    least_ = nothing * value();
    n_steps_ = 0;
    is_last_ = false;
}

/// The changes become the products of the rows with the weights, the offset last.
void MarginSvm::add_products(const std::vector<double>& weights) {
    std::fill(changes_.begin(), changes_.end(), weights.back());
    lines_.clear();
    multiples_.clear();
    for (std::size_t j = 0; j < n_columns(); ++j)
        if (weights[j] != 0) {
            lines_.push_back(subset_->rows.column(subset_->columns[j]));
            multiples_.push_back(weights[j]);
        }
    factor_loops().add_lines(lines_.data(), multiples_.data(), lines_.size(), n_rows(), changes_.data());
}

void MarginSvm::find_shortfalls() {
    add_products(point_);
    for (std::size_t n = 0; n < n_rows(); ++n) shortfalls_[n] = 1 - signs_[n] * changes_[n];
}

void MarginSvm::find_pieces() {
    n_square_ = 0;
    for (std::size_t n = 0; n < n_rows(); ++n) {
        pieces_[n] = piece(n, shortfalls_[n]);
        n_square_ += pieces_[n] == Piece::square;
    }
}

void MarginSvm::find_matrix() {
    const std::size_t stride = padded(size());
    matrix_.assign(size() * stride, 0.0);
    for (std::size_t j = 0; j < n_columns(); ++j) matrix_[j * stride + j] = 1;
    std::vector<std::size_t> squares;
    std::vector<double> multiples;
    for (std::size_t n = 0; n < n_rows(); ++n)
        if (pieces_[n] == Piece::square) {
            squares.push_back(n);
            multiples.push_back(subset_->stiffness[n]);
        }
    factor_loops().add_outer(matrix_.data(), size(), subset_->lines.data(), squares.data(), squares.size(),
                             multiples.data());
}

void MarginSvm::add_to_matrix(std::size_t n, double sign) {
    const double multiple = sign * subset_->stiffness[n];
    factor_loops().add_outer(matrix_.data(), size(), subset_->lines.data(), &n, 1, &multiple);
}

void MarginSvm::follow_pieces() {
    std::size_t n_changed = 0, n_square = 0;
    for (std::size_t n = 0; n < n_rows(); ++n) {
        const bool is_square = piece(n, shortfalls_[n]) == Piece::square;
        n_changed += is_square != (pieces_[n] == Piece::square);
        n_square += is_square;
    }
    const bool is_anew = n_changed >= n_square;
    for (std::size_t n = 0; n < n_rows(); ++n) {
        const Piece now = piece(n, shortfalls_[n]);
        const bool is_square = now == Piece::square, was_square = pieces_[n] == Piece::square;
        pieces_[n] = now;
        if (!is_anew && is_square != was_square) add_to_matrix(n, is_square ? 1 : -1);
    }
    n_square_ = n_square;
    if (is_anew) find_matrix();
}

/// The step becomes the matrix's solution for the right side; the offset's part is zero where no row says anything of it.
bool MarginSvm::step_for_pieces(const double* right) {
    const std::size_t stride = padded(size()), last = size() - 1;
    // What lies beyond a row is read.
    factor_.assign(matrix_.begin(), matrix_.end());
    step_.assign(right, right + size());
    if (n_square_ == 0) {
        for (std::size_t i = 0; i < last; ++i) factor_[i * stride + last] = 0;
        factor_[last * stride + last] = 1;
        step_[last] = 0;
    }
    if (!factor_loops().factor(factor_.data(), size())) return false;
    factor_loops().solve(factor_.data(), size(), step_.data());
    return true;
}

void MarginSvm::find_gradient() {
    gradient_ = point_;
    gradient_.back() = 0;
    lines_.clear();
    multiples_.clear();
    for (std::size_t n = 0; n < n_rows(); ++n) {
        slopes_[n] = slope(n, shortfalls_[n]);
        if (slopes_[n] == 0) continue;
        lines_.push_back(subset_->line(n));
        multiples_.push_back(-slopes_[n] * signs_[n]);
    }
    factor_loops().add_lines(lines_.data(), multiples_.data(), lines_.size(), size(), gradient_.data());
}

void MarginSvm::find_changes() {
    add_products(step_);
    for (std::size_t n = 0; n < n_rows(); ++n) changes_[n] *= -signs_[n];
}

bool MarginSvm::stays_on_pieces() const {
    for (std::size_t n = 0; n < n_rows(); ++n)
        if (piece(n, shortfalls_[n] + changes_[n]) != pieces_[n]) return false;
    return true;
}

/// Where the value is least along the step: its slope is linear in pieces, and rises.
double MarginSvm::step_length() {
    const std::size_t m = n_columns();
    const double squared = product(step_.data(), step_.data(), m), first = product(point_.data(), step_.data(), m);
    double slope_now = first, slope_there = first + squared, curvature = squared;
    for (std::size_t n = 0; n < n_rows(); ++n) {
        slope_now += slopes_[n] * changes_[n];
        slope_there += slope(n, shortfalls_[n] + changes_[n]) * changes_[n];
        if (pieces_[n] == Piece::square) curvature += changes_[n] * changes_[n] * subset_->stiffness[n];
    }
    if (slope_now >= 0) return 0;
    const double farthest = slope_there >= 0 ? 1 : HUGE_VAL;
    turns_.clear();
    for (std::size_t n = 0; n < n_rows(); ++n) {
        const double change = changes_[n], z = shortfalls_[n], end = subset_->ends[n];
        if (farthest == 1 && piece(n, z + change) == pieces_[n]) continue;
        if (change == 0 || pieces_[n] == (change > 0 ? Piece::line : Piece::none)) continue;
        const double bend = change * change * subset_->stiffness[n];
        const double enters = (change > 0 ? -z : end - z) / change, leaves = (change > 0 ? end - z : -z) / change;
        if (pieces_[n] != Piece::square && enters <= farthest) turns_.push_back({enters, bend});
        if (leaves <= farthest) turns_.push_back({leaves, -bend});
    }
    std::sort(turns_.begin(), turns_.end());
    double at = 0, slope_at = slope_now;
    for (const Turn& turn : turns_) {
        const double next = slope_at + curvature * (turn.at - at);
        if (next >= 0 && curvature > 0) break;
        slope_at = next;
        at = turn.at;
        curvature += turn.curvature;
    }
    if (curvature > 0) at = std::min(at - slope_at / curvature, std::max(farthest, at));
    return at;
}

void MarginSvm::move(double length) {
    add_multiple(point_.data(), step_.data(), length, size());
    add_multiple(shortfalls_.data(), changes_.data(), length, n_rows());
}

/// Finds alpha of the slopes and the gradient. Gives back what it proves: w is no less.
double MarginSvm::find_alpha() {
    double sums[2] = {0, 0};
    for (std::size_t n = 0; n < n_rows(); ++n) sums[signs_[n] > 0] += slopes_[n];
    const double least = std::min(sums[0], sums[1]);
    const double share[2] = {sums[0] > 0 ? least / sums[0] : 1, sums[1] > 0 ? least / sums[1] : 1};
    const bool longer = sums[1] > sums[0];
    for (std::size_t j = 0; j < n_columns(); ++j) pulls_[j] = point_[j] - gradient_[j];
    reach_ = 2 * (share[0] * sums[0] + share[1] * sums[1]);
    const double cut = share[longer] - 1;
    lines_.clear();
    multiples_.clear();
    for (std::size_t n = 0; n < n_rows(); ++n) {
        alpha_[n] = slopes_[n];
        if ((signs_[n] > 0) == longer) {
            if (cut != 0 && slopes_[n] != 0) {
                lines_.push_back(subset_->line(n));
                multiples_.push_back(cut * slopes_[n] * signs_[n]);
            }
            alpha_[n] *= share[longer];
        }
        reach_ -= subset_->rows.ridges[n] * alpha_[n] * alpha_[n];
    }
    factor_loops().add_lines(lines_.data(), multiples_.data(), lines_.size(), n_columns(), pulls_.data());
    return reach_ - product(pulls_.data(), pulls_.data(), pulls_.size());
}

double MarginSvm::lower_bound() {
    find_gradient();
    return find_alpha();
}

double MarginSvm::value() const {
    double sum = product(point_.data(), point_.data(), n_columns());
    for (std::size_t n = 0; n < n_rows(); ++n) {
        const double own = slope(n, shortfalls_[n]);
        sum += own * (2 * shortfalls_[n] - subset_->rows.ridges[n] * own);
    }
    return sum;
}

MarginSvm::End MarginSvm::advance() {
    if (is_last_) return End::solved;
    if (++n_steps_ > most_steps) return End::lost;
    check_interruption();
    for (double& number : gradient_) number = -number;
    if (!step_for_pieces(gradient_.data())) return End::lost;
    const double brings = product(gradient_.data(), step_.data(), size());
    bool is_along_offset = false;
    if (n_square_ == 0 && brings <= least_) {
        // The weights are right for this offset, which lies where no row is on the square.
        double total = 0;
        for (const double slope : slopes_) total += slope;
        if (std::abs(gradient_.back()) <= balanced * total) {
            is_last_ = true;
            return End::unsolved;
        }
        std::fill(step_.begin(), step_.end(), 0.0);
        step_.back() = gradient_.back() > 0 ? 1 : -1;
        is_along_offset = true;
    }
    find_changes();
    if (!is_along_offset && stays_on_pieces()) {
        // To the end; and once more for what rounding has left, unless that is nothing.
        is_last_ = brings <= least_;
        move(1);
        find_shortfalls();
    } else {
        const double length = step_length();
        is_last_ = !(length > 0) || (!is_along_offset && brings <= least_);
        move(length);
        if (is_last_) find_shortfalls();
    }
    follow_pieces();
    return End::unsolved;
}

bool MarginSvm::solve() {
    End end = End::unsolved;
    while (end == End::unsolved) {
        find_gradient();
        end = advance();
    }
    // Nothing but the answer asks for alpha.
    if (end == End::solved) find_alpha();
    return end == End::solved;
}

}  // namespace fewest
