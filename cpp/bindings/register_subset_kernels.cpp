#include <algorithm>
#include <stdexcept>

#include "arrays.hpp"
#include "fewest/subset_kernels.hpp"
#include "registers.hpp"

namespace nb = nanobind;

namespace {

using Numbers = Line<const double>;
using Columns = Line<const std::int64_t>;
using Codes = Line<const std::int32_t>;

fewest::SubsetKernels view(const Table<const double>& values, const Columns& selected, const Columns& among, double sign,
                           const Codes& codes, const Numbers& weights, const Table<const double>& table) {
    const auto n_columns = static_cast<std::int64_t>(values.shape(0)), n_classes = static_cast<std::int64_t>(table.shape(0));
    const auto is_column = [&](std::int64_t column) { return column >= 0 && column < n_columns; };
    const auto is_class = [&](std::int32_t code) { return code >= 0 && code < n_classes; };
    if (codes.shape(0) != values.shape(1) || weights.shape(0) != values.shape(1) || table.shape(0) != table.shape(1))
        throw std::invalid_argument("values, codes, weights and the table of classes differ in shape");
    if (!std::all_of(selected.data(), selected.data() + selected.shape(0), is_column) ||
        !std::all_of(among.data(), among.data() + among.shape(0), is_column))
        throw std::invalid_argument("there is no such column");
    if (!std::all_of(codes.data(), codes.data() + codes.shape(0), is_class))
        throw std::invalid_argument("there is no such class");
    return {values.data(), values.shape(1), selected.data(), selected.shape(0), among.data(), among.shape(0), sign,
            codes.data(),  weights.data(),  table.data(),    table.shape(0)};
}

void sums(const Table<const double>& values, const Columns& selected, const Columns& among, double sign, const Codes& codes,
          const Numbers& weights, const Table<const double>& table, const Numbers& eta, const Line<double>& sums,
          std::size_t n_threads) {
    const fewest::SubsetKernels kernels = view(values, selected, among, sign, codes, weights, table);
    if (eta.shape(0) != kernels.n_among || sums.shape(0) != kernels.n_among)
        throw std::invalid_argument("there is one width and one sum for each set");
    const nb::gil_scoped_release release;
    fewest::write_sums(kernels, eta.data(), sums.data(), n_threads);
}

void ladder(const Table<const double>& values, const Columns& selected, const Columns& among, double sign,
            const Codes& codes, const Numbers& weights, const Table<const double>& table, const Numbers& eta,
            const Table<double>& sums, std::size_t n_threads) {
    const fewest::SubsetKernels kernels = view(values, selected, among, sign, codes, weights, table);
    if (eta.shape(0) != kernels.n_among || sums.shape(0) != kernels.n_among || sums.shape(1) % 2 != 0)
        throw std::invalid_argument("there is one first width and an even number of sums for each set");
    const nb::gil_scoped_release release;
    fewest::write_ladder_sums(kernels, eta.data(), sums.shape(1), sums.data(), n_threads);
}

template <class Function>
void bind(nb::module_& module, const char* name, Function function, const char* what) {
    module.def(name, function, nb::arg("values").noconvert(), nb::arg("selected").noconvert(), nb::arg("among").noconvert(),
               nb::arg("sign"), nb::arg("codes").noconvert(), nb::arg("weights").noconvert(), nb::arg("table").noconvert(),
               nb::arg("eta").noconvert(), nb::arg("sums").noconvert(), nb::arg("n_threads"), what);
}

}  // namespace

void register_subset_kernels(nb::module_& module) {
    bind(module, "subset_kernel_sums", &sums,
         "Write, for each set of columns, the weighted sum of Gaussian kernels over pairs of rows.");
    bind(module, "subset_kernel_ladder", &ladder, "The same at widths that go down by the fourth root of two.");
}
