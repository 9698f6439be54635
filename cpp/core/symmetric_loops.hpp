#pragma once
// The inner loops of symmetric matrices and of products with rows, compiled once for each SIMD level.
// C headers only: a C++ library symbol compiled for a newer level must not be linked into an older one.

#include <stddef.h>
#include <stdint.h>

namespace fewest {

/// Of a symmetric matrix the upper triangle is stored and read, in rows `stride` apart, at least padded(n)
/// (factor_loops.hpp); the next eight beyond the n numbers of a row may be read and written. Sums run in the same order at
/// every level.
struct SymmetricLoops {
    /// matrix += left' right. left, right : n_lines lines of n numbers and zeros, as far apart as the rows of the matrix,
    /// whose product is symmetric
    void (*add_products)(double* matrix, size_t n, size_t stride, const double* left, const double* right,
                         size_t n_lines);
    /// out = matrix times v
    void (*times)(const double* matrix, size_t n, size_t stride, const double* v, double* out);
    /// The inverse of a matrix, given its factor U (U'U = matrix), in its upper triangle; the factor is overwritten.
    /// Rows are padded(n) apart. scratch : as large as the matrix
    void (*invert)(double* factor, size_t n, double* scratch);
    /// out[k * out_apart + i] = the product of row rows[i] (null: row i) of a matrix with n columns and vector k.
    /// vectors : n_vectors of them, `apart` numbers from one to the next
    void (*row_products)(const double* matrix, size_t n, const size_t* rows, size_t n_rows, const double* vectors,
                         size_t n_vectors, size_t apart, double* out, size_t out_apart);
    /// The same of whole numbers between -32767 and 32767, over 2 to the power of product_shift: less by at most one for
    /// every two products, which are rounded down. rows : not null
    void (*short_row_products)(const int16_t* matrix, size_t n, const size_t* rows, size_t n_rows,
                               const int16_t* vectors, size_t n_vectors, size_t apart, int64_t* out, size_t out_apart);
    /// out[k] = the square of the distance between a vector of n numbers and vectors[k].
    void (*squared_distances)(const double* vector, size_t n, const double* const* vectors, size_t n_vectors,
                              double* out);
};

constexpr int product_shift = 11;

extern const SymmetricLoops symmetric_loops_base;
#if defined(FEWEST_X86_LEVELS)
extern const SymmetricLoops symmetric_loops_v2;
extern const SymmetricLoops symmetric_loops_v3;
#endif

/// Of the level in use (accumulate_rows.hpp).
const SymmetricLoops& symmetric_loops();

}  // namespace fewest
