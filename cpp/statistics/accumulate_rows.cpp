// Compiled once for each SIMD level, with FEWEST_LEVEL naming it. See accumulate_rows.hpp.

#include "statistics/accumulate_rows.hpp"
#include "core/level_names.hpp"

#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace fewest {
namespace FEWEST_LEVEL {

// Every pack does the same operations in the same order on each column, so a column's sums are the same
// to the bit whether it falls into a full pack or into the tail, and at every SIMD level.

struct One {
    static constexpr size_t width = 1;
    double value;

    static One load(const double* from) { return {*from}; }
    static One load(const float* from) { return {static_cast<double>(*from)}; }
    static One all(double x) { return {x}; }
    void store(double* to) const { *to = value; }
    friend One operator+(One a, One b) { return {a.value + b.value}; }
    friend One operator-(One a, One b) { return {a.value - b.value}; }
    friend One operator*(One a, One b) { return {a.value * b.value}; }
    static One min(One a, One b) { return {a.value < b.value ? a.value : b.value}; }
    static One max(One a, One b) { return {a.value > b.value ? a.value : b.value}; }
    /// x where x is a number, otherwise `instead`.
    static One unless_nan(One x, One instead) { return {x.value == x.value ? x.value : instead.value}; }
    /// `number` where x is a number, otherwise 0.
    static One where_number(One x, One number) { return {x.value == x.value ? number.value : 0.0}; }

    using Integers = uint64_t;
    static Integers load(const uint64_t* from) { return *from; }
    static void store(Integers from, uint64_t* to) { *to = from; }
    static Integers add_bits(Integers sum, One x) {
        uint64_t bits;
        memcpy(&bits, &x.value, sizeof bits);
        return sum + bits;
    }
    static Integers count_nan(Integers count, One x) { return count + (x.value == x.value ? 0 : 1); }
};

#if defined(__AVX2__)

struct Pack {
    static constexpr size_t width = 4;
    __m256d value;

    static Pack load(const double* from) { return {_mm256_loadu_pd(from)}; }
    static Pack load(const float* from) { return {_mm256_cvtps_pd(_mm_loadu_ps(from))}; }
    static Pack all(double x) { return {_mm256_set1_pd(x)}; }
    void store(double* to) const { _mm256_storeu_pd(to, value); }
    friend Pack operator+(Pack a, Pack b) { return {_mm256_add_pd(a.value, b.value)}; }
    friend Pack operator-(Pack a, Pack b) { return {_mm256_sub_pd(a.value, b.value)}; }
    friend Pack operator*(Pack a, Pack b) { return {_mm256_mul_pd(a.value, b.value)}; }
    static Pack min(Pack a, Pack b) { return {_mm256_min_pd(a.value, b.value)}; }
    static Pack max(Pack a, Pack b) { return {_mm256_max_pd(a.value, b.value)}; }
    __m256d is_number() const { return _mm256_cmp_pd(value, value, _CMP_ORD_Q); }
    static Pack unless_nan(Pack x, Pack instead) { return {_mm256_blendv_pd(instead.value, x.value, x.is_number())}; }
    static Pack where_number(Pack x, Pack number) { return {_mm256_and_pd(number.value, x.is_number())}; }

    using Integers = __m256i;
    static Integers load(const uint64_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
    static void store(Integers from, uint64_t* to) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), from); }
    static Integers add_bits(Integers sum, Pack x) { return _mm256_add_epi64(sum, _mm256_castpd_si256(x.value)); }
    static Integers count_nan(Integers count, Pack x) {
        const __m256i ok = _mm256_castpd_si256(x.is_number());
        return _mm256_add_epi64(count, _mm256_andnot_si256(ok, _mm256_set1_epi64x(1)));
    }
};

#elif defined(__SSE2__)

struct Pack {
    static constexpr size_t width = 2;
    __m128d value;

    static Pack load(const double* from) { return {_mm_loadu_pd(from)}; }
    static Pack load(const float* from) { return {_mm_set_pd(from[1], from[0])}; }
    static Pack all(double x) { return {_mm_set1_pd(x)}; }
    void store(double* to) const { _mm_storeu_pd(to, value); }
    friend Pack operator+(Pack a, Pack b) { return {_mm_add_pd(a.value, b.value)}; }
    friend Pack operator-(Pack a, Pack b) { return {_mm_sub_pd(a.value, b.value)}; }
    friend Pack operator*(Pack a, Pack b) { return {_mm_mul_pd(a.value, b.value)}; }
    static Pack min(Pack a, Pack b) { return {_mm_min_pd(a.value, b.value)}; }
    static Pack max(Pack a, Pack b) { return {_mm_max_pd(a.value, b.value)}; }
    __m128d is_number() const { return _mm_cmpord_pd(value, value); }
    static Pack unless_nan(Pack x, Pack instead) {
        const __m128d ok = x.is_number();
        return {_mm_or_pd(_mm_and_pd(ok, x.value), _mm_andnot_pd(ok, instead.value))};
    }
    static Pack where_number(Pack x, Pack number) { return {_mm_and_pd(number.value, x.is_number())}; }

    using Integers = __m128i;
    static Integers load(const uint64_t* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }
    static void store(Integers from, uint64_t* to) { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), from); }
    static Integers add_bits(Integers sum, Pack x) { return _mm_add_epi64(sum, _mm_castpd_si128(x.value)); }
    static Integers count_nan(Integers count, Pack x) {
        const __m128i ok = _mm_castpd_si128(x.is_number());
        return _mm_add_epi64(count, _mm_andnot_si128(ok, _mm_set1_epi64x(1)));
    }
};

#else

using Pack = One;

#endif

/// The running sums of one pack of columns, in registers.
template <class P, bool Weighted, bool Missing>
struct Lane {
    P shift, sum, square, weight, lowest, highest;
    typename P::Integers checksum, missing;

    Lane(const RunningSums& sums, size_t column)
        : shift(P::load(sums.shift + column)), sum(P::load(sums.sum + column)), square(P::load(sums.square + column)),
          weight(Missing ? P::load(sums.weight + column) : P::all(0.0)), lowest(P::load(sums.lowest + column)),
          highest(P::load(sums.highest + column)), checksum(P::load(sums.checksum + column)),
          missing(Missing ? P::load(sums.missing + column) : checksum) {}

    void add(P x, double row_weight) {
        const P difference = (Missing ? P::unless_nan(x, shift) : x) - shift;
        const P weighted = Weighted ? P::all(row_weight) * difference : difference;
        sum = sum + weighted;
        square = square + weighted * difference;
        // The comparison is false for NaN, and then the second operand is kept.
        lowest = P::min(x, lowest);
        highest = P::max(x, highest);
        checksum = P::add_bits(checksum, Missing ? P::where_number(x, x) : x);
        if (Missing) {
            weight = weight + P::where_number(x, P::all(row_weight));
            missing = P::count_nan(missing, x);
        }
    }

    void store(const RunningSums& sums, size_t column) const {
        sum.store(sums.sum + column);
        square.store(sums.square + column);
        lowest.store(sums.lowest + column);
        highest.store(sums.highest + column);
        P::store(checksum, sums.checksum + column);
        if (Missing) {
            weight.store(sums.weight + column);
            P::store(missing, sums.missing + column);
        }
    }
};

/// Adds `Rows` rows to one pack of columns. The sums stay in registers over the rows.
template <class P, size_t Rows, bool Weighted, bool Missing, class T>
inline void add_to_pack(const T* const* rows, const double* weights, size_t column, const RunningSums& sums) {
    Lane<P, Weighted, Missing> lane(sums, column);
#pragma GCC unroll 8
    for (size_t r = 0; r < Rows; ++r) lane.add(P::load(rows[r] + column), weights[r]);
    lane.store(sums, column);
}

/// Adds a group of rows, a cache line of columns at a time, while the rows in `next` travel to the second-level
/// cache: rows of one class lie apart, and the processor's own prefetcher loses half the bandwidth on them.
template <size_t Rows, bool Weighted, bool Missing, class T>
inline void add_row_group(const T* const* group, const T* const* next, const double* weights, size_t n_columns,
                          const RunningSums& shared) {
    // Local copies: a store of sums might alias the originals, which would then be read again for every pack.
    const RunningSums sums = shared;
    const T* rows[Rows];
    const T* ahead[Rows];
    double row_weights[Rows];
    for (size_t r = 0; r < Rows; ++r) {
        rows[r] = group[r];
        ahead[r] = next[r];
        row_weights[r] = Weighted ? weights[r] : 1.0;
    }
    constexpr size_t line = 64 / sizeof(T);
    size_t column = 0;
    for (; column + line <= n_columns; column += line) {
#pragma GCC unroll 8
        for (size_t r = 0; r < Rows; ++r) __builtin_prefetch(ahead[r] + column, 0, 2);
        for (size_t c = column; c < column + line; c += Pack::width)
            add_to_pack<Pack, Rows, Weighted, Missing>(rows, row_weights, c, sums);
    }
    for (; column + Pack::width <= n_columns; column += Pack::width)
        add_to_pack<Pack, Rows, Weighted, Missing>(rows, row_weights, column, sums);
    for (; column < n_columns; ++column) add_to_pack<One, Rows, Weighted, Missing>(rows, row_weights, column, sums);
}

template <class T, bool Weighted, bool Missing>
void accumulate_rows(const T* const* rows, const double* weights, size_t n_rows, size_t n_columns,
                     const RunningSums& sums) {
    const auto weights_from = [weights](size_t r) { return Weighted ? weights + r : nullptr; };
    size_t r = 0;
    for (; r + 8 <= n_rows; r += 8) {
        const T* const* next = r + 16 <= n_rows ? rows + r + 8 : rows + r;
        add_row_group<8, Weighted, Missing>(rows + r, next, weights_from(r), n_columns, sums);
    }
    for (; r < n_rows; ++r) add_row_group<1, Weighted, Missing>(rows + r, rows + r, weights_from(r), n_columns, sums);
}

/// Adds rows of a narrow block: the sums of all its columns stay in registers over all rows.
template <class T, bool Weighted, bool Missing>
void accumulate_narrow(const T* block, const uint32_t* rows, const double* weights, size_t n_rows,
                       const ComingColumns<T>& coming, const RunningSums& sums) {
    constexpr size_t n_lanes = 2;
    constexpr size_t step = n_lanes * Pack::width;
    const T* coming_columns[narrow_columns];
    for (size_t j = 0; j < narrow_columns; ++j)
        coming_columns[j] = coming.data + static_cast<ptrdiff_t>(j) * coming.column_stride;
    for (size_t column = 0; column < narrow_columns; column += step) {
        Lane<Pack, Weighted, Missing> first(sums, column);
        Lane<Pack, Weighted, Missing> second(sums, column + Pack::width);
        const T* from = block + column;
        const auto add_row = [&](size_t r) {
            const T* row = from + size_t{rows[r]} * narrow_columns;
            const double weight = Weighted ? weights[r] : 1.0;
            first.add(Pack::load(row), weight);
            second.add(Pack::load(row + Pack::width), weight);
        };
        size_t r = 0;
        for (; r + narrow_columns <= n_rows; r += narrow_columns) {
            const size_t coming_row = (coming.lines_fetched + r) / narrow_columns * narrow_columns;
#pragma GCC unroll 8
            for (size_t j = 0; j < narrow_columns; ++j) {
                if (column == 0) __builtin_prefetch(coming_columns[j] + coming_row, 0, 2);
                add_row(r + j);
            }
        }
        for (; r < n_rows; ++r) add_row(r);
        first.store(sums, column);
        second.store(sums, column + Pack::width);
    }
}

/// Copies column-major rows to a narrow row-major block.
template <class T>
void transpose_to_narrow(const T* columns, ptrdiff_t column_stride, size_t n_rows, T* block) {
    size_t r = 0;
#if defined(__AVX2__)
    if (sizeof(T) == sizeof(double)) {
        const T* starts[narrow_columns];
        for (size_t j = 0; j < narrow_columns; ++j) starts[j] = columns + static_cast<ptrdiff_t>(j) * column_stride;
        for (; r + 4 <= n_rows; r += 4) {
#pragma GCC unroll 2
            for (size_t half = 0; half < narrow_columns; half += 4) {
                const auto column = [&](size_t j) {
                    return _mm256_loadu_pd(reinterpret_cast<const double*>(starts[half + j] + r));
                };
                const __m256d a = column(0), b = column(1), c = column(2), d = column(3);
                const __m256d ab_even = _mm256_unpacklo_pd(a, b), ab_odd = _mm256_unpackhi_pd(a, b);
                const __m256d cd_even = _mm256_unpacklo_pd(c, d), cd_odd = _mm256_unpackhi_pd(c, d);
                const auto put = [&](size_t i, __m256d row) {
                    _mm256_storeu_pd(reinterpret_cast<double*>(block + (r + i) * narrow_columns + half), row);
                };
                put(0, _mm256_permute2f128_pd(ab_even, cd_even, 0x20));
                put(1, _mm256_permute2f128_pd(ab_odd, cd_odd, 0x20));
                put(2, _mm256_permute2f128_pd(ab_even, cd_even, 0x31));
                put(3, _mm256_permute2f128_pd(ab_odd, cd_odd, 0x31));
            }
        }
    }
#endif
    for (; r < n_rows; ++r)
        for (size_t j = 0; j < narrow_columns; ++j)
            block[r * narrow_columns + j] =
                columns[static_cast<ptrdiff_t>(j) * column_stride + static_cast<ptrdiff_t>(r)];
}

}  // namespace FEWEST_LEVEL

#define FEWEST_KERNELS_OF(kernel, T)                                                     \
    {                                                                                    \
        {FEWEST_LEVEL::kernel<T, false, false>, FEWEST_LEVEL::kernel<T, false, true>}, { \
            FEWEST_LEVEL::kernel<T, true, false>, FEWEST_LEVEL::kernel<T, true, true>    \
        }                                                                                \
    }

const RowKernels FEWEST_JOIN(row_kernels_, FEWEST_LEVEL) = {
    {FEWEST_KERNELS_OF(accumulate_rows, double), FEWEST_KERNELS_OF(accumulate_narrow, double),
     FEWEST_LEVEL::transpose_to_narrow<double>},
    {FEWEST_KERNELS_OF(accumulate_rows, float), FEWEST_KERNELS_OF(accumulate_narrow, float),
     FEWEST_LEVEL::transpose_to_narrow<float>},
};

}  // namespace fewest
