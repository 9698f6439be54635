// Compiled once for each SIMD level, with FEWEST_LEVEL naming it. See pair_loops.hpp.

#include "relief/pair_loops.hpp"
#include "core/exp_terms.hpp"
#include "core/level_names.hpp"

#include <math.h>
#include <stdint.h>
#include <string.h>

namespace fewest {
namespace FEWEST_LEVEL {

// Four numbers side by side: every level adds and multiplies the same ones in the same order.
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t FourBits __attribute__((vector_size(32), aligned(8), may_alias));

/// Rows of a kind whose pairs are in registers at a time: so many, and so many fours of others.
constexpr size_t n_abreast = 4, n_fours = 2;

/// x becomes exp(x), to about two units in the last place, for -700 <= x <= 0.
static inline void exponentiate(Four& x) {
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

template <bool is_squared>
static inline void write_kernels(const RowLines& own, const RowLines& others, size_t n_columns, double rate,
                                 double* out) {
    for (size_t first = 0; first < n_own_rows; first += n_abreast)
        for (size_t other = 0; other < n_other_rows; other += 4 * n_fours) {
            Four sums[n_abreast][n_fours] = {};
            for (size_t column = 0; column < n_columns; ++column) {
                const double* const x = own.values + column * n_own_rows + first;
                const double* const y = others.values + column * n_other_rows + other;
                Four there[n_fours];
#pragma GCC unroll 2
                for (size_t e = 0; e < n_fours; ++e) there[e] = *reinterpret_cast<const Four*>(y + 4 * e);
#pragma GCC unroll 4
                for (size_t q = 0; q < n_abreast; ++q) {
                    const Four here = {x[q], x[q], x[q], x[q]};
#pragma GCC unroll 2
                    for (size_t e = 0; e < n_fours; ++e) {
                        if (is_squared) {
                            const Four apart = here - there[e];
                            sums[q][e] += apart * apart;
                        } else {
                            // |x - y| = x + y - 2 min(x, y): the least of two is one instruction.
                            sums[q][e] += here < there[e] ? here : there[e];
                        }
                    }
                }
            }
            for (size_t q = 0; q < n_abreast; ++q)
                for (size_t e = 0; e < n_fours; ++e) {
                    Four apart = sums[q][e];
                    if (is_squared) {
                        for (size_t i = 0; i < 4; ++i) apart[i] = sqrt(apart[i]);
                    } else {
                        const Four both =
                            own.sums[first + q] + *reinterpret_cast<const Four*>(others.sums + other + 4 * e);
                        const Four zero = {0, 0, 0, 0};
                        apart = both - (apart + apart);
                        apart = apart > zero ? apart : zero;  // what rounding may leave of none
                    }
                    apart *= -rate;
                    exponentiate(apart);
                    *reinterpret_cast<Four*>(out + (first + q) * n_other_rows + other + 4 * e) = apart;
                }
        }
}

static void kernels(const RowLines& own, const RowLines& others, size_t n_columns, double rate, bool is_squared,
                    double* out) {
    (is_squared ? write_kernels<true> : write_kernels<false>)(own, others, n_columns, rate, out);
}

static void add_differences(const double* own, const double* others, size_t n_columns, const double* factors,
                            double* sums) {
    for (size_t column = 0; column < n_columns; ++column) {
        const double* const x = own + column * n_own_rows;
        const double* const y = others + column * n_other_rows;
        Four total = {0, 0, 0, 0};
        for (size_t first = 0; first < n_own_rows; first += n_abreast) {
            Four parts[n_abreast] = {};
            for (size_t other = 0; other < n_other_rows; other += 4) {
                const Four there = *reinterpret_cast<const Four*>(y + other);
#pragma GCC unroll 4
                for (size_t q = 0; q < n_abreast; ++q) {
                    const Four apart = there - x[first + q];
                    const Four length = (Four)((FourBits)apart & 0x7fffffffffffffff);
                    parts[q] += length * *reinterpret_cast<const Four*>(factors + (first + q) * n_other_rows + other);
                }
            }
            total += (parts[0] + parts[1]) + (parts[2] + parts[3]);
        }
        sums[column] += (total[0] + total[1]) + (total[2] + total[3]);
    }
}

}  // namespace FEWEST_LEVEL

const PairLoops FEWEST_JOIN(pair_loops_, FEWEST_LEVEL) = {FEWEST_LEVEL::kernels, FEWEST_LEVEL::add_differences};

}  // namespace fewest
