#include "margins/margin_svms.hpp"

#include <algorithm>
#include <cmath>

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

MarginSvm::MarginSvm(const SoftRows& rows, const double* signs)
    : rows_(rows), signs_(signs), shortfalls_(rows.n_rows), changes_(rows.n_rows), slopes_(rows.n_rows),
      pieces_(rows.n_rows, Piece::none), alpha_(rows.n_rows) {
    for (std::size_t n = 0; n < rows.n_rows; ++n) {
        stiffness_.push_back(1 / rows.ridges[n]);
        ends_.push_back(rows.ridges[n] * rows.caps[n]);
    }
}

void MarginSvm::use(const std::vector<std::size_t>& columns, const std::vector<double>& weights) {
    columns_ = columns;
    point_ = weights;
    step_.assign(size(), 0.0);
    gradient_.assign(size(), 0.0);
    pulls_.assign(columns.size(), 0.0);
    lines_.assign(rows_.n_rows * size(), 1.0);
    for (std::size_t place = 0; place < columns.size(); ++place) put(place, columns[place]);
    find_shortfalls();
    find_pieces();
    find_matrix();
}

void MarginSvm::put(std::size_t place, std::size_t column) {
    columns_[place] = column;
    const double* const numbers = rows_.column(column);
    for (std::size_t n = 0; n < rows_.n_rows; ++n) lines_[n * size() + place] = numbers[n];
}

void MarginSvm::exchange(std::size_t place, std::size_t column) {
    put(place, column);
    const std::size_t stride = padded(size());
    std::vector<double> own(size());
    own[place] = 1;
    for (std::size_t n = 0; n < rows_.n_rows; ++n)
        if (pieces_[n] == Piece::square) {
            const double* const line = lines_.data() + n * size();
            add_multiple(own.data(), line, line[place] * stiffness_[n], size());
        }
    for (std::size_t i = 0; i < size(); ++i) matrix_[std::min(i, place) * stride + std::max(i, place)] = own[i];
    // Where the rows keep their pieces this is the answer already.
    std::vector<double> right(size());
    for (std::size_t n = 0; n < rows_.n_rows; ++n)
        if (pieces_[n] != Piece::none) {
            const double share = pieces_[n] == Piece::square ? stiffness_[n] : rows_.caps[n];
            add_multiple(right.data(), lines_.data() + n * size(), signs_[n] * share, size());
        }
    const double offset = point_.back();
    if (step_for_pieces(right.data())) {
        point_ = step_;
        if (n_square_ == 0) point_.back() = offset;
    } else {
        point_[place] = 0;
    }
    find_shortfalls();
    follow_pieces();
}

void MarginSvm::find_shortfalls() {
    std::fill(changes_.begin(), changes_.end(), point_.back());
    for (std::size_t j = 0; j < columns_.size(); ++j)
        if (point_[j] != 0) add_multiple(changes_.data(), rows_.column(columns_[j]), point_[j], rows_.n_rows);
    for (std::size_t n = 0; n < rows_.n_rows; ++n) shortfalls_[n] = 1 - signs_[n] * changes_[n];
}

void MarginSvm::find_pieces() {
    n_square_ = 0;
    for (std::size_t n = 0; n < rows_.n_rows; ++n) {
        pieces_[n] = piece(n, shortfalls_[n]);
        n_square_ += pieces_[n] == Piece::square;
    }
}

void MarginSvm::find_matrix() {
    const std::size_t stride = padded(size());
    matrix_.assign(size() * stride, 0.0);
    for (std::size_t j = 0; j < columns_.size(); ++j) matrix_[j * stride + j] = 1;
    for (std::size_t n = 0; n < rows_.n_rows; ++n)
        if (pieces_[n] == Piece::square) add_to_matrix(n, 1);
}

void MarginSvm::add_to_matrix(std::size_t n, double sign) {
    const std::size_t stride = padded(size());
    const double* const line = lines_.data() + n * size();
    for (std::size_t i = 0; i < size(); ++i)
        add_multiple(matrix_.data() + i * stride + i, line + i, sign * line[i] * stiffness_[n], size() - i);
}

void MarginSvm::follow_pieces() {
    std::size_t n_changed = 0, n_square = 0;
    for (std::size_t n = 0; n < rows_.n_rows; ++n) {
        const bool is_square = piece(n, shortfalls_[n]) == Piece::square;
        n_changed += is_square != (pieces_[n] == Piece::square);
        n_square += is_square;
    }
    const bool is_anew = n_changed >= n_square;
    for (std::size_t n = 0; n < rows_.n_rows; ++n) {
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
    for (std::size_t n = 0; n < rows_.n_rows; ++n) {
        slopes_[n] = slope(n, shortfalls_[n]);
        if (slopes_[n] != 0)
            add_multiple(gradient_.data(), lines_.data() + n * size(), -slopes_[n] * signs_[n], size());
    }
}

void MarginSvm::find_changes() {
    std::fill(changes_.begin(), changes_.end(), step_.back());
    for (std::size_t j = 0; j < columns_.size(); ++j)
        if (step_[j] != 0) add_multiple(changes_.data(), rows_.column(columns_[j]), step_[j], rows_.n_rows);
    for (std::size_t n = 0; n < rows_.n_rows; ++n) changes_[n] *= -signs_[n];
}

bool MarginSvm::stays_on_pieces() const {
    for (std::size_t n = 0; n < rows_.n_rows; ++n)
        if (piece(n, shortfalls_[n] + changes_[n]) != pieces_[n]) return false;
    return true;
}

/// Where the value is least along the step: its slope is linear in pieces, and rises.
double MarginSvm::step_length() {
    const std::size_t m = columns_.size();
    const double squared = product(step_.data(), step_.data(), m), first = product(point_.data(), step_.data(), m);
    double slope_now = first, slope_there = first + squared, curvature = squared;
    for (std::size_t n = 0; n < rows_.n_rows; ++n) {
        slope_now += slopes_[n] * changes_[n];
        slope_there += slope(n, shortfalls_[n] + changes_[n]) * changes_[n];
        if (pieces_[n] == Piece::square) curvature += changes_[n] * changes_[n] * stiffness_[n];
    }
    if (slope_now >= 0) return 0;
    const double farthest = slope_there >= 0 ? 1 : HUGE_VAL;
    turns_.clear();
    for (std::size_t n = 0; n < rows_.n_rows; ++n) {
        const double change = changes_[n], z = shortfalls_[n], end = ends_[n];
        if (farthest == 1 && piece(n, z + change) == pieces_[n]) continue;
        if (change == 0 || pieces_[n] == (change > 0 ? Piece::line : Piece::none)) continue;
        const double bend = change * change * stiffness_[n];
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
    add_multiple(shortfalls_.data(), changes_.data(), length, rows_.n_rows);
}

/// Finds alpha and what it proves.
bool MarginSvm::is_too_high(double enough) {
    double sums[2] = {0, 0};
    for (std::size_t n = 0; n < rows_.n_rows; ++n) sums[signs_[n] > 0] += slopes_[n];
    const double least = std::min(sums[0], sums[1]);
    const double share[2] = {sums[0] > 0 ? least / sums[0] : 1, sums[1] > 0 ? least / sums[1] : 1};
    const bool longer = sums[1] > sums[0];
    for (std::size_t j = 0; j < columns_.size(); ++j) pulls_[j] = point_[j] - gradient_[j];
    reach_ = 2 * (share[0] * sums[0] + share[1] * sums[1]);
    const double cut = share[longer] - 1;
    for (std::size_t n = 0; n < rows_.n_rows; ++n) {
        alpha_[n] = slopes_[n];
        if ((signs_[n] > 0) == longer) {
            if (cut != 0 && slopes_[n] != 0)
                add_multiple(pulls_.data(), lines_.data() + n * size(), cut * slopes_[n] * signs_[n], columns_.size());
            alpha_[n] *= share[longer];
        }
        reach_ -= rows_.ridges[n] * alpha_[n] * alpha_[n];
    }
    return reach_ - product(pulls_.data(), pulls_.data(), pulls_.size()) > enough;
}

double MarginSvm::value() const {
    double sum = product(point_.data(), point_.data(), columns_.size());
    for (std::size_t n = 0; n < rows_.n_rows; ++n) {
        const double own = slope(n, shortfalls_[n]);
        sum += own * (2 * shortfalls_[n] - rows_.ridges[n] * own);
    }
    return sum;
}

MarginSvm::End MarginSvm::solve(double enough) {
    bool is_last = false;
    const double least = nothing * value();
    for (int n_steps = 0; n_steps < most_steps; ++n_steps) {
        check_interruption();
        find_gradient();
        if (is_too_high(enough)) return End::too_high;
        if (is_last) return End::solved;
        for (double& number : gradient_) number = -number;
        if (!step_for_pieces(gradient_.data())) return End::lost;
        const double brings = product(gradient_.data(), step_.data(), size());
        bool is_along_offset = false;
        if (n_square_ == 0 && brings <= least) {
            // The weights are right for this offset, which lies where no row is on the square.
            double total = 0;
            for (const double slope : slopes_) total += slope;
            if (std::abs(gradient_.back()) <= balanced * total) {
                is_last = true;
                continue;
            }
            std::fill(step_.begin(), step_.end(), 0.0);
            step_.back() = gradient_.back() > 0 ? 1 : -1;
            is_along_offset = true;
        }
        find_changes();
        if (!is_along_offset && stays_on_pieces()) {
            // To the end; and once more for what rounding has left, unless that is nothing.
            is_last = brings <= least;
            move(1);
            find_shortfalls();
        } else {
            const double length = step_length();
            is_last = !(length > 0) || (!is_along_offset && brings <= least);
            move(length);
            if (is_last) find_shortfalls();
        }
        follow_pieces();
    }
    return End::lost;
}

}  // namespace fewest
