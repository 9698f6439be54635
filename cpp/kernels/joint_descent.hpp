#pragma once
// Many quadratic programs over one kernel by conjugate gradients, all at once: what is done between two products of the
// kernel's matrix with the directions of all programs. The products are the caller's, who has fast ones.

#include <cstddef>
#include <cstdint>

namespace fewest {

/// Where a program stands.
enum JointState : std::int64_t {
    joint_begins = 0,       ///< reach is kernel z; there is no direction yet
    joint_goes_on = 1,      ///< its direction awaits the product
    joint_is_solved = 2,    ///< z solves it
    joint_wants_reach = 3,  ///< reach has lost too many digits: to be computed anew, and begun again
    joint_has_failed = 4,   ///< the kernel is not positive definite
};

/// Programs as in quadratic_program.hpp, z with the signs of its rows: a row of n numbers for each program.
struct JointPrograms {
    const double* kernel;
    std::size_t n;
    const double* ridge;
    std::size_t n_programs;
    const double* signs;
    const double* gains;
    const double* totals;
    /// The largest number of the matrix that directions are multiplied with, whose numbers have 24 bits.
    double largest;
    /// How small the residual becomes, as a share of the length of ridge z; z is as exact as that.
    double tolerance;

    double* z;
    double* reach;  ///< kernel z
    double* free;   ///< 1 for rows that are free, 0 for those at their bound, where z is 0
    double* directions;
    double* offsets;
    double* slopes;  ///< of the last directions
    double* drifts;  ///< how much rounding errors of the products may have added to reach
    std::int64_t* states;
};

/// Takes a step in each program that goes on, and finds its next direction. Rows whose bound is reached leave, those that
/// a bound holds back for nothing come in, and conjugate directions begin anew.
///
/// products : the kernel times the directions, in the order of the programs that went on
/// rounded : room for the next directions, in the order of the programs that go on; their number is returned
std::size_t advance_jointly(const JointPrograms& programs, const float* products, float* rounded,
                            std::size_t n_threads);

}  // namespace fewest
