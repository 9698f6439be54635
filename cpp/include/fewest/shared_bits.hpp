#pragma once
// How many bits two runs of words have in common, compiled once for each SIMD level.
// C headers only: a C++ library symbol compiled for a newer level must not be linked into an older one.

#include <stddef.h>
#include <stdint.h>

namespace fewest {

using SharedBits = uint64_t (*)(const uint64_t* x, const uint64_t* y, size_t n_words);

extern const SharedBits shared_bits_base;
#if defined(FEWEST_X86_LEVELS)
extern const SharedBits shared_bits_v2;
extern const SharedBits shared_bits_v3;
#endif

/// Of the level in use (accumulate_rows.hpp).
SharedBits shared_bits();

}  // namespace fewest
