#include "relief/kernel_sums.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/threads.hpp"
#include "relief/kernel_sum_loops.hpp"

namespace fewest {
namespace {

constexpr std::size_t most_levels = 16;
/// A grid is kept whole where it has at most this number of points, all classes together.
constexpr std::size_t most_points = std::size_t{1} << 20;
/// Otherwise this number at a time, unless one class takes more.
constexpr std::size_t points_at_once = std::size_t{1} << 16;
constexpr std::size_t fewest_at_once = 128;

struct Constants {
    double factor;
    std::array<double, n_kernel_taps> profile;

    Constants() : factor(kernel_spacing / std::sqrt(std::acos(-1.0) / 2)) {
        for (std::size_t k = 0; k < n_kernel_taps; ++k) {
            const double apart = (static_cast<double>(k) - static_cast<double>(n_kernel_taps / 2)) * kernel_spacing;
            profile[k] = std::exp(-apart * apart);
        }
    }
};
const Constants constants;

constexpr std::size_t in_fours(std::size_t n) { return (n + 3) / 4 * 4; }

/// The values of one column that are there, and room to work; one for each thread.
struct Column {
    std::vector<double> values, weights, at;
    std::vector<std::int32_t> classes;
    bool has_zeros = false;
    std::vector<double> zeros;  ///< the weight of zeros by class, beside the values
    std::vector<std::int64_t> n_left;
    std::vector<double> lines, total, tails;
    std::vector<std::size_t> order;

    void clear() {
        values.clear();
        weights.clear();
        classes.clear();
        has_zeros = false;
    }

    void add(double value, std::int32_t code, double weight) {
        values.push_back(value);
        classes.push_back(code);
        weights.push_back(weight);
    }
};

/// Over pairs of distinct values, where these are few; false where they are not.
bool sum_over_levels(Column& column, double width, std::size_t n_classes, double* own, double* all) {
    double found[most_levels];
    std::size_t n_found = 0;
    const auto find = [&](double value) {
        return static_cast<std::size_t>(std::lower_bound(found, found + n_found, value) - found);
    };
    const auto take = [&](double value) {
        const std::size_t at = find(value);
        if (at < n_found && found[at] == value) return true;
        if (n_found == most_levels) return false;
        std::copy_backward(found + at, found + n_found, found + n_found + 1);
        found[at] = value;
        ++n_found;
        return true;
    };
    if (column.has_zeros) take(0.0);
    for (const double value : column.values)
        if (!take(value)) return false;
    // One line a level: the weight of each class, and behind them that of all.
    const std::size_t length = n_classes + 1;
    column.lines.assign(n_found * length, 0.0);
    if (column.has_zeros) std::copy(column.zeros.begin(), column.zeros.end(), column.lines.data() + find(0.0) * length);
    for (std::size_t i = 0; i < column.values.size(); ++i)
        column.lines[find(column.values[i]) * length + static_cast<std::size_t>(column.classes[i])] +=
            column.weights[i];
    for (std::size_t a = 0; a < n_found; ++a) {
        double* const line = column.lines.data() + a * length;
        line[n_classes] = std::accumulate(line, line + n_classes, 0.0);
    }
    for (std::size_t a = 0; a < n_found; ++a)
        for (std::size_t b = 0; b < n_found; ++b) {
            const double apart = (found[a] - found[b]) / width, kernel = std::exp(-0.5 * apart * apart);
            const double *const x = column.lines.data() + a * length, *const y = column.lines.data() + b * length;
            for (std::size_t c = 0; c < n_classes; ++c) {
                own[c] += kernel * x[c] * y[c];
                all[c] += kernel * x[c] * y[n_classes];
            }
        }
    return true;
}

/// The whole grid at once, its values in any order.
void sum_on_whole_grid(Column& column, double zero_at, std::size_t n_points, std::size_t n_classes, double* own,
                       double* all) {
    column.lines.assign(n_points * n_classes, 0.0);
    column.total.resize(n_points);
    const GridLines lines{column.lines.data(), n_classes, n_points, 0};
    const KernelSumLoops& loops = kernel_sum_loops();
    const double* const profile = constants.profile.data();
    loops.spread({column.at.data(), column.classes.data(), column.weights.data(), column.at.size(), profile}, lines);
    if (column.has_zeros)
        for (std::size_t c = 0; c < n_classes; ++c) {
            const auto line = static_cast<std::int32_t>(c);
            loops.spread({&zero_at, &line, &column.zeros[c], 1, profile}, lines);
        }
    loops.add_products(lines, n_points, column.total.data(), own, all);
}

/// A long grid, mostly empty: from its lower end to the upper, as much of it at a time as is kept, over values in order.
/// Behind a gap that no value reaches over, the grid begins anew at the next value: so a narrow kernel keeps its digits
/// however far the values reach.
void sum_along_grid(Column& column, double spacing, std::size_t n_classes, double* own, double* all) {
    if (column.has_zeros)
        for (std::size_t c = 0; c < n_classes; ++c)
            if (column.zeros[c] > 0) column.add(0.0, static_cast<std::int32_t>(c), column.zeros[c]);
    const std::size_t n = column.values.size();
    column.order.resize(n);
    std::iota(column.order.begin(), column.order.end(), std::size_t{0});
    std::sort(column.order.begin(), column.order.end(), [&](std::size_t a, std::size_t b) {
        return column.values[a] < column.values[b] || (column.values[a] == column.values[b] && a < b);
    });
    const std::size_t kept = std::max(fewest_at_once, points_at_once / n_classes / 4 * 4);
    const std::size_t length = kept + n_kernel_taps;
    column.lines.assign(length * n_classes, 0.0);
    column.total.resize(length);
    column.tails.resize(n_kernel_taps * n_classes);
    GridLines lines{column.lines.data(), n_classes, length, 0};
    const KernelSumLoops& loops = kernel_sum_loops();
    std::size_t n_written = 0;
    // Points below `done` will not be written to again: they are summed. What is behind them moves to the front.
    const auto finish = [&](std::size_t done) {
        const std::size_t n_left = n_written - done;
        for (std::size_t c = 0; c < n_classes; ++c) {
            double* const end = lines.points + c * length + done;
            std::copy_n(end, n_left, column.tails.data() + c * n_kernel_taps);
            std::fill_n(end, n_left, 0.0);
        }
        loops.add_products(lines, in_fours(done), column.total.data(), own, all);
        for (std::size_t c = 0; c < n_classes; ++c) {
            double* const line = lines.points + c * length;
            std::fill_n(line, done, 0.0);
            std::copy_n(column.tails.data() + c * n_kernel_taps, n_left, line);
        }
        n_written = n_left;
    };
    double origin = column.values[column.order.front()], last = origin;
    for (const std::size_t i : column.order) {
        const double value = column.values[i];
        if ((value - last) / spacing > static_cast<double>(n_kernel_taps + 1)) {
            finish(n_written);
            origin = value;
            lines.base = 0;
        }
        last = value;
        const double at = (value - origin) / spacing;
        const auto first = static_cast<std::int64_t>(at + 0.5);
        if (const std::int64_t ahead = first - lines.base; ahead >= static_cast<std::int64_t>(kept)) {
            finish(std::min(static_cast<std::size_t>(ahead), n_written));
            lines.base = first;
        }
        loops.spread({&at, &column.classes[i], &column.weights[i], 1, constants.profile.data()}, lines);
        n_written = static_cast<std::size_t>(first - lines.base) + n_kernel_taps;
    }
    finish(n_written);
}

/// Products on the grid become sums of kernels.
void scale(double* own, double* all, std::size_t n_classes) {
    for (std::size_t c = 0; c < n_classes; ++c) {
        own[c] *= constants.factor;
        all[c] *= constants.factor;
    }
}

/// Adds the sums of the values that the column holds.
void sum_column(Column& column, double origin, double width, std::size_t n_classes, double* own, double* all) {
    if ((column.values.empty() && !column.has_zeros) || sum_over_levels(column, width, n_classes, own, all)) return;
    const double spacing = width * kernel_spacing;
    const std::size_t n = column.values.size();
    column.at.resize(n);
    for (std::size_t i = 0; i < n; ++i) column.at[i] = (column.values[i] - origin) / spacing;
    const double zero_at = (0.0 - origin) / spacing;
    double highest = *std::max_element(column.at.begin(), column.at.end());
    if (column.has_zeros) highest = std::max(highest, zero_at);
    const bool is_short = highest <= 1024 + 4 * static_cast<double>(n);
    const std::size_t n_points = is_short ? in_fours(static_cast<std::size_t>(highest + 0.5) + n_kernel_taps) : 0;
    if (is_short && n_points * n_classes <= most_points)
        sum_on_whole_grid(column, zero_at, n_points, n_classes, own, all);
    else
        sum_along_grid(column, spacing, n_classes, own, all);
    scale(own, all, n_classes);
}

double weight_of(const KernelSums& sums, std::size_t row) { return sums.weights ? sums.weights[row] : 1.0; }

/// Fills each column by `fill` and sums it; columns do not meet, so threads cannot change a bit.
template <class Fill>
void sum_columns(const KernelSums& sums, std::size_t n_threads, Fill&& fill) {
    constexpr std::size_t columns_at_once = 8;
    std::vector<Column> rooms(std::max<std::size_t>(n_threads, 1));
    const std::size_t n_tasks = (sums.n_columns + columns_at_once - 1) / columns_at_once;
    run_tasks(n_tasks, n_threads, [&](std::size_t task, std::size_t worker) {
        const std::size_t end = std::min((task + 1) * columns_at_once, sums.n_columns);
        for (std::size_t j = task * columns_at_once; j < end; ++j) {
            double* const own = sums.own + j * sums.n_classes;
            double* const all = sums.all + j * sums.n_classes;
            std::fill_n(own, sums.n_classes, 0.0);
            std::fill_n(all, sums.n_classes, 0.0);
            if (!(sums.width[j] > 0)) continue;
            rooms[worker].clear();
            fill(j, rooms[worker]);
            sum_column(rooms[worker], sums.origin[j], sums.width[j], sums.n_classes, own, all);
        }
    });
}

}  // namespace

void write_kernel_sums(const KernelSums& sums, const double* values, std::size_t n_threads) {
    sum_columns(sums, n_threads, [&](std::size_t j, Column& column) {
        const double* const line = values + j * sums.n_rows;
        for (std::size_t row = 0; row < sums.n_rows; ++row)
            if (line[row] == line[row]) column.add(line[row], sums.codes[row], weight_of(sums, row));
    });
}

template <class Index>
void write_kernel_sums(const KernelSums& sums, const HeldValues<Index>& held, std::size_t n_threads) {
    sum_columns(sums, n_threads, [&](std::size_t j, Column& column) {
        const auto begin = static_cast<std::size_t>(held.starts[j]), end = static_cast<std::size_t>(held.starts[j + 1]);
        column.zeros.assign(held.class_weights, held.class_weights + sums.n_classes);
        column.n_left.assign(held.class_counts, held.class_counts + sums.n_classes);
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = static_cast<std::size_t>(held.rows[i]);
            const auto c = static_cast<std::size_t>(sums.codes[row]);
            column.zeros[c] -= weight_of(sums, row);
            --column.n_left[c];
            if (held.values[i] == held.values[i]) column.add(held.values[i], sums.codes[row], weight_of(sums, row));
        }
        for (std::size_t c = 0; c < sums.n_classes; ++c) {
            // Without rows there is no weight, whatever the subtractions have left of it.
            if (column.n_left[c] <= 0 || column.zeros[c] < 0) column.zeros[c] = 0.0;
            column.has_zeros = column.has_zeros || column.zeros[c] > 0;
        }
    });
}

std::size_t n_kernel_grid_points(double extent, double width) {
    return in_fours(static_cast<std::size_t>(extent / (width * kernel_spacing) + 0.5) + n_kernel_taps);
}

bool add_to_kernel_grids(const KernelSums& sums, const double* values, const KernelGrids& grids,
                         std::size_t n_threads) {
    std::vector<Column> rooms(std::max<std::size_t>(n_threads, 1));
    std::atomic<bool> is_inside{true};
    run_tasks(sums.n_columns, n_threads, [&](std::size_t j, std::size_t worker) {
        const auto length = static_cast<std::size_t>(grids.starts[j + 1] - grids.starts[j]);
        if (length == 0) return;
        Column& column = rooms[worker];
        column.clear();
        column.at.clear();
        const double spacing = sums.width[j] * kernel_spacing;
        const auto most = static_cast<double>(length - n_kernel_taps) + 0.5;
        for (std::size_t row = 0; row < sums.n_rows; ++row) {
            const double value = values[j * sums.n_rows + row];
            if (value != value) continue;
            const double at = (value - sums.origin[j]) / spacing;
            if (!(at >= 0 && at < most)) {
                is_inside = false;
                return;
            }
            column.at.push_back(at);
            column.add(value, sums.codes[row], weight_of(sums, row));
        }
        double* const points = grids.points + static_cast<std::size_t>(grids.starts[j]) * sums.n_classes;
        kernel_sum_loops().spread({column.at.data(), column.classes.data(), column.weights.data(), column.at.size(),
                                   constants.profile.data()},
                                  {points, sums.n_classes, length, 0});
    });
    return is_inside;
}

void write_kernel_sums(const KernelSums& sums, const KernelGrids& grids, std::size_t n_threads) {
    std::vector<Column> rooms(std::max<std::size_t>(n_threads, 1));
    run_tasks(sums.n_columns, n_threads, [&](std::size_t j, std::size_t worker) {
        const auto length = static_cast<std::size_t>(grids.starts[j + 1] - grids.starts[j]);
        double* const own = sums.own + j * sums.n_classes;
        double* const all = sums.all + j * sums.n_classes;
        std::fill_n(own, sums.n_classes, 0.0);
        std::fill_n(all, sums.n_classes, 0.0);
        if (length == 0) return;
        rooms[worker].total.resize(length);
        double* const points = grids.points + static_cast<std::size_t>(grids.starts[j]) * sums.n_classes;
        kernel_sum_loops().add_products({points, sums.n_classes, length, 0}, length, rooms[worker].total.data(), own,
                                        all);
        scale(own, all, sums.n_classes);
    });
}

template void write_kernel_sums(const KernelSums&, const HeldValues<std::int32_t>&, std::size_t);
template void write_kernel_sums(const KernelSums&, const HeldValues<std::int64_t>&, std::size_t);

}  // namespace fewest
