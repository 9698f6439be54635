// Compiled once for each SIMD level, with FEWEST_LEVEL naming it. See shared_bits.hpp.

#include "fewest/shared_bits.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define FEWEST_JOIN_(a, b) a##b
#define FEWEST_JOIN(a, b) FEWEST_JOIN_(a, b)

namespace fewest {
namespace FEWEST_LEVEL {

static inline uint64_t bits_of(uint64_t word) {
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

#if defined(__AVX2__)

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

static uint64_t shared_bits(const uint64_t* x, const uint64_t* y, size_t n_words) {
    uint64_t count = 0;
    size_t word = 0;
#if defined(__AVX2__)
    if (n_words >= 128) {
        word = n_words / 64 * 64;
        count = shared_bits_of_long_runs(x, y, word);
    }
#endif
    for (; word < n_words; ++word) count += bits_of(x[word] & y[word]);
    return count;
}

}  // namespace FEWEST_LEVEL

const SharedBits FEWEST_JOIN(shared_bits_, FEWEST_LEVEL) = FEWEST_LEVEL::shared_bits;

}  // namespace fewest
