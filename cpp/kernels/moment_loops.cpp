// Compiled once for each SIMD level, with FEWEST_LEVEL naming it. See moment_loops.hpp.

#include "kernels/moment_loops.hpp"
#include "core/level_names.hpp"

#include <string.h>

namespace fewest {
namespace FEWEST_LEVEL {

// Eight numbers side by side: every level adds and multiplies the same ones in the same order.
typedef float Eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef float FourFloats __attribute__((vector_size(16)));
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
typedef int EightBits __attribute__((vector_size(32)));

/// Vectors that are added in float before their sum is added in double: the error of a sum is at most 35 roundings.
constexpr size_t vectors_at_once = 64;

/// x becomes exp(x) for x <= 0, to a relative error below 4e-7; x below -21 counts as that.
static inline void exponentiate(Eight& x) {
    const Eight least = {-21, -21, -21, -21, -21, -21, -21, -21};
    x = x > least ? x : least;
    // x = k log 2 + r, |r| <= log(2) / 2: adding 1.5 * 2^23 rounds to the whole number k and leaves it in the low bits.
    constexpr float magic = 12582912.0f;
    const Eight shifted = x * 1.44269504f + magic;
    const Eight k = shifted - magic;
    const Eight r = (x - k * 0.693359375f) - k * -2.12194440e-4f;
    Eight sum = r * (1.0f / 720) + 1.0f / 120;
    sum = sum * r + 1.0f / 24;
    sum = sum * r + 1.0f / 6;
    sum = sum * r + 0.5f;
    sum = sum * r + 1.0f;
    sum = sum * r + 1.0f;
    EightBits bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 127) << 23;
    memcpy(&x, &bits, sizeof x);
    x *= sum;
}

/// Sums of the five moments, by name so that each has a register.
struct Moments {
    Eight zeroth, first, second, third, fourth;
};

/// Adds weight times kernel times each moment of z to the sums, and squares the kernel.
static inline void add_terms(const float* weights, const Eight& z, Eight& kernel, Moments& sums) {
    // Without this limit a square of a square would be a denormal number, which takes far longer.
    const Eight least = {1e-9f, 1e-9f, 1e-9f, 1e-9f, 1e-9f, 1e-9f, 1e-9f, 1e-9f};
    Eight term = *reinterpret_cast<const Eight*>(weights) * kernel;
    const Eight squared = kernel * kernel;
    kernel = squared > least ? squared : least;
    sums.zeroth += term;
    term *= z;
    sums.first += term;
    term *= z;
    sums.second += term;
    term *= z;
    sums.third += term;
    sums.fourth += term * z;
}

/// Adds the halves of a vector in float, then times the factor in double.
static inline void add_part(const Eight& part, double factor, double* to) {
    FourFloats low, high;
    memcpy(&low, &part, sizeof low);
    memcpy(&high, reinterpret_cast<const float*>(&part) + 4, sizeof high);
    *reinterpret_cast<Four*>(to) += factor * __builtin_convertvector(low + high, Four);
}

static void add_moments(const DistancePairs& pairs, float eta, float centre, const MomentSums& sums) {
    Eight kernels[vectors_at_once], apart[vectors_at_once];
    for (size_t begin = 0; begin < pairs.n; begin += vectors_at_once * moment_lanes) {
        const size_t left = (pairs.n - begin) / moment_lanes, n = left < vectors_at_once ? left : vectors_at_once;
        for (size_t v = 0; v < n; ++v) {
            const size_t at = begin + v * moment_lanes;
            const Eight difference = pairs.own - *reinterpret_cast<const Eight*>(pairs.others + at);
            const Eight distance = *reinterpret_cast<const Eight*>(pairs.base + at) + difference * difference;
            apart[v] = distance - centre;
            kernels[v] = distance * -eta;
            exponentiate(kernels[v]);
        }
        // The square of a kernel is the kernel at twice the eta.
        for (size_t power = 0; power <= sums.n_widths; ++power) {
            // Every other vector has sums of its own: additions to one sum wait for each other.
            const Eight zero = {0, 0, 0, 0, 0, 0, 0, 0};
            Moments even = {zero, zero, zero, zero, zero}, odd = even;
            const float* const weights = pairs.weights + begin;
            size_t v = 0;
            for (; v + 1 < n; v += 2) {
                add_terms(weights + v * moment_lanes, apart[v], kernels[v], even);
                add_terms(weights + (v + 1) * moment_lanes, apart[v + 1], kernels[v + 1], odd);
            }
            if (v < n) add_terms(weights + v * moment_lanes, apart[v], kernels[v], even);
            const Eight parts[n_moments] = {even.zeroth + odd.zeroth, even.first + odd.first, even.second + odd.second,
                                            even.third + odd.third, even.fourth + odd.fourth};
            for (size_t moment = 0; moment < n_moments; ++moment) {
                const size_t at = moment * n_moment_parts + power * sums.further;
                if (power < sums.n_widths) add_part(parts[moment], sums.kernel_factor, sums.of_kernel + at);
                if (power > 0) add_part(parts[moment], sums.square_factor, sums.of_square + at - sums.further);
            }
        }
    }
}

}  // namespace FEWEST_LEVEL

const MomentLoops FEWEST_JOIN(moment_loops_, FEWEST_LEVEL) = {FEWEST_LEVEL::add_moments};

}  // namespace fewest
