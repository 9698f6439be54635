#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include "arrays.hpp"
#include "information/byte_columns.hpp"
#include "core/large_array.hpp"
#include "registers.hpp"

namespace nb = nanobind;

namespace {

/// Room for bytes, columns by rows, not set to anything.
Array<std::uint8_t, nb::ndim<2>> room_for_bytes(std::size_t n_columns, std::size_t n_rows) {
    const auto* const room = new fewest::LargeArray<std::uint8_t>(n_columns * n_rows);
    const nb::capsule owner(room, [](void* p) noexcept { delete static_cast<fewest::LargeArray<std::uint8_t>*>(p); });
    return {room->data(), {n_columns, n_rows}, owner};
}

template <class T>
void to_bytes(const Rows<T>& rows, const Line<const std::int32_t>& classes, const Line<const std::uint64_t>& keys,
              const Line<std::int64_t>& base, const Line<bool>& is_whole, const Line<std::uint8_t>& lowest,
              const Line<std::uint8_t>& highest_next, const Line<std::int64_t>& missing,
              const Line<std::uint64_t>& checksums, const Table<std::uint8_t>& codes, bool is_base_given,
              std::size_t n_threads) {
    const std::size_t n_rows = rows.shape(0), n_columns = rows.shape(1);
    if (classes.shape(0) != n_rows || codes.shape(0) != n_columns || codes.shape(1) != n_rows ||
        base.shape(0) != n_columns || is_whole.shape(0) != n_columns || lowest.shape(0) != n_columns ||
        highest_next.shape(0) != n_columns || missing.shape(0) != n_columns || checksums.shape(0) != n_columns)
        throw std::invalid_argument("bytes differ in shape from the rows");
    for (std::size_t row = 0; row < n_rows; ++row)
        if (classes.data()[row] < 0 || static_cast<std::size_t>(classes.data()[row]) >= keys.shape(0))
            throw std::invalid_argument("there is no such class");
    for (std::size_t column = 0; is_base_given && column < n_columns; ++column)
        if (std::abs(base.data()[column]) > fewest::furthest_base) throw std::invalid_argument("a base is too far off");
    const nb::gil_scoped_release release;
    const fewest::DenseRows<T> view{rows.data(), n_rows, n_columns, static_cast<std::ptrdiff_t>(rows.stride(0)),
                                    static_cast<std::ptrdiff_t>(rows.stride(1))};
    fewest::to_bytes(view, classes.data(), keys.data(), is_base_given, n_threads,
                     {base.data(), reinterpret_cast<std::uint8_t*>(is_whole.data()), lowest.data(), highest_next.data(),
                      missing.data(), checksums.data(), codes.data(), static_cast<std::ptrdiff_t>(n_rows)});
}

void byte_counts(const Array<const std::uint8_t, nb::ndim<2>>& codes, const Line<const std::int64_t>& columns,
                 const Table<std::int64_t>& counts, std::size_t n_threads) {
    if (codes.shape(1) > 1 && codes.stride(1) != 1) throw std::invalid_argument("bytes of a column lie side by side");
    if (counts.shape(0) != columns.shape(0) || counts.shape(1) != 256)
        throw std::invalid_argument("256 counts a column are expected");
    for (std::size_t i = 0; i < columns.shape(0); ++i)
        if (columns.data()[i] < 0 || static_cast<std::size_t>(columns.data()[i]) >= codes.shape(0))
            throw std::invalid_argument("there is no such column");
    const nb::gil_scoped_release release;
    fewest::byte_counts(codes.data(), static_cast<std::ptrdiff_t>(codes.stride(0)), codes.shape(1), columns.data(),
                        columns.shape(0), n_threads, counts.data());
}

template <class T>
void bind_to_bytes(nb::module_& module) {
    module.def("to_bytes", &to_bytes<T>, nb::arg("rows").noconvert(), nb::arg("classes").noconvert(),
               nb::arg("keys").noconvert(), nb::arg("base").noconvert(), nb::arg("is_whole").noconvert(),
               nb::arg("lowest").noconvert(), nb::arg("highest_next").noconvert(), nb::arg("missing").noconvert(),
               nb::arg("checksums").noconvert(), nb::arg("codes").noconvert(), nb::arg("is_base_given"),
               nb::arg("n_threads"),
               "Columns of close whole numbers as bytes, with what one read of them tells.");
}

}  // namespace

void register_byte_columns(nb::module_& module) {
    bind_to_bytes<double>(module);
    bind_to_bytes<float>(module);
    bind_to_bytes<std::int64_t>(module);
    bind_to_bytes<std::uint64_t>(module);
    bind_to_bytes<std::int32_t>(module);
    bind_to_bytes<std::uint32_t>(module);
    bind_to_bytes<std::int16_t>(module);
    bind_to_bytes<std::uint16_t>(module);
    bind_to_bytes<std::int8_t>(module);
    bind_to_bytes<std::uint8_t>(module);
    module.def("room_for_bytes", &room_for_bytes, nb::arg("n_columns"), nb::arg("n_rows"),
               "Room for bytes, columns by rows, not set to anything.");
    module.def("byte_counts", &byte_counts, nb::arg("codes").noconvert(), nb::arg("columns").noconvert(),
               nb::arg("counts").noconvert(), nb::arg("n_threads"),
               "Add how often each byte stands in each of some columns.");
}
