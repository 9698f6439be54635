#pragma once
// How many bits of a word are set, for sources that are compiled once for each SIMD level.

#include <stdint.h>

namespace fewest {
// Without a name: each level's source has a copy of its own.
namespace {

inline uint64_t bits_of_word(uint64_t word) {
#if defined(__POPCNT__) || !defined(__x86_64__)
    return static_cast<uint64_t>(__builtin_popcountll(word));
#else
    // Without the instruction: sums of pairs of bits, of fours, of bytes, and of all bytes by a product.
    word -= (word >> 1) & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + ((word >> 2) & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (word * 0x0101010101010101u) >> 56;
#endif
}

}  // namespace
}  // namespace fewest
