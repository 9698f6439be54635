#include "kernels/quadratic_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/threads.hpp"

namespace fewest {
namespace {

/// What one thread keeps from program to program; z is x with the signs of its rows.
struct Scratch {
    explicit Scratch(const SharedKernel& kernel) : target(kernel) {}

    FreeRows target;                             ///< where the rows that are free would go
    std::vector<double> z, reach;                ///< where it stands, and kernel z
    std::vector<double> residual, step, breaks;  ///< gain - sign (kernel z + offset), its change, where it is zero
    std::vector<std::size_t> free, order, place;
};

/// Far more than were ever seen; a program that takes more has no digits left.
constexpr std::int64_t most_steps = 200;
constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// The digits that a solution by the inverse may lack before it is refined, as a factor of rounding errors.
constexpr double roughness = 1e7;
/// After this number of steps the inverse is no longer trusted.
constexpr std::int64_t most_rough_steps = 50;

/// Whether no bound is broken at the target, but for rounding. After many steps more is taken for rounding: the fewer
/// digits the equations leave, the longer rows go in and out for nothing.
bool is_solved(const SharedKernel& kernel, const QuadraticProgram& program, const Scratch& scratch,
               std::int64_t n_steps) {
    const FreeRows& target = scratch.target;
    double largest = 0, squares = 0, most = 1;
    for (std::size_t i = 0; i < kernel.n(); ++i) {
        const double part = target.z(i) * kernel.row(i)[i];
        largest = std::max(largest, std::abs(target.z(i)));
        squares += part * part;
        most = std::max(most, std::abs(program.gain[i]));
    }
    const double grace = std::exp2(static_cast<double>(n_steps) / 8) * (target.is_rough() ? roughness : 1.0);
    const double loss = epsilon * grace * (most + std::abs(target.offset()) + std::sqrt(squares));
    std::size_t place = 0;
    for (std::size_t i = 0; i < kernel.n(); ++i) {
        if (place < scratch.free.size() && scratch.free[place] == i) {
            ++place;
            const double x = program.sign[i] * target.z(i);
            if (x < -grace * 1e-14 * largest) return false;
        } else if (program.gain[i] - program.sign[i] * (target.reach(i) + target.offset()) > loss) {
            return false;
        }
    }
    return true;
}

/// The same of a solution by the inverse once it is refined; one that cannot be is replaced.
bool is_solved_exactly(const SharedKernel& kernel, const QuadraticProgram& program, Scratch& scratch,
                       std::int64_t n_steps) {
    if (!is_solved(kernel, program, scratch, n_steps)) return false;
    if (!scratch.target.is_rough()) return true;
    const bool is_fine =
        scratch.target.refine(program, scratch.free) || scratch.target.solve(program, scratch.free, false);
    return is_fine && is_solved(kernel, program, scratch, n_steps);
}

/// Along a step, of length 1 to the target, z'Kz/2 + sum of (residual)+^2 / 2 ridge + total offset: its derivative where
/// n_passed residuals have passed zero, and its second derivative from there on. Each is summed anew: next to what a row
/// that is passed takes with it, what is left may be too small for a difference.
struct Slope {
    double derivative, second;
};

Slope slope_at(const SharedKernel& kernel, Slope of_kernel, double length, std::size_t n_passed,
               const Scratch& scratch) {
    Slope slope{of_kernel.derivative + length * of_kernel.second, of_kernel.second};
    for (std::size_t i = 0; i < kernel.n(); ++i) {
        if ((scratch.residual[i] > 0) == (scratch.place[i] < n_passed)) continue;
        const double change = scratch.step[i] / kernel.ridge(i);
        slope.derivative += (scratch.residual[i] + length * scratch.step[i]) * change;
        slope.second += scratch.step[i] * change;
    }
    return slope;
}

/// How long a step makes that sum least: 0 is to stay, 1 to reach the target.
/// of_kernel: the derivatives of z'Kz/2 + total offset at the beginning
double best_length(const SharedKernel& kernel, Slope of_kernel, Scratch& scratch) {
    std::vector<double>& breaks = scratch.breaks;
    std::vector<std::size_t>& order = scratch.order;
    breaks.assign(kernel.n(), 0.0);
    order.clear();
    for (std::size_t i = 0; i < kernel.n(); ++i) {
        const double residual = scratch.residual[i], change = scratch.step[i];
        if (!(residual > 0 ? change < 0 : change > 0)) continue;
        breaks[i] = -residual / change;
        order.push_back(i);
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return breaks[a] < breaks[b] || (breaks[a] == breaks[b] && a < b); });
    scratch.place.assign(kernel.n(), kernel.n());
    for (std::size_t k = 0; k < order.size(); ++k) scratch.place[order[k]] = k;
    // The derivative grows: how many residuals pass zero before it does.
    std::size_t passed = 0, end = order.size();
    while (passed < end) {
        const std::size_t middle = passed + (end - passed) / 2;
        if (slope_at(kernel, of_kernel, breaks[order[middle]], middle, scratch).derivative < 0)
            passed = middle + 1;
        else
            end = middle;
    }
    const double begin = passed == 0 ? 0.0 : breaks[order[passed - 1]];
    const Slope slope = slope_at(kernel, of_kernel, begin, passed, scratch);
    const double length = begin + (slope.second > 0 ? std::max(0.0, -slope.derivative / slope.second) : 0.0);
    return passed < order.size() ? std::min(length, breaks[order[passed]]) : length;
}

ProgramAnswer solve(const SharedKernel& kernel, const QuadraticProgram& program, double* x, double offset,
                    Scratch& scratch) {
    const std::size_t n = kernel.n();
    FreeRows& target = scratch.target;
    std::vector<double>& z = scratch.z;
    for (auto* numbers : {&z, &scratch.residual, &scratch.step, &scratch.reach}) numbers->resize(n);
    for (std::size_t i = 0; i < n; ++i) z[i] = program.sign[i] * x[i];
    // The answer to a program much like this one: most likely the same rows are free.
    const bool is_given = std::any_of(z.begin(), z.end(), [](double number) { return number != 0; });
    // With an inverse that is tried without a product of all rows: what is wrong here is gone after a step of length 1.
    if (!is_given || !kernel.inverse()) target.apply_kernel(z, scratch.reach);
    for (std::size_t i = 0; i < n; ++i)
        scratch.residual[i] = program.gain[i] - program.sign[i] * (scratch.reach[i] + offset);
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
        if (scratch.free.size() > kernel.most_free()) return {offset, too_many_free};
        if (!target.solve(program, scratch.free, n_steps <= most_rough_steps)) break;
        if (is_solved_exactly(kernel, program, scratch, n_steps)) {
            for (std::size_t i = 0; i < n; ++i) x[i] = std::max(0.0, program.sign[i] * target.z(i));
            return {target.offset(), n_steps};
        }
        Slope of_kernel{program.total * (target.offset() - offset), 0.0};
        for (std::size_t i = 0; i < n; ++i) {
            of_kernel.derivative += (target.z(i) - z[i]) * scratch.reach[i];
            of_kernel.second += (target.z(i) - z[i]) * (target.reach(i) - scratch.reach[i]);
            scratch.step[i] = program.gain[i] - program.sign[i] * (target.reach(i) + target.offset());
        }
        // Of the rows that are free the equations tell more digits than the difference.
        for (const std::size_t i : scratch.free) scratch.step[i] = kernel.ridge(i) * program.sign[i] * target.z(i);
        for (std::size_t i = 0; i < n; ++i) scratch.step[i] -= scratch.residual[i];
        const double length = is_guess ? 1.0 : best_length(kernel, of_kernel, scratch);
        for (std::size_t i = 0; i < n; ++i) {
            z[i] += length * (target.z(i) - z[i]);
            scratch.reach[i] += length * (target.reach(i) - scratch.reach[i]);
            scratch.residual[i] += length * scratch.step[i];
        }
        offset += length * (target.offset() - offset);
    }
    return {offset, 0};
}

}  // namespace

void solve_quadratic_programs(const SharedKernel& kernel, const QuadraticProgram* programs, std::size_t n_programs,
                              std::size_t n_threads, double* const* x, ProgramAnswer* answers) {
    n_threads = std::max<std::size_t>(1, std::min(n_threads, n_programs));
    std::vector<Scratch> scratch(n_threads, Scratch(kernel));
    run_tasks(n_programs, n_threads, [&](std::size_t p, std::size_t worker) {
        answers[p] = solve(kernel, programs[p], x[p], answers[p].offset, scratch[worker]);
    });
}

}  // namespace fewest
