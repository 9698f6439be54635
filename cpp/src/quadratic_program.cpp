#include "fewest/quadratic_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "fewest/factor_loops.hpp"
#include "fewest/threads.hpp"

namespace fewest {
namespace {

/// What one thread keeps from program to program; z is x with the signs of its rows.
struct Scratch {
    std::vector<double> z, reach;                ///< where it stands, and kernel z
    std::vector<double> target, target_reach;    ///< where the rows that are free would go
    std::vector<double> residual, step, breaks;  ///< gain - sign (kernel z + offset), its change, where it is zero
    std::vector<double> factor, rhs, ones, multiples;
    std::vector<std::size_t> free, order;
};

/// Far more than were ever seen; a program that takes more has no digits left.
constexpr std::int64_t most_steps = 200;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// reach = kernel z, from the rows where z is not zero.
void apply_kernel(const QuadraticProgram& program, const std::vector<double>& z, Scratch& scratch,
                  std::vector<double>& reach) {
    scratch.order.clear();
    scratch.multiples.clear();
    for (std::size_t i = 0; i < program.n; ++i)
        if (z[i] != 0) {
            scratch.order.push_back(i);
            scratch.multiples.push_back(z[i]);
        }
    std::fill(reach.begin(), reach.end(), 0.0);
    factor_loops().add_rows(program.kernel, program.n, scratch.order.data(), scratch.order.size(),
                            scratch.multiples.data(), reach.data());
}

/// With the rows outside `free` at zero and no bound on the others: z = sign x as target, and the offset.
bool solve_free(const QuadraticProgram& program, Scratch& scratch, double& offset) {
    const std::vector<std::size_t>& free = scratch.free;
    const std::size_t m = free.size(), stride = padded(m);
    const FactorLoops& loops = factor_loops();
    scratch.factor.assign(m * stride, 0.0);
    for (std::size_t i = 0; i < m; ++i) {
        const double* const row = program.kernel + free[i] * program.n;
        double* const own = scratch.factor.data() + i * stride;
        for (std::size_t j = i; j < m; ++j) own[j] = row[free[j]];
        own[i] += program.ridge[free[i]];
    }
    if (!loops.factor(scratch.factor.data(), m)) return false;
    scratch.ones.assign(m, 1.0);
    loops.solve(scratch.factor.data(), m, scratch.ones.data());
    const double of_ones = std::accumulate(scratch.ones.begin(), scratch.ones.end(), 0.0);
    std::fill(scratch.target.begin(), scratch.target.end(), 0.0);
    offset = 0;
    // The second round solves for what rounding has left of the first.
    for (int round = 0; round < 2; ++round) {
        apply_kernel(program, scratch.target, scratch, scratch.target_reach);
        std::vector<double>& rhs = scratch.rhs;
        rhs.resize(m);
        double left = program.total;
        for (std::size_t i = 0; i < m; ++i) {
            const std::size_t row = free[i];
            const double z = scratch.target[row];
            rhs[i] = program.sign[row] * program.gain[row] - ((scratch.target_reach[row] + program.ridge[row] * z) + offset);
            left -= z;
        }
        loops.solve(scratch.factor.data(), m, rhs.data());
        const double change = (std::accumulate(rhs.begin(), rhs.end(), 0.0) - left) / of_ones;
        offset += change;
        for (std::size_t i = 0; i < m; ++i) scratch.target[free[i]] += rhs[i] - change * scratch.ones[i];
    }
    apply_kernel(program, scratch.target, scratch, scratch.target_reach);
    return true;
}

/// Whether no bound is broken at the target, but for rounding. After many steps more is taken for rounding: the fewer
/// digits the equations leave, the longer rows go in and out for nothing.
bool is_solved(const QuadraticProgram& program, const Scratch& scratch, double offset, std::int64_t n_steps) {
    double largest = 0, squares = 0, most = 1;
    for (std::size_t i = 0; i < program.n; ++i) {
        const double part = scratch.target[i] * program.kernel[i * program.n + i];
        largest = std::max(largest, std::abs(scratch.target[i]));
        squares += part * part;
        most = std::max(most, std::abs(program.gain[i]));
    }
    const double loss = epsilon * std::exp2(static_cast<double>(n_steps) / 8) * (most + std::abs(offset) + std::sqrt(squares));
    std::size_t place = 0;
    for (std::size_t i = 0; i < program.n; ++i) {
        if (place < scratch.free.size() && scratch.free[place] == i) {
            ++place;
            const double x = program.sign[i] * scratch.target[i];
            if (x < -1e-13 * largest && x * program.ridge[i] < -loss) return false;
        } else if (program.gain[i] - program.sign[i] * (scratch.target_reach[i] + offset) > loss) {
            return false;
        }
    }
    return true;
}

/// How far to go from z, where the residuals gain - sign (kernel z + offset) and their change on a whole step are given,
/// so that z'Kz/2 + sum of (residual)+^2 / 2 ridge + total offset is least.
double best_length(const QuadraticProgram& program, double slope, double curvature, Scratch& scratch) {
    const std::vector<double>&residual = scratch.residual, &change = scratch.step;
    std::vector<double>& breaks = scratch.breaks;
    std::vector<std::size_t>& order = scratch.order;
    breaks.assign(program.n, std::numeric_limits<double>::infinity());
    order.clear();
    for (std::size_t i = 0; i < program.n; ++i) {
        const bool is_inside = residual[i] > 0;
        if (is_inside) {
            slope += residual[i] * change[i] / program.ridge[i];
            curvature += change[i] * change[i] / program.ridge[i];
        }
        if ((is_inside && change[i] < 0) || (!is_inside && change[i] > 0)) {
            breaks[i] = -residual[i] / change[i];
            order.push_back(i);
        }
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return breaks[a] < breaks[b] || (breaks[a] == breaks[b] && a < b);
    });
    // Along the step the derivative is slope + length * curvature, until a residual passes zero.
    double length = 0;
    for (const std::size_t i : order) {
        if (slope + breaks[i] * curvature >= 0) break;
        const double direction = residual[i] > 0 ? -1.0 : 1.0;
        slope += direction * residual[i] * change[i] / program.ridge[i];
        curvature += direction * change[i] * change[i] / program.ridge[i];
        length = breaks[i];
    }
    return curvature > 0 ? std::max(length, -slope / curvature) : length;
}

ProgramAnswer solve(const QuadraticProgram& program, double* x, double offset, Scratch& scratch) {
    const std::size_t n = program.n;
    std::vector<double>& z = scratch.z;
    for (auto* numbers : {&z, &scratch.residual, &scratch.step, &scratch.target, &scratch.reach, &scratch.target_reach})
        numbers->resize(n);
    for (std::size_t i = 0; i < n; ++i) z[i] = program.sign[i] * x[i];
    apply_kernel(program, z, scratch, scratch.reach);
    // The answer to a program much like this one: most likely the same rows are free.
    const bool is_given = std::any_of(z.begin(), z.end(), [](double number) { return number != 0; });
    for (std::int64_t n_steps = 1; n_steps <= most_steps; ++n_steps) {
        const bool is_guess = is_given && n_steps == 1;
        scratch.free.clear();
        for (std::size_t i = 0; i < n; ++i) {
            scratch.residual[i] = program.gain[i] - program.sign[i] * (scratch.reach[i] + offset);
            if (is_guess ? z[i] != 0 : scratch.residual[i] > 0) scratch.free.push_back(i);
        }
        if (scratch.free.empty()) {
            scratch.free.resize(n);
            std::iota(scratch.free.begin(), scratch.free.end(), std::size_t{0});
        }
        double target_offset = 0;
        if (!solve_free(program, scratch, target_offset)) break;
        if (is_solved(program, scratch, target_offset, n_steps)) {
            for (std::size_t i = 0; i < n; ++i) x[i] = std::max(0.0, program.sign[i] * scratch.target[i]);
            return {target_offset, n_steps};
        }
        double slope = program.total * (target_offset - offset), curvature = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double way = scratch.target[i] - z[i], reach = scratch.target_reach[i] - scratch.reach[i];
            slope += way * scratch.reach[i];
            curvature += way * reach;
            scratch.step[i] = -program.sign[i] * (reach + (target_offset - offset));
        }
        const double length = is_guess ? 1.0 : best_length(program, slope, curvature, scratch);
        for (std::size_t i = 0; i < n; ++i) {
            z[i] += length * (scratch.target[i] - z[i]);
            scratch.reach[i] += length * (scratch.target_reach[i] - scratch.reach[i]);
        }
        offset += length * (target_offset - offset);
    }
    return {offset, 0};
}

}  // namespace

void solve_programs(const QuadraticProgram* programs, std::size_t n_programs, std::size_t n_threads, double* const* x,
                    ProgramAnswer* answers) {
    n_threads = std::max<std::size_t>(1, std::min(n_threads, n_programs));
    std::vector<Scratch> scratch(n_threads);
    run_tasks(n_programs, n_threads, [&](std::size_t p, std::size_t worker) {
        answers[p] = solve(programs[p], x[p], answers[p].offset, scratch[worker]);
    });
}

}  // namespace fewest
