#pragma once
// Bits of words, also for sources that are compiled once for each SIMD level.

#include <stddef.h>
#include <stdint.h>

namespace fewest {
// Without a name: each level's source has a copy of its own.
namespace {

/// How many bits are set.
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

/// Puts up to 64 bits behind the first `at` bits of a line, whose last word has no others yet. Bits beyond n_bits are not set.
inline void append_bits(uint64_t* line, size_t at, uint64_t bits, size_t n_bits) {
    const size_t word = at / 64, offset = at % 64;
    if (offset == 0) {
        line[word] = bits;
        return;
    }
    line[word] |= bits << offset;
    if (offset + n_bits > 64) line[word + 1] = bits >> (64 - offset);
}

}  // namespace
}  // namespace fewest
