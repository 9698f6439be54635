#pragma once
// The inner loops of Gaussian kernels over pairs of rows at many widths, compiled once for each SIMD level.
// C headers only: a C++ library symbol compiled for a newer level must not be linked into an older one.

#include <stddef.h>

namespace fewest {

/// The number of pairs taken at a time: what is read is padded to a multiple of it.
constexpr size_t pairs_at_once = 64;
/// The number of parts in which sums are kept, which every level adds in one order.
constexpr size_t n_sum_parts = 4;

/// One row against others: their squared distances, and what each pair counts.
struct RowPairs {
    const double* base;     ///< on the columns that are in anyway
    const double* others;   ///< the values of the others in one column more
    double own;             ///< and of the row itself
    double sign;            ///< 1 where that column joins, -1 where it leaves
    size_t n;               ///< a multiple of pairs_at_once
    const double* factors;  ///< [form][n_padded]: 0 where padded
    size_t n_padded;        ///< from one form's factors to the next's
    size_t n_forms;
};

struct WidthLoops {
    /// distances[j] += (own - column[j])^2 for j < n.
    void (*add_squares)(const double* column, double own, size_t n, double* distances);
    /// Adds factor exp(-eta distance), squared for the forms for which it is, to the parts of a sum.
    /// parts: [form][n_sum_parts].
    void (*add_kernels)(const RowPairs& pairs, double eta, const bool* is_squared, double* parts);
    /// The same without squares for eta, sqrt(2) eta, 2 eta, ...: n_widths of them, an even number.
    /// parts: [form][width][n_sum_parts].
    /// The kernel at twice the eta is the square: two exponentials are enough for all.
    void (*add_ladder)(const RowPairs& pairs, double eta, size_t n_widths, double* parts);
};

extern const WidthLoops width_loops_base;
#if defined(FEWEST_X86_LEVELS)
extern const WidthLoops width_loops_v2;
extern const WidthLoops width_loops_v3;
#endif

/// Of the level in use (accumulate_rows.hpp).
const WidthLoops& width_loops();

}  // namespace fewest
