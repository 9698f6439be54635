#pragma once
// How many bits runs of words have in common, compiled once for each SIMD level.
// C headers only: a C++ library symbol compiled for a newer level must not be linked into an older one.

#include <stddef.h>
#include <stdint.h>

namespace fewest {

/// counts[i * n_y + j] += the bits that x + i * stride and y + j * stride have in common in their first n_words.
using SharedBits = void (*)(const uint64_t* x, size_t n_x, const uint64_t* y, size_t n_y, size_t n_words, size_t stride,
                            int64_t* counts);

/// A column of categories as bits, without those of the last category: its rows are what the others leave.
struct CategoryPlanes {
    const uint64_t* planes;  ///< [category][word], stride words apart
    size_t n_planes;
    const int64_t* counts;  ///< rows in each category, the last one too
};

/// The sum, over all pairs of categories of x and y, of known[the rows in both]. At most 15 planes each.
using SumOverCells = int64_t (*)(const CategoryPlanes& x, const CategoryPlanes& y, size_t n_words,
                                 const int64_t* known);

/// Sums over the cells of three columns, and over those of the first two.
struct CategorySums {
    int64_t of_triples, of_pairs;
};

/// Where y is the joint column of two, its category b * n_last + c being b of the one and c of the other: the sum over all
/// cells of x and both of known[the rows in it], and that over the cells of x and the first. At most 15 and 127 planes.
using SumOverTriples = CategorySums (*)(const CategoryPlanes& x, const CategoryPlanes& y, size_t n_last, size_t n_words,
                                        const int64_t* known);

struct BitKernels {
    SharedBits shared_bits;
    SumOverCells sum_over_cells;
    SumOverTriples sum_over_triples;
};

extern const BitKernels bit_kernels_base;
#if defined(FEWEST_X86_LEVELS)
extern const BitKernels bit_kernels_v2;
extern const BitKernels bit_kernels_v3;
extern const BitKernels bit_kernels_v4;
#endif

/// Of the level in use (accumulate_rows.hpp).
const BitKernels& bit_kernels();

}  // namespace fewest
