// Compiled once for each SIMD level, with FEWEST_LEVEL naming it. See kernel_sum_loops.hpp.

#include "relief/kernel_sum_loops.hpp"
#include "core/exp_terms.hpp"
#include "core/level_names.hpp"

#include <string.h>

namespace fewest {
namespace FEWEST_LEVEL {

// Four numbers side by side: every level adds and multiplies the same ones in the same order.
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
constexpr size_t n_fours = n_kernel_taps / 4;
constexpr size_t at_once = 64;

/// exp(x) for |x| <= 0.18, where the first term left out is below 3e-18.
static inline double exp_near_zero(double x) {
    double sum = exp_terms[2];
#pragma GCC unroll 11
    for (size_t k = 3; k < n_exp_terms; ++k) sum = sum * x + exp_terms[k];
    return sum;
}

static void spread(const SpreadValues& values, const GridLines& lines) {
    Four profile[n_fours];
    memcpy(profile, values.profile, sizeof profile);
    int64_t nearest[at_once];
    double own[at_once], up[at_once], down[at_once];
    for (size_t begin = 0; begin < values.n; begin += at_once) {
        const size_t n = values.n - begin < at_once ? values.n - begin : at_once;
        const double* const at = values.at + begin;
        for (size_t i = 0; i < n; ++i) nearest[i] = static_cast<int64_t>(at[i] + 0.5);
        for (size_t i = 0; i < n; ++i) {
            const double apart = (at[i] - static_cast<double>(nearest[i])) * kernel_spacing;
            own[i] = exp_near_zero(-apart * apart);
            up[i] = exp_near_zero(2 * apart * kernel_spacing);
            down[i] = exp_near_zero(-2 * apart * kernel_spacing);
        }
        if (values.weights)
            for (size_t i = 0; i < n; ++i) own[i] *= values.weights[begin + i];
        for (size_t i = 0; i < n; ++i) {
            // exp(-(d - m s)^2) = exp(-d^2) exp(2 d s)^m exp(-(m s)^2), four powers at a time
            const double up2 = up[i] * up[i], up4 = up2 * up2;
            const double down2 = down[i] * down[i], down4 = down2 * down2, down8 = down4 * down4;
            const double down11 = down8 * down2 * down[i] * own[i];
            Four power = {down11 * down2 * down[i], down11 * down2, down11 * down[i], down11};
            const Four step = {up4, up4, up4, up4};
            double* const line = lines.points + static_cast<size_t>(values.line[begin + i]) * lines.length;
            Four* const to = reinterpret_cast<Four*>(line + (nearest[i] - lines.base));
#pragma GCC unroll 7
            for (size_t k = 0; k < n_fours; ++k) {
                to[k] += power * profile[k];
                power *= step;
            }
        }
    }
}

static void add_products(const GridLines& lines, size_t n_points, double* total, double* own, double* all) {
    memcpy(total, lines.points, n_points * sizeof(double));
    const size_t n = n_points / 4;
    Four* const sums = reinterpret_cast<Four*>(total);
    for (size_t c = 1; c < lines.n_lines; ++c) {
        const Four* const line = reinterpret_cast<const Four*>(lines.points + c * lines.length);
        for (size_t i = 0; i < n; ++i) sums[i] += line[i];
    }
    for (size_t c = 0; c < lines.n_lines; ++c) {
        const Four* const line = reinterpret_cast<const Four*>(lines.points + c * lines.length);
        Four with_own = {0, 0, 0, 0}, with_all = {0, 0, 0, 0};
        for (size_t i = 0; i < n; ++i) {
            with_own += line[i] * line[i];
            with_all += line[i] * sums[i];
        }
        own[c] += (with_own[0] + with_own[1]) + (with_own[2] + with_own[3]);
        all[c] += (with_all[0] + with_all[1]) + (with_all[2] + with_all[3]);
    }
}

}  // namespace FEWEST_LEVEL

const KernelSumLoops FEWEST_JOIN(kernel_sum_loops_, FEWEST_LEVEL) = {FEWEST_LEVEL::spread, FEWEST_LEVEL::add_products};

}  // namespace fewest
