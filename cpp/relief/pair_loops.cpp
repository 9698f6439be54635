// Compiled once for each SIMD level, with FEWEST_LEVEL naming it. See pair_loops.hpp.

#include "relief/pair_loops.hpp"
#include "core/exponential.hpp"
#include "core/level_names.hpp"

#include <math.h>
#include <stdint.h>
#include <string.h>

namespace fewest {
namespace FEWEST_LEVEL {

// 32 bytes of numbers side by side: every level adds and multiplies the same ones in the same order.
typedef int64_t FourBits __attribute__((vector_size(32), aligned(8), may_alias));
typedef float Eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t EightBits __attribute__((vector_size(32), aligned(4), may_alias));

template <class T>
struct Side;
template <>
struct Side<double> {
    typedef Four Numbers;
    static constexpr size_t n = 4;
};
template <>
struct Side<float> {
    typedef Eight Numbers;
    static constexpr size_t n = 8;
};

/// Rows whose pairs are in registers at a time, and vectors of other rows.
constexpr size_t n_abreast = 4, n_vectors = 2;

// Not zero plus x, which compilers add.
static inline void fill(Four& to, double x) { to = Four{x, x, x, x}; }
static inline void fill(Eight& to, float x) { to = Eight{x, x, x, x, x, x, x, x}; }
static inline void make_length(Four& x) { x = (Four)((FourBits)x & 0x7fffffffffffffff); }
static inline void make_length(Eight& x) { x = (Eight)((EightBits)x & 0x7fffffff); }

/// The same as in double, for -80 <= x <= 0.
static inline void exponentiate(Eight& x) {
    constexpr float magic = 12582912.0f;
    const Eight shifted = x * 1.442695041f + magic;
    const Eight k = shifted - magic;
    const Eight r = (x - k * 0x1.62ep-1f) - k * 0x1.0bfbe8p-15f;
    constexpr size_t first = n_exp_terms - 8;
    Eight sum = r * static_cast<float>(exp_terms[first]) + static_cast<float>(exp_terms[first + 1]);
#pragma GCC unroll 6
    for (size_t term = first + 2; term < n_exp_terms; ++term) sum = sum * r + static_cast<float>(exp_terms[term]);
    EightBits bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 127) << 23;
    memcpy(&x, &bits, sizeof x);
    x *= sum;
}

template <class T, bool is_squared>
static void write_kernels(const RowLines<T>& own, const RowLines<T>& others, size_t n_columns, T rate, T* out) {
    typedef typename Side<T>::Numbers Numbers;
    constexpr size_t n_side = Side<T>::n;
    const Numbers zero = {};
    for (size_t first = 0; first < n_own_rows; first += n_abreast)
        for (size_t other = 0; other < n_other_rows; other += n_side * n_vectors) {
            Numbers sums[n_abreast][n_vectors] = {};
            for (size_t column = 0; column < n_columns; ++column) {
                const T* const x = own.values + column * n_own_rows + first;
                const T* const y = others.values + column * n_other_rows + other;
                Numbers there[n_vectors];
#pragma GCC unroll 2
                for (size_t e = 0; e < n_vectors; ++e) there[e] = *reinterpret_cast<const Numbers*>(y + n_side * e);
#pragma GCC unroll 4
                for (size_t q = 0; q < n_abreast; ++q) {
                    Numbers here;
                    fill(here, x[q]);
#pragma GCC unroll 2
                    for (size_t e = 0; e < n_vectors; ++e) {
                        if (is_squared) {
                            const Numbers apart = here - there[e];
                            sums[q][e] += apart * apart;
                        } else {
                            // |x - y| = x + y - 2 min(x, y): the least of two is one instruction.
                            sums[q][e] += here < there[e] ? here : there[e];
                        }
                    }
                }
            }
            for (size_t q = 0; q < n_abreast; ++q)
                for (size_t e = 0; e < n_vectors; ++e) {
                    Numbers apart = sums[q][e];
                    if (is_squared) {
                        for (size_t i = 0; i < n_side; ++i) apart[i] = static_cast<T>(sqrt(apart[i]));
                    } else {
                        const Numbers both =
                            own.sums[first + q] + *reinterpret_cast<const Numbers*>(others.sums + other + n_side * e);
                        apart = both - (apart + apart);
                        apart = apart > zero ? apart : zero;  // what rounding may leave of none
                    }
                    apart *= -rate;
                    exponentiate(apart);
                    *reinterpret_cast<Numbers*>(out + (first + q) * n_other_rows + other + n_side * e) = apart;
                }
        }
}

template <class T>
static void kernels(const RowLines<T>& own, const RowLines<T>& others, size_t n_columns, T rate, bool is_squared,
                    T* out) {
    (is_squared ? write_kernels<T, true> : write_kernels<T, false>)(own, others, n_columns, rate, out);
}

template <class T>
static void add_differences(const T* own, const T* others, size_t n_columns, const T* factors, double* sums) {
    typedef typename Side<T>::Numbers Numbers;
    constexpr size_t n_side = Side<T>::n;
    for (size_t column = 0; column < n_columns; ++column) {
        const T* const x = own + column * n_own_rows;
        const T* const y = others + column * n_other_rows;
        Numbers total = {};
        for (size_t first = 0; first < n_own_rows; first += n_abreast) {
            Numbers parts[n_abreast] = {};
            for (size_t other = 0; other < n_other_rows; other += n_side) {
                const Numbers there = *reinterpret_cast<const Numbers*>(y + other);
#pragma GCC unroll 4
                for (size_t q = 0; q < n_abreast; ++q) {
                    Numbers length = there - x[first + q];
                    make_length(length);
                    parts[q] +=
                        length * *reinterpret_cast<const Numbers*>(factors + (first + q) * n_other_rows + other);
                }
            }
            total += (parts[0] + parts[1]) + (parts[2] + parts[3]);
        }
        double sum = 0;
        for (size_t i = 0; i < n_side; ++i) sum += static_cast<double>(total[i]);
        sums[column] += sum;
    }
}

}  // namespace FEWEST_LEVEL

const PairLoops FEWEST_JOIN(pair_loops_, FEWEST_LEVEL) = {
    {FEWEST_LEVEL::kernels<double>, FEWEST_LEVEL::add_differences<double>},
    {FEWEST_LEVEL::kernels<float>, FEWEST_LEVEL::add_differences<float>},
};

}  // namespace fewest
