#include <algorithm>
#include <stdexcept>

#include "arrays.hpp"
#include "registers.hpp"
#include "wrappers/subset_svms.hpp"

namespace nb = nanobind;

namespace {

void subset_svms(const Table<const double>& values, const Line<const std::int64_t>& order,
                 const Line<const std::int32_t>& labels, const Line<const double>& costs,
                 const Line<const std::int32_t>& folds, const Table<const double>& centre,
                 const Table<const double>& unit, const Table<const double>& factor,
                 const Table<const std::int64_t>& subsets, const Table<std::uint8_t>& is_wrong,
                 const Line<bool>& is_solved, std::size_t n_threads) {
    const std::size_t n_rows = order.shape(0), n_columns = values.shape(1), n_folds = centre.shape(0);
    if (labels.shape(0) != n_rows || costs.shape(0) != n_rows || folds.shape(0) != n_rows ||
        is_wrong.shape(1) != n_rows)
        throw std::invalid_argument("one number a row is expected");
    for (const auto* table : {&centre, &unit, &factor})
        if (table->shape(0) != n_folds || table->shape(1) != n_columns)
            throw std::invalid_argument("one number a fold and column is expected");
    if (is_wrong.shape(0) != subsets.shape(0) || is_solved.shape(0) != subsets.shape(0))
        throw std::invalid_argument("one line a subset is expected");
    const auto are_below = [](const auto* numbers, std::size_t n, std::size_t limit) {
        return std::all_of(numbers, numbers + n,
                           [&](auto number) { return number >= 0 && static_cast<std::size_t>(number) < limit; });
    };
    if (!are_below(order.data(), n_rows, values.shape(0)) || !are_below(folds.data(), n_rows, n_folds) ||
        !are_below(labels.data(), n_rows, n_rows) ||
        !are_below(subsets.data(), subsets.shape(0) * subsets.shape(1), n_columns))
        throw std::invalid_argument("there is no such row, fold, class or column");
    const std::size_t n_classes =
        n_rows == 0 ? 0 : static_cast<std::size_t>(*std::max_element(labels.data(), labels.data() + n_rows)) + 1;
    const fewest::FoldedRows rows{values.data(), n_columns, order.data(), labels.data(), costs.data(), folds.data(),
                                  n_rows,        n_classes, n_folds,      centre.data(), unit.data(),  factor.data()};
    const nb::gil_scoped_release release;
    fewest::subset_svms(rows, subsets.data(), subsets.shape(0), subsets.shape(1), n_threads, is_wrong.data(),
                        is_solved.data());
}

}  // namespace

void register_wrappers(nb::module_& module) {
    module.def("subset_svms", &subset_svms, nb::arg("values").noconvert(), nb::arg("order").noconvert(),
               nb::arg("labels").noconvert(), nb::arg("costs").noconvert(), nb::arg("folds").noconvert(),
               nb::arg("centre").noconvert(), nb::arg("unit").noconvert(), nb::arg("factor").noconvert(),
               nb::arg("subsets").noconvert(), nb::arg("is_wrong").noconvert(), nb::arg("is_solved").noconvert(),
               nb::arg("n_threads"),
               "Which rows the linear SVMs of the other folds misclassify, by subset of columns.");
}
