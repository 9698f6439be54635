#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "fewest/kernel_sums.hpp"
#include "registers.hpp"

namespace nb = nanobind;

namespace {

using Codes = Line<const std::int32_t>;
using Weights = std::optional<Line<const double>>;
using Numbers = Line<const double>;

/// What both forms take, with the shapes checked.
fewest::KernelSums view(const Codes& codes, const Weights& weights, const Numbers& origin, const Numbers& width,
                        const Table<double>& own, const Table<double>& all) {
    const std::size_t n_columns = own.shape(0), n_classes = own.shape(1);
    if (all.shape(0) != n_columns || all.shape(1) != n_classes || origin.shape(0) != n_columns ||
        width.shape(0) != n_columns || (weights && weights->shape(0) != codes.shape(0)))
        throw std::invalid_argument("codes, weights, origins, widths and sums differ in shape");
    const auto is_class = [&](std::int32_t code) { return code >= 0 && static_cast<std::size_t>(code) < n_classes; };
    if (!std::all_of(codes.data(), codes.data() + codes.shape(0), is_class))
        throw std::invalid_argument("there is no such class");
    return {codes.data(), weights ? weights->data() : nullptr, codes.shape(0), n_classes, n_columns, origin.data(),
            width.data(), own.data(), all.data()};
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

template <class Index>
void bind_sparse(nb::module_& module) {
    module.def("sparse_kernel_sums", &sparse<Index>, nb::arg("values").noconvert(), nb::arg("rows").noconvert(),
               nb::arg("starts").noconvert(), nb::arg("class_weights").noconvert(), nb::arg("class_counts").noconvert(),
               nb::arg("codes").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("origin").noconvert(),
               nb::arg("width").noconvert(), nb::arg("own").noconvert(), nb::arg("all").noconvert(),
               nb::arg("n_threads"), "The same for the columns of a sparse matrix, held column by column.");
}

}  // namespace

void register_kernel_sums(nb::module_& module) {
    module.def("kernel_sums", &dense, nb::arg("values").noconvert(), nb::arg("codes").noconvert(),
               nb::arg("weights").noconvert().none(), nb::arg("origin").noconvert(), nb::arg("width").noconvert(),
               nb::arg("own").noconvert(), nb::arg("all").noconvert(), nb::arg("n_threads"),
               "Write, for each column and class, the sum of Gaussian kernels within the class and with all rows.");
    bind_sparse<std::int32_t>(module);
    bind_sparse<std::int64_t>(module);
}
