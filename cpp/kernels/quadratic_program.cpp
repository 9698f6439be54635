#include "kernels/quadratic_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/factor_loops.hpp"
#include "core/threads.hpp"

namespace fewest {
namespace {

/// What one thread keeps from program to program; z is x with the signs of its rows.
struct Scratch {
    std::vector<double> z, reach;                ///< where it stands, and kernel z
    std::vector<double> target, target_reach;    ///< where the rows that are free would go
    std::vector<double> residual, step, breaks;  ///< gain - sign (kernel z + offset), its change, where it is zero
    std::vector<double> factor, rhs, ones, multiples;
    std::vector<std::size_t> free, order, place;
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
            rhs[i] =
                program.sign[row] * program.gain[row] - ((scratch.target_reach[row] + program.ridge[row] * z) + offset);
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
    const double grace = std::exp2(static_cast<double>(n_steps) / 8);
    const double loss = epsilon * grace * (most + std::abs(offset) + std::sqrt(squares));
    std::size_t place = 0;
    for (std::size_t i = 0; i < program.n; ++i) {
        if (place < scratch.free.size() && scratch.free[place] == i) {
            ++place;
            const double x = program.sign[i] * scratch.target[i];
            if (x < -grace * 1e-14 * largest) return false;
        } else if (program.gain[i] - program.sign[i] * (scratch.target_reach[i] + offset) > loss) {
            return false;
        }
    }
    return true;
}

/// Along a step, of length 1 to the target, z'Kz/2 + sum of (residual)+^2 / 2 ridge + total offset: its derivative where
/// n_passed residuals have passed zero, and its second derivative from there on. Each is summed anew: next to what a row
/// that is passed takes with it, what is left may be too small for a difference.
struct Slope {
    double derivative, second;
};

Slope slope_at(const QuadraticProgram& program, Slope of_kernel, double length, std::size_t n_passed,
               const Scratch& scratch) {
    Slope slope{of_kernel.derivative + length * of_kernel.second, of_kernel.second};
    for (std::size_t i = 0; i < program.n; ++i) {
        if ((scratch.residual[i] > 0) == (scratch.place[i] < n_passed)) continue;
        const double change = scratch.step[i] / program.ridge[i];
        slope.derivative += (scratch.residual[i] + length * scratch.step[i]) * change;
        slope.second += scratch.step[i] * change;
    }
    return slope;
}

/// How long a step makes that sum least: 0 is to stay, 1 to reach the target.
/// of_kernel: the derivatives of z'Kz/2 + total offset at the beginning
double best_length(const QuadraticProgram& program, Slope of_kernel, Scratch& scratch) {
    std::vector<double>& breaks = scratch.breaks;
    std::vector<std::size_t>& order = scratch.order;
    breaks.assign(program.n, 0.0);
    order.clear();
    for (std::size_t i = 0; i < program.n; ++i) {
        const double residual = scratch.residual[i], change = scratch.step[i];
        if (!(residual > 0 ? change < 0 : change > 0)) continue;
        breaks[i] = -residual / change;
        order.push_back(i);
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return breaks[a] < breaks[b] || (breaks[a] == breaks[b] && a < b); });
    scratch.place.assign(program.n, program.n);
    for (std::size_t k = 0; k < order.size(); ++k) scratch.place[order[k]] = k;
    // The derivative grows: how many residuals pass zero before it does.
    std::size_t passed = 0, end = order.size();
    while (passed < end) {
        const std::size_t middle = passed + (end - passed) / 2;
        if (slope_at(program, of_kernel, breaks[order[middle]], middle, scratch).derivative < 0)
            passed = middle + 1;
        else
            end = middle;
    }
    const double begin = passed == 0 ? 0.0 : breaks[order[passed - 1]];
    const Slope slope = slope_at(program, of_kernel, begin, passed, scratch);
    const double length = begin + (slope.second > 0 ? std::max(0.0, -slope.derivative / slope.second) : 0.0);
    return passed < order.size() ? std::min(length, breaks[order[passed]]) : length;
}

ProgramAnswer solve(const QuadraticProgram& program, double* x, double offset, Scratch& scratch) {
    const std::size_t n = program.n;
    std::vector<double>& z = scratch.z;
    for (auto* numbers : {&z, &scratch.residual, &scratch.step, &scratch.target, &scratch.reach, &scratch.target_reach})
        numbers->resize(n);
    for (std::size_t i = 0; i < n; ++i) z[i] = program.sign[i] * x[i];
    apply_kernel(program, z, scratch, scratch.reach);
    for (std::size_t i = 0; i < n; ++i)
        scratch.residual[i] = program.gain[i] - program.sign[i] * (scratch.reach[i] + offset);
    // The answer to a program much like this one: most likely the same rows are free.
    const bool is_given = std::any_of(z.begin(), z.end(), [](double number) { return number != 0; });
    for (std::int64_t n_steps = 1; n_steps <= most_steps; ++n_steps) {
        check_interruption();
        bool is_guess = is_given && n_steps == 1;
        scratch.free.clear();
        for (std::size_t i = 0; i < n; ++i)
            if (is_guess ? z[i] != 0 : scratch.residual[i] > 0) scratch.free.push_back(i);
        if (scratch.free.empty()) {
            is_guess = true;
            scratch.free.resize(n);
            std::iota(scratch.free.begin(), scratch.free.end(), std::size_t{0});
        }
        double target_offset = 0;
        if (!solve_free(program, scratch, target_offset)) break;
        if (is_solved(program, scratch, target_offset, n_steps)) {
            for (std::size_t i = 0; i < n; ++i) x[i] = std::max(0.0, program.sign[i] * scratch.target[i]);
            return {target_offset, n_steps};
        }
        Slope of_kernel{program.total * (target_offset - offset), 0.0};
        for (std::size_t i = 0; i < n; ++i) {
            of_kernel.derivative += (scratch.target[i] - z[i]) * scratch.reach[i];
            of_kernel.second += (scratch.target[i] - z[i]) * (scratch.target_reach[i] - scratch.reach[i]);
            scratch.step[i] = program.gain[i] - program.sign[i] * (scratch.target_reach[i] + target_offset);
        }
        // Of the rows that are free the equations tell more digits than the difference.
        for (const std::size_t i : scratch.free)
            scratch.step[i] = program.ridge[i] * program.sign[i] * scratch.target[i];
        for (std::size_t i = 0; i < n; ++i) scratch.step[i] -= scratch.residual[i];
        const double length = is_guess ? 1.0 : best_length(program, of_kernel, scratch);
        for (std::size_t i = 0; i < n; ++i) {
            z[i] += length * (scratch.target[i] - z[i]);
            scratch.reach[i] += length * (scratch.target_reach[i] - scratch.reach[i]);
            scratch.residual[i] += length * scratch.step[i];
        }
        offset += length * (target_offset - offset);
    }
    return {offset, 0};
}

}  // namespace

void solve_quadratic_programs(const QuadraticProgram* programs, std::size_t n_programs, std::size_t n_threads,
                              double* const* x, ProgramAnswer* answers) {
    n_threads = std::max<std::size_t>(1, std::min(n_threads, n_programs));
    std::vector<Scratch> scratch(n_threads);
    run_tasks(n_programs, n_threads, [&](std::size_t p, std::size_t worker) {
        answers[p] = solve(programs[p], x[p], answers[p].offset, scratch[worker]);
    });
}

}  // namespace fewest
