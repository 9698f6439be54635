#pragma once

#include <stddef.h>

namespace fewest {

/// 1/13!, 1/12!, ..., 1/1!, 1/0!: what the series of exp multiplies powers by, in the order in which Horner's rule adds.
constexpr double exp_terms[] = {
    1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
    1.0 / 720,        1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1.0,         1.0};
constexpr size_t n_exp_terms = sizeof exp_terms / sizeof exp_terms[0];

}  // namespace fewest
