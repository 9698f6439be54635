// Compiled once for each SIMD level, with FEWEST_LEVEL naming it. See width_loops.hpp.

#include "kernels/width_loops.hpp"
#include "core/exp_terms.hpp"
#include "core/level_names.hpp"

#include <string.h>

namespace fewest {
namespace FEWEST_LEVEL {

// Four numbers side by side: every level adds and multiplies the same ones in the same order.
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long FourBits __attribute__((vector_size(32)));
constexpr size_t n_fours = pairs_at_once / 4;

/// x becomes exp(x), to about two units in the last place, for x <= 0; what would be below 1e-307 becomes about that.
static inline void exponentiate(Four& x) {
    const Four least = {-707.0, -707.0, -707.0, -707.0};
    x = x > least ? x : least;
    // x = k log 2 + r, |r| <= log(2) / 2: adding 1.5 * 2^52 rounds to the whole number k and leaves it in the low bits.
    constexpr double magic = 6755399441055744.0;
    const Four shifted = x * 1.4426950408889634 + magic;
    const Four k = shifted - magic;
    const Four r = (x - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33;
    Four sum = r * exp_terms[0] + exp_terms[1];
#pragma GCC unroll 12
    for (size_t term = 2; term < n_exp_terms; ++term) sum = sum * r + exp_terms[term];
    FourBits bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52;
    memcpy(&x, &bits, sizeof x);
    x *= sum;
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
            exponentiate(kernels[i]);
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
            exponentiate(even[i]);
            exponentiate(odd[i]);
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
