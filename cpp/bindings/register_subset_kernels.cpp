#include <algorithm>
#include <stdexcept>

#include "arrays.hpp"
#include "kernels/subset_kernels.hpp"
#include "registers.hpp"

namespace nb = nanobind;

namespace {

using Numbers = Line<const double>;
using Columns = Line<const std::int64_t>;
using Codes = Line<const std::int32_t>;

using Tables = Array<const double, nb::ndim<3>, nb::c_contig>;

fewest::SubsetKernels view(const Table<const double>& values, const Columns& selected, const Columns& among, double sign,
                           const Codes& codes, const Numbers& weights, const Tables& tables) {
    const auto n_columns = static_cast<std::int64_t>(values.shape(0)), n_classes = static_cast<std::int64_t>(tables.shape(1));
    const auto is_column = [&](std::int64_t column) { return column >= 0 && column < n_columns; };
    const auto is_class = [&](std::int32_t code) { return code >= 0 && code < n_classes; };
    if (codes.shape(0) != values.shape(1) || weights.shape(0) != values.shape(1) || tables.shape(1) != tables.shape(2))
        throw std::invalid_argument("values, codes, weights and the tables of classes differ in shape");
    if (!std::all_of(selected.data(), selected.data() + selected.shape(0), is_column) ||
        !std::all_of(among.data(), among.data() + among.shape(0), is_column))
        throw std::invalid_argument("there is no such column");
    if (!std::all_of(codes.data(), codes.data() + codes.shape(0), is_class))
        throw std::invalid_argument("there is no such class");
    return {values.data(), values.shape(1), selected.data(), selected.shape(0), among.data(),    among.shape(0), sign,
            codes.data(),  weights.data(),  tables.data(),   tables.shape(0),   tables.shape(1)};
}

void sums(const Table<const double>& values, const Columns& selected, const Columns& among, double sign, const Codes& codes,
          const Numbers& weights, const Tables& tables, const Numbers& eta, const Line<const bool>& is_squared,
          const Table<double>& sums, std::size_t n_threads) {
    const fewest::SubsetKernels kernels = view(values, selected, among, sign, codes, weights, tables);
    if (eta.shape(0) != kernels.n_among || sums.shape(0) != kernels.n_among || sums.shape(1) != kernels.n_forms ||
        is_squared.shape(0) != kernels.n_forms)
        throw std::invalid_argument("there is one width for each set, and one sum of each form");
    const nb::gil_scoped_release release;
    fewest::write_sums(kernels, eta.data(), is_squared.data(), sums.data(), n_threads);
}

void ladder(const Table<const double>& values, const Columns& selected, const Columns& among, double sign,
            const Codes& codes, const Numbers& weights, const Tables& tables, const Numbers& eta,
            const Array<double, nb::ndim<3>, nb::c_contig>& sums, std::size_t n_threads) {
    const fewest::SubsetKernels kernels = view(values, selected, among, sign, codes, weights, tables);
    if (eta.shape(0) != kernels.n_among || sums.shape(0) != kernels.n_among || sums.shape(1) != kernels.n_forms ||
        sums.shape(2) % 2 != 0)
        throw std::invalid_argument("there is one first width for each set, and an even number of sums of each form");
    const nb::gil_scoped_release release;
    fewest::write_ladder_sums(kernels, eta.data(), sums.shape(2), sums.data(), n_threads);
}

}  // namespace

void register_subset_kernels(nb::module_& module) {
    module.def("subset_kernel_sums", &sums, nb::arg("values").noconvert(), nb::arg("selected").noconvert(),
               nb::arg("among").noconvert(), nb::arg("sign"), nb::arg("codes").noconvert(),
               nb::arg("weights").noconvert(), nb::arg("tables").noconvert(), nb::arg("eta").noconvert(),
               nb::arg("is_squared").noconvert(), nb::arg("sums").noconvert(), nb::arg("n_threads"),
               "Write, for each set of columns, the weighted sums of Gaussian kernels over pairs of rows.");
    module.def("subset_kernel_ladder", &ladder, nb::arg("values").noconvert(), nb::arg("selected").noconvert(),
               nb::arg("among").noconvert(), nb::arg("sign"), nb::arg("codes").noconvert(),
               nb::arg("weights").noconvert(), nb::arg("tables").noconvert(), nb::arg("eta").noconvert(),
               nb::arg("sums").noconvert(), nb::arg("n_threads"),
               "The same at widths that go down by the fourth root of two.");
}
