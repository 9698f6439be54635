#pragma once
// The inner loops of linear equations with a positive definite matrix, compiled once for each SIMD level.
// C headers only: a C++ library symbol compiled for a newer level must not be linked into an older one.

#include <stddef.h>

namespace fewest {

/// Rows of a matrix that is to be factored lie this far apart: what is beyond the n numbers of a row may be read, and is
/// to be zero.
constexpr size_t padded(size_t n) { return (n + 7) / 8 * 8 + 8; }

/// Sums run in the same order at every level.
struct FactorLoops {
    /// The upper triangle of a symmetric matrix A becomes U, with U'U = A. False where A is not positive definite.
    bool (*factor)(double* matrix, size_t n);
    /// Puts x with U'U x = b in the place of b.
    void (*solve)(const double* factor, size_t n, double* b);
    /// The upper triangle of a matrix, whose rows are padded, += multiples[r] * line line', one line after the other.
    /// lines : of n numbers each, one after the other; rows : which of them
    void (*add_outer)(double* matrix, size_t n, const double* lines, const size_t* rows, size_t n_rows,
                      const double* multiples);
    /// out += sum over i of multiples[i] times row rows[i] of a matrix of n columns.
    void (*add_rows)(const double* matrix, size_t n, const size_t* rows, size_t n_rows, const double* multiples,
                     double* out);
    /// As factor, of a matrix whose pivots are known to be at least these but for rounding: smaller ones are raised.
    bool (*factor_above)(double* matrix, size_t n, const double* least);
    /// out += sum over k of multiples[k] times line k, of n numbers each; to each number they are added in turn.
    void (*add_lines)(const double* const* lines, const double* multiples, size_t n_lines, size_t n, double* out);
};

extern const FactorLoops factor_loops_base;
#if defined(FEWEST_X86_LEVELS)
extern const FactorLoops factor_loops_v2;
extern const FactorLoops factor_loops_v3;
#endif

/// Of the level in use (accumulate_rows.hpp).
const FactorLoops& factor_loops();

}  // namespace fewest
