#include "information/parzen_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "information/parzen_loops.hpp"

namespace fewest {
namespace {

/// Between points of the grid. The trapezoid rule errs by 2 exp(-pi^2 / 2 spacing^2), up and down by turns: 2.4e-10 of
/// each term; the first point left out would add exp(-(n_taps spacing / 2)^2) = 4.4e-11.
constexpr double spacing = 0.465;
constexpr int middle = static_cast<int>(n_taps) / 2;
/// The square root of c: spacing over the integral of exp(-2 x^2).
const double root_of_factor = std::sqrt(spacing / std::sqrt(std::acos(-1.0) / 2));

constexpr std::size_t most_levels = 16;
/// A wider grid is mostly empty: empty stretches in it are closed.
constexpr double most_points = 1 << 13;
constexpr double closed_gap = static_cast<double>(n_padded_taps);

struct Profile {
    double at[middle + 1];  // exp(-(m spacing)^2)

    Profile() {
        for (int m = 0; m <= middle; ++m) at[m] = std::exp(-(m * spacing) * (m * spacing));
    }
};
const Profile profile;

/// How much a value has of each point near it, where it lies so far from the nearest, in units of the spacing.
void write_taps(double from_nearest, double* taps) {
    // exp(-(t - m s)^2) = exp(-t^2) exp(2 t s)^m exp(-(m s)^2)
    const double t = from_nearest * spacing;
    const double own = root_of_factor * std::exp(-t * t), up = std::exp(2 * t * spacing), down = 1 / up;
    double above = own, below = own;
    taps[middle] = own;
    for (int m = 1; m <= middle; ++m) {
        above *= up;
        below *= down;
        taps[middle + m] = above * profile.at[m];
        taps[middle - m] = below * profile.at[m];
    }
}

/// The few distinct values of a column, ascending, and which one each row has; false where there are many.
bool find_levels(const double* values, std::size_t n_rows, GridColumn& out) {
    double found[most_levels];
    std::size_t n_found = 0;
    for (std::size_t row = 0; row < n_rows; ++row) {
        double* const at = std::lower_bound(found, found + n_found, values[row]);
        if (at != found + n_found && *at == values[row]) continue;
        if (n_found == most_levels) return false;
        std::copy_backward(at, found + n_found, found + n_found + 1);
        *at = values[row];
        ++n_found;
    }
    out.n_levels = n_found;
    out.level.resize(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row)
        out.level[row] = static_cast<std::uint8_t>(std::lower_bound(found, found + n_found, values[row]) - found);
    out.kernel.resize(n_found * n_found);
    for (std::size_t a = 0; a < n_found; ++a)
        for (std::size_t b = 0; b < n_found; ++b) {
            const double apart = found[a] - found[b];
            out.kernel[a * n_found + b] = std::exp(-0.5 * apart * apart);
        }
    return true;
}

/// Moves points that no value reaches out of the grid; values that share no point still share none.
void close_gaps(std::vector<double>& nearest) {
    std::vector<double> points(nearest);
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    std::vector<double> moved(points.size(), 0.0);
    for (std::size_t i = 1; i < points.size(); ++i)
        moved[i] = moved[i - 1] + std::min(points[i] - points[i - 1], closed_gap);
    for (double& point : nearest)
        point = moved[static_cast<std::size_t>(std::lower_bound(points.begin(), points.end(), point) - points.begin())];
}

/// The nearest point of each value, the lowest being 0, and how far it is from there.
void find_nearest(const double* values, std::size_t n_rows, std::vector<double>& from_nearest, GridColumn& out) {
    std::vector<double> nearest(n_rows);
    from_nearest.resize(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
        const double at = values[row] / spacing;
        nearest[row] = std::floor(at + 0.5);
        from_nearest[row] = at - nearest[row];
    }
    auto [lowest, highest] = std::minmax_element(nearest.begin(), nearest.end());
    if (*highest - *lowest > most_points) {
        close_gaps(nearest);
        std::tie(lowest, highest) = std::minmax_element(nearest.begin(), nearest.end());
    }
    const double first = *lowest;
    out.n_points = static_cast<std::size_t>(*highest - first) + n_taps;
    out.first.resize(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) out.first[row] = static_cast<std::int64_t>(nearest[row] - first);
}

/// The rows in the order of their first points, by counting: rows of one point stay in their order. begins: where the
/// places of each point begin.
void order_by_points(const GridColumn& column, std::vector<std::int64_t>& rows, std::vector<std::int64_t>& begins) {
    begins.assign(column.n_points + 1, 0);
    for (const std::int64_t point : column.first) ++begins[static_cast<std::size_t>(point) + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<std::int64_t> next(begins);
    rows.resize(column.first.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        std::int64_t& place = next[static_cast<std::size_t>(column.first[row])];
        rows[static_cast<std::size_t>(place++)] = static_cast<std::int64_t>(row);
    }
}

double* from_a_line_of_the_cache(std::vector<double>& room, std::size_t size) {
    if (room.size() < size + 8) room.resize(size + 8);
    const auto address = reinterpret_cast<std::uintptr_t>(room.data());
    return room.data() + (64 - address % 64) % 64 / sizeof(double);
}

double weight_of(const double* weights, std::size_t row) { return weights ? weights[row] : 1.0; }

/// Both of few values: rows are counted by both, and the kernels stand between the counts.
double log_sums_of_counts(const GridColumn& x, const GridColumn& y, std::size_t n_rows, const double* weights,
                          GridRoom& room) {
    const std::size_t n_x = x.n_levels, n_y = y.n_levels;
    std::vector<double>& counts = room.sums;
    counts.assign(n_x * n_y, 0.0);
    for (std::size_t row = 0; row < n_rows; ++row) counts[x.level[row] * n_y + y.level[row]] += weight_of(weights, row);
    std::vector<double>& half = room.products;
    half.assign(n_x * n_y, 0.0);
    for (std::size_t a = 0; a < n_x; ++a)
        for (std::size_t b = 0; b < n_y; ++b)
            for (std::size_t other = 0; other < n_y; ++other)
                half[a * n_y + b] += counts[a * n_y + other] * y.kernel[other * n_y + b];
    double total = 0.0;
    for (std::size_t a = 0; a < n_x; ++a)
        for (std::size_t b = 0; b < n_y; ++b) {
            if (counts[a * n_y + b] == 0) continue;
            double sum = 0.0;
            for (std::size_t other = 0; other < n_x; ++other) sum += x.kernel[a * n_x + other] * half[other * n_y + b];
            total += counts[a * n_y + b] * std::log(sum);
        }
    return total;
}

/// One of few values, the other on a grid: a line of it for each value, and the kernel stands between the lines.
double log_sums_of_lines(const GridColumn& x, const GridColumn& y, std::size_t n_rows, const double* weights,
                         GridRoom& room) {
    const bool is_sorted = y.is_sorted;
    const std::size_t width = is_sorted ? n_taps : n_padded_taps, length = y.n_points, n_levels = x.n_levels;
    room.products.assign(2 * n_levels * length, 0.0);
    double* const spread = room.products.data();
    double* const met = spread + n_levels * length;
    const auto row_at = [&](std::size_t place) { return is_sorted ? static_cast<std::size_t>(y.rows[place]) : place; };
    for (std::size_t place = 0; place < n_rows; ++place) {
        const std::size_t row = row_at(place);
        const double weight = weight_of(weights, row);
        const double* const taps = y.taps.data() + place * width;
        double* const to = spread + x.level[row] * length + y.first[place];
        for (std::size_t tap = 0; tap < width; ++tap) to[tap] += weight * taps[tap];
    }
    for (std::size_t a = 0; a < n_levels; ++a)
        for (std::size_t b = 0; b < n_levels; ++b) {
            const double factor = x.kernel[a * n_levels + b];
            for (std::size_t point = 0; point < length; ++point)
                met[a * length + point] += factor * spread[b * length + point];
        }
    room.sums.resize(n_rows);
    for (std::size_t place = 0; place < n_rows; ++place) {
        const std::size_t row = row_at(place);
        const double* const taps = y.taps.data() + place * width;
        const double* const from = met + x.level[row] * length + y.first[place];
        double part[4] = {0, 0, 0, 0};
        for (std::size_t tap = 0; tap + 4 <= width; tap += 4)
            for (std::size_t i = 0; i < 4; ++i) part[i] += taps[tap + i] * from[tap + i];
        for (std::size_t tap = width / 4 * 4; tap < width; ++tap) part[0] += taps[tap] * from[tap];
        room.sums[row] = (part[0] + part[1]) + (part[2] + part[3]);
    }
    return sum_of_logs(room.sums.data(), weights, n_rows);
}

}  // namespace

void sort_on_grid(const double* values, std::size_t n_rows, GridColumn& out) {
    out = GridColumn{};
    if (find_levels(values, n_rows, out)) return;
    std::vector<double> from_nearest;
    find_nearest(values, n_rows, from_nearest, out);
    order_by_points(out, out.rows, out.begins);
    out.is_sorted = true;
    out.place.resize(n_rows);
    out.taps.resize(n_rows * n_taps);
    std::vector<std::int64_t> first(n_rows);
    for (std::size_t place = 0; place < n_rows; ++place) {
        const auto row = static_cast<std::size_t>(out.rows[place]);
        out.place[row] = static_cast<std::int64_t>(place);
        first[place] = out.first[row];
        write_taps(from_nearest[row], out.taps.data() + place * n_taps);
    }
    out.first = std::move(first);
}

void pad_on_grid(const double* values, std::size_t n_rows, GridColumn& out) {
    out.n_levels = 0;
    out.is_sorted = false;
    if (find_levels(values, n_rows, out)) return;
    std::vector<double> from_nearest;
    find_nearest(values, n_rows, from_nearest, out);
    out.n_points = (out.n_points + 3 + n_padded_taps - n_taps) / 4 * 4;
    out.taps.assign(n_rows * n_padded_taps, 0.0);
    for (std::size_t row = 0; row < n_rows; ++row) {
        const std::int64_t shift = out.first[row] % 4;
        out.first[row] -= shift;
        write_taps(from_nearest[row], out.taps.data() + row * n_padded_taps + shift);
    }
    order_by_points(out, out.rows, out.begins);
}

double log_pair_sums(const GridColumn& x, const GridColumn& y, std::size_t n_rows, const double* weights,
                     GridRoom& room) {
    if (x.has_levels() && y.has_levels()) return log_sums_of_counts(x, y, n_rows, weights, room);
    if (x.has_levels()) return log_sums_of_lines(x, y, n_rows, weights, room);
    if (y.has_levels()) return log_sums_of_lines(y, x, n_rows, weights, room);
    room.sums.resize(n_rows);
    double* const lines = from_a_line_of_the_cache(room.products, static_cast<std::size_t>(n_lines) * y.n_points);
    room.order.resize(n_rows);
    room.next.assign(x.begins.begin(), x.begins.end());
    for (const std::int64_t row : y.rows) {
        const auto place = static_cast<std::size_t>(x.place[static_cast<std::size_t>(row)]);
        std::int64_t& next = room.next[static_cast<std::size_t>(x.first[place])];
        room.order[static_cast<std::size_t>(next++)] = static_cast<std::int64_t>(place);
    }
    parzen_loops().grid_sums({n_rows, x.rows.data(), room.order.data(), x.first.data(), x.taps.data(), y.first.data(),
                              y.taps.data(), weights, lines, y.n_points, room.sums.data()});
    if (!weights) return sum_of_logs(room.sums.data(), nullptr, n_rows);
    double total = 0.0;
    for (std::size_t place = 0; place < n_rows; ++place) total += weights[x.rows[place]] * std::log(room.sums[place]);
    return total;
}

void line_sums(const GridColumn& x, std::size_t begin, std::size_t end, const double* weights, GridRoom& room,
               double* out) {
    std::vector<double>& points = room.points;  // zeros, before and after
    if (x.has_levels()) {
        double counts[most_levels] = {};
        for (std::size_t row = begin; row < end; ++row) counts[x.level[row]] += weight_of(weights, row);
        double sums[most_levels] = {};
        for (std::size_t a = 0; a < x.n_levels; ++a)
            for (std::size_t b = 0; b < x.n_levels; ++b) sums[a] += x.kernel[a * x.n_levels + b] * counts[b];
        for (std::size_t row = begin; row < end; ++row) out[row] = sums[x.level[row]];
        return;
    }
    if (points.size() < x.n_points) points.resize(x.n_points, 0.0);
    for (std::size_t row = begin; row < end; ++row) {
        const double weight = weight_of(weights, row);
        for (std::size_t tap = 0; tap < n_padded_taps; ++tap)
            points[static_cast<std::size_t>(x.first[row]) + tap] += weight * x.taps[row * n_padded_taps + tap];
    }
    for (std::size_t row = begin; row < end; ++row) {
        const double* const from = points.data() + x.first[row];
        double part[4] = {0, 0, 0, 0};
        for (std::size_t tap = 0; tap < n_padded_taps; tap += 4)
            for (std::size_t i = 0; i < 4; ++i) part[i] += x.taps[row * n_padded_taps + tap + i] * from[tap + i];
        out[row] = (part[0] + part[1]) + (part[2] + part[3]);
    }
    for (std::size_t row = begin; row < end; ++row) std::fill_n(points.begin() + x.first[row], n_padded_taps, 0.0);
}

double sum_of_logs(const double* sums, const double* weights, std::size_t n) {
    double total = 0.0;
    if (weights) {
        for (std::size_t i = 0; i < n; ++i) total += weights[i] * std::log(sums[i]);
        return total;
    }
    // Sums lie between 1 and the number of rows: one logarithm serves the product of several.
    constexpr std::size_t at_once = 16;
    std::size_t i = 0;
    for (; i + at_once <= n; i += at_once) {
        double products[4] = {1, 1, 1, 1};
        for (std::size_t j = 0; j < at_once; j += 4)
            for (std::size_t lane = 0; lane < 4; ++lane) products[lane] *= sums[i + j + lane];
        total += std::log((products[0] * products[1]) * (products[2] * products[3]));
    }
    for (; i < n; ++i) total += std::log(sums[i]);
    return total;
}

}  // namespace fewest
