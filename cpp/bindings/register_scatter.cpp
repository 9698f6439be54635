#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "registers.hpp"
#include "scatter/shifted_rows.hpp"

namespace nb = nanobind;

namespace {

template <class T>
bool shifted_rows(const Rows<T>& rows, const Line<const std::int64_t>& chosen, const Line<const double>& pivot,
                  const std::optional<Line<const double>>& factor, const Table<double>& out, std::size_t n_threads) {
    const std::size_t n_chosen = chosen.shape(0);
    if (pivot.shape(0) != rows.shape(1) || out.shape(0) != n_chosen || out.shape(1) != rows.shape(1) ||
        (factor && factor->shape(0) != n_chosen))
        throw std::invalid_argument("rows, pivot, factor and out differ in shape");
    for (std::size_t i = 0; i < n_chosen; ++i)
        if (chosen.data()[i] < 0 || static_cast<std::size_t>(chosen.data()[i]) >= rows.shape(0))
            throw std::invalid_argument("there is no such row");
    const fewest::DenseRows<T> view{rows.data(), rows.shape(0), rows.shape(1),
                                    static_cast<std::ptrdiff_t>(rows.stride(0)),
                                    static_cast<std::ptrdiff_t>(rows.stride(1))};
    const nb::gil_scoped_release release;
    return fewest::shifted_rows(view, chosen.data(), n_chosen, pivot.data(), factor ? factor->data() : nullptr,
                                n_threads, out.data());
}

template <class T>
void bind(nb::module_& module) {
    module.def("shifted_rows", &shifted_rows<T>, nb::arg("rows").noconvert(), nb::arg("chosen").noconvert(),
               nb::arg("pivot").noconvert(), nb::arg("factor").noconvert().none(), nb::arg("out").noconvert(),
               nb::arg("n_threads"), "Write (row - pivot) * factor for the chosen rows; whether any value is NaN.");
}

}  // namespace

void register_scatter(nb::module_& module) {
    bind<double>(module);
    bind<float>(module);
}
