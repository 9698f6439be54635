#include "kernels/joint_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/threads.hpp"

namespace fewest {
namespace {

/// What rounding to 24 bits leaves of a number.
constexpr double rounding = 1.0 / (1 << 24);

/// The sum of term(i) over all rows, four abreast.
template <class Term>
double sum_over(std::size_t n, Term&& term) {
    double sums[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t k = 0; k < 4; ++k) sums[k] += term(i + k);
    for (; i < n; ++i) sums[0] += term(i);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// What one thread keeps from program to program.
struct Scratch {
    explicit Scratch(std::size_t n) : residual(n), pull(n) {}

    std::vector<double> residual, pull;
    std::vector<std::size_t> leaving;
};

/// One of the programs.
class Program {
public:
    Program(const JointPrograms& all, std::size_t p, const double* steepness, Scratch& scratch)
        : all_(all), p_(p), n_(all.n), ridge_(all.ridge), steepness_(steepness), sign_(all.signs + p * n_),
          gain_(all.gains + p * n_), z_(all.z + p * n_), reach_(all.reach + p * n_), free_(all.free + p * n_),
          direction_(all.directions + p * n_), residual_(scratch.residual.data()), pull_(scratch.pull.data()),
          leaving_(scratch.leaving) {}

    std::int64_t advance(const float* product) {
        const bool begins = all_.states[p_] == joint_begins;
        if (begins)
            begin();
        else if (!step(product))
            return joint_has_failed;
        find_residual();
        const double wanted = all_.tolerance * std::sqrt(slacks_);
        const bool has_changed = change_free_rows(wanted / std::sqrt(static_cast<double>(n_)));
        if (has_changed) find_residual();
        if (!has_changed && std::sqrt(squares_) <= std::max(wanted, all_.drifts[p_])) {
            if (all_.drifts[p_] > wanted) return joint_wants_reach;
            if (is_feasible()) return joint_is_solved;
        }
        turn(begins || has_changed);
        return joint_goes_on;
    }

private:
    /// A sum that is not the total is put right on one row.
    void begin() {
        all_.drifts[p_] = 0;
        const double left = all_.totals[p_] - sum_over(n_, [&](std::size_t i) { return z_[i]; });
        if (left != 0) add(heaviest(), left);
    }

    /// The free row with the largest number; the first of them.
    std::size_t heaviest() const {
        std::size_t found = 0;
        double most = -1;
        for (std::size_t i = 0; i < n_; ++i)
            if (free_[i] != 0 && std::abs(z_[i]) > most) {
                found = i;
                most = std::abs(z_[i]);
            }
        return found;
    }

    void add(std::size_t row, double change) {
        const double* const numbers = all_.kernel + row * n_;
        for (std::size_t i = 0; i < n_; ++i) reach_[i] += change * numbers[i];
        z_[row] += change;
    }

    bool step(const float* product) {
        const double curvature = sum_over(n_, [&](std::size_t i) {
            return direction_[i] * (static_cast<double>(product[i]) + ridge_[i] * direction_[i]);
        });
        if (!(curvature > 0)) return false;
        const double length = all_.slopes[p_] / curvature;
        const double squares = sum_over(n_, [&](std::size_t i) {
            z_[i] += length * direction_[i];
            reach_[i] += length * static_cast<double>(product[i]);
            return direction_[i] * direction_[i];
        });
        all_.drifts[p_] += length * rounding * all_.largest * std::sqrt(static_cast<double>(n_) * squares);
        return true;
    }

    /// What is missing in the equations of the free rows, with the offset that makes it least; zero for the others.
    void find_residual() {
        const double weight = sum_over(n_, [&](std::size_t i) { return free_[i] * steepness_[i]; });
        const double sum = sum_over(n_, [&](std::size_t i) {
            residual_[i] = (sign_[i] * gain_[i] - reach_[i]) - ridge_[i] * z_[i];
            return free_[i] * steepness_[i] * residual_[i];
        });
        const double offset = all_.offsets[p_] = sum / weight;
        squares_ = sum_over(n_, [&](std::size_t i) {
            residual_[i] = free_[i] * (residual_[i] - offset);
            return residual_[i] * residual_[i];
        });
        slacks_ = sum_over(n_, [&](std::size_t i) { return (ridge_[i] * z_[i]) * (ridge_[i] * z_[i]); });
    }

    /// Rows leave as soon as their bound is reached. They enter where their bounds hold back more than what is left of
    /// the equations: before, what they want is not known well enough, and they would come and go.
    bool change_free_rows(double grace) {
        const double offset = all_.offsets[p_];
        const double held = sum_over(n_, [&](std::size_t i) {
            pull_[i] = gain_[i] - sign_[i] * (reach_[i] + offset);
            const double missed = (1 - free_[i]) * std::max(0.0, pull_[i]);
            return missed * missed;
        });
        const double least_pull = held >= squares_ ? grace : std::numeric_limits<double>::infinity();
        leaving_.clear();
        bool has_changed = false;
        for (std::size_t i = 0; i < n_; ++i) {
            if (free_[i] != 0 ? pull_[i] > 0 || sign_[i] * z_[i] >= 0 : pull_[i] <= least_pull) continue;
            has_changed = true;
            if (free_[i] != 0) leaving_.push_back(i);
            free_[i] = 1 - free_[i];
        }
        double left = 0;
        for (const std::size_t row : leaving_) {
            left += z_[row];
            add(row, -z_[row]);
            z_[row] = 0;
        }
        if (left != 0) add(heaviest(), left);
        return has_changed;
    }

    bool is_feasible() const {
        double most = 0, least = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            most = std::max(most, sign_[i] * z_[i]);
            least = std::min(least, sign_[i] * z_[i]);
        }
        return least >= -all_.tolerance * most;
    }

    void turn(bool is_new) {
        const double slope = sum_over(n_, [&](std::size_t i) { return residual_[i] * (steepness_[i] * residual_[i]); });
        if (is_new) {
            for (std::size_t i = 0; i < n_; ++i) direction_[i] = steepness_[i] * residual_[i];
        } else {
            const double share = slope / all_.slopes[p_];
            for (std::size_t i = 0; i < n_; ++i) direction_[i] = steepness_[i] * residual_[i] + share * direction_[i];
        }
        all_.slopes[p_] = slope;
    }

    const JointPrograms& all_;
    const std::size_t p_, n_;
    const double* const ridge_;
    const double* const steepness_;
    const double* const sign_;
    const double* const gain_;
    double* const z_;
    double* const reach_;
    double* const free_;
    double* const direction_;
    double* const residual_;
    double* const pull_;
    std::vector<std::size_t>& leaving_;
    double squares_ = 0;  ///< of the residual
    double slacks_ = 0;   ///< squares of ridge z
};

std::vector<std::size_t> in_state(const JointPrograms& programs, std::int64_t state) {
    std::vector<std::size_t> which;
    for (std::size_t p = 0; p < programs.n_programs; ++p)
        if (programs.states[p] == state) which.push_back(p);
    return which;
}

}  // namespace

std::size_t advance_jointly(const JointPrograms& programs, const float* products, float* rounded,
                            std::size_t n_threads) {
    const std::size_t n = programs.n;
    n_threads = std::max<std::size_t>(1, n_threads);
    // One over the diagonal: the steps of rows alone.
    std::vector<double> steepness(n);
    for (std::size_t i = 0; i < n; ++i) steepness[i] = 1 / (programs.kernel[i * n + i] + programs.ridge[i]);
    const std::vector<std::size_t> going = in_state(programs, joint_goes_on);
    const std::vector<std::size_t> beginning = in_state(programs, joint_begins);
    std::vector<Scratch> scratch(n_threads, Scratch(n));
    run_tasks(going.size() + beginning.size(), n_threads, [&](std::size_t k, std::size_t worker) {
        const bool goes_on = k < going.size();
        const std::size_t p = goes_on ? going[k] : beginning[k - going.size()];
        programs.states[p] =
            Program(programs, p, steepness.data(), scratch[worker]).advance(goes_on ? products + k * n : nullptr);
    });
    const std::vector<std::size_t> left = in_state(programs, joint_goes_on);
    for (std::size_t k = 0; k < left.size(); ++k)
        for (std::size_t i = 0; i < n; ++i)
            rounded[k * n + i] = static_cast<float>(programs.directions[left[k] * n + i]);
    return left.size();
}

}  // namespace fewest
