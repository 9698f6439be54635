#include "kernels/free_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/factor_loops.hpp"
#include "kernels/quadratic_program.hpp"

namespace fewest {
namespace {

/// A correction above this share of the solution says that the inverse is none.
constexpr double most_refined = 1e-3;

double sum(const std::vector<double>& numbers) { return std::accumulate(numbers.begin(), numbers.end(), 0.0); }

double largest(const std::vector<double>& numbers) {
    double most = 0;
    for (const double number : numbers) most = std::max(most, std::abs(number));
    return most;
}

/// The upper triangle of some rows and columns of a symmetric matrix, to be factored.
void gather(const double* matrix, std::size_t n, const std::vector<std::size_t>& rows, std::vector<double>& part) {
    const std::size_t m = rows.size(), stride = padded(m);
    part.assign(m * stride, 0.0);
    for (std::size_t i = 0; i < m; ++i) {
        const double* const row = matrix + rows[i] * n;
        for (std::size_t j = i; j < m; ++j) part[i * stride + j] = row[rows[j]];
    }
}

}  // namespace

SharedKernel::SharedKernel(const double* kernel, std::size_t n, const double* ridge, std::size_t most_free,
                           const double* inverse)
    : kernel_(kernel), n_(n), ridge_(ridge), most_free_(most_free), inverse_(inverse) {
    for (std::size_t i = 0; i < n && inverse; ++i)
        inverse_sums_.push_back(std::accumulate(inverse + i * n, inverse + (i + 1) * n, 0.0));
}

bool SharedKernel::factor(const std::vector<std::size_t>& rows, std::vector<double>& factor) const {
    gather(kernel_, n_, rows, factor);
    for (std::size_t i = 0; i < rows.size(); ++i) factor[i * padded(rows.size()) + i] += ridge_[rows[i]];
    return factor_loops().factor(factor.data(), rows.size());
}

const std::vector<double>& SharedKernel::factor_of_all() const {
    std::call_once(is_factored_, [this] {
        std::vector<std::size_t> all(n_);
        std::iota(all.begin(), all.end(), std::size_t{0});
        if (!factor(all, factor_of_all_)) factor_of_all_.clear();
    });
    return factor_of_all_;
}

FreeRows::FreeRows(const SharedKernel& kernel) : kernel_(kernel), z_(kernel.n()), reach_(kernel.n()) {}

void FreeRows::apply_kernel(const std::vector<double>& z, std::vector<double>& reach) {
    order_.clear();
    multiples_.clear();
    for (std::size_t i = 0; i < kernel_.n(); ++i)
        if (z[i] != 0) {
            order_.push_back(i);
            multiples_.push_back(z[i]);
        }
    std::fill(reach.begin(), reach.end(), 0.0);
    factor_loops().add_rows(kernel_.row(0), kernel_.n(), order_.data(), order_.size(), multiples_.data(), reach.data());
}

bool FreeRows::solve(const QuadraticProgram& program, const std::vector<std::size_t>& free, bool may_be_rough) {
    // By a matrix of the free rows, or of the others where these are fewer.
    is_rough_ = may_be_rough && kernel_.inverse() && 2 * free.size() > kernel_.n();
    if (is_rough_ && solve_by_inverse(program, free)) return true;
    is_rough_ = false;
    return solve_by_factor(program, free);
}

bool FreeRows::solve_by_factor(const QuadraticProgram& program, const std::vector<std::size_t>& free) {
    const std::size_t m = free.size();
    const FactorLoops& loops = factor_loops();
    const bool is_all = m == kernel_.n();
    if (is_all ? kernel_.factor_of_all().empty() : !kernel_.factor(free, factor_)) return false;
    const double* const factor = is_all ? kernel_.factor_of_all().data() : factor_.data();
    ones_.assign(m, 1.0);
    loops.solve(factor, m, ones_.data());
    const double of_ones = sum(ones_);
    std::fill(z_.begin(), z_.end(), 0.0);
    offset_ = 0;
    // The second round solves for what rounding has left of the first.
    for (int round = 0; round < 2; ++round) {
        apply_kernel(z_, reach_);
        right_.resize(m);
        double left = program.total;
        for (std::size_t i = 0; i < m; ++i) {
            const std::size_t row = free[i];
            const double z = z_[row];
            right_[i] = program.sign[row] * program.gain[row] - ((reach_[row] + kernel_.ridge(row) * z) + offset_);
            left -= z;
        }
        loops.solve(factor, m, right_.data());
        const double change = (sum(right_) - left) / of_ones;
        offset_ += change;
        for (std::size_t i = 0; i < m; ++i) z_[free[i]] += right_[i] - change * ones_[i];
    }
    apply_kernel(z_, reach_);
    return true;
}

/// Of a solution of all rows, the one in which the bound rows are zero: takes the inverse times the forces that
/// hold them there.
void FreeRows::leave_out_bound(std::vector<double>& solution, std::vector<double>& forces) {
    const std::size_t m = bound_.size();
    forces.resize(m);
    for (std::size_t k = 0; k < m; ++k) forces[k] = solution[bound_[k]];
    factor_loops().solve(factor_.data(), m, forces.data());
    multiples_.resize(m);
    for (std::size_t k = 0; k < m; ++k) multiples_[k] = -forces[k];
    factor_loops().add_rows(kernel_.inverse(), kernel_.n(), bound_.data(), m, multiples_.data(), solution.data());
    for (const std::size_t row : bound_) solution[row] = 0;
}

bool FreeRows::solve_by_inverse(const QuadraticProgram& program, const std::vector<std::size_t>& free) {
    const std::size_t n = kernel_.n();
    bound_.clear();
    for (std::size_t i = 0, k = 0; i < n; ++i) {
        if (k < free.size() && free[k] == i)
            ++k;
        else
            bound_.push_back(i);
    }
    gather(kernel_.inverse(), n, bound_, factor_);
    if (!factor_loops().factor(factor_.data(), bound_.size())) return false;
    ones_ = kernel_.inverse_sums();
    leave_out_bound(ones_, forces_of_ones_);
    z_.assign(program.inverse_gains, program.inverse_gains + n);
    leave_out_bound(z_, forces_);
    offset_ = (sum(z_) - program.total) / sum(ones_);
    for (std::size_t i = 0; i < n; ++i) z_[i] -= offset_ * ones_[i];
    for (std::size_t k = 0; k < bound_.size(); ++k) {
        const std::size_t i = bound_[k];
        reach_[i] = program.sign[i] * program.gain[i] - offset_ - (forces_[k] - offset_ * forces_of_ones_[k]);
    }
    find_reach(program, free);
    return true;
}

/// The reach of the free rows, as the equations say.
void FreeRows::find_reach(const QuadraticProgram& program, const std::vector<std::size_t>& free) {
    for (const std::size_t i : free) reach_[i] = program.sign[i] * program.gain[i] - offset_ - kernel_.ridge(i) * z_[i];
}

bool FreeRows::refine(const QuadraticProgram& program, const std::vector<std::size_t>& free) {
    const std::size_t n = kernel_.n();
    apply_kernel(z_, reach_);
    multiples_.clear();
    for (const std::size_t row : free)
        multiples_.push_back(program.sign[row] * program.gain[row] -
                             ((reach_[row] + kernel_.ridge(row) * z_[row]) + offset_));
    inverted_.assign(n, 0.0);
    factor_loops().add_rows(kernel_.inverse(), n, free.data(), free.size(), multiples_.data(), inverted_.data());
    leave_out_bound(inverted_, forces_);
    const double left = program.total - sum(z_), change = (sum(inverted_) - left) / sum(ones_);
    for (std::size_t i = 0; i < n; ++i) inverted_[i] -= change * ones_[i];
    if (!(largest(inverted_) <= most_refined * largest(z_))) return false;
    offset_ += change;
    for (std::size_t i = 0; i < n; ++i) z_[i] += inverted_[i];
    for (std::size_t k = 0; k < bound_.size(); ++k) reach_[bound_[k]] -= forces_[k] + change * (1 - forces_of_ones_[k]);
    find_reach(program, free);
    is_rough_ = false;
    return true;
}

}  // namespace fewest
