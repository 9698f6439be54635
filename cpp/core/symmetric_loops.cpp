// Compiled once for each SIMD level, with FEWEST_LEVEL naming it. See symmetric_loops.hpp.

#include "core/symmetric_loops.hpp"

#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "core/factor_loops.hpp"
#include "core/level_names.hpp"

namespace fewest {

void check_interruption();  // of core/interruption.hpp, which needs more than C headers

namespace FEWEST_LEVEL {

// Vectors go between the functions of this file alone, all static: how a level passes them is nobody else's concern.
#pragma GCC diagnostic ignored "-Wpsabi"

// Numbers side by side: every level adds the same ones in the same order.
typedef double Four __attribute__((vector_size(32), may_alias));
typedef double FourAnywhere __attribute__((vector_size(32), aligned(8), may_alias));

/// The time of a smaller matrix is too short to ask whether to stop.
constexpr size_t many = 256;

static inline Four four_at(const double* numbers) { return *reinterpret_cast<const FourAnywhere*>(numbers); }

static inline void put_four(double* to, Four numbers) { *reinterpret_cast<FourAnywhere*>(to) = numbers; }

static inline double total(Four sums) { return (sums[0] + sums[1]) + (sums[2] + sums[3]); }

/// A tile of n_abreast rows and eight columns: matrix += left' right. The sums stay in registers.
template <size_t n_abreast>
static inline void add_tile(double* matrix, size_t stride, const double* left, const double* right, size_t n_lines) {
    Four sums[n_abreast][2] = {};
    for (size_t k = 0; k < n_lines; ++k) {
        const Four first = four_at(right + k * stride), second = four_at(right + k * stride + 4);
#pragma GCC unroll 4
        for (size_t r = 0; r < n_abreast; ++r) {
            const double factor = left[k * stride + r];
            sums[r][0] += factor * first;
            sums[r][1] += factor * second;
        }
    }
#pragma GCC unroll 4
    for (size_t r = 0; r < n_abreast; ++r) {
        put_four(matrix + r * stride, four_at(matrix + r * stride) + sums[r][0]);
        put_four(matrix + r * stride + 4, four_at(matrix + r * stride + 4) + sums[r][1]);
    }
}

static void add_products(double* matrix, size_t n, size_t stride, const double* left, const double* right,
                         size_t n_lines) {
    size_t row = 0;
    for (; row + 4 <= n; row += 4) {
        if (n >= many) check_interruption();
        for (size_t column = row; column < n; column += 8)
            add_tile<4>(matrix + row * stride + column, stride, left + row, right + column, n_lines);
    }
    for (; row < n; ++row)
        for (size_t column = row; column < n; column += 8)
            add_tile<1>(matrix + row * stride + column, stride, left + row, right + column, n_lines);
}

/// One row, from its diagonal on: what it adds to `out` at its own index and below.
static inline void times_row(const double* row, size_t i, size_t n, const double* v, double* out) {
    double own = row[i] * v[i];
    for (size_t j = i + 1; j < n; ++j) {
        own += row[j] * v[j];
        out[j] += row[j] * v[i];
    }
    out[i] += own;
}

static void times(const double* matrix, size_t n, size_t stride, const double* v, double* out) {
    for (size_t i = 0; i < n; ++i) out[i] = 0;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const double* const rows = matrix + i * stride;
        // The triangle of the four rows, then what is beyond it for all four at once.
        for (size_t r = 0; r < 4; ++r) times_row(rows + r * stride, i + r, i + 4, v, out);
        Four sums[4] = {}, factors[4];
        for (size_t r = 0; r < 4; ++r) factors[r] = Four{v[i + r], v[i + r], v[i + r], v[i + r]};
        size_t j = i + 4;
        for (; j + 4 <= n; j += 4) {
            const Four other = four_at(v + j);
            Four numbers[4], products[4];
#pragma GCC unroll 4
            for (size_t r = 0; r < 4; ++r) {
                numbers[r] = four_at(rows + r * stride + j);
                sums[r] += numbers[r] * other;
                products[r] = numbers[r] * factors[r];
            }
            put_four(out + j, four_at(out + j) + ((products[0] + products[1]) + (products[2] + products[3])));
        }
        for (size_t r = 0; r < 4; ++r) {
            double own = total(sums[r]);
            for (size_t rest = j; rest < n; ++rest) {
                own += rows[r * stride + rest] * v[rest];
                out[rest] += rows[r * stride + rest] * v[i + r];
            }
            out[i + r] += own;
        }
    }
    for (; i < n; ++i) times_row(matrix + i * stride, i, n, v, out);
}

static void invert(double* factor, size_t n, double* scratch) {
    const size_t stride = padded(n);
    // Row i of the scratch becomes that of the inverse of U', which is lower triangular.
    for (size_t i = 0; i < n * stride; ++i) scratch[i] = 0;
    for (size_t i = 0; i < n; ++i) {
        if (n >= many) check_interruption();
        double* __restrict const row = scratch + i * stride;
        size_t k = 0;
        for (; k + 4 <= i; k += 4) {
            const double a = factor[k * stride + i], b = factor[(k + 1) * stride + i];
            const double c = factor[(k + 2) * stride + i], d = factor[(k + 3) * stride + i];
            const double* const other = scratch + k * stride;
            for (size_t j = 0; j < k + 4; ++j)
                row[j] -=
                    (a * other[j] + b * other[stride + j]) + (c * other[2 * stride + j] + d * other[3 * stride + j]);
        }
        for (; k < i; ++k)
            for (size_t j = 0; j <= k; ++j) row[j] -= factor[k * stride + i] * scratch[k * stride + j];
        row[i] = 1;
        for (size_t j = 0; j <= i; ++j) row[j] /= factor[i * stride + i];
    }
    for (size_t i = 0; i < n * stride; ++i) factor[i] = 0;
    // The inverse is the sum of the products of these rows, each zero beyond its diagonal.
    constexpr size_t at_once = 64;
    for (size_t first = 0; first < n; first += at_once) {
        const size_t n_lines = n - first < at_once ? n - first : at_once, end = first + n_lines;
        const double* const lines = scratch + first * stride;
        if (n >= many) check_interruption();
        size_t row = 0;
        for (; row + 4 <= end; row += 4)
            for (size_t column = row; column < end; column += 8)
                add_tile<4>(factor + row * stride + column, stride, lines + row, lines + column, n_lines);
        for (; row < end; ++row)
            for (size_t column = row; column < end; column += 8)
                add_tile<1>(factor + row * stride + column, stride, lines + row, lines + column, n_lines);
    }
}

/// The products of four rows with n_vectors vectors, which lie `apart`; results of one vector lie `out_apart`.
template <size_t n_vectors>
static inline void four_row_products(const double* const* lines, size_t n, const double* vectors, size_t apart,
                                     double* out, size_t out_apart) {
    Four sums[4][n_vectors] = {};
    size_t j = 0;
    for (; j + 4 <= n; j += 4) {
        Four numbers[4];
#pragma GCC unroll 4
        for (size_t r = 0; r < 4; ++r) numbers[r] = four_at(lines[r] + j);
#pragma GCC unroll 2
        for (size_t k = 0; k < n_vectors; ++k) {
            const Four other = four_at(vectors + k * apart + j);
#pragma GCC unroll 4
            for (size_t r = 0; r < 4; ++r) sums[r][k] += numbers[r] * other;
        }
    }
    for (size_t k = 0; k < n_vectors; ++k)
        for (size_t r = 0; r < 4; ++r) {
            double sum = total(sums[r][k]);
            for (size_t rest = j; rest < n; ++rest) sum += lines[r][rest] * vectors[k * apart + rest];
            out[k * out_apart + r] = sum;
        }
}

static void row_products(const double* matrix, size_t n, const size_t* rows, size_t n_rows, const double* vectors,
                         size_t n_vectors, size_t apart, double* out, size_t out_apart) {
    size_t i = 0;
    for (; i + 4 <= n_rows; i += 4) {
        const double* lines[4];
        for (size_t r = 0; r < 4; ++r) lines[r] = matrix + (rows ? rows[i + r] : i + r) * n;
        size_t k = 0;
        for (; k + 2 <= n_vectors; k += 2)
            four_row_products<2>(lines, n, vectors + k * apart, apart, out + k * out_apart + i, out_apart);
        if (k < n_vectors)
            four_row_products<1>(lines, n, vectors + k * apart, apart, out + k * out_apart + i, out_apart);
    }
    for (; i < n_rows; ++i) {
        const double* const line = matrix + (rows ? rows[i] : i) * n;
        for (size_t k = 0; k < n_vectors; ++k) {
            const double* const v = vectors + k * apart;
            Four sums = {};
            size_t j = 0;
            for (; j + 4 <= n; j += 4) sums += four_at(line + j) * four_at(v + j);
            double sum = total(sums);
            for (; j < n; ++j) sum += line[j] * v[j];
            out[k * out_apart + i] = sum;
        }
    }
}

#if defined(__AVX2__)
typedef __m256i Whole;
static inline Whole whole_at(const void* numbers) { return _mm256_loadu_si256(static_cast<const Whole*>(numbers)); }
/// Two products at a time, in whole numbers of 32 bits.
static inline Whole added_pairs(Whole sums, Whole a, Whole b) {
    return _mm256_add_epi32(sums, _mm256_srai_epi32(_mm256_madd_epi16(a, b), product_shift));
}
#elif defined(__SSE2__)
typedef __m128i Whole;
static inline Whole whole_at(const void* numbers) { return _mm_loadu_si128(static_cast<const Whole*>(numbers)); }
static inline Whole added_pairs(Whole sums, Whole a, Whole b) {
    return _mm_add_epi32(sums, _mm_srai_epi32(_mm_madd_epi16(a, b), product_shift));
}
#endif

static inline int64_t short_product(const int16_t* a, const int16_t* b, size_t n) {
    int64_t sum = 0;
    size_t j = 0;
#if defined(__SSE2__)
    // A pair adds less than 2 to the power of 20 to one of the sums of 32 bits.
    constexpr size_t width = sizeof(Whole) / sizeof(int16_t), at_once = 1024 * width;
    while (j + width <= n) {
        const size_t end = n - j < at_once ? n : j + at_once;
        Whole sums = {};
        for (; j + width <= end; j += width) sums = added_pairs(sums, whole_at(a + j), whole_at(b + j));
        int32_t parts[width / 2];
        memcpy(parts, &sums, sizeof sums);
        for (size_t k = 0; k < width / 2; ++k) sum += parts[k];
    }
#endif
    for (; j + 2 <= n; j += 2) sum += (a[j] * b[j] + a[j + 1] * b[j + 1]) >> product_shift;
    return j < n ? sum + ((a[j] * b[j]) >> product_shift) : sum;
}

static void short_row_products(const int16_t* matrix, size_t n, const size_t* rows, size_t n_rows,
                               const int16_t* vectors, size_t n_vectors, size_t apart, int64_t* out, size_t out_apart) {
    constexpr size_t line = 64 / sizeof(int16_t), ahead = 2;
    for (size_t i = 0; i < n_rows; ++i) {
        // Rows are short and anywhere: without this most of the time is spent waiting for them.
        if (i + ahead < n_rows)
            for (size_t j = 0; j < n; j += line) __builtin_prefetch(matrix + rows[i + ahead] * n + j);
        for (size_t k = 0; k < n_vectors; ++k)
            out[k * out_apart + i] = short_product(matrix + rows[i] * n, vectors + k * apart, n);
    }
}

static void squared_distances(const double* vector, size_t n, const double* const* vectors, size_t n_vectors,
                              double* out) {
    for (size_t k = 0; k < n_vectors; ++k) {
        Four sums = {};
        size_t j = 0;
        for (; j + 4 <= n; j += 4) {
            const Four apart = four_at(vectors[k] + j) - four_at(vector + j);
            sums += apart * apart;
        }
        out[k] = total(sums);
        for (; j < n; ++j) out[k] += (vectors[k][j] - vector[j]) * (vectors[k][j] - vector[j]);
    }
}

}  // namespace FEWEST_LEVEL

const SymmetricLoops FEWEST_JOIN(symmetric_loops_, FEWEST_LEVEL) = {FEWEST_LEVEL::add_products,
                                                                    FEWEST_LEVEL::times,
                                                                    FEWEST_LEVEL::invert,
                                                                    FEWEST_LEVEL::row_products,
                                                                    FEWEST_LEVEL::short_row_products,
                                                                    FEWEST_LEVEL::squared_distances};

}  // namespace fewest
