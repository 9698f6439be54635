// Compiled once for each SIMD level, with FEWEST_LEVEL naming it. See distance_loops.hpp.

#include "relief/distance_loops.hpp"
#include "core/level_names.hpp"

#include <math.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace fewest {
namespace FEWEST_LEVEL {

// Numbers side by side: every level adds the same ones in the same order.
typedef float Eight __attribute__((vector_size(32), may_alias));
typedef float EightAnywhere __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t EightBits __attribute__((vector_size(32), may_alias));
typedef double FourAnywhere __attribute__((vector_size(32), aligned(8), may_alias));
typedef double Four __attribute__((vector_size(32), may_alias));
typedef int64_t FourBits __attribute__((vector_size(32), may_alias));
typedef uint16_t Sixteen __attribute__((vector_size(32), may_alias));
typedef uint16_t SixteenAnywhere __attribute__((vector_size(32), aligned(2), may_alias));

constexpr size_t n_eights = n_lanes / 8;

/// |x| or x^2, in place: how a vector is given back differs from level to level.
template <bool is_squared>
static inline void make_term(Eight& x) {
    x = is_squared ? x * x : (Eight)((EightBits)x & 0x7fffffff);
}
template <bool is_squared>
static inline void make_term(Four& x) {
    x = is_squared ? x * x : (Four)((FourBits)x & 0x7fffffffffffffff);
}

/// n_abreast queries against one run of rows over some columns.
template <bool is_squared>
static inline void meet(const float* rows, const float* queries, size_t n_columns, Eight (&sums)[n_abreast][n_eights]) {
    for (size_t column = 0; column < n_columns; ++column) {
        const float* const row = rows + column * n_lanes;
        Eight values[n_eights];
#pragma GCC unroll 2
        for (size_t e = 0; e < n_eights; ++e) values[e] = *reinterpret_cast<const EightAnywhere*>(row + 8 * e);
#pragma GCC unroll 4
        for (size_t q = 0; q < n_abreast; ++q) {
            const float own = queries[column * n_abreast + q];
#pragma GCC unroll 2
            for (size_t e = 0; e < n_eights; ++e) {
                Eight term = values[e] - own;
                make_term<is_squared>(term);
                sums[q][e] += term;
            }
        }
    }
}

/// The same over columns of which some hold categories, and with missing values: counts how many columns both have.
template <bool is_squared>
static inline void meet_observed(const float* rows, const float* queries, const bool* is_categorical,
                                 float category_difference, size_t n_columns, Eight (&sums)[n_abreast][n_eights],
                                 EightBits (&counts)[n_abreast][n_eights]) {
    const Eight zero = {}, one_state = zero + category_difference;
    for (size_t column = 0; column < n_columns; ++column) {
        const float* const row = rows + column * n_lanes;
        for (size_t q = 0; q < n_abreast; ++q) {
            const float own = queries[column * n_abreast + q];
            for (size_t e = 0; e < n_eights; ++e) {
                const Eight difference = *reinterpret_cast<const EightAnywhere*>(row + 8 * e) - own;
                const EightBits observed = difference == difference;
                Eight term = difference;
                if (is_categorical[column]) term = (Eight)((EightBits)one_state & (difference != zero));
                make_term<is_squared>(term);
                sums[q][e] += (Eight)((EightBits)term & observed);
                counts[q][e] -= observed;
            }
        }
    }
}

template <bool is_squared>
static void scan_as(const PackedRows& rows, const float* queries, size_t n_queries, float* out, size_t stride) {
    const size_t n_columns = rows.n_columns;
    for (size_t run = 0; run < rows.n_runs; ++run) {
        const float* const values = rows.values + run * n_columns * n_lanes;
        for (size_t first = 0; first < n_columns; first += n_columns_at_once) {
            const size_t n = n_columns - first < n_columns_at_once ? n_columns - first : n_columns_at_once;
            for (size_t query = 0; query < n_queries; query += n_abreast) {
                Eight sums[n_abreast][n_eights] = {};
                meet<is_squared>(values + first * n_lanes, queries + (query * n_columns + first * n_abreast), n, sums);
                for (size_t q = 0; q < n_abreast; ++q) {
                    float* const to = out + (query + q) * stride + run * n_lanes;
                    for (size_t e = 0; e < n_eights; ++e) {
                        EightAnywhere* const sum = reinterpret_cast<EightAnywhere*>(to + 8 * e);
                        *sum = first == 0 ? sums[q][e] : *sum + sums[q][e];
                    }
                }
            }
        }
    }
}

template <bool is_squared>
static void scan_observed_as(const PackedRows& rows, const float* queries, size_t n_queries, float* out,
                             size_t stride) {
    const size_t n_columns = rows.n_columns;
    for (size_t run = 0; run < rows.n_runs; ++run) {
        const float* const values = rows.values + run * n_columns * n_lanes;
        for (size_t query = 0; query < n_queries; query += n_abreast) {
            Eight totals[n_abreast][n_eights] = {};
            EightBits counts[n_abreast][n_eights] = {};
            for (size_t first = 0; first < n_columns; first += n_columns_at_once) {
                const size_t n = n_columns - first < n_columns_at_once ? n_columns - first : n_columns_at_once;
                Eight sums[n_abreast][n_eights] = {};
                meet_observed<is_squared>(values + first * n_lanes, queries + (query * n_columns + first * n_abreast),
                                          rows.is_categorical + first, rows.category_difference, n, sums, counts);
                for (size_t q = 0; q < n_abreast; ++q)
                    for (size_t e = 0; e < n_eights; ++e) totals[q][e] += sums[q][e];
            }
            for (size_t q = 0; q < n_abreast; ++q)
                for (size_t lane = 0; lane < n_lanes; ++lane) {
                    const int32_t count = counts[q][lane / 8][lane % 8];
                    const float total = totals[q][lane / 8][lane % 8];
                    out[(query + q) * stride + run * n_lanes + lane] =
                        count ? total * (static_cast<float>(n_columns) / static_cast<float>(count)) : INFINITY;
                }
        }
    }
}

static void scan(const PackedRows& rows, const float* queries, size_t n_queries, bool is_squared, float* out,
                 size_t stride) {
    const auto observed = is_squared ? scan_observed_as<true> : scan_observed_as<false>;
    (rows.is_categorical ? observed
     : is_squared        ? scan_as<true>
                         : scan_as<false>)(rows, queries, n_queries, out, stride);
}

// Groups of 8 bytes of some rows side by side, and the sums of the differences in each group.
#if defined(__AVX2__)
typedef __m256i Groups;
static inline Groups groups_at(const uint8_t* bytes) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
}
static inline Groups in_all(int64_t group) { return _mm256_set1_epi64x(group); }
static inline Groups plus_differences(Groups sums, Groups x, Groups y) {
    return _mm256_add_epi64(sums, _mm256_sad_epu8(x, y));
}
#elif defined(__SSE2__)
typedef __m128i Groups;
static inline Groups groups_at(const uint8_t* bytes) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}
static inline Groups in_all(int64_t group) { return _mm_set1_epi64x(group); }
static inline Groups plus_differences(Groups sums, Groups x, Groups y) {
    return _mm_add_epi64(sums, _mm_sad_epu8(x, y));
}
#else
typedef int64_t Groups;
static inline Groups groups_at(const uint8_t* bytes) {
    Groups group;
    memcpy(&group, bytes, sizeof group);
    return group;
}
static inline Groups in_all(int64_t group) { return group; }
static inline Groups plus_differences(Groups sums, Groups x, Groups y) {
    for (int i = 0; i < 64; i += 8) {
        const int64_t difference = ((x >> i) & 255) - ((y >> i) & 255);
        sums += difference < 0 ? -difference : difference;
    }
    return sums;
}
#endif

static void scan_bytes(const ByteRows& rows, const uint8_t* queries, size_t n_queries, float* out, size_t stride) {
    constexpr size_t n_rows = sizeof(Groups) / 8, n_side = 2;
    const size_t n_bytes = 8 * rows.n_groups;
    for (size_t run = 0; run < rows.n_runs; ++run)
        for (size_t query = 0; query < n_queries; query += n_abreast)
            for (size_t lane = 0; lane < n_lanes; lane += n_side * n_rows) {
                const uint8_t* const values = rows.values + run * n_bytes * n_lanes + 8 * lane;
                Groups sums[n_abreast][n_side];
                for (auto& line : sums)
                    for (Groups& sum : line) sum = in_all(0);
                for (size_t g = 0; g < rows.n_groups; ++g) {
                    Groups there[n_side];
#pragma GCC unroll 2
                    for (size_t s = 0; s < n_side; ++s)
                        there[s] = groups_at(values + g * 8 * n_lanes + s * sizeof(Groups));
#pragma GCC unroll 4
                    for (size_t q = 0; q < n_abreast; ++q) {
                        int64_t group;
                        memcpy(&group, queries + (query + q) * n_bytes + 8 * g, sizeof group);
                        const Groups own = in_all(group);
#pragma GCC unroll 2
                        for (size_t s = 0; s < n_side; ++s) sums[q][s] = plus_differences(sums[q][s], there[s], own);
                    }
                }
                for (size_t q = 0; q < n_abreast; ++q) {
                    int64_t totals[n_side * n_rows];
                    memcpy(totals, sums[q], sizeof totals);
                    const size_t first = run * n_lanes + lane;
                    for (size_t i = 0; i < n_side * n_rows; ++i)
                        out[(query + q) * stride + first + i] =
                            static_cast<float>(static_cast<int32_t>(totals[i])) * rows.step - rows.errors[first + i];
                }
            }
}

static void scan_words(const WordRows& rows, const uint16_t* queries, const int32_t* query_sums, size_t n_queries,
                       float* out, size_t stride) {
    const size_t n_columns = rows.n_columns;
    for (size_t run = 0; run < rows.n_runs; ++run)
        for (size_t query = 0; query < n_queries; query += n_abreast) {
            const uint16_t* const values = rows.values + run * n_columns * n_lanes;
            uint32_t totals[n_abreast][n_lanes] = {};
            for (size_t first = 0; first < n_columns; first += n_words_at_once) {
                const size_t last = n_columns - first < n_words_at_once ? n_columns : first + n_words_at_once;
                Sixteen sums[n_abreast] = {};
                for (size_t column = first; column < last; ++column) {
                    const Sixteen there = *reinterpret_cast<const SixteenAnywhere*>(values + column * n_lanes);
#pragma GCC unroll 4
                    for (size_t q = 0; q < n_abreast; ++q) {
                        const Sixteen own = Sixteen{} + queries[(query + q) * n_columns + column];
                        // |x - y| = x + y - 2 min(x, y)
                        sums[q] += own < there ? own : there;
                    }
                }
#pragma GCC unroll 4
                for (size_t q = 0; q < n_abreast; ++q)
                    for (size_t lane = 0; lane < n_lanes; ++lane) totals[q][lane] += sums[q][lane];
            }
            for (size_t q = 0; q < n_abreast; ++q) {
                const size_t at = run * n_lanes;
                for (size_t lane = 0; lane < n_lanes; ++lane) {
                    const int32_t both = query_sums[query + q] + rows.sums[at + lane];
                    const int32_t apart = both - 2 * static_cast<int32_t>(totals[q][lane]);
                    out[(query + q) * stride + at + lane] =
                        static_cast<float>(apart) * rows.step - rows.errors[at + lane];
                }
            }
        }
}

static size_t places_up_to(const float* numbers, size_t n, float limit, int64_t first, int64_t* places) {
    size_t n_places = 0, i = 0;
    for (; i + 16 <= n; i += 16) {
        const EightBits found = (*reinterpret_cast<const EightAnywhere*>(numbers + i) <= limit) |
                                (*reinterpret_cast<const EightAnywhere*>(numbers + i + 8) <= limit);
        const FourBits halves = (FourBits)found;
        if (!((halves[0] | halves[1]) | (halves[2] | halves[3]))) continue;
        for (size_t j = i; j < i + 16; ++j) {
            places[n_places] = first + static_cast<int64_t>(j);
            n_places += numbers[j] <= limit;
        }
    }
    for (; i < n; ++i) {
        places[n_places] = first + static_cast<int64_t>(i);
        n_places += numbers[i] <= limit;
    }
    return n_places;
}

static void least_of_lines(const float* numbers, size_t n, size_t n_lines, float* least) {
    for (size_t i = 0; i < n; ++i) least[i] = numbers[i];
    for (size_t line = 1; line < n_lines; ++line)
        for (size_t i = 0; i < n; ++i) {
            const float number = numbers[line * n + i];
            least[i] = number < least[i] ? number : least[i];
        }
}

static float kth_least(const float* numbers, size_t n, size_t k) {
    for (size_t i = 0; i < n; ++i) {
        EightBits n_below = {}, n_up_to = {};
        for (size_t j = 0; j < n; j += 8) {
            const Eight others = *reinterpret_cast<const EightAnywhere*>(numbers + j);
            n_below -= others < numbers[i];
            n_up_to -= others <= numbers[i];
        }
        size_t below = 0, up_to = 0;
        for (size_t lane = 0; lane < 8; ++lane) below += static_cast<size_t>(n_below[lane]);
        for (size_t lane = 0; lane < 8; ++lane) up_to += static_cast<size_t>(n_up_to[lane]);
        if (below < k && up_to >= k) return numbers[i];
    }
    return INFINITY;
}

template <bool is_squared, bool is_weighted>
static double distance_as(const double* x, const double* y, const double* weights, size_t n) {
    Four sums[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t half = 0; half < 2; ++half) {
            const size_t at = i + 4 * half;
            Four term = *reinterpret_cast<const FourAnywhere*>(x + at) - *reinterpret_cast<const FourAnywhere*>(y + at);
            make_term<is_squared>(term);
            if (is_weighted) term *= *reinterpret_cast<const FourAnywhere*>(weights + at);
            sums[half] += term;
        }
    sums[0] += sums[1];
    double total = (sums[0][0] + sums[0][1]) + (sums[0][2] + sums[0][3]);
    for (; i < n; ++i) {
        const double apart = fabs(x[i] - y[i]), term = is_squared ? apart * apart : apart;
        total += is_weighted ? weights[i] * term : term;
    }
    return total;
}

static double distance(const double* x, const double* y, size_t n, bool is_squared) {
    return (is_squared ? distance_as<true, false> : distance_as<false, false>)(x, y, nullptr, n);
}

template <bool is_squared>
static void distances_as(const double* x, const double* rows, size_t n, double* out) {
    Four sums[n_abreast][2] = {};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t at = i; at < i + 8; at += 4)
#pragma GCC unroll 4
            for (size_t r = 0; r < n_abreast; ++r) {
                Four term = *reinterpret_cast<const FourAnywhere*>(x + at) -
                            *reinterpret_cast<const FourAnywhere*>(rows + r * n + at);
                make_term<is_squared>(term);
                sums[r][(at - i) / 4] += term;
            }
    for (size_t r = 0; r < n_abreast; ++r) {
        const Four sum = sums[r][0] + sums[r][1];
        out[r] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
        for (size_t at = i; at < n; ++at) {
            const double apart = fabs(x[at] - rows[r * n + at]);
            out[r] += is_squared ? apart * apart : apart;
        }
    }
}

static void distances(const double* x, const double* rows, size_t n, bool is_squared, double* out) {
    (is_squared ? distances_as<true> : distances_as<false>)(x, rows, n, out);
}

static double weighted_distance(const double* x, const double* y, const double* weights, size_t n, bool is_squared) {
    return (is_squared ? distance_as<true, true> : distance_as<false, true>)(x, y, weights, n);
}

static void add_differences(const double* x, const double* const* others, const double* factors, size_t n_others,
                            size_t first, size_t n, double* sums) {
    constexpr size_t n_fours = n_summed_at_once / 4;
    size_t i = first;
    // The sums of some columns stay in registers, whatever the number of rows.
    for (; i + 4 * n_fours <= n; i += 4 * n_fours) {
        Four own[n_fours];
#pragma GCC unroll 8
        for (size_t f = 0; f < n_fours; ++f) own[f] = *reinterpret_cast<const FourAnywhere*>(sums + i + 4 * f);
        for (size_t other = 0; other < n_others; ++other) {
            const double* const y = others[other] + i;
#pragma GCC unroll 8
            for (size_t f = 0; f < n_fours; ++f) {
                Four term = *reinterpret_cast<const FourAnywhere*>(x + i + 4 * f) -
                            *reinterpret_cast<const FourAnywhere*>(y + 4 * f);
                make_term<false>(term);
                own[f] += factors[other] * term;
            }
        }
#pragma GCC unroll 8
        for (size_t f = 0; f < n_fours; ++f) *reinterpret_cast<FourAnywhere*>(sums + i + 4 * f) = own[f];
    }
    for (size_t other = 0; other < n_others; ++other)
        for (size_t d = i; d < n; ++d) sums[d] += factors[other] * fabs(x[d] - others[other][d]);
}

static void add_observed_differences(const double* x, const double* y, const bool* is_categorical,
                                     double category_difference, double factor, size_t n, double* sums,
                                     double* factors) {
    for (size_t i = 0; i < n; ++i) {
        const double difference = x[i] - y[i];
        const bool is_observed = difference == difference;
        const double apart = is_categorical[i] && difference != 0 ? category_difference : fabs(difference);
        sums[i] += is_observed ? factor * apart : 0.0;
        factors[i] += is_observed ? factor : 0.0;
    }
}

}  // namespace FEWEST_LEVEL

const DistanceLoops FEWEST_JOIN(distance_loops_, FEWEST_LEVEL) = {
    FEWEST_LEVEL::scan,
    FEWEST_LEVEL::scan_bytes,
    FEWEST_LEVEL::scan_words,
    FEWEST_LEVEL::places_up_to,
    FEWEST_LEVEL::least_of_lines,
    FEWEST_LEVEL::kth_least,
    FEWEST_LEVEL::distance,
    FEWEST_LEVEL::distances,
    FEWEST_LEVEL::weighted_distance,
    FEWEST_LEVEL::add_differences,
    FEWEST_LEVEL::add_observed_differences,
};

}  // namespace fewest
