// Compiled once for each SIMD level, with FEWEST_LEVEL naming it. See width_loops.hpp.

#include "kernels/width_loops.hpp"
#include "core/exponential.hpp"
#include "core/level_names.hpp"

namespace fewest {
namespace FEWEST_LEVEL {

constexpr size_t n_fours = pairs_at_once / 4;

/// The same where x may be far below zero: what would be below 1e-307 becomes about that.
static inline void exponentiate_any(Four& x) {
    const Four least = {-707.0, -707.0, -707.0, -707.0};
    x = x > least ? x : least;
    exponentiate(x);
}

static inline void write_negative_distance(const RowPairs& pairs, size_t at, Four& to) {
    const Four zero = {0, 0, 0, 0};
    const Four apart = pairs.own - *reinterpret_cast<const Four*>(pairs.others + at);
    to = *reinterpret_cast<const Four*>(pairs.base + at) + pairs.sign * (apart * apart);
    // Where a column leaves, rounding may leave less than nothing.
    to = to > zero ? -to : zero;
}

static void add_squares(const double* column, double own, size_t n, double* distances) {
    size_t j = 0;
    for (; j + 4 <= n; j += 4) {
        const Four apart = own - *reinterpret_cast<const Four*>(column + j);
        *reinterpret_cast<Four*>(distances + j) += apart * apart;
    }
    for (; j < n; ++j) distances[j] += (own - column[j]) * (own - column[j]);
}

static void add_kernels(const RowPairs& pairs, double eta, const bool* is_squared, double* parts) {
    Four kernels[n_fours];
    for (size_t begin = 0; begin < pairs.n; begin += pairs_at_once) {
        for (size_t i = 0; i < n_fours; ++i) {
            write_negative_distance(pairs, begin + 4 * i, kernels[i]);
            kernels[i] *= eta;
            exponentiate_any(kernels[i]);
        }
        for (size_t form = 0; form < pairs.n_forms; ++form) {
            const Four* const factor = reinterpret_cast<const Four*>(pairs.factors + form * pairs.n_padded + begin);
            Four sum = {0, 0, 0, 0};
            if (is_squared[form])
                for (size_t i = 0; i < n_fours; ++i) sum += factor[i] * (kernels[i] * kernels[i]);
            else
                for (size_t i = 0; i < n_fours; ++i) sum += factor[i] * kernels[i];
            *reinterpret_cast<Four*>(parts + form * n_sum_parts) += sum;
        }
    }
}

static void add_ladder(const RowPairs& pairs, double eta, size_t n_widths, double* parts) {
    Four even[n_fours], odd[n_fours];
    for (size_t begin = 0; begin < pairs.n; begin += pairs_at_once) {
        for (size_t i = 0; i < n_fours; ++i) {
            write_negative_distance(pairs, begin + 4 * i, even[i]);
            even[i] *= eta;
            odd[i] = even[i] * 1.4142135623730951;
            exponentiate_any(even[i]);
            exponentiate_any(odd[i]);
        }
        for (size_t width = 0; width < n_widths; width += 2) {
            for (size_t form = 0; form < pairs.n_forms; ++form) {
                const Four* const factor = reinterpret_cast<const Four*>(pairs.factors + form * pairs.n_padded + begin);
                Four* const sums = reinterpret_cast<Four*>(parts + n_sum_parts * (form * n_widths + width));
                Four sum_even = {0, 0, 0, 0}, sum_odd = {0, 0, 0, 0};
                for (size_t i = 0; i < n_fours; ++i) {
                    sum_even += factor[i] * even[i];
                    sum_odd += factor[i] * odd[i];
                }
                sums[0] += sum_even;
                sums[1] += sum_odd;
            }
            for (size_t i = 0; i < n_fours; ++i) {
                even[i] *= even[i];
                odd[i] *= odd[i];
            }
        }
    }
}

}  // namespace FEWEST_LEVEL

const WidthLoops FEWEST_JOIN(width_loops_, FEWEST_LEVEL) = {FEWEST_LEVEL::add_squares, FEWEST_LEVEL::add_kernels,
                                                            FEWEST_LEVEL::add_ladder};

}  // namespace fewest
