#include "kernels/subset_kernels.hpp"

#include <algorithm>
#include <vector>

#include "core/threads.hpp"
#include "kernels/width_loops.hpp"

namespace fewest {
namespace {

/// Sets that share a row of distances; a fixed number, so that threads change no bit.
constexpr std::size_t sets_at_once = 16;

std::size_t padded(std::size_t n) { return (n + pairs_at_once - 1) / pairs_at_once * pairs_at_once; }

/// [form][class][row]: w_j T(c, c_j), what row j counts against a row of class c.
std::vector<double> factors_by_class(const SubsetKernels& kernels) {
    const std::size_t n_lines = kernels.n_forms * kernels.n_classes;
    std::vector<double> factors(n_lines * kernels.n_rows);
    for (std::size_t line = 0; line < n_lines; ++line)
        for (std::size_t j = 0; j < kernels.n_rows; ++j)
            factors[line * kernels.n_rows + j] =
                kernels.weights[j] *
                kernels.tables[line * kernels.n_classes + static_cast<std::size_t>(kernels.codes[j])];
    return factors;
}

/// Runs add(set, pairs) for every set and every row with those before it.
template <class Add>
void for_each_row(const SubsetKernels& kernels, std::size_t n_threads, Add&& add) {
    const WidthLoops& loops = width_loops();
    const std::size_t n = kernels.n_rows, width = padded(n);
    const std::vector<double> factors = factors_by_class(kernels);
    const std::size_t n_groups = (kernels.n_among + sets_at_once - 1) / sets_at_once;
    run_tasks(n_groups, n_threads, [&](std::size_t group, std::size_t) {
        const std::size_t first = group * sets_at_once, last = std::min(first + sets_at_once, kernels.n_among);
        std::vector<double> columns((last - first) * width, 0.0), base(width, 0.0),
            of_pairs(kernels.n_forms * width, 0.0);
        for (std::size_t a = first; a < last; ++a) {
            const double* const from = kernels.values + static_cast<std::size_t>(kernels.among[a]) * n;
            std::copy(from, from + n, columns.begin() + static_cast<std::ptrdiff_t>((a - first) * width));
        }
        for (std::size_t i = 1; i < n; ++i) {
            check_interruption();
            std::fill_n(base.begin(), i, 0.0);
            for (std::size_t s = 0; s < kernels.n_selected; ++s) {
                const double* const column = kernels.values + static_cast<std::size_t>(kernels.selected[s]) * n;
                loops.add_squares(column, column[i], i, base.data());
            }
            for (std::size_t form = 0; form < kernels.n_forms; ++form) {
                const std::size_t line = form * kernels.n_classes + static_cast<std::size_t>(kernels.codes[i]);
                const double* const of_class = factors.data() + line * n;
                double* const to = of_pairs.data() + form * width;
                for (std::size_t j = 0; j < i; ++j) to[j] = kernels.weights[i] * of_class[j];
            }
            for (std::size_t a = first; a < last; ++a) {
                const double* const column = columns.data() + (a - first) * width;
                add(a, RowPairs{base.data(), column, column[i], kernels.sign, padded(i), of_pairs.data(), width,
                                kernels.n_forms});
            }
        }
    });
}

double total(const double* parts) { return (parts[0] + parts[1]) + (parts[2] + parts[3]); }

}  // namespace

void write_sums(const SubsetKernels& kernels, const double* eta, const bool* is_squared, double* sums,
                std::size_t n_threads) {
    const WidthLoops& loops = width_loops();
    const std::size_t n_sums = kernels.n_forms;
    std::vector<double> parts(kernels.n_among * n_sums * n_sum_parts, 0.0);
    for_each_row(kernels, n_threads, [&](std::size_t a, const RowPairs& pairs) {
        loops.add_kernels(pairs, eta[a], is_squared, parts.data() + a * n_sums * n_sum_parts);
    });
    for (std::size_t k = 0; k < kernels.n_among * n_sums; ++k) sums[k] = total(parts.data() + k * n_sum_parts);
}

void write_ladder_sums(const SubsetKernels& kernels, const double* eta, std::size_t n_widths, double* sums,
                       std::size_t n_threads) {
    const WidthLoops& loops = width_loops();
    const std::size_t n_sums = kernels.n_forms * n_widths;
    std::vector<double> parts(kernels.n_among * n_sums * n_sum_parts, 0.0);
    for_each_row(kernels, n_threads, [&](std::size_t a, const RowPairs& pairs) {
        loops.add_ladder(pairs, eta[a], n_widths, parts.data() + a * n_sums * n_sum_parts);
    });
    for (std::size_t k = 0; k < kernels.n_among * n_sums; ++k) sums[k] = total(parts.data() + k * n_sum_parts);
}

}  // namespace fewest
