// Compiled once for each SIMD level, with FEWEST_LEVEL naming it. See byte_rows.hpp.

#include "information/byte_rows.hpp"
#include "core/level_names.hpp"

#include <string.h>

#include "core/word_bits.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace fewest {
namespace FEWEST_LEVEL {

static inline uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Each loop is simple enough for the compiler to widen it.

static inline void widen_range(const uint8_t* __restrict bytes, size_t first, size_t n_columns,
                               uint8_t* __restrict lowest, uint8_t* __restrict highest_next) {
    for (size_t i = first; i < n_columns; ++i) {
        const uint8_t next = static_cast<uint8_t>(bytes[i] + 1);  // of a missing value 0
        lowest[i] = bytes[i] < lowest[i] ? bytes[i] : lowest[i];
        highest_next[i] = next > highest_next[i] ? next : highest_next[i];
    }
}

/// Whole numbers, where nothing is missing, from the first-th on.
template <class T>
static inline void wholes_to_bytes(const T* __restrict row, size_t first, size_t n_columns,
                                   const int64_t* __restrict base, const double* __restrict shift, const ByteSums& sums,
                                   uint8_t* __restrict out) {
    uint64_t* __restrict const bits = sums.bits;
    for (size_t i = first; i < n_columns; ++i) {
        const uint64_t difference = static_cast<uint64_t>(row[i]) - static_cast<uint64_t>(base[i]);
        // The largest of unsigned numbers would pass for negative ones.
        const bool is_huge = static_cast<T>(-1) > 0 && static_cast<uint64_t>(row[i]) >> 63;
        const bool fits = difference < misfit_byte && !is_huge;
        out[i] = fits ? static_cast<uint8_t>(difference) : misfit_byte;
        // Small and exact: so no conversion of long integers is needed, which older levels do one at a time.
        bits[i] += bits_of(shift[i] + static_cast<double>(static_cast<int32_t>(difference & 255)));
    }
    widen_range(out, first, n_columns, sums.lowest, sums.highest_next);
}

template <class T>
static void row_to_bytes(const T* row, size_t n_columns, const int64_t* base, const double* shift, const ByteSums& sums,
                         uint8_t* out) {
    wholes_to_bytes(row, 0, n_columns, base, shift, sums, out);
}

#if defined(__AVX2__)

/// The differences of eight numbers from their bases, at most misfit_byte, as words of 32 bits.
static inline __m256i eight_differences(const int64_t* row, const int64_t* base) {
    const auto difference = [&](size_t i) {
        return _mm256_castsi256_ps(_mm256_sub_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + i)),
                                                    _mm256_loadu_si256(reinterpret_cast<const __m256i*>(base + i))));
    };
    const __m256 first = difference(0), second = difference(4);
    const __m256i most = _mm256_set1_epi32(misfit_byte);
    const __m256i low = _mm256_castps_si256(_mm256_shuffle_ps(first, second, 0x88));
    const __m256i high = _mm256_castps_si256(_mm256_shuffle_ps(first, second, 0xdd));
    const __m256i is_short = _mm256_cmpeq_epi32(high, _mm256_setzero_si256());
    const __m256i capped = _mm256_blendv_epi8(most, _mm256_min_epu32(low, most), is_short);
    return _mm256_permute4x64_epi64(capped, 0xd8);
}

static inline void add_bits_of_four(__m128i differences, const double* shift, uint64_t* bits) {
    const __m256d values = _mm256_add_pd(_mm256_cvtepi32_pd(differences), _mm256_loadu_pd(shift));
    __m256i* const sums = reinterpret_cast<__m256i*>(bits);
    _mm256_storeu_si256(sums, _mm256_add_epi64(_mm256_loadu_si256(sums), _mm256_castpd_si256(values)));
}

/// The integers that most tables hold, 32 at a time.
template <>
void row_to_bytes<int64_t>(const int64_t* row, size_t n_columns, const int64_t* base, const double* shift,
                           const ByteSums& sums, uint8_t* out) {
    const size_t n_wide = n_columns / 32 * 32;
    for (size_t at = 0; at < n_wide; at += 32) {
        __m256i eights[4];
        for (size_t i = 0; i < 4; ++i) {
            const size_t first = at + 8 * i;
            eights[i] = eight_differences(row + first, base + first);
            add_bits_of_four(_mm256_castsi256_si128(eights[i]), shift + first, sums.bits + first);
            add_bits_of_four(_mm256_extracti128_si256(eights[i], 1), shift + first + 4, sums.bits + first + 4);
        }
        const __m256i packed =
            _mm256_packus_epi16(_mm256_packus_epi32(eights[0], eights[1]), _mm256_packus_epi32(eights[2], eights[3]));
        const __m256i bytes = _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
        __m256i* const lowest = reinterpret_cast<__m256i*>(sums.lowest + at);
        __m256i* const highest_next = reinterpret_cast<__m256i*>(sums.highest_next + at);
        _mm256_storeu_si256(lowest, _mm256_min_epu8(_mm256_loadu_si256(lowest), bytes));
        _mm256_storeu_si256(highest_next, _mm256_max_epu8(_mm256_loadu_si256(highest_next),
                                                          _mm256_add_epi8(bytes, _mm256_set1_epi8(1))));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + at), bytes);
    }
    wholes_to_bytes(row, n_wide, n_columns, base, shift, sums, out);
}

#endif

static inline void count_missing(const uint8_t* __restrict bytes, size_t n_columns, uint8_t* __restrict missing) {
    for (size_t i = 0; i < n_columns; ++i) missing[i] = static_cast<uint8_t>(missing[i] + (bytes[i] == missing_byte));
}

/// Numbers that may be fractions or missing, from the first-th on.
template <class T>
static inline void numbers_to_bytes(const T* __restrict row, size_t first, size_t n_columns,
                                    const double* __restrict shift, uint64_t* __restrict bits,
                                    uint8_t* __restrict out) {
    for (size_t i = first; i < n_columns; ++i) {
        const double value = static_cast<double>(row[i]);
        const double difference = value - shift[i];
        const bool is_missing = value != value;
        const bool is_small = difference >= 0 && difference < misfit_byte;  // others, and NaN, cannot be cast
        const int32_t whole = static_cast<int32_t>(is_small ? difference : 0.5);
        // By its bits: a negative zero is no byte, since it would come back as zero.
        const bool fits = is_small && bits_of(static_cast<double>(whole) + shift[i]) == bits_of(value);
        bits[i] += is_missing ? 0 : bits_of(value);
        out[i] = is_missing ? missing_byte : fits ? static_cast<uint8_t>(whole) : misfit_byte;
    }
}

template <class T>
static void fractions_to_bytes(const T* row, size_t n_columns, const int64_t*, const double* shift,
                               const ByteSums& sums, uint8_t* out) {
    numbers_to_bytes(row, 0, n_columns, shift, sums.bits, out);
    count_missing(out, n_columns, sums.missing);
    widen_range(out, 0, n_columns, sums.lowest, sums.highest_next);
}

#if defined(__AVX2__)

/// The bytes of four doubles, as words of 32 bits; adds up their bits.
static inline __m128i four_bytes(const double* row, const double* shift, uint64_t* bits) {
    const __m256d value = _mm256_loadu_pd(row), origin = _mm256_loadu_pd(shift);
    const __m256i is_missing = _mm256_castpd_si256(_mm256_cmp_pd(value, value, _CMP_UNORD_Q));
    // What cannot be cast becomes the least of all integers, which is no byte either.
    const __m128i whole = _mm256_cvttpd_epi32(_mm256_sub_pd(value, origin));
    const __m256d back = _mm256_add_pd(_mm256_cvtepi32_pd(whole), origin);
    const __m256i is_whole = _mm256_cmpeq_epi64(_mm256_castpd_si256(back), _mm256_castpd_si256(value));
    __m256i* const sum = reinterpret_cast<__m256i*>(bits);
    _mm256_storeu_si256(
        sum, _mm256_add_epi64(_mm256_loadu_si256(sum), _mm256_andnot_si256(is_missing, _mm256_castpd_si256(value))));
    const auto halved = [](__m256i mask) {
        return _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(_mm256_castsi256_si128(mask)),
                                               _mm_castsi128_ps(_mm256_extracti128_si256(mask, 1)), 0x88));
    };
    const __m128i misfit = _mm_set1_epi32(misfit_byte);
    const __m128i byte = _mm_blendv_epi8(misfit, _mm_min_epu32(whole, misfit), halved(is_whole));
    return _mm_blendv_epi8(byte, _mm_set1_epi32(missing_byte), halved(is_missing));
}

template <>
void fractions_to_bytes<double>(const double* row, size_t n_columns, const int64_t*, const double* shift,
                                const ByteSums& sums, uint8_t* out) {
    const size_t n_wide = n_columns / 16 * 16;
    for (size_t at = 0; at < n_wide; at += 16) {
        __m128i fours[4];
        for (size_t i = 0; i < 4; ++i)
            fours[i] = four_bytes(row + at + 4 * i, shift + at + 4 * i, sums.bits + at + 4 * i);
        const __m128i bytes =
            _mm_packus_epi16(_mm_packus_epi32(fours[0], fours[1]), _mm_packus_epi32(fours[2], fours[3]));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + at), bytes);
    }
    numbers_to_bytes(row, n_wide, n_columns, shift, sums.bits, out);
    count_missing(out, n_columns, sums.missing);
    widen_range(out, 0, n_columns, sums.lowest, sums.highest_next);
}

#endif

#if defined(__SSE2__)

/// A square of 16 by 16 bytes: four times the first eight lines are interleaved with the last eight.
static inline void turn_square(const uint8_t* from, size_t from_stride, uint8_t* to, ptrdiff_t to_stride) {
    __m128i lines[16], mixed[16];
    for (size_t i = 0; i < 16; ++i)
        lines[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * from_stride));
    for (int round = 0; round < 4; ++round) {
        for (size_t i = 0; i < 8; ++i) {
            mixed[2 * i] = _mm_unpacklo_epi8(lines[i], lines[i + 8]);
            mixed[2 * i + 1] = _mm_unpackhi_epi8(lines[i], lines[i + 8]);
        }
        for (size_t i = 0; i < 16; ++i) lines[i] = mixed[i];
    }
    for (ptrdiff_t i = 0; i < 16; ++i) _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i * to_stride), lines[i]);
}

#endif

static void turn(const uint8_t* from, size_t n_rows, size_t n_columns, size_t from_stride, uint8_t* to,
                 ptrdiff_t to_stride) {
    size_t n_turned = 0;
#if defined(__SSE2__)
    n_turned = n_rows / 16 * 16;
    for (size_t column = 0; column < n_columns; column += 16) {
        uint8_t* const out = to + static_cast<ptrdiff_t>(column) * to_stride;
        if (column + 16 <= n_columns) {
            for (size_t row = 0; row < n_turned; row += 16)
                turn_square(from + row * from_stride + column, from_stride, out + row, to_stride);
        } else {
            for (size_t i = 0; column + i < n_columns; ++i)
                for (size_t row = 0; row < n_turned; ++row)
                    out[static_cast<ptrdiff_t>(i) * to_stride + static_cast<ptrdiff_t>(row)] =
                        from[row * from_stride + column + i];
        }
    }
#endif
    for (size_t column = 0; column < n_columns; ++column)
        for (size_t row = n_turned; row < n_rows; ++row)
            to[static_cast<ptrdiff_t>(column) * to_stride + static_cast<ptrdiff_t>(row)] =
                from[row * from_stride + column];
}

/// 64 bytes, to be compared with one after the other.
struct Run {
#if defined(__AVX2__)
    __m256i parts[2];
    explicit Run(const uint8_t* bytes) {
        for (int i = 0; i < 2; ++i) parts[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes) + i);
    }
    uint64_t bits_where(uint8_t wanted) const {
        const __m256i pattern = _mm256_set1_epi8(static_cast<char>(wanted));
        uint64_t bits = 0;
        for (int i = 0; i < 2; ++i) {
            const int equal = _mm256_movemask_epi8(_mm256_cmpeq_epi8(parts[i], pattern));
            bits |= static_cast<uint64_t>(static_cast<uint32_t>(equal)) << (32 * i);
        }
        return bits;
    }
#elif defined(__SSE2__)
    __m128i parts[4];
    explicit Run(const uint8_t* bytes) {
        for (int i = 0; i < 4; ++i) parts[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes) + i);
    }
    uint64_t bits_where(uint8_t wanted) const {
        const __m128i pattern = _mm_set1_epi8(static_cast<char>(wanted));
        uint64_t bits = 0;
        for (int i = 0; i < 4; ++i) {
            const int equal = _mm_movemask_epi8(_mm_cmpeq_epi8(parts[i], pattern));
            bits |= static_cast<uint64_t>(static_cast<uint32_t>(equal)) << (16 * i);
        }
        return bits;
    }
#else
    const uint8_t* bytes;
    explicit Run(const uint8_t* first) : bytes(first) {}
    uint64_t bits_where(uint8_t wanted) const {
        uint64_t bits = 0;
        for (int i = 0; i < 64; ++i) bits |= static_cast<uint64_t>(bytes[i] == wanted) << i;
        return bits;
    }
#endif
};

static void to_planes(const uint8_t* bytes, size_t n_words, uint8_t first_wanted, size_t n_wanted, size_t n_planes,
                      size_t stride, uint64_t* planes, int64_t* counts) {
    for (size_t word = 0; word < n_words; ++word) {
        const Run run(bytes + 64 * word);
        for (size_t i = 0; i < n_wanted; ++i) {
            const uint64_t bits = run.bits_where(static_cast<uint8_t>(first_wanted + i));
            counts[i] += static_cast<int64_t>(bits_of_word(bits));
            if (i < n_planes) planes[i * stride + word] = bits;
        }
    }
}

static void to_bits(const uint8_t* bytes, size_t n_planes, uint64_t* words) {
#if defined(__SSE2__)
    for (size_t plane = 0; plane < n_planes; ++plane) words[plane] = 0;
    for (size_t i = 0; i < 4; ++i) {
        const __m128i run = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes) + i);
        for (size_t plane = 0; plane < n_planes; ++plane) {
            // The highest bit of each byte is what is collected.
            const int top = _mm_movemask_epi8(_mm_sll_epi16(run, _mm_cvtsi32_si128(7 - static_cast<int>(plane))));
            words[plane] |= static_cast<uint64_t>(static_cast<uint32_t>(top)) << (16 * i);
        }
    }
#else
    for (size_t plane = 0; plane < n_planes; ++plane) {
        words[plane] = 0;
        for (size_t i = 0; i < 64; ++i) words[plane] |= static_cast<uint64_t>(bytes[i] >> plane & 1) << i;
    }
#endif
}

#if defined(__AVX2__)

/// Masks of 4 times 64 bits, eight of them, as bytes: those of the first and second of each four, then the others.
static inline __m256i narrowed(const __m256i* masks) {
    const auto pair = [&](int i) { return _mm256_packs_epi32(masks[i], masks[i + 1]); };
    return _mm256_packs_epi16(_mm256_packs_epi32(pair(0), pair(2)), _mm256_packs_epi32(pair(4), pair(6)));
}

#endif

static void count_exceeded(const double* values, size_t n_values, const double* limits, size_t n_limits, uint8_t* to) {
    size_t n_done = 0;
#if defined(__AVX2__)
    for (; n_done + 32 <= n_values; n_done += 32) {
        __m256d four[8];
        for (size_t i = 0; i < 8; ++i) four[i] = _mm256_loadu_pd(values + n_done + 4 * i);
        __m256i masks[8], counts = _mm256_setzero_si256();
        for (size_t limit = 0; limit < n_limits; ++limit) {
            const __m256d bound = _mm256_set1_pd(limits[limit]);
            for (size_t i = 0; i < 8; ++i) masks[i] = _mm256_castpd_si256(_mm256_cmp_pd(four[i], bound, _CMP_GT_OQ));
            counts = _mm256_sub_epi8(counts, narrowed(masks));  // a mask is -1
        }
        for (size_t i = 0; i < 8; ++i) masks[i] = _mm256_castpd_si256(_mm256_cmp_pd(four[i], four[i], _CMP_UNORD_Q));
        counts = _mm256_or_si256(counts, narrowed(masks));
        const __m128i first = _mm256_castsi256_si128(counts), second = _mm256_extracti128_si256(counts, 1);
        __m128i* const out = reinterpret_cast<__m128i*>(to + n_done);
        _mm_storeu_si128(out, _mm_unpacklo_epi16(first, second));
        _mm_storeu_si128(out + 1, _mm_unpackhi_epi16(first, second));
    }
#endif
    for (size_t i = n_done; i < n_values; ++i) {
        uint8_t count = 0;
        for (size_t limit = 0; limit < n_limits; ++limit)
            count = static_cast<uint8_t>(count + (values[i] > limits[limit]));
        to[i] = values[i] != values[i] ? missing_byte : count;
    }
}

}  // namespace FEWEST_LEVEL

const ByteKernels FEWEST_JOIN(byte_kernels_, FEWEST_LEVEL) = {
    FEWEST_LEVEL::fractions_to_bytes<double>,
    FEWEST_LEVEL::fractions_to_bytes<float>,
    FEWEST_LEVEL::row_to_bytes<int64_t>,
    FEWEST_LEVEL::row_to_bytes<uint64_t>,
    FEWEST_LEVEL::row_to_bytes<int32_t>,
    FEWEST_LEVEL::row_to_bytes<uint32_t>,
    FEWEST_LEVEL::row_to_bytes<int16_t>,
    FEWEST_LEVEL::row_to_bytes<uint16_t>,
    FEWEST_LEVEL::row_to_bytes<int8_t>,
    FEWEST_LEVEL::row_to_bytes<uint8_t>,
    FEWEST_LEVEL::turn,
    FEWEST_LEVEL::to_planes,
    FEWEST_LEVEL::to_bits,
    FEWEST_LEVEL::count_exceeded,
};

}  // namespace fewest
