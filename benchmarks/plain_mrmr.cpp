// The yardstick: mRMR with one increment a row, column and step, on two threads. Built by mrmr.py.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace {

double information(const std::uint8_t* x, const std::uint8_t* y, std::int64_t n, int n_x, int n_y, const double* entropy) {
    std::vector<std::int32_t> cells(static_cast<std::size_t>(n_x) * n_y);
    for (std::int64_t row = 0; row < n; ++row) ++cells[static_cast<std::size_t>(x[row]) * n_y + y[row]];
    std::vector<std::int32_t> of_x(n_x), of_y(n_y);
    double sum = entropy[n];
    for (int a = 0; a < n_x; ++a)
        for (int b = 0; b < n_y; ++b) {
            const std::int32_t count = cells[static_cast<std::size_t>(a) * n_y + b];
            sum += entropy[count];
            of_x[a] += count;
            of_y[b] += count;
        }
    for (const std::int32_t count : of_x) sum -= entropy[count];
    for (const std::int32_t count : of_y) sum -= entropy[count];
    return sum / static_cast<double>(n);
}

}  // namespace

/// codes: [column][row], the class last; out: the columns taken.
extern "C" void plain_mrmr(const std::uint8_t* codes, const std::int32_t* n_states, std::int64_t p, std::int64_t n,
                           std::int64_t k, int is_quotient, std::int64_t* out) {
    std::vector<double> entropy(static_cast<std::size_t>(n) + 1), relevance(p), redundancy(p), now(p);
    for (std::int64_t i = 2; i <= n; ++i) entropy[i] = static_cast<double>(i) * std::log(static_cast<double>(i));
    const auto against = [&](std::int64_t column, std::vector<double>& to) {
        const auto half = [&](std::int64_t first, std::int64_t end) {
            for (std::int64_t j = first; j < end; ++j)
                to[j] = information(codes + column * n, codes + j * n, n, n_states[column], n_states[j], entropy.data());
        };
        std::thread other(half, p / 2, p);
        half(0, p / 2);
        other.join();
    };
    against(p, relevance);
    std::vector<char> taken(p);
    for (std::int64_t step = 0; step < k; ++step) {
        if (step > 0) {
            against(out[step - 1], now);
            for (std::int64_t j = 0; j < p; ++j) redundancy[j] += now[j];
        }
        double best = -1e300;
        for (std::int64_t j = 0; j < p; ++j) {
            const double mean = step > 0 ? redundancy[j] / static_cast<double>(step) : 0.0;
            const double worth = step == 0 ? relevance[j] : is_quotient ? relevance[j] / (mean + 1e-4 * std::log(2.0)) : relevance[j] - mean;
            if (!taken[j] && worth > best + 1e-12) {
                best = worth;
                out[step] = j;
            }
        }
        taken[out[step]] = 1;
    }
}
