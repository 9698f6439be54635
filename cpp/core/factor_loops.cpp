// Compiled once for each SIMD level, with FEWEST_LEVEL naming it. See factor_loops.hpp.

#include "core/factor_loops.hpp"
#include "core/level_names.hpp"

#include <math.h>

namespace fewest {

void check_interruption();  // of core/interruption.hpp, which needs more than C headers

namespace FEWEST_LEVEL {

// Numbers side by side: every level adds the same ones in the same order.
typedef double Four __attribute__((vector_size(32), may_alias));
typedef double FourAnywhere __attribute__((vector_size(32), aligned(8), may_alias));

/// Rows of a matrix that are brought up to date at a time.
constexpr size_t n_abreast = 4;
/// The time of a smaller matrix is too short to ask whether to stop.
constexpr size_t many = 256;

/// Takes from n_abreast rows, over eight columns, what the rows above have in them; sums stay in registers.
static inline void bring_up_to_date(double* matrix, size_t stride, size_t first, size_t column) {
    Four sums[n_abreast][2] = {};
    for (size_t k = 0; k < first; ++k) {
        const double* const above = matrix + k * stride;
        const Four left = *reinterpret_cast<const FourAnywhere*>(above + column);
        const Four right = *reinterpret_cast<const FourAnywhere*>(above + column + 4);
#pragma GCC unroll 4
        for (size_t r = 0; r < n_abreast; ++r) {
            sums[r][0] += above[first + r] * left;
            sums[r][1] += above[first + r] * right;
        }
    }
#pragma GCC unroll 4
    for (size_t r = 0; r < n_abreast; ++r) {
        double* const row = matrix + (first + r) * stride + column;
        *reinterpret_cast<FourAnywhere*>(row) -= sums[r][0];
        *reinterpret_cast<FourAnywhere*>(row + 4) -= sums[r][1];
    }
}

/// to -= factor * from, over n numbers.
static inline void take_multiple(double* __restrict to, const double* __restrict from, double factor, size_t n) {
    for (size_t i = 0; i < n; ++i) to[i] -= factor * from[i];
}

/// least : what no pivot is below but for rounding, which it is raised to; null where such a matrix is refused
static bool factor_above(double* matrix, size_t n, const double* least) {
    const size_t stride = padded(n);
    for (size_t first = 0; first < n; first += n_abreast) {
        if (n >= many) check_interruption();
        const size_t end = n - first < n_abreast ? n : first + n_abreast;
        if (end - first == n_abreast) {
            for (size_t column = first; column < n; column += 8) bring_up_to_date(matrix, stride, first, column);
        } else {
            for (size_t row = first; row < end; ++row)
                for (size_t k = 0; k < first; ++k)
                    take_multiple(matrix + row * stride + row, matrix + k * stride + row, matrix[k * stride + row],
                                  n - row);
        }
        for (size_t row = first; row < end; ++row) {
            double* const own = matrix + row * stride;
            for (size_t k = first; k < row; ++k)
                take_multiple(own + row, matrix + k * stride + row, matrix[k * stride + row], n - row);
            if (least && !(own[row] > least[row])) own[row] = least[row];
            if (!(own[row] > 0)) return false;
            const double root = sqrt(own[row]);
            for (size_t i = row; i < n; ++i) own[i] /= root;
            own[row] = root;
        }
    }
    return true;
}

static bool factor(double* matrix, size_t n) { return factor_above(matrix, n, nullptr); }

static void solve(const double* factor, size_t n, double* b) {
    const size_t stride = padded(n);
    for (size_t k = 0; k < n; ++k) {
        const double* const row = factor + k * stride;
        b[k] /= row[k];
        take_multiple(b + k + 1, row + k + 1, b[k], n - k - 1);
    }
    for (size_t k = n; k-- > 0;) {
        const double* const row = factor + k * stride;
        Four sums = {};
        size_t i = k + 1;
        for (; i + 4 <= n; i += 4)
            sums += *reinterpret_cast<const FourAnywhere*>(row + i) * *reinterpret_cast<const FourAnywhere*>(b + i);
        double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        for (; i < n; ++i) sum += row[i] * b[i];
        b[k] = (b[k] - sum) / row[k];
    }
}

static void add_outer(double* matrix, size_t n, const double* lines, const size_t* rows, size_t n_rows,
                      const double* multiples) {
    const size_t stride = padded(n);
    size_t r = 0;
    // Four at a time, so that the matrix is read and written once for four: to each number they are added in turn.
    for (; r + 4 <= n_rows; r += 4) {
        const double* __restrict const first = lines + rows[r] * n;
        const double* __restrict const second = lines + rows[r + 1] * n;
        const double* __restrict const third = lines + rows[r + 2] * n;
        const double* __restrict const fourth = lines + rows[r + 3] * n;
        for (size_t i = 0; i < n; ++i) {
            double* __restrict const own = matrix + i * stride;
            const double a = first[i] * multiples[r], b = second[i] * multiples[r + 1];
            const double c = third[i] * multiples[r + 2], d = fourth[i] * multiples[r + 3];
            for (size_t j = i; j < n; ++j)
                own[j] = (((own[j] + a * first[j]) + b * second[j]) + c * third[j]) + d * fourth[j];
        }
    }
    for (; r < n_rows; ++r) {
        const double* __restrict const line = lines + rows[r] * n;
        for (size_t i = 0; i < n; ++i) {
            double* __restrict const own = matrix + i * stride;
            const double a = line[i] * multiples[r];
            for (size_t j = i; j < n; ++j) own[j] += a * line[j];
        }
    }
}

static void add_rows(const double* matrix, size_t n, const size_t* rows, size_t n_rows, const double* multiples,
                     double* __restrict out) {
    size_t r = 0;
    for (; r + 4 <= n_rows; r += 4) {
        const double* __restrict const first = matrix + rows[r] * n;
        const double* __restrict const second = matrix + rows[r + 1] * n;
        const double* __restrict const third = matrix + rows[r + 2] * n;
        const double* __restrict const fourth = matrix + rows[r + 3] * n;
        const double a = multiples[r], b = multiples[r + 1], c = multiples[r + 2], d = multiples[r + 3];
        for (size_t i = 0; i < n; ++i) out[i] += (a * first[i] + b * second[i]) + (c * third[i] + d * fourth[i]);
    }
    for (; r < n_rows; ++r) {
        const double* __restrict const row = matrix + rows[r] * n;
        for (size_t i = 0; i < n; ++i) out[i] += multiples[r] * row[i];
    }
}

static void add_lines(const double* const* lines, const double* multiples, size_t n_lines, size_t n,
                      double* __restrict out) {
    size_t k = 0;
    for (; k + 4 <= n_lines; k += 4) {
        const double* __restrict const first = lines[k];
        const double* __restrict const second = lines[k + 1];
        const double* __restrict const third = lines[k + 2];
        const double* __restrict const fourth = lines[k + 3];
        const double a = multiples[k], b = multiples[k + 1], c = multiples[k + 2], d = multiples[k + 3];
        for (size_t i = 0; i < n; ++i)
            out[i] = (((out[i] + a * first[i]) + b * second[i]) + c * third[i]) + d * fourth[i];
    }
    for (; k < n_lines; ++k) {
        const double* __restrict const line = lines[k];
        for (size_t i = 0; i < n; ++i) out[i] += multiples[k] * line[i];
    }
}

}  // namespace FEWEST_LEVEL

const FactorLoops FEWEST_JOIN(factor_loops_, FEWEST_LEVEL) = {FEWEST_LEVEL::factor,       FEWEST_LEVEL::solve,
                                                              FEWEST_LEVEL::add_outer,    FEWEST_LEVEL::add_rows,
                                                              FEWEST_LEVEL::factor_above, FEWEST_LEVEL::add_lines};

}  // namespace fewest
