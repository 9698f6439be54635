#include <cstdint>
#include <limits>
#include <stdexcept>

#include "arrays.hpp"
#include "information/packed_codes.hpp"
#include "registers.hpp"

namespace nb = nanobind;

namespace {

using fewest::CategoryColumns;
using fewest::PackedCodes;

void construct(PackedCodes* self, const Line<const std::int32_t>& n_codes, std::size_t n_rows) {
    for (std::size_t i = 0; i < n_codes.shape(0); ++i)
        if (n_codes.data()[i] < 1 || n_codes.data()[i] > fewest::missing_state)
            throw std::invalid_argument("a column has from 1 to 65,535 codes");
    new (self) PackedCodes(n_codes.data(), n_codes.shape(0), n_rows);
}

template <class Code>
void fill(PackedCodes& packed, const Array<const Code, nb::ndim<2>>& codes, const Line<const std::int64_t>& rows,
          std::size_t n_threads) {
    if (codes.shape(0) != packed.n_columns()) throw std::invalid_argument("codes of all columns are expected");
    if (codes.shape(1) > 1 && codes.stride(1) != 1) throw std::invalid_argument("codes of a column lie side by side");
    for (std::size_t i = 0; i < rows.shape(0); ++i)
        if (rows.data()[i] < 0 || static_cast<std::size_t>(rows.data()[i]) >= codes.shape(1))
            throw std::invalid_argument("there is no such row");
    const nb::gil_scoped_release release;
    packed.fill(codes.data(), static_cast<std::ptrdiff_t>(codes.stride(0)), rows.data(), rows.shape(0), n_threads);
}

void fill_in(const PackedCodes& packed, CategoryColumns& columns, std::size_t first,
             const Table<const std::uint16_t>& categories, std::size_t n_threads) {
    bool is_right = packed.n_filled() == packed.n_rows() && first + packed.n_columns() <= columns.n_columns() &&
                    categories.shape(0) == packed.n_columns();
    for (std::size_t i = 0; is_right && i < packed.n_columns(); ++i)
        is_right = packed.n_codes(i) <= categories.shape(1);
    if (!is_right) throw std::invalid_argument("a category of each code of columns that are filled in is expected");
    const nb::gil_scoped_release release;
    packed.fill_in(columns, first, categories.data(), categories.shape(1), n_threads);
}

}  // namespace

void register_packed_codes(nb::module_& module) {
    nb::class_<PackedCodes>(module, "PackedCodes", "Codes of columns in as few bits as their number needs.")
        .def("__init__", &construct, nb::arg("n_codes").noconvert(), nb::arg("n_rows"))
        .def("fill", &fill<std::uint8_t>, nb::arg("codes").noconvert(), nb::arg("rows").noconvert(),
             nb::arg("n_threads"), "Fill in the next rows of all columns by some rows of their codes.")
        .def("fill", &fill<std::uint16_t>, nb::arg("codes").noconvert(), nb::arg("rows").noconvert(),
             nb::arg("n_threads"), "Fill in the next rows of all columns by some rows of their codes.")
        .def("fill_in", &fill_in, nb::arg("columns"), nb::arg("first"), nb::arg("categories").noconvert(),
             nb::arg("n_threads"),
             "Fill in the next rows of the columns from the first on by the category of each code.");
}
