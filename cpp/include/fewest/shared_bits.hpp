#pragma once
// How many bits runs of words have in common, compiled once for each SIMD level.
// C headers only: a C++ library symbol compiled for a newer level must not be linked into an older one.

#include <stddef.h>
#include <stdint.h>

namespace fewest {

/// counts[i * n_y + j] += the bits that x + i * stride and y + j * stride have in common in their first n_words.
using SharedBits = void (*)(const uint64_t* x, size_t n_x, const uint64_t* y, size_t n_y, size_t n_words, size_t stride,
                            int64_t* counts);

extern const SharedBits shared_bits_base;
#if defined(FEWEST_X86_LEVELS)
extern const SharedBits shared_bits_v2;
extern const SharedBits shared_bits_v3;
extern const SharedBits shared_bits_v4;
#endif

/// Of the level in use (accumulate_rows.hpp).
SharedBits shared_bits();

}  // namespace fewest
