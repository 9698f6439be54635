#pragma once
// The equations of the rows of a quadratic program that no bound holds, and what programs over one kernel share of them.

#include <cstddef>
#include <mutex>
#include <vector>

namespace fewest {

struct QuadraticProgram;

/// A kernel's matrix, and factors of it that serve several programs.
class SharedKernel {
public:
    /// kernel : n by n, symmetric and positive semidefinite
    /// ridge : positive, what is added to the diagonal
    /// most_free : the largest number of free rows whose matrix is factored; with an inverse there is no such limit
    /// inverse : of both, n by n; null to do without
    SharedKernel(const double* kernel, std::size_t n, const double* ridge, std::size_t most_free,
                 const double* inverse);

    std::size_t n() const { return n_; }
    const double* row(std::size_t i) const { return kernel_ + i * n_; }
    double ridge(std::size_t i) const { return ridge_[i]; }
    std::size_t most_free() const { return inverse_ ? n_ : most_free_; }
    const double* inverse() const { return inverse_; }
    /// The inverse times ones.
    const std::vector<double>& inverse_sums() const { return inverse_sums_; }
    /// The factor of all rows, computed when it is first asked for; empty where there is none.
    const std::vector<double>& factor_of_all() const;
    /// Writes the factor of some rows; false where there is none.
    bool factor(const std::vector<std::size_t>& rows, std::vector<double>& factor) const;

private:
    const double* kernel_;
    std::size_t n_;
    const double* ridge_;
    std::size_t most_free_;
    const double* inverse_;
    std::vector<double> inverse_sums_;
    mutable std::once_flag is_factored_;
    mutable std::vector<double> factor_of_all_;
};

/// One thread's solutions: z, with zeros outside the free rows F, and the offset, so that
/// (kernel + ridge)_FF z_F + offset = (sign gain)_F and sum z = total.
class FreeRows {
public:
    explicit FreeRows(const SharedKernel& kernel);

    /// free : ascending
    /// may_be_rough : whether to use the inverse, where there is one
    /// False where the equations have too few digits.
    bool solve(const QuadraticProgram& program, const std::vector<std::size_t>& free, bool may_be_rough);
    /// Whether rounding errors of the inverse are in the solution; refine() removes them, by iterative refinement, or
    /// says that it cannot.
    bool is_rough() const { return is_rough_; }
    bool refine(const QuadraticProgram& program, const std::vector<std::size_t>& free);

    double z(std::size_t i) const { return z_[i]; }
    /// (kernel z)_i
    double reach(std::size_t i) const { return reach_[i]; }
    double offset() const { return offset_; }

    /// reach = kernel z, from the rows where z is not zero
    void apply_kernel(const std::vector<double>& z, std::vector<double>& reach);

private:
    bool solve_by_factor(const QuadraticProgram& program, const std::vector<std::size_t>& free);
    bool solve_by_inverse(const QuadraticProgram& program, const std::vector<std::size_t>& free);
    void leave_out_bound(std::vector<double>& solution, std::vector<double>& forces);
    void find_reach(const QuadraticProgram& program, const std::vector<std::size_t>& free);

    const SharedKernel& kernel_;
    std::vector<double> z_, reach_;
    double offset_ = 0;
    bool is_rough_ = false;
    std::vector<double> factor_, right_, ones_, multiples_, inverted_, forces_, forces_of_ones_;
    std::vector<std::size_t> order_, bound_;
};

}  // namespace fewest
