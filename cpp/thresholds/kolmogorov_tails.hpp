#pragma once
// The exact distribution of the largest difference between the distribution functions of two samples.

#include <cstddef>
#include <cstdint>

namespace fewest {

/// For each of n pairs of samples, of first and second values, the probability that the distribution functions of two
/// samples of one continuous distribution differ somewhere by farthest / (first * second) or more.
void kolmogorov_tails(const std::int64_t* first, const std::int64_t* second, const std::int64_t* farthest,
                      std::size_t n, std::size_t n_threads, double* tails);

}  // namespace fewest
