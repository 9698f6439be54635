#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "registers.hpp"
#include "relief/kernel_sums.hpp"
#include "relief/neighbour_margins.hpp"
#include "relief/neighbour_orders.hpp"
#include "relief/threshold_margins.hpp"
#include "relief/weighted_margins.hpp"

namespace nb = nanobind;

namespace {

namespace kernel_sums {

using Codes = Line<const std::int32_t>;
using Weights = std::optional<Line<const double>>;
using Numbers = Line<const double>;

/// What both forms take, with the shapes checked.
fewest::KernelSums view(const Codes& codes, const Weights& weights, const Numbers& origin, const Numbers& width,
                        std::size_t n_classes, double* own, double* all) {
    const std::size_t n_columns = origin.shape(0);
    if (width.shape(0) != n_columns || (weights && weights->shape(0) != codes.shape(0)))
        throw std::invalid_argument("codes, weights, origins and widths differ in shape");
    const auto is_class = [&](std::int32_t code) { return code >= 0 && static_cast<std::size_t>(code) < n_classes; };
    if (!std::all_of(codes.data(), codes.data() + codes.shape(0), is_class))
        throw std::invalid_argument("there is no such class");
    return {codes.data(),
            weights ? weights->data() : nullptr,
            codes.shape(0),
            n_classes,
            n_columns,
            origin.data(),
            width.data(),
            own,
            all};
}

fewest::KernelSums view(const Codes& codes, const Weights& weights, const Numbers& origin, const Numbers& width,
                        const Table<double>& own, const Table<double>& all) {
    if (all.shape(0) != own.shape(0) || all.shape(1) != own.shape(1) || origin.shape(0) != own.shape(0))
        throw std::invalid_argument("origins and sums differ in shape");
    return view(codes, weights, origin, width, own.shape(1), own.data(), all.data());
}

void dense(const Table<const double>& values, const Codes& codes, const Weights& weights, const Numbers& origin,
           const Numbers& width, const Table<double>& own, const Table<double>& all, std::size_t n_threads) {
    const fewest::KernelSums sums = view(codes, weights, origin, width, own, all);
    if (values.shape(0) != sums.n_columns || values.shape(1) != sums.n_rows)
        throw std::invalid_argument("values differ in shape from codes and sums");
    const nb::gil_scoped_release release;
    fewest::write_kernel_sums(sums, values.data(), n_threads);
}

template <class Index>
void sparse(const Numbers& values, const Line<const Index>& rows, const Line<const Index>& starts,
            const Numbers& class_weights, const Line<const std::int64_t>& class_counts, const Codes& codes,
            const Weights& weights, const Numbers& origin, const Numbers& width, const Table<double>& own,
            const Table<double>& all, std::size_t n_threads) {
    const fewest::KernelSums sums = view(codes, weights, origin, width, own, all);
    const Index* const at = starts.data();
    if (starts.shape(0) != sums.n_columns + 1 || rows.shape(0) != values.shape(0) || at[0] < 0 ||
        !std::is_sorted(at, at + starts.shape(0)) || static_cast<std::size_t>(at[sums.n_columns]) > rows.shape(0) ||
        class_weights.shape(0) != sums.n_classes || class_counts.shape(0) != sums.n_classes)
        throw std::invalid_argument("a sparse matrix has one start more than columns, and as many rows as values");
    const auto is_row = [&](Index row) { return row >= 0 && static_cast<std::size_t>(row) < sums.n_rows; };
    if (!std::all_of(rows.data(), rows.data() + rows.shape(0), is_row))
        throw std::invalid_argument("there is no such row");
    const fewest::HeldValues<Index> held{values.data(), rows.data(), at, class_weights.data(), class_counts.data()};
    const nb::gil_scoped_release release;
    fewest::write_kernel_sums(sums, held, n_threads);
}

fewest::KernelGrids grids_of(const Line<const std::int64_t>& starts, const Line<double>& points,
                             const fewest::KernelSums& sums) {
    const std::int64_t* const at = starts.data();
    const auto n = static_cast<std::int64_t>(sums.n_columns);
    if (starts.shape(0) != sums.n_columns + 1 || at[0] != 0 ||
        static_cast<std::size_t>(at[n]) * sums.n_classes != points.shape(0))
        throw std::invalid_argument("a grid begins where the one before it ends");
    for (std::int64_t j = 0; j < n; ++j)
        if (const std::int64_t length = at[j + 1] - at[j]; length % 4 != 0 || (length != 0 && length < 28))
            throw std::invalid_argument("a grid has a multiple of four points, 28 at least");
    return {at, points.data()};
}

bool add_to_grids(const Table<const double>& values, const Codes& codes, const Weights& weights, const Numbers& origin,
                  const Numbers& width, const Line<const std::int64_t>& starts, const Line<double>& points,
                  std::size_t n_classes, std::size_t n_threads) {
    const fewest::KernelSums sums = view(codes, weights, origin, width, n_classes, nullptr, nullptr);
    if (values.shape(0) != sums.n_columns || values.shape(1) != sums.n_rows)
        throw std::invalid_argument("values differ in shape from codes and sums");
    const fewest::KernelGrids grids = grids_of(starts, points, sums);
    const nb::gil_scoped_release release;
    return fewest::add_to_kernel_grids(sums, values.data(), grids, n_threads);
}

void of_grids(const Line<const std::int64_t>& starts, const Line<double>& points, const Table<double>& own,
              const Table<double>& all, std::size_t n_threads) {
    const fewest::KernelSums sums{nullptr, nullptr, 0,          own.shape(1), own.shape(0),
                                  nullptr, nullptr, own.data(), all.data()};
    if (all.shape(0) != own.shape(0) || all.shape(1) != own.shape(1))
        throw std::invalid_argument("sums differ in shape");
    const fewest::KernelGrids grids = grids_of(starts, points, sums);
    const nb::gil_scoped_release release;
    fewest::write_kernel_sums(sums, grids, n_threads);
}

template <class Index>
void bind_sparse(nb::module_& module) {
    module.def("sparse_kernel_sums", &sparse<Index>, nb::arg("values").noconvert(), nb::arg("rows").noconvert(),
               nb::arg("starts").noconvert(), nb::arg("class_weights").noconvert(), nb::arg("class_counts").noconvert(),
               nb::arg("codes").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("origin").noconvert(),
               nb::arg("width").noconvert(), nb::arg("own").noconvert(), nb::arg("all").noconvert(),
               nb::arg("n_threads"), "The same for the columns of a sparse matrix, held column by column.");
}

void add_to(nb::module_& module) {
    module.def("kernel_sums", &dense, nb::arg("values").noconvert(), nb::arg("codes").noconvert(),
               nb::arg("weights").noconvert().none(), nb::arg("origin").noconvert(), nb::arg("width").noconvert(),
               nb::arg("own").noconvert(), nb::arg("all").noconvert(), nb::arg("n_threads"),
               "Write, for each column and class, the sum of Gaussian kernels within the class and with all rows.");
    module.def("kernel_grid_points", &fewest::n_kernel_grid_points, nb::arg("extent"), nb::arg("width"),
               "How many points the grid of a column has.");
    module.def("add_to_kernel_grids", &add_to_grids, nb::arg("values").noconvert(), nb::arg("codes").noconvert(),
               nb::arg("weights").noconvert().none(), nb::arg("origin").noconvert(), nb::arg("width").noconvert(),
               nb::arg("starts").noconvert(), nb::arg("points").noconvert(), nb::arg("n_classes"), nb::arg("n_threads"),
               "Spread rows over grids that are kept; False where a value lies outside.");
    module.def("kernel_sums_of_grids", &of_grids, nb::arg("starts").noconvert(), nb::arg("points").noconvert(),
               nb::arg("own").noconvert(), nb::arg("all").noconvert(), nb::arg("n_threads"),
               "The same sums, of the rows that were spread over grids.");
    bind_sparse<std::int32_t>(module);
    bind_sparse<std::int64_t>(module);
}

}  // namespace kernel_sums

namespace neighbours {

using Numbers = Line<const std::int64_t>;
using Categories = std::optional<Line<const bool>>;

fewest::MarginRows rows_of(const Table<const double>& values, const Numbers& class_ends,
                           const Categories& is_categorical, double category_difference, const Numbers& queries) {
    const auto n_rows = static_cast<std::int64_t>(values.shape(0));
    const std::size_t n_columns = values.shape(1), n_classes = class_ends.shape(0);
    const std::int64_t* const ends = class_ends.data();
    if (n_classes == 0 || ends[n_classes - 1] != n_rows || ends[0] < 0 || !std::is_sorted(ends, ends + n_classes))
        throw std::invalid_argument("classes end in ascending order, the last with the last row");
    if (is_categorical && is_categorical->shape(0) != n_columns)
        throw std::invalid_argument("one number a column is expected");
    for (std::size_t i = 0; i < queries.shape(0); ++i)
        if (queries.data()[i] < 0 || queries.data()[i] >= n_rows) throw std::invalid_argument("there is no such row");
    return {values.data(),      values.shape(0),
            n_columns,          ends,
            n_classes,          is_categorical ? is_categorical->data() : nullptr,
            category_difference};
}

fewest::MarginRows rows_of(const Table<const double>& values, const Numbers& class_ends,
                           const Categories& is_categorical, double category_difference, const Numbers& queries,
                           const Line<double>& sums, const Line<std::int64_t>& counts) {
    if (sums.shape(0) != values.shape(1) || counts.shape(0) != values.shape(1))
        throw std::invalid_argument("one number a column is expected");
    return rows_of(values, class_ends, is_categorical, category_difference, queries);
}

void neighbour_margins(const Table<const double>& values, const Numbers& class_ends, const Categories& is_categorical,
                       double category_difference, const Numbers& queries, const Numbers& n_neighbours, bool is_squared,
                       const std::optional<Line<const double>>& class_shares, const Line<const double>& hit_factors,
                       const Line<const double>& miss_factors, const Line<double>& sums,
                       const Line<std::int64_t>& counts, std::size_t n_threads) {
    const fewest::MarginRows rows =
        rows_of(values, class_ends, is_categorical, category_difference, queries, sums, counts);
    if ((class_shares && class_shares->shape(0) != rows.n_classes) || hit_factors.shape(0) != rows.n_classes ||
        miss_factors.shape(0) != rows.n_classes || n_neighbours.shape(0) != rows.n_classes)
        throw std::invalid_argument("one number a class is expected");
    const std::vector<std::size_t> k(n_neighbours.data(), n_neighbours.data() + rows.n_classes);
    if (!std::all_of(n_neighbours.data(), n_neighbours.data() + rows.n_classes, [](auto n) { return n > 0; }))
        throw std::invalid_argument("at least one neighbour is expected");
    const fewest::NeighbourRule rule{k.data(), is_squared, class_shares ? class_shares->data() : nullptr,
                                     hit_factors.data(), miss_factors.data()};
    const nb::gil_scoped_release release;
    fewest::neighbour_margins(rows, queries.data(), queries.shape(0), rule, n_threads, sums.data(), counts.data());
}

void construct_orders(fewest::NeighbourOrders* self, const Table<const double>& values, bool is_squared,
                      std::size_t n_threads) {
    if (values.shape(0) < 1 || values.shape(0) > (std::size_t{1} << 20))
        throw std::invalid_argument("there is no row, or too many");
    const nb::gil_scoped_release release;
    new (self) fewest::NeighbourOrders(values.data(), values.shape(0), values.shape(1), is_squared, n_threads);
}

void margins_of_labellings(const fewest::NeighbourOrders& orders, const Table<const double>& values,
                           const Table<const std::int32_t>& codes, const Numbers& n_neighbours,
                           const std::optional<Line<const double>>& class_shares, const Line<const double>& hit_factors,
                           const Line<const double>& miss_factors, const Table<double>& sums, std::size_t n_threads) {
    const std::size_t n_classes = hit_factors.shape(0);
    if (values.shape(0) != orders.n_rows() || codes.shape(1) != orders.n_rows() || sums.shape(0) != codes.shape(0) ||
        sums.shape(1) != values.shape(1))
        throw std::invalid_argument("values, codes and sums differ in shape");
    if ((class_shares && class_shares->shape(0) != n_classes) || miss_factors.shape(0) != n_classes ||
        n_neighbours.shape(0) != n_classes)
        throw std::invalid_argument("one number a class is expected");
    const std::int32_t* const last = codes.data() + codes.shape(0) * codes.shape(1);
    const auto is_class = [&](std::int32_t code) { return code >= 0 && static_cast<std::size_t>(code) < n_classes; };
    if (!std::all_of(codes.data(), last, is_class)) throw std::invalid_argument("there is no such class");
    if (!std::all_of(n_neighbours.data(), n_neighbours.data() + n_classes, [](auto n) { return n > 0; }))
        throw std::invalid_argument("at least one neighbour is expected");
    const std::vector<std::size_t> k(n_neighbours.data(), n_neighbours.data() + n_classes);
    const fewest::NeighbourRule rule{k.data(), false, class_shares ? class_shares->data() : nullptr, hit_factors.data(),
                                     miss_factors.data()};
    const nb::gil_scoped_release release;
    orders.add_margins(values.data(), values.shape(1), codes.data(), codes.shape(0), n_classes, rule, n_threads,
                       sums.data());
}

bool weighted_margins(const Table<const double>& values, const Numbers& class_ends, const Categories& is_categorical,
                      double category_difference, const Numbers& queries, const Line<const double>& weights,
                      double width, bool is_squared, bool is_rough, const Line<double>& sums,
                      const Line<std::int64_t>& counts, std::size_t n_threads) {
    const fewest::MarginRows rows =
        rows_of(values, class_ends, is_categorical, category_difference, queries, sums, counts);
    if (weights.shape(0) != rows.n_columns) throw std::invalid_argument("one weight a column is expected");
    if (!(width > 0)) throw std::invalid_argument("the width is positive");
    const nb::gil_scoped_release release;
    return fewest::weighted_margins(rows, queries.data(), queries.shape(0), weights.data(), width, is_squared, is_rough,
                                    n_threads, sums.data(), counts.data());
}

void threshold_margins(const Table<const double>& values, const Numbers& class_ends, const Categories& is_categorical,
                       double category_difference, const Numbers& queries, bool is_squared, bool is_by_row,
                       bool has_far, const Table<double>& sums, const Table<std::int64_t>& counts,
                       std::size_t n_threads) {
    const std::size_t n = values.shape(1);
    if (sums.shape(0) != 2 || counts.shape(0) != 2 || sums.shape(1) != n || counts.shape(1) != n)
        throw std::invalid_argument("two numbers a column are expected");
    const fewest::MarginRows rows = rows_of(values, class_ends, is_categorical, category_difference, queries);
    const nb::gil_scoped_release release;
    fewest::threshold_margins(rows, queries.data(), queries.shape(0), {is_squared, is_by_row, has_far}, n_threads,
                              {sums.data(), counts.data()}, {sums.data() + n, counts.data() + n});
}

void add_to(nb::module_& module) {
    nb::class_<fewest::NeighbourOrders>(module, "NeighbourOrders", "The other rows in the order of their distance.")
        .def("__init__", &construct_orders, nb::arg("values").noconvert(), nb::arg("is_squared"), nb::arg("n_threads"))
        .def("margins", &margins_of_labellings, nb::arg("values").noconvert(), nb::arg("codes").noconvert(),
             nb::arg("n_neighbours").noconvert(), nb::arg("class_shares").noconvert().none(),
             nb::arg("hit_factors").noconvert(), nb::arg("miss_factors").noconvert(), nb::arg("sums").noconvert(),
             nb::arg("n_threads"), "What neighbour_margins sums up, under each of several labellings of the rows.");
    module.def(
        "threshold_margins", &threshold_margins, nb::arg("values").noconvert(), nb::arg("class_ends").noconvert(),
        nb::arg("is_categorical").noconvert().none(), nb::arg("category_difference"), nb::arg("queries").noconvert(),
        nb::arg("is_squared"), nb::arg("is_by_row"), nb::arg("has_far"), nb::arg("sums").noconvert(),
        nb::arg("counts").noconvert(), nb::arg("n_threads"),
        "Sums over rows of how much farther the misses within a distance are than the hits within it, by column; "
        "and of the reverse beyond a distance.");
    module.def("neighbour_margins", &neighbour_margins, nb::arg("values").noconvert(),
               nb::arg("class_ends").noconvert(), nb::arg("is_categorical").noconvert().none(),
               nb::arg("category_difference"), nb::arg("queries").noconvert(), nb::arg("n_neighbours").noconvert(),
               nb::arg("is_squared"), nb::arg("class_shares").noconvert().none(), nb::arg("hit_factors").noconvert(),
               nb::arg("miss_factors").noconvert(), nb::arg("sums").noconvert(), nb::arg("counts").noconvert(),
               nb::arg("n_threads"),
               "Sums over rows of how much farther their nearest misses are than their nearest hits, by column.");
    module.def("weighted_margins", &weighted_margins, nb::arg("values").noconvert(), nb::arg("class_ends").noconvert(),
               nb::arg("is_categorical").noconvert().none(), nb::arg("category_difference"),
               nb::arg("queries").noconvert(), nb::arg("weights").noconvert(), nb::arg("width"), nb::arg("is_squared"),
               nb::arg("is_rough"), nb::arg("sums").noconvert(), nb::arg("counts").noconvert(), nb::arg("n_threads"),
               "Sums over rows of the difference to all misses less that to all hits, near ones counting more; whether "
               "they are rough, in float32.");
}

}  // namespace neighbours

}  // namespace

void register_relief(nb::module_& module) {
    kernel_sums::add_to(module);
    neighbours::add_to(module);
}
