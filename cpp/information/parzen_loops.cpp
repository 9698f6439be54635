// Compiled once for each SIMD level, with FEWEST_LEVEL naming it. See parzen_loops.hpp.

#include "information/parzen_loops.hpp"
#include "core/level_names.hpp"

#include <string.h>

namespace fewest {
namespace FEWEST_LEVEL {

// Four numbers side by side: every level adds and multiplies the same ones in the same order.
typedef double Four __attribute__((vector_size(32), may_alias));
typedef double FourAnywhere __attribute__((vector_size(32), aligned(8), may_alias));
constexpr size_t n_fours = n_padded_taps / 4;

static inline double add_row(const double* x, const double* y, size_t n, const double* weights, double weight,
                             double* sums) {
    Four own[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        for (size_t half = 0; half < 2; ++half) {
            const size_t at = i + 4 * half;
            Four product = *reinterpret_cast<const FourAnywhere*>(x + at);
            if (y) product *= *reinterpret_cast<const FourAnywhere*>(y + at);
            if (weights) {
                *reinterpret_cast<FourAnywhere*>(sums + at) += weight * product;
                own[half] += *reinterpret_cast<const FourAnywhere*>(weights + at) * product;
            } else {
                *reinterpret_cast<FourAnywhere*>(sums + at) += product;
                own[half] += product;
            }
        }
    }
    own[0] += own[1];
    double total = (own[0][0] + own[0][1]) + (own[0][2] + own[0][3]);
    for (; i < n; ++i) {
        const double product = y ? x[i] * y[i] : x[i];
        sums[i] += weight * product;
        total += weights ? weights[i] * product : product;
    }
    return total;
}

static double add_one_row(const double* x, const double* y, size_t n, const double* weights, double weight,
                          double* sums) {
    return add_row(x, y, n, weights, weight, sums);
}

static void triangle_sums(const double* x, const double* y, size_t n_rows, const double* weights, double* sums) {
    for (size_t k = 0; k < n_rows; ++k) {
        const double weight = weights ? weights[k] : 1.0;
        sums[k] = weight + add_row(x, y, k, weights, weight, sums);
        x += k;
        if (y) y += k;
    }
}

static inline double* line_of(const GridPair& pair, int64_t line) {
    return pair.lines + static_cast<size_t>(line & (n_lines - 1)) * pair.line_length;
}

/// Adds rows that reach the same points, so that these are read and written once for all of them.
static inline void spread(const GridPair& pair, const int64_t* places, size_t n_places, int64_t x_first,
                          int64_t y_first) {
    for (size_t a = 0; a < n_taps; ++a) {
        Four* const to = reinterpret_cast<Four*>(line_of(pair, x_first + static_cast<int64_t>(a)) + y_first);
        Four sum[n_fours];
#pragma GCC unroll 6
        for (size_t b = 0; b < n_fours; ++b) sum[b] = to[b];
        for (size_t i = 0; i < n_places; ++i) {
            const size_t place = static_cast<size_t>(places[i]), row = static_cast<size_t>(pair.rows[place]);
            double tap = pair.x_taps[place * n_taps + a];
            if (pair.weights) tap *= pair.weights[row];
            const Four x = {tap, tap, tap, tap};
            const FourAnywhere* const y = reinterpret_cast<const FourAnywhere*>(pair.y_taps + row * n_padded_taps);
#pragma GCC unroll 6
            for (size_t b = 0; b < n_fours; ++b) sum[b] += x * y[b];
        }
#pragma GCC unroll 6
        for (size_t b = 0; b < n_fours; ++b) to[b] = sum[b];
    }
}

static inline double gather(const GridPair& pair, size_t place) {
    const size_t row = static_cast<size_t>(pair.rows[place]);
    const double* const taps = pair.x_taps + place * n_taps;
    Four met[n_fours] = {};
    for (size_t a = 0; a < n_taps; ++a) {
        const double* const line = line_of(pair, pair.x_first[place] + static_cast<int64_t>(a));
        const Four* const from = reinterpret_cast<const Four*>(line + pair.y_first[row]);
        const Four x = {taps[a], taps[a], taps[a], taps[a]};
#pragma GCC unroll 6
        for (size_t b = 0; b < n_fours; ++b) met[b] += x * from[b];
    }
    Four y[n_fours];
    memcpy(y, pair.y_taps + row * n_padded_taps, sizeof y);
    Four total = met[0] * y[0];
    for (size_t b = 1; b < n_fours; ++b) total += met[b] * y[b];
    return (total[0] + total[1]) + (total[2] + total[3]);
}

static void grid_sums(const GridPair& pair) {
    constexpr int64_t reach = static_cast<int64_t>(n_taps);
    size_t n_spread = 0;
    int64_t n_clear = INT64_MIN;  // lines before this one hold nothing but what was spread
    for (size_t place = 0; place < pair.n_rows;) {
        const int64_t first = pair.x_first[place];
        // All rows that share a line with this one. What falls out of the lines kept lies behind it.
        while (n_spread < pair.n_rows && pair.x_first[n_spread] < first + reach) {
            const int64_t begin = pair.x_first[n_spread];
            for (int64_t line = n_clear > begin ? n_clear : begin; line < begin + reach; ++line)
                memset(line_of(pair, line), 0, pair.line_length * sizeof(double));
            n_clear = begin + reach;
            const auto y_first = [&](size_t i) { return pair.y_first[pair.rows[pair.order[i]]]; };
            size_t end = n_spread + 1;
            while (end < pair.n_rows && pair.x_first[end] == begin && y_first(end) == y_first(n_spread)) ++end;
            spread(pair, pair.order + n_spread, end - n_spread, begin, y_first(n_spread));
            n_spread = end;
        }
        for (; place < pair.n_rows && pair.x_first[place] == first; ++place) pair.sums[place] = gather(pair, place);
    }
}

}  // namespace FEWEST_LEVEL

const ParzenLoops FEWEST_JOIN(parzen_loops_, FEWEST_LEVEL) = {FEWEST_LEVEL::add_one_row, FEWEST_LEVEL::triangle_sums,
                                                              FEWEST_LEVEL::grid_sums};

}  // namespace fewest
