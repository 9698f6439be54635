#include "thresholds/kolmogorov_tails.hpp"

#include <algorithm>
#include <vector>

#include "core/threads.hpp"

namespace fewest {
namespace {

/// All orders of the values are equally likely: a path from (0, 0) to (m, n), a step for each value. reached[j] is the
/// probability that one of the paths to (i, j) was at a point with |i n - j m| >= farthest; sums of positive numbers,
/// so that small probabilities keep their digits.
double tail(std::int64_t m, std::int64_t n, std::int64_t farthest, std::vector<double>& reached) {
    reached.assign(static_cast<std::size_t>(n) + 1, 1.0);
    for (std::int64_t i = 0; i <= m; ++i) {
        // Points with |i n - j m| < farthest; those before and behind them are 1.
        const std::int64_t begin = i * n < farthest ? 0 : (i * n - farthest) / m + 1;
        const std::int64_t last = std::min(n, (i * n + farthest - 1) / m);
        double before = begin > 0 ? 1.0 : 0.0;
        for (std::int64_t j = begin; j <= last; ++j) {
            double& here = reached[static_cast<std::size_t>(j)];
            if (i + j == 0)
                here = 0.0;
            else
                here = (static_cast<double>(i) * here + static_cast<double>(j) * before) / static_cast<double>(i + j);
            before = here;
        }
    }
    return reached[static_cast<std::size_t>(n)];
}

}  // namespace

void kolmogorov_tails(const std::int64_t* first, const std::int64_t* second, const std::int64_t* farthest,
                      std::size_t n, std::size_t n_threads, double* tails) {
    std::vector<std::vector<double>> scratch(std::max<std::size_t>(n_threads, 1));
    run_tasks(n, n_threads, [&](std::size_t i, std::size_t worker) {
        const bool is_any = farthest[i] <= 0 || first[i] == 0 || second[i] == 0;
        tails[i] = is_any ? 1.0 : tail(first[i], second[i], farthest[i], scratch[worker]);
    });
}

}  // namespace fewest
