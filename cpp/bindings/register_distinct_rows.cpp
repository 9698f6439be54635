#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "statistics/distinct_rows.hpp"
#include "registers.hpp"

namespace nb = nanobind;

namespace {

using Rows = nb::ndarray<const std::uint8_t, nb::numpy, nb::device::cpu, nb::ndim<2>>;
using Codes = nb::ndarray<std::int32_t, nb::numpy, nb::device::cpu, nb::ndim<1>, nb::c_contig>;

std::vector<std::int64_t> distinct_rows(const Rows& rows, const Codes& codes) {
    if (codes.shape(0) != rows.shape(0) || (rows.shape(1) > 1 && rows.stride(1) != 1))
        throw std::invalid_argument("rows of consecutive bytes and one code a row are expected");
    const nb::gil_scoped_release release;
    return fewest::distinct_rows(reinterpret_cast<const char*>(rows.data()), rows.shape(0), rows.shape(1),
                                 static_cast<std::ptrdiff_t>(rows.stride(0)), codes.data());
}

}  // namespace

void register_distinct_rows(nb::module_& module) {
    module.def("distinct_rows", &distinct_rows, nb::arg("rows").noconvert(), nb::arg("codes").noconvert(),
               "Give equal rows of bytes equal codes; return where each first appears.");
}
