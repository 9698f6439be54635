// Compiled once for each SIMD level, with FEWEST_LEVEL naming it. See shared_bits.hpp.

#include "information/shared_bits.hpp"
#include "core/level_names.hpp"
#include "core/word_bits.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace fewest {
namespace FEWEST_LEVEL {

// Words taken at a time: runs of this length of all x and y stay in the nearest cache.
constexpr size_t words_at_once = 256;

#if defined(__AVX2__) && !defined(__AVX512VPOPCNTDQ__)

/// The bits of each byte, by two look-ups of four bits.
static inline __m256i bits_of_bytes(__m256i x) {
    const __m256i of_four = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                             0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15);
    const __m256i lower = _mm256_shuffle_epi8(of_four, _mm256_and_si256(x, low));
    const __m256i upper = _mm256_shuffle_epi8(of_four, _mm256_and_si256(_mm256_srli_epi16(x, 4), low));
    return _mm256_add_epi8(lower, upper);
}

static inline __m256i bits_of_words(__m256i x) { return _mm256_sad_epu8(bits_of_bytes(x), _mm256_setzero_si256()); }

/// Adds three bits in every place: `sum` gets the ones, the result are the twos.
static inline __m256i carry(__m256i& sum, __m256i x, __m256i y) {
    const __m256i differs = _mm256_xor_si256(sum, x);
    const __m256i twos = _mm256_or_si256(_mm256_and_si256(sum, x), _mm256_and_si256(differs, y));
    sum = _mm256_xor_si256(differs, y);
    return twos;
}

/// Harley and Seal's count: sixteen vectors are added bit by bit to one of sixteens, whose bits alone are counted.
static inline uint64_t shared_bits_of_long_runs(const uint64_t* x, const uint64_t* y, size_t n_words) {
    __m256i total = _mm256_setzero_si256(), ones = total, twos = total, fours = total, eights = total;
    const auto both = [&](size_t i) {
        return _mm256_and_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x) + i),
                                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(y) + i));
    };
    for (size_t i = 0; i < n_words / 4; i += 16) {
        __m256i four[2], eight[2];
        for (size_t half = 0; half < 2; ++half) {
            for (size_t quarter = 0; quarter < 2; ++quarter) {
                const size_t at = i + 8 * half + 4 * quarter;
                const __m256i two = carry(ones, both(at), both(at + 1));
                four[quarter] = carry(twos, two, carry(ones, both(at + 2), both(at + 3)));
            }
            eight[half] = carry(fours, four[0], four[1]);
        }
        total = _mm256_add_epi64(total, bits_of_words(carry(eights, eight[0], eight[1])));
    }
    total = _mm256_slli_epi64(total, 4);
    total = _mm256_add_epi64(total, _mm256_slli_epi64(bits_of_words(eights), 3));
    total = _mm256_add_epi64(total, _mm256_slli_epi64(bits_of_words(fours), 2));
    total = _mm256_add_epi64(total, _mm256_slli_epi64(bits_of_words(twos), 1));
    total = _mm256_add_epi64(total, bits_of_words(ones));
    uint64_t words[4];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(words), total);
    return words[0] + words[1] + words[2] + words[3];
}

#endif

#if defined(__AVX512VPOPCNTDQ__)

static inline __m512i bits_of_both(__mmask8 which, const uint64_t* x, const uint64_t* y) {
    return _mm512_popcnt_epi64(
        _mm512_and_si512(_mm512_maskz_loadu_epi64(which, x), _mm512_maskz_loadu_epi64(which, y)));
}

/// The sums of four vectors of words, side by side.
static inline __m256i sums_of(const __m512i* four) {
    __m256i halves[4];
    for (int i = 0; i < 4; ++i)
        halves[i] = _mm256_add_epi64(_mm512_castsi512_si256(four[i]), _mm512_extracti64x4_epi64(four[i], 1));
    const __m256i low =
        _mm256_add_epi64(_mm256_unpacklo_epi64(halves[0], halves[1]), _mm256_unpackhi_epi64(halves[0], halves[1]));
    const __m256i high =
        _mm256_add_epi64(_mm256_unpacklo_epi64(halves[2], halves[3]), _mm256_unpackhi_epi64(halves[2], halves[3]));
    return _mm256_add_epi64(_mm256_permute2x128_si256(low, high, 0x20), _mm256_permute2x128_si256(low, high, 0x31));
}

/// Eight words an instruction, four counts at a time.
static void shared_bits(const uint64_t* x, size_t n_x, const uint64_t* y, size_t n_y, size_t n_words, size_t stride,
                        int64_t* counts) {
    for (size_t first = 0; first < n_words; first += words_at_once) {
        const size_t end = n_words - first < words_at_once ? n_words : first + words_at_once;
        size_t of_pair_x = 0, of_pair_y = 0;
        for (size_t at = 0; at < n_x * n_y; at += 4) {
            const uint64_t* of_x[4];
            const uint64_t* of_y[4];
            for (size_t i = 0; i < 4; ++i) {
                of_x[i] = x + of_pair_x * stride;
                of_y[i] = y + of_pair_y * stride;
                // Past the last pair it is counted again, for nothing.
                if (at + i + 1 >= n_x * n_y) continue;
                const bool is_last = ++of_pair_y == n_y;
                of_pair_x += is_last;
                of_pair_y = is_last ? 0 : of_pair_y;
            }
            __m512i total[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
                                _mm512_setzero_si512()};
            size_t word = first;
            for (; word + 8 <= end; word += 8)
                for (int i = 0; i < 4; ++i)
                    total[i] = _mm512_add_epi64(total[i], bits_of_both(255, of_x[i] + word, of_y[i] + word));
            if (word < end) {
                const auto rest = static_cast<__mmask8>((1 << (end - word)) - 1);
                for (int i = 0; i < 4; ++i)
                    total[i] = _mm512_add_epi64(total[i], bits_of_both(rest, of_x[i] + word, of_y[i] + word));
            }
            alignas(32) int64_t sums[4];
            _mm256_store_si256(reinterpret_cast<__m256i*>(sums), sums_of(total));
            for (size_t i = 0; i < 4 && at + i < n_x * n_y; ++i) counts[at + i] += sums[i];
        }
    }
}

#else

static inline uint64_t bits_in_both(const uint64_t* x, const uint64_t* y, size_t n_words) {
    uint64_t count = 0;
    size_t word = 0;
#if defined(__AVX2__)
    if (n_words >= 128) {
        word = n_words / 64 * 64;
        count = shared_bits_of_long_runs(x, y, word);
    }
#endif
    for (; word < n_words; ++word) count += bits_of_word(x[word] & y[word]);
    return count;
}

static void shared_bits(const uint64_t* x, size_t n_x, const uint64_t* y, size_t n_y, size_t n_words, size_t stride,
                        int64_t* counts) {
    for (size_t first = 0; first < n_words; first += words_at_once) {
        const size_t n_now = n_words - first < words_at_once ? n_words - first : words_at_once;
        for (size_t i = 0; i < n_x; ++i)
            for (size_t j = 0; j < n_y; ++j)
                counts[i * n_y + j] +=
                    static_cast<int64_t>(bits_in_both(x + i * stride + first, y + j * stride + first, n_now));
    }
}

#endif

// Up to this number of words a pair is counted in place; a call for all pairs at once would take longer.
constexpr size_t few_words = 16;

/// Zero stands for a number that is known only now.
template <size_t Nx, size_t Ny>
static inline int64_t sum_over_cells_of(const CategoryPlanes& x, const CategoryPlanes& y, size_t n_words,
                                        const int64_t* known) {
    const size_t n_x = Nx > 0 ? Nx : x.n_planes, n_y = Ny > 0 ? Ny : y.n_planes;
    int64_t both[15 * 15], left_of_y[16];
    for (size_t j = 0; j <= n_y; ++j) left_of_y[j] = y.counts[j];
    if (n_words > few_words) {
        for (size_t i = 0; i < n_x * n_y; ++i) both[i] = 0;
        shared_bits(x.planes, n_x, y.planes, n_y, n_words, n_words, both);
    }
    int64_t sum = 0;
    for (size_t i = 0; i < n_x; ++i) {
        int64_t left = x.counts[i];
        for (size_t j = 0; j < n_y; ++j) {
            int64_t cell = both[i * n_y + j];
            if (n_words <= few_words) {
                uint64_t count = 0;
                for (size_t word = 0; word < n_words; ++word)
                    count += bits_of_word(x.planes[i * n_words + word] & y.planes[j * n_words + word]);
                cell = static_cast<int64_t>(count);
            }
            sum += known[cell];
            left -= cell;
            left_of_y[j] -= cell;
        }
        sum += known[left];
        left_of_y[n_y] -= left;
    }
    for (size_t j = 0; j <= n_y; ++j) sum += known[left_of_y[j]];
    return sum;
}

/// Two and three categories, which most columns have, are known beforehand.
static int64_t sum_over_cells(const CategoryPlanes& x, const CategoryPlanes& y, size_t n_words, const int64_t* known) {
    if (x.n_planes == 2 && y.n_planes == 2) return sum_over_cells_of<2, 2>(x, y, n_words, known);
    if (x.n_planes == 1 && y.n_planes == 2) return sum_over_cells_of<1, 2>(x, y, n_words, known);
    if (x.n_planes == 2 && y.n_planes == 1) return sum_over_cells_of<2, 1>(x, y, n_words, known);
    if (x.n_planes == 1 && y.n_planes == 1) return sum_over_cells_of<1, 1>(x, y, n_words, known);
    return sum_over_cells_of<0, 0>(x, y, n_words, known);
}

/// Adds one category of x: its cells with all of y, n_last of which are one category of the first column.
template <size_t NLast>
static inline void add_line(const int64_t* cells, size_t n_cells, size_t n_last, const int64_t* known,
                            CategorySums& sums) {
    const size_t width = NLast > 0 ? NLast : n_last;
    for (size_t j = 0; j < n_cells; j += width) {
        int64_t of_pair = 0;
        for (size_t c = 0; c < width; ++c) {
            sums.of_triples += known[cells[j + c]];
            of_pair += cells[j + c];
        }
        sums.of_pairs += known[of_pair];
    }
}

template <size_t Nx, size_t Ny, size_t NLast>
static inline CategorySums sum_over_triples_of(const CategoryPlanes& x, const CategoryPlanes& y, size_t n_last,
                                               size_t n_words, const int64_t* known) {
    const size_t n_x = Nx > 0 ? Nx : x.n_planes, n_y = Ny > 0 ? Ny : y.n_planes;
    int64_t both[15 * 127], line[128], left_of_y[128];
    for (size_t j = 0; j <= n_y; ++j) left_of_y[j] = y.counts[j];
    if (n_words > few_words) {
        for (size_t i = 0; i < n_x * n_y; ++i) both[i] = 0;
        shared_bits(x.planes, n_x, y.planes, n_y, n_words, n_words, both);
    }
    CategorySums sums = {0, 0};
    for (size_t i = 0; i < n_x; ++i) {
        int64_t left = x.counts[i];
        for (size_t j = 0; j < n_y; ++j) {
            int64_t cell = 0;
            if (n_words > few_words) {
                cell = both[i * n_y + j];
            } else {
                uint64_t count = 0;
                for (size_t word = 0; word < n_words; ++word)
                    count += bits_of_word(x.planes[i * n_words + word] & y.planes[j * n_words + word]);
                cell = static_cast<int64_t>(count);
            }
            line[j] = cell;
            left -= cell;
            left_of_y[j] -= cell;
        }
        line[n_y] = left;
        left_of_y[n_y] -= left;
        add_line<NLast>(line, n_y + 1, n_last, known, sums);
    }
    add_line<NLast>(left_of_y, n_y + 1, n_last, known, sums);
    return sums;
}

/// Two and three categories and two classes, which most tables have, are known beforehand.
static CategorySums sum_over_triples(const CategoryPlanes& x, const CategoryPlanes& y, size_t n_last, size_t n_words,
                                     const int64_t* known) {
    if (x.n_planes == 2 && y.n_planes == 5 && n_last == 2)
        return sum_over_triples_of<2, 5, 2>(x, y, n_last, n_words, known);
    if (x.n_planes == 1 && y.n_planes == 3 && n_last == 2)
        return sum_over_triples_of<1, 3, 2>(x, y, n_last, n_words, known);
    if (n_last == 2) return sum_over_triples_of<0, 0, 2>(x, y, n_last, n_words, known);
    return sum_over_triples_of<0, 0, 0>(x, y, n_last, n_words, known);
}

}  // namespace FEWEST_LEVEL

const BitKernels FEWEST_JOIN(bit_kernels_, FEWEST_LEVEL) = {FEWEST_LEVEL::shared_bits, FEWEST_LEVEL::sum_over_cells,
                                                            FEWEST_LEVEL::sum_over_triples};

}  // namespace fewest
