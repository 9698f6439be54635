#include "kernels/joint_descent.hpp"

#include <algorithm>
#include <cmath>
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

/// One of the programs.
class Program {
public:
    Program(const JointPrograms& all, std::size_t p, const double* steepness, std::vector<double>& residual)
        : all_(all), p_(p), n_(all.n), steepness_(steepness), sign_(all.signs + p * n_), gain_(all.gains + p * n_),
          z_(all.z + p * n_), reach_(all.reach + p * n_), is_free_(all.is_free + p * n_),
          direction_(all.directions + p * n_), residual_(residual) {}

    std::int64_t advance(const float* product) {
        bool is_fresh = all_.states[p_] == joint_begins;
        if (is_fresh) {
            all_.drifts[p_] = 0;
            begin();
        } else if (!step(product)) {
            return joint_has_failed;
        }
        find_residual();
        const double size = std::sqrt(sum_over(n_, [&](std::size_t i) {
            const double slack = all_.ridge[i] * z_[i];
            return slack * slack;
        }));
        const double wanted = all_.tolerance * size;
        const bool has_changed = change_free_rows(wanted / std::sqrt(static_cast<double>(n_)));
        if (has_changed) find_residual();
        const double length = std::sqrt(sum_over(n_, [&](std::size_t i) { return residual_[i] * residual_[i]; }));
        if (!has_changed && length <= std::max(wanted, all_.drifts[p_])) {
            if (all_.drifts[p_] > wanted) return joint_wants_reach;
            if (is_feasible(all_.tolerance)) return joint_is_solved;
        }
        turn(is_fresh || has_changed);
        return joint_goes_on;
    }

private:
    /// A sum that is not the total is put right on one row.
    void begin() {
        const double left = all_.totals[p_] - sum_over(n_, [&](std::size_t i) { return z_[i]; });
        if (left != 0) add(heaviest(), left);
    }

    /// The free row with the largest number; the first of them.
    std::size_t heaviest() const {
        std::size_t found = 0;
        double most = -1;
        for (std::size_t i = 0; i < n_; ++i)
            if (is_free_[i] && std::abs(z_[i]) > most) {
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
            return direction_[i] * (static_cast<double>(product[i]) + all_.ridge[i] * direction_[i]);
        });
        if (!(curvature > 0)) return false;
        const double length = all_.slopes[p_] / curvature;
        for (std::size_t i = 0; i < n_; ++i) {
            z_[i] += length * direction_[i];
            reach_[i] += length * static_cast<double>(product[i]);
        }
        const double squares = sum_over(n_, [&](std::size_t i) { return direction_[i] * direction_[i]; });
        all_.drifts[p_] += length * rounding * all_.largest * std::sqrt(static_cast<double>(n_) * squares);
        return true;
    }

    /// Of the free rows, with the offset that makes it least; zero for the others.
    void find_residual() {
        for (std::size_t i = 0; i < n_; ++i)
            residual_[i] = is_free_[i] ? (sign_[i] * gain_[i] - reach_[i]) - all_.ridge[i] * z_[i] : 0.0;
        const double weight = sum_over(n_, [&](std::size_t i) { return is_free_[i] ? steepness_[i] : 0.0; });
        const double offset = sum_over(n_, [&](std::size_t i) { return steepness_[i] * residual_[i]; }) / weight;
        all_.offsets[p_] = offset;
        for (std::size_t i = 0; i < n_; ++i) residual_[i] = is_free_[i] ? residual_[i] - offset : 0.0;
    }

    bool change_free_rows(double grace) {
        bool has_changed = false;
        double left = 0;
        const double offset = all_.offsets[p_];
        leaving_.clear();
        const double held = sum_over(n_, [&](std::size_t i) {
            const double pull = is_free_[i] ? 0.0 : std::max(0.0, gain_[i] - sign_[i] * (reach_[i] + offset));
            return pull * pull;
        });
        const bool may_enter = held >= sum_over(n_, [&](std::size_t i) { return residual_[i] * residual_[i]; });
        for (std::size_t i = 0; i < n_; ++i) {
            const double pull = gain_[i] - sign_[i] * (reach_[i] + offset);
            if (is_free_[i] ? pull > 0 || sign_[i] * z_[i] >= 0 : pull <= grace || !may_enter) continue;
            has_changed = true;
            if (is_free_[i]) leaving_.push_back(i);
            is_free_[i] = !is_free_[i];
        }
        for (const std::size_t row : leaving_) {
            left += z_[row];
            add(row, -z_[row]);
            z_[row] = 0;
        }
        if (left != 0) add(heaviest(), left);
        return has_changed;
    }

    bool is_feasible(double tolerance) const {
        double most = 0, least = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            most = std::max(most, sign_[i] * z_[i]);
            least = std::min(least, sign_[i] * z_[i]);
        }
        return least >= -tolerance * most;
    }

    void turn(bool is_fresh) {
        const double slope = sum_over(n_, [&](std::size_t i) { return residual_[i] * (steepness_[i] * residual_[i]); });
        const double share = is_fresh ? 0.0 : slope / all_.slopes[p_];
        for (std::size_t i = 0; i < n_; ++i)
            direction_[i] = steepness_[i] * residual_[i] + (is_fresh ? 0.0 : share * direction_[i]);
        all_.slopes[p_] = slope;
    }

    const JointPrograms& all_;
    const std::size_t p_, n_;
    const double* const steepness_;
    const double* const sign_;
    const double* const gain_;
    double* const z_;
    double* const reach_;
    bool* const is_free_;
    double* const direction_;
    std::vector<double>& residual_;
    std::vector<std::size_t> leaving_;
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
    std::vector<std::vector<double>> residuals(n_threads, std::vector<double>(n));
    run_tasks(going.size() + beginning.size(), n_threads, [&](std::size_t k, std::size_t worker) {
        const bool goes_on = k < going.size();
        const std::size_t p = goes_on ? going[k] : beginning[k - going.size()];
        programs.states[p] =
            Program(programs, p, steepness.data(), residuals[worker]).advance(goes_on ? products + k * n : nullptr);
    });
    const std::vector<std::size_t> left = in_state(programs, joint_goes_on);
    for (std::size_t k = 0; k < left.size(); ++k)
        for (std::size_t i = 0; i < n; ++i)
            rounded[k * n + i] = static_cast<float>(programs.directions[left[k] * n + i]);
    return left.size();
}

}  // namespace fewest
