// Compiled once for each SIMD level, with FEWEST_LEVEL naming it. See byte_rows.hpp.

#include "fewest/byte_rows.hpp"

#include <string.h>

#include "fewest/word_bits.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define FEWEST_JOIN_(a, b) a##b
#define FEWEST_JOIN(a, b) FEWEST_JOIN_(a, b)

namespace fewest {
namespace FEWEST_LEVEL {

static inline uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/// Not zero unless the difference is from 0 to 253.
static inline uint64_t beyond_a_byte(uint64_t difference) { return (difference | (difference + 2)) >> 8; }

/// What is the same for all types, once the bytes are there: the range.
static inline void widen_range(const uint8_t* __restrict bytes, size_t n_columns, uint8_t* __restrict lowest,
                               uint8_t* __restrict highest_next) {
    for (size_t i = 0; i < n_columns; ++i) {
        const uint8_t next = static_cast<uint8_t>(bytes[i] + 1);  // of a missing value 0
        lowest[i] = bytes[i] < lowest[i] ? bytes[i] : lowest[i];
        highest_next[i] = next > highest_next[i] ? next : highest_next[i];
    }
}

/// Whole numbers, where nothing is missing. Each loop is simple enough for the compiler to widen it.
template <class T>
static void row_to_bytes(const T* __restrict row, size_t n_columns, const int64_t* __restrict base, uint64_t key,
                         const ByteSums& sums, uint8_t* __restrict out) {
    uint64_t* __restrict const misfits = sums.misfits;
    uint64_t* __restrict const checksum = sums.checksum;
    for (size_t i = 0; i < n_columns; ++i) {
        const uint64_t difference = static_cast<uint64_t>(row[i]) - static_cast<uint64_t>(base[i]);
        misfits[i] |= beyond_a_byte(difference);
        // The largest of unsigned numbers would pass for negative ones.
        if (static_cast<T>(-1) > 0) misfits[i] |= static_cast<uint64_t>(row[i]) >> 63;
        // Small and exact: so no conversion of long integers is needed, which older levels do one at a time.
        const double value = static_cast<double>(static_cast<int32_t>(base[i])) + static_cast<double>(static_cast<int32_t>(difference & 255));
        checksum[i] += bits_of(value) * key;
        out[i] = static_cast<uint8_t>(difference);
    }
    widen_range(out, n_columns, sums.lowest, sums.highest_next);
}

template <class T>
static void fractions_to_bytes(const T* __restrict row, size_t n_columns, const int64_t* __restrict base, uint64_t key,
                               const ByteSums& sums, uint8_t* __restrict out) {
    uint64_t* __restrict const misfits = sums.misfits;
    uint64_t* __restrict const checksum = sums.checksum;
    int64_t* __restrict const missing = sums.missing;
    for (size_t i = 0; i < n_columns; ++i) {
        const double value = static_cast<double>(row[i]);
        const bool is_missing = value != value;
        const bool is_small = value > -1e9 && value < 1e9;  // larger ones, and NaN, cannot be cast
        const int32_t whole = static_cast<int32_t>(is_small ? value : 0.5);
        const int32_t difference = whole - static_cast<int32_t>(base[i]);
        // By its bits: a negative zero is no byte, since it would come back as zero.
        const bool fits = bits_of(static_cast<double>(whole)) == bits_of(value) && difference >= 0 && difference < missing_byte - 1;
        misfits[i] |= static_cast<uint64_t>(!(fits | is_missing));
        checksum[i] += is_missing ? 0 : bits_of(value) * key;
        missing[i] += is_missing;
        out[i] = is_missing ? missing_byte : static_cast<uint8_t>(difference);
    }
    widen_range(out, n_columns, sums.lowest, sums.highest_next);
}

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
    for (ptrdiff_t i = 0; i < 16; ++i)
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i * to_stride), lines[i]);
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
            to[static_cast<ptrdiff_t>(column) * to_stride + static_cast<ptrdiff_t>(row)] = from[row * from_stride + column];
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

}  // namespace FEWEST_LEVEL

const ByteKernels FEWEST_JOIN(byte_kernels_, FEWEST_LEVEL) = {
    FEWEST_LEVEL::fractions_to_bytes<double>, FEWEST_LEVEL::fractions_to_bytes<float>,
    FEWEST_LEVEL::row_to_bytes<int64_t>,      FEWEST_LEVEL::row_to_bytes<uint64_t>,
    FEWEST_LEVEL::row_to_bytes<int32_t>,      FEWEST_LEVEL::row_to_bytes<uint32_t>,
    FEWEST_LEVEL::row_to_bytes<int16_t>,      FEWEST_LEVEL::row_to_bytes<uint16_t>,
    FEWEST_LEVEL::row_to_bytes<int8_t>,       FEWEST_LEVEL::row_to_bytes<uint8_t>,
    FEWEST_LEVEL::turn,
    FEWEST_LEVEL::to_planes,
};

}  // namespace fewest
