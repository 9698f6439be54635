#pragma once
// Quadratic programs over a kernel's matrix: the widest margin between two classes, and the smallest ball around rows.

#include <cstddef>
#include <cstdint>

#include "kernels/free_rows.hpp"

namespace fewest {

/// Minimise x'Hx/2 - gain'x over x >= 0 with sign'x = total, where H_ij = sign_i sign_j (kernel_ij + ridge_i [i = j]).
///
/// The dual of a support vector machine has gains of 1, the classes as signs and a total of 0; that of the smallest ball
/// around rows has half the squared length of each row as gain, signs of 1 and a total of 1.
struct QuadraticProgram {
    const double* sign;  ///< 1 or -1
    const double* gain;
    double total;
    const double* inverse_gains;  ///< the kernel's inverse, where there is one, times sign gain
};

/// The number of steps where more rows were free than a matrix may have.
constexpr std::int64_t too_many_free = -1;

struct ProgramAnswer {
    double offset;         ///< the multiplier of sign'x = total
    std::int64_t n_steps;  ///< how many systems of equations it took; 0 where it was not solved, or too_many_free
};

/// Solves programs from where x (a row of n numbers each) and the answers' offsets begin; zeros will do. What is found is
/// read off the equations of the rows that are left free, so that it hardly depends on the beginning.
///
/// Newton's method on the program's dual, which is convex and quadratic in pieces: each step is as long as decreases it
/// most, so that it ends after finitely many. Each program is solved by one thread.
void solve_quadratic_programs(const SharedKernel& kernel, const QuadraticProgram* programs, std::size_t n_programs,
                              std::size_t n_threads, double* const* x, ProgramAnswer* answers);

}  // namespace fewest
