#pragma once
// The exponential of four numbers side by side, for files that are compiled once for each SIMD level.
// C headers only: a C++ library symbol compiled for a newer level must not be linked into an older one.

#include <string.h>

#include "core/exp_terms.hpp"
#include "core/level_names.hpp"

namespace fewest {
namespace FEWEST_LEVEL {

// Every level adds and multiplies the same numbers in the same order.
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

/// x becomes exp(x), to about two units in the last place, for -707 <= x <= 0.
static inline void exponentiate(Four& x) {
    typedef long long Bits __attribute__((vector_size(32)));
    // x = k log 2 + r, |r| <= log(2) / 2: adding 1.5 * 2^52 rounds to the whole number k and leaves it in the low bits.
    constexpr double magic = 6755399441055744.0;
    const Four shifted = x * 1.4426950408889634 + magic;
    const Four k = shifted - magic;
    const Four r = (x - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33;
    Four sum = r * exp_terms[0] + exp_terms[1];
#pragma GCC unroll 12
    for (size_t term = 2; term < n_exp_terms; ++term) sum = sum * r + exp_terms[term];
    Bits bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52;
    memcpy(&x, &bits, sizeof x);
    x *= sum;
}

}  // namespace FEWEST_LEVEL
}  // namespace fewest
