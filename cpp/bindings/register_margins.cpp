#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "relief/neighbour_margins.hpp"
#include "relief/weighted_margins.hpp"
#include "registers.hpp"

namespace nb = nanobind;

namespace {

using Numbers = Line<const std::int64_t>;
using States = std::optional<Line<const bool>>;

fewest::MarginRows rows_of(const Table<const double>& values, const Numbers& class_ends, const States& is_state,
                           double state_difference, const Numbers& queries, const Line<double>& sums, const Line<std::int64_t>& counts) {
    const auto n_rows = static_cast<std::int64_t>(values.shape(0));
    const std::size_t n_columns = values.shape(1), n_classes = class_ends.shape(0);
    const std::int64_t* const ends = class_ends.data();
    if (n_classes == 0 || ends[n_classes - 1] != n_rows || ends[0] < 0 || !std::is_sorted(ends, ends + n_classes))
        throw std::invalid_argument("classes end in ascending order, the last with the last row");
    if ((is_state && is_state->shape(0) != n_columns) || sums.shape(0) != n_columns || counts.shape(0) != n_columns)
        throw std::invalid_argument("one number a column is expected");
    for (std::size_t i = 0; i < queries.shape(0); ++i)
        if (queries.data()[i] < 0 || queries.data()[i] >= n_rows) throw std::invalid_argument("there is no such row");
    return {values.data(), values.shape(0), n_columns, ends, n_classes, is_state ? is_state->data() : nullptr,
            state_difference};
}

void neighbour_margins(const Table<const double>& values, const Numbers& class_ends, const States& is_state,
                       double state_difference, const Numbers& queries, std::size_t n_neighbours, bool is_squared,
                       const std::optional<Line<const double>>& class_shares, const Line<const double>& hit_factors,
                       const Line<const double>& miss_factors, const Line<double>& sums,
                       const Line<std::int64_t>& counts, std::size_t n_threads) {
    const fewest::MarginRows rows = rows_of(values, class_ends, is_state, state_difference, queries, sums, counts);
    if ((class_shares && class_shares->shape(0) != rows.n_classes) || hit_factors.shape(0) != rows.n_classes ||
        miss_factors.shape(0) != rows.n_classes)
        throw std::invalid_argument("one number a class is expected");
    if (n_neighbours == 0) throw std::invalid_argument("at least one neighbour is expected");
    const fewest::NeighbourRule rule{n_neighbours, is_squared, class_shares ? class_shares->data() : nullptr,
                                     hit_factors.data(), miss_factors.data()};
    const nb::gil_scoped_release release;
    fewest::neighbour_margins(rows, queries.data(), queries.shape(0), rule, n_threads, sums.data(), counts.data());
}

void weighted_margins(const Table<const double>& values, const Numbers& class_ends, const States& is_state,
                      double state_difference, const Numbers& queries, const Line<const double>& weights, double width, bool is_squared,
                      const Line<double>& sums, const Line<std::int64_t>& counts, std::size_t n_threads) {
    const fewest::MarginRows rows = rows_of(values, class_ends, is_state, state_difference, queries, sums, counts);
    if (weights.shape(0) != rows.n_columns) throw std::invalid_argument("one weight a column is expected");
    if (!(width > 0)) throw std::invalid_argument("the width is positive");
    const nb::gil_scoped_release release;
    fewest::weighted_margins(rows, queries.data(), queries.shape(0), weights.data(), width, is_squared, n_threads,
                             sums.data(), counts.data());
}

}  // namespace

void register_margins(nb::module_& module) {
    module.def("neighbour_margins", &neighbour_margins, nb::arg("values").noconvert(),
               nb::arg("class_ends").noconvert(), nb::arg("is_state").noconvert().none(), nb::arg("state_difference"),
               nb::arg("queries").noconvert(), nb::arg("n_neighbours"), nb::arg("is_squared"),
               nb::arg("class_shares").noconvert().none(), nb::arg("hit_factors").noconvert(),
               nb::arg("miss_factors").noconvert(), nb::arg("sums").noconvert(), nb::arg("counts").noconvert(),
               nb::arg("n_threads"),
               "Sums over rows of how much farther their nearest misses are than their nearest hits, by column.");
    module.def("weighted_margins", &weighted_margins, nb::arg("values").noconvert(), nb::arg("class_ends").noconvert(),
               nb::arg("is_state").noconvert().none(), nb::arg("state_difference"), nb::arg("queries").noconvert(), nb::arg("weights").noconvert(),
               nb::arg("width"), nb::arg("is_squared"), nb::arg("sums").noconvert(), nb::arg("counts").noconvert(),
               nb::arg("n_threads"),
               "Sums over rows of the difference to all misses less that to all hits, near ones counting more.");
}
