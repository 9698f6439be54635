#include "kernels/subset_moments.hpp"

#include <algorithm>
#include <vector>

#include "core/threads.hpp"
#include "kernels/moment_loops.hpp"
#include "kernels/width_loops.hpp"

namespace fewest {
namespace {

/// Sets that share a row of distances; a fixed number, so that threads change no bit.
constexpr std::size_t sets_at_once = 16;

/// The rows class by class, each class padded to whole vectors: the factor of a pair is the same within a segment.
struct Segments {
    std::vector<std::size_t> begin, slot;  ///< of each class, with the end; of each row
    std::vector<std::size_t> row, row_class;
    std::size_t width = 0;

    explicit Segments(const SubsetKernels& kernels) : slot(kernels.n_rows) {
        std::vector<std::vector<std::size_t>> members(kernels.n_classes);
        for (std::size_t i = 0; i < kernels.n_rows; ++i)
            members[static_cast<std::size_t>(kernels.codes[i])].push_back(i);
        for (std::size_t c = 0; c < kernels.n_classes; ++c) {
            begin.push_back(width);
            for (const std::size_t i : members[c]) {
                row.push_back(i);
                row_class.push_back(c);
                slot[i] = width++;
            }
            width = (width + moment_lanes - 1) / moment_lanes * moment_lanes;
        }
        begin.push_back(width);
    }
};

double total(const double* parts) { return (parts[0] + parts[1]) + (parts[2] + parts[3]); }

}  // namespace

void write_moments(const SubsetKernels& kernels, const double* eta, std::size_t n_widths, const double* centre,
                   double* moments, std::size_t n_threads) {
    const MomentLoops& loops = moment_loops();
    const Segments segments(kernels);
    const std::size_t n = kernels.n_rows, width = segments.width;
    std::vector<double> selected(kernels.n_selected * width, 0.0);
    for (std::size_t s = 0; s < kernels.n_selected; ++s)
        for (std::size_t i = 0; i < n; ++i)
            selected[s * width + segments.slot[i]] =
                kernels.values[static_cast<std::size_t>(kernels.selected[s]) * n + i];
    const std::size_t n_groups = (kernels.n_among + sets_at_once - 1) / sets_at_once;
    run_tasks(n_groups, n_threads, [&](std::size_t group, std::size_t) {
        const std::size_t first = group * sets_at_once, last = std::min(first + sets_at_once, kernels.n_among);
        std::vector<float> columns((last - first) * width, 0.0f), base(width, 0.0f), weights(width, 0.0f);
        std::vector<double> distances(width, 0.0);
        // [set][width][part][moment][part of a sum]
        const std::size_t n_sums = n_widths * n_parts * n_moment_numbers;
        std::vector<double> sums((last - first) * n_sums, 0.0);
        for (std::size_t a = first; a < last; ++a)
            for (std::size_t i = 0; i < n; ++i)
                columns[(a - first) * width + segments.slot[i]] =
                    static_cast<float>(kernels.values[static_cast<std::size_t>(kernels.among[a]) * n + i]);
        // Rows come in the order of their slots; those that have not come weigh nothing yet.
        for (std::size_t k = 0; k < n; ++k) {
            check_interruption();
            const std::size_t i = segments.row[k], c = segments.row_class[k], at = segments.slot[i];
            std::fill_n(distances.begin(), at, 0.0);
            for (std::size_t s = 0; s < kernels.n_selected; ++s) {
                const double* const column = selected.data() + s * width;
                width_loops().add_squares(column, column[at], at, distances.data());
            }
            for (std::size_t j = 0; j < at; ++j) base[j] = static_cast<float>(distances[j]);
            for (std::size_t a = first; a < last; ++a) {
                const float* const column = columns.data() + (a - first) * width;
                double* const to = sums.data() + (a - first) * n_sums;
                for (std::size_t b = 0; b <= c; ++b) {
                    const std::size_t begin = segments.begin[b], end = std::min(segments.begin[b + 1], at);
                    if (begin >= end) continue;
                    const std::size_t n_padded = (end - begin + moment_lanes - 1) / moment_lanes * moment_lanes;
                    const double factor = kernels.weights[i] * kernels.tables[c * kernels.n_classes + b];
                    loops.add_moments(
                        {base.data() + begin, column + begin, column[at], weights.data() + begin, n_padded},
                        static_cast<float>(eta[a]), static_cast<float>(centre[a]),
                        {n_widths, to + (factor < 0 ? n_moment_numbers : 0), to + 2 * n_moment_numbers,
                         n_parts * n_moment_numbers, factor < 0 ? -factor : factor, kernels.weights[i]});
                }
            }
            weights[at] = static_cast<float>(kernels.weights[i]);
        }
        for (std::size_t a = first; a < last; ++a)
            for (std::size_t m = 0; m < n_widths * n_parts * n_moments; ++m)
                moments[a * n_widths * n_parts * n_moments + m] =
                    total(sums.data() + (a - first) * n_sums + m * n_moment_parts);
    });
}

}  // namespace fewest
