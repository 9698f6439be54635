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

MarginSvm::MarginSvm(std::shared_ptr<const SubsetRows> subset, const double* signs, std::vector<double> weights)
    : subset_(std::move(subset)), signs_(signs), point_(std::move(weights)), step_(size()), shortfalls_(n_rows()),
      changes_(n_rows()), pieces_(n_rows(), none), active_(n_rows()), active_there_(n_rows()), turning_(n_rows()),
      slopes_(n_rows()), gradient_(size()), pulls_(n_columns()), lines_(std::max(n_rows(), size())),
      multiples_(lines_.size()) {
    find_shortfalls();
    find_pieces();
    find_matrix();
    find_slopes();
    least_ = nothing * value();
}

void MarginSvm::prepare_exchanges() {
    right_.assign(size(), 0.0);
    for (std::size_t a = 0; a < n_active_; ++a) {
        const std::size_t n = active_[a];
        lines_[a] = subset_->line(n);
        multiples_[a] = signs_[n] * (pieces_[n] == square ? subset_->stiffness[n] : subset_->rows.caps[n]);
    }
    factor_loops().add_lines(lines_.data(), multiples_.data(), n_active_, size(), right_.data());
}

void MarginSvm::begin_with_exchange(const MarginSvm& at, std::size_t place) {
    // All else follows from these.
    point_ = at.point_;
    pieces_ = at.pieces_;
    matrix_ = at.matrix_;
    right_ = at.right_;
    n_square_ = at.n_square_;
    const std::vector<double>& stiffness = subset_->stiffness;
    const std::size_t stride = padded(size());
    std::size_t n_squares = 0;
    double own_right = 0;
    for (std::size_t a = 0; a < at.n_active_; ++a) {
        const std::size_t n = at.active_[a];
        const double* const line = subset_->line(n);
        const bool is_square = pieces_[n] == square;
        own_right += signs_[n] * (is_square ? stiffness[n] : subset_->rows.caps[n]) * line[place];
        lines_[n_squares] = line;
        multiples_[n_squares] = line[place] * stiffness[n];
        n_squares += is_square;
    }
    right_[place] = own_right;
    std::vector<double>& own = gradient_;
    std::fill(own.begin(), own.end(), 0.0);
    own[place] = 1;
    factor_loops().add_lines(lines_.data(), multiples_.data(), n_squares, size(), own.data());
    for (std::size_t i = 0; i < size(); ++i) matrix_[std::min(i, place) * stride + std::max(i, place)] = own[i];
    // Where the rows keep their pieces this is the answer already.
    const double offset = point_.back();
    if (step_for_pieces(right_.data())) {
        point_ = step_;
        if (n_square_ == 0) point_.back() = offset;
    } else {
        point_[place] = 0;
    }
    find_shortfalls();
    follow_pieces();
    find_slopes();
    least_ = nothing * value();
    n_steps_ = 0;
    is_last_ = false;
}

/// The changes become the products of the rows with the weights, the offset last.
void MarginSvm::add_products(const std::vector<double>& weights) {
    std::fill(changes_.begin(), changes_.end(), weights.back());
    std::size_t n_lines = 0;
    for (std::size_t j = 0; j < n_columns(); ++j)
        if (weights[j] != 0) {
            lines_[n_lines] = subset_->rows.column(subset_->columns[j]);
            multiples_[n_lines++] = weights[j];
        }
    factor_loops().add_lines(lines_.data(), multiples_.data(), n_lines, n_rows(), changes_.data());
}

void MarginSvm::find_shortfalls() {
    add_products(point_);
    for (std::size_t n = 0; n < n_rows(); ++n) shortfalls_[n] = 1 - signs_[n] * changes_[n];
}

void MarginSvm::find_pieces() {
    n_square_ = n_active_ = 0;
    for (std::size_t n = 0; n < n_rows(); ++n) {
        pieces_[n] = piece(n, shortfalls_[n]);
        active_[n_active_] = static_cast<std::uint32_t>(n);
        n_active_ += pieces_[n] != none;
        n_square_ += pieces_[n] == square;
    }
}

void MarginSvm::find_matrix() {
    const std::size_t stride = padded(size());
    matrix_.assign(size() * stride, 0.0);
    for (std::size_t j = 0; j < n_columns(); ++j) matrix_[j * stride + j] = 1;
    chosen_.resize(n_active_);
    std::size_t n_squares = 0;
    for (std::size_t a = 0; a < n_active_; ++a) {
        const std::size_t n = active_[a];
        chosen_[n_squares] = n;
        multiples_[n_squares] = subset_->stiffness[n];
        n_squares += pieces_[n] == square;
    }
    factor_loops().add_outer(matrix_.data(), size(), subset_->lines.data(), chosen_.data(), n_squares,
                             multiples_.data());
}

void MarginSvm::follow_pieces() {
    std::size_t n_changed = 0;
    n_square_ = n_active_ = 0;
    for (std::size_t n = 0; n < n_rows(); ++n) {
        const std::uint8_t now = piece(n, shortfalls_[n]), before = pieces_[n];
        pieces_[n] = now;
        active_[n_active_] = turning_[n_changed] = static_cast<std::uint32_t>(n);
        n_active_ += now != none;
        n_square_ += now == square;
        n_changed += (now == square) != (before == square);
    }
    if (n_changed >= n_square_) {
        find_matrix();
        return;
    }
    chosen_.assign(turning_.begin(), turning_.begin() + static_cast<std::ptrdiff_t>(n_changed));
    for (std::size_t c = 0; c < n_changed; ++c) {
        const std::size_t n = chosen_[c];
        multiples_[c] = pieces_[n] == square ? subset_->stiffness[n] : -subset_->stiffness[n];
    }
    factor_loops().add_outer(matrix_.data(), size(), subset_->lines.data(), chosen_.data(), n_changed,
                             multiples_.data());
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

void MarginSvm::find_slopes() {
    for (std::size_t a = 0; a < n_active_; ++a) slopes_[a] = slope(active_[a], shortfalls_[active_[a]]);
}

void MarginSvm::find_gradient() {
    gradient_ = point_;
    gradient_.back() = 0;
    for (std::size_t a = 0; a < n_active_; ++a) {
        lines_[a] = subset_->line(active_[a]);
        multiples_[a] = -slopes_[a] * signs_[active_[a]];
    }
    factor_loops().add_lines(lines_.data(), multiples_.data(), n_active_, size(), gradient_.data());
}

void MarginSvm::find_changes() {
    add_products(step_);
    for (std::size_t n = 0; n < n_rows(); ++n) changes_[n] *= -signs_[n];
}

/// Whether no row changes its piece by the step. Finds those that do.
bool MarginSvm::stays_on_pieces() {
    n_active_there_ = n_turning_ = 0;
    for (std::size_t n = 0; n < n_rows(); ++n) {
        const std::uint8_t there = piece(n, shortfalls_[n] + changes_[n]);
        active_there_[n_active_there_] = turning_[n_turning_] = static_cast<std::uint32_t>(n);
        n_active_there_ += there != none;
        n_turning_ += there != pieces_[n];
    }
    return n_turning_ == 0;
}

/// Where the value is least along the step: its slope is linear in pieces, and rises. After stays_on_pieces().
double MarginSvm::step_length() {
    const std::size_t m = n_columns();
    const double squared = product(step_.data(), step_.data(), m), first = product(point_.data(), step_.data(), m);
    double slope_now = first, slope_there = first + squared, curvature = squared;
    for (std::size_t a = 0; a < n_active_; ++a) {
        const std::size_t n = active_[a];
        const double change = changes_[n];
        slope_now += slopes_[a] * change;
        curvature += pieces_[n] == square ? change * change * subset_->stiffness[n] : 0.0;
    }
    for (std::size_t a = 0; a < n_active_there_; ++a) {
        const std::size_t n = active_there_[a];
        slope_there += slope(n, shortfalls_[n] + changes_[n]) * changes_[n];
    }
    if (slope_now >= 0) return 0;
    const bool is_far = !(slope_there >= 0);
    turns_.clear();
    far_turns_.clear();
    // Rows that the step does not take to another piece have no turn on the way.
    for (std::size_t k = 0, end = is_far ? n_rows() : n_turning_; k < end; ++k) {
        const std::size_t n = is_far ? k : turning_[k];
        const double change = changes_[n], z = shortfalls_[n], limit = subset_->ends[n];
        if (change == 0 || pieces_[n] == (change > 0 ? line : none)) continue;
        const double bend = change * change * subset_->stiffness[n];
        const double enters = (change > 0 ? -z : limit - z) / change, leaves = (change > 0 ? limit - z : -z) / change;
        if (pieces_[n] != square && (is_far || enters <= 1))
            (enters <= 1 ? turns_ : far_turns_).push_back({enters, bend});
        if (is_far || leaves <= 1) (leaves <= 1 ? turns_ : far_turns_).push_back({leaves, -bend});
    }
    sort_turns(turns_, sorted_, firsts_);
    // Of those beyond the step few are needed: the least is taken from a heap.
    const auto is_later = [](const StepTurn& a, const StepTurn& b) { return b < a; };
    std::make_heap(far_turns_.begin(), far_turns_.end(), is_later);
    double at = 0, slope_at = slope_now;
    for (std::size_t k = 0, n_turns = turns_.size() + far_turns_.size(); k < n_turns; ++k) {
        const bool is_beyond = k >= turns_.size();
        const StepTurn turn = is_beyond ? far_turns_.front() : turns_[k];
        const double next = slope_at + curvature * (turn.at - at);
        if (next >= 0 && curvature > 0) break;
        slope_at = next;
        at = turn.at;
        curvature += turn.curvature;
        if (!is_beyond) continue;
        std::pop_heap(far_turns_.begin(), far_turns_.end(), is_later);
        far_turns_.pop_back();
    }
    if (curvature > 0) at = std::min(at - slope_at / curvature, is_far ? HUGE_VAL : std::max(1.0, at));
    return at;
}

void MarginSvm::move(double length) {
    add_multiple(point_.data(), step_.data(), length, size());
    add_multiple(shortfalls_.data(), changes_.data(), length, n_rows());
}

/// Finds what makes alpha of the slopes, and its pulls. Gives back what it proves: w is no less.
double MarginSvm::find_alpha() {
    double positive = 0, negative = 0;
    for (std::size_t a = 0; a < n_active_; ++a) {
        const bool is_positive = signs_[active_[a]] > 0;
        positive += is_positive ? slopes_[a] : 0.0;
        negative += is_positive ? 0.0 : slopes_[a];
    }
    const double least = std::min(negative, positive);
    const double of_positive = positive > 0 ? least / positive : 1, of_negative = negative > 0 ? least / negative : 1;
    is_positive_longer_ = positive > negative;
    share_ = is_positive_longer_ ? of_positive : of_negative;
    for (std::size_t j = 0; j < n_columns(); ++j) pulls_[j] = point_[j] - gradient_[j];
    double reach = 2 * (of_negative * negative + of_positive * positive);
    const double cut = share_ - 1;
    std::size_t n_cut = 0;
    for (std::size_t a = 0; a < n_active_; ++a) {
        const std::size_t n = active_[a];
        const bool is_cut = (signs_[n] > 0) == is_positive_longer_;
        lines_[n_cut] = subset_->line(n);
        multiples_[n_cut] = cut * slopes_[a] * signs_[n];
        n_cut += is_cut;
        const double alpha = is_cut ? slopes_[a] * share_ : slopes_[a];
        reach -= subset_->rows.ridges[n] * alpha * alpha;
    }
    if (cut == 0) n_cut = 0;
    factor_loops().add_lines(lines_.data(), multiples_.data(), n_cut, n_columns(), pulls_.data());
    return reach - product(pulls_.data(), pulls_.data(), pulls_.size());
}

void MarginSvm::write_alpha(double* alpha) const {
    std::fill(alpha, alpha + n_rows(), 0.0);
    for (std::size_t a = 0; a < n_active_; ++a) {
        const std::size_t n = active_[a];
        alpha[n] = (signs_[n] > 0) == is_positive_longer_ ? slopes_[a] * share_ : slopes_[a];
    }
}

double MarginSvm::lower_bound() {
    find_gradient();
    return find_alpha();
}

double MarginSvm::value() const {
    double sum = product(point_.data(), point_.data(), n_columns());
    for (std::size_t a = 0; a < n_active_; ++a) {
        const std::size_t n = active_[a];
        sum += slopes_[a] * (2 * shortfalls_[n] - subset_->rows.ridges[n] * slopes_[a]);
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
        for (std::size_t a = 0; a < n_active_; ++a) total += slopes_[a];
        if (std::abs(gradient_.back()) <= balanced * total) {
            is_last_ = true;
            return End::unsolved;
        }
        std::fill(step_.begin(), step_.end(), 0.0);
        step_.back() = gradient_.back() > 0 ? 1 : -1;
        is_along_offset = true;
    }
    find_changes();
    const bool stays = stays_on_pieces();
    if (!is_along_offset && stays) {
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
    find_slopes();
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
