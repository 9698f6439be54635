#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "core/large_array.hpp"
#include "information/byte_columns.hpp"
#include "information/category_columns.hpp"
#include "information/encode_columns.hpp"
#include "registers.hpp"

namespace nb = nanobind;

namespace {

namespace byte_columns {

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
               nb::arg("n_threads"), "Columns of close whole numbers as bytes, with what one read of them tells.");
}

void add_to(nb::module_& module) {
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

}  // namespace byte_columns

namespace category_columns {

using fewest::CategoryColumns;

template <class T>
fewest::DenseRows<T> view(const Rows<T>& rows) {
    return {rows.data(), rows.shape(0), rows.shape(1), static_cast<std::ptrdiff_t>(rows.stride(0)),
            static_cast<std::ptrdiff_t>(rows.stride(1))};
}

void construct(CategoryColumns* self, const Line<const std::int32_t>& n_categories, const Line<const bool>& is_complete,
               const Line<const bool>& is_listed, std::size_t n_rows) {
    const std::size_t n_columns = n_categories.shape(0);
    if (is_complete.shape(0) != n_columns || is_listed.shape(0) != n_columns)
        throw std::invalid_argument("one number of categories a column is expected");
    for (std::size_t i = 0; i < n_columns; ++i)
        if (n_categories.data()[i] < 0 || n_categories.data()[i] >= fewest::missing_state)
            throw std::invalid_argument("there are too many categories");
    const nb::gil_scoped_release release;
    new (self) CategoryColumns(n_categories.data(), reinterpret_cast<const std::uint8_t*>(is_complete.data()),
                               reinterpret_cast<const std::uint8_t*>(is_listed.data()), n_columns, n_rows);
}

/// Raises unless these are columns, none twice: several threads fill them in.
void check_apart(const CategoryColumns& categories, const Line<const std::int64_t>& columns) {
    std::vector<bool> is_met(categories.n_columns());
    for (std::size_t i = 0; i < columns.shape(0); ++i) {
        const std::int64_t column = columns.data()[i];
        if (column < 0 || static_cast<std::size_t>(column) >= is_met.size() || is_met[static_cast<std::size_t>(column)])
            throw std::invalid_argument("there is no such column, or it is named twice");
        is_met[static_cast<std::size_t>(column)] = true;
    }
}

template <class Code>
void fill(CategoryColumns& categories, const Line<const std::int64_t>& columns,
          const Array<const Code, nb::ndim<2>>& codes, const Line<const std::int64_t>& first_codes,
          std::size_t n_threads) {
    check_apart(categories, columns);
    if (codes.shape(0) != columns.shape(0) || first_codes.shape(0) != columns.shape(0))
        throw std::invalid_argument("codes, and a first code, of each column are expected");
    if (codes.shape(1) > 1 && codes.stride(1) != 1) throw std::invalid_argument("codes of a column lie side by side");
    const nb::gil_scoped_release release;
    categories.fill(columns.data(), columns.shape(0), codes.data(), static_cast<std::ptrdiff_t>(codes.stride(0)),
                    first_codes.data(), codes.shape(1), n_threads);
}

void list(CategoryColumns& categories, const Line<const std::int64_t>& columns, const Line<const std::int64_t>& starts,
          const Line<const std::int32_t>& rows, const Line<const std::uint16_t>& listed,
          const Line<const std::int32_t>& usual) {
    check_apart(categories, columns);
    const std::size_t n_columns = columns.shape(0);
    bool is_right = starts.shape(0) == n_columns + 1 && usual.shape(0) == n_columns &&
                    rows.shape(0) == listed.shape(0) && starts.data()[0] >= 0 &&
                    starts.data()[n_columns] <= static_cast<std::int64_t>(rows.shape(0));
    for (std::size_t i = 0; is_right && i < n_columns; ++i)
        is_right = starts.data()[i] <= starts.data()[i + 1] && usual.data()[i] >= 0;
    if (!is_right) throw std::invalid_argument("lists of rows and categories, one a column, are expected");
    const nb::gil_scoped_release release;
    categories.list(columns.data(), n_columns, starts.data(), rows.data(), listed.data(), usual.data());
}

void check(const CategoryColumns& categories, std::size_t column, const Line<const std::int64_t>& others,
           std::size_t n_given_back) {
    if (n_given_back != others.shape(0)) throw std::invalid_argument("one number a column is given back");
    const auto n_columns = static_cast<std::int64_t>(categories.n_columns());
    bool is_known = static_cast<std::int64_t>(column) < n_columns;
    for (std::size_t i = 0; i < others.shape(0); ++i) is_known &= others.data()[i] >= 0 && others.data()[i] < n_columns;
    if (!is_known) throw std::invalid_argument("there is no such column");
    if (!categories.is_filled()) throw std::invalid_argument("rows are yet to be filled in");
}

using Measure = void (CategoryColumns::*)(std::size_t, const std::int64_t*, std::size_t, std::size_t, double*) const;

template <Measure measure>
void each(const CategoryColumns& categories, std::size_t column, const Line<const std::int64_t>& others,
          const Line<double>& out, std::size_t n_threads) {
    check(categories, column, others, out.shape(0));
    const nb::gil_scoped_release release;
    (categories.*measure)(column, others.data(), others.shape(0), n_threads, out.data());
}

void add_information(const CategoryColumns& categories, const Line<const std::int64_t>& chosen,
                     const Line<const std::int64_t>& columns, const Line<const std::int64_t>& counted,
                     const Line<double>& sums, std::size_t n_threads) {
    check(categories, 0, chosen, chosen.shape(0));
    check(categories, 0, columns, sums.shape(0));
    if (counted.shape(0) != columns.shape(0)) throw std::invalid_argument("one count a column is expected");
    for (std::size_t i = 0; i < counted.shape(0); ++i)
        if (counted.data()[i] < 0) throw std::invalid_argument("counts are not negative");
    const nb::gil_scoped_release release;
    categories.add_information(chosen.data(), chosen.shape(0), columns.data(), counted.data(), columns.shape(0),
                               n_threads, sums.data());
}

void joint_counts(const CategoryColumns& categories, std::size_t column, const Line<const std::int64_t>& others,
                  const Table<std::int64_t>& cells, std::size_t n_threads) {
    check(categories, column, others, others.shape(0));
    std::size_t n_lines = 0;
    for (std::size_t i = 0; i < others.shape(0); ++i)
        n_lines += categories.n_categories(static_cast<std::size_t>(others.data()[i]));
    if (cells.shape(0) != n_lines || cells.shape(1) != categories.n_categories(column))
        throw std::invalid_argument("a line of cells for each category is expected");
    const nb::gil_scoped_release release;
    categories.joint_counts(column, others.data(), others.shape(0), n_threads, cells.data());
}

/// Columns as they travel to another process: the number of categories of each and whether it is complete, the number of
/// rows, and the memory, as bytes.
using State = std::tuple<nb::bytes, nb::bytes, std::size_t, nb::bytes, nb::bytes, nb::bytes>;

template <class T>
nb::bytes to_bytes(const T* values, std::size_t n_values) {
    return nb::bytes(values, n_values * sizeof(T));
}

/// Copies bytes to as many values. Throws where they are not as many.
template <class T>
void from_bytes(const nb::bytes& bytes, T* values, std::size_t n_values) {
    if (bytes.size() != n_values * sizeof(T)) throw std::invalid_argument("this is no pickle of such columns");
    if (bytes.size() > 0) std::memcpy(values, bytes.data(), bytes.size());
}

State state_of(CategoryColumns& categories) {
    if (!categories.is_filled() || categories.has_lists())
        throw std::invalid_argument("only columns that are filled in, and no lists, can be pickled");
    const std::size_t n_columns = categories.n_columns();
    std::vector<std::int32_t> n_categories(n_columns);
    std::vector<std::uint8_t> is_complete(n_columns);
    for (std::size_t i = 0; i < n_columns; ++i) {
        n_categories[i] = static_cast<std::int32_t>(categories.n_categories(i));
        is_complete[i] = categories.is_complete(i);
    }
    const CategoryColumns::Memory memory = categories.memory();
    return {to_bytes(n_categories.data(), n_columns),
            to_bytes(is_complete.data(), n_columns),
            categories.n_rows(),
            to_bytes(memory.planes, memory.n_words),
            to_bytes(memory.codes, memory.n_codes),
            to_bytes(memory.counts, memory.n_counts)};
}

void restore(CategoryColumns& self, const State& state) {
    const auto& [categories, complete, n_rows, planes, codes, counts] = state;
    const std::size_t n_columns = categories.size() / sizeof(std::int32_t);
    std::vector<std::int32_t> n_categories(n_columns);
    std::vector<std::uint8_t> is_complete(n_columns);
    from_bytes(categories, n_categories.data(), n_columns);
    from_bytes(complete, is_complete.data(), n_columns);
    for (const std::int32_t n : n_categories)
        if (n < 0 || n >= fewest::missing_state) throw std::invalid_argument("there are too many categories");
    const std::vector<std::uint8_t> is_listed(n_columns, 0);
    // Made aside: where something is wrong nothing is left half made.
    CategoryColumns made(n_categories.data(), is_complete.data(), is_listed.data(), n_columns, n_rows);
    const CategoryColumns::Memory memory = made.memory();
    from_bytes(planes, memory.planes, memory.n_words);
    from_bytes(codes, memory.codes, memory.n_codes);
    from_bytes(counts, memory.counts, memory.n_counts);
    made.take_memory();
    new (&self) CategoryColumns(std::move(made));
}

void joint_information(const CategoryColumns& categories, std::size_t column, const Line<const std::int32_t>& joint,
                       std::size_t n_joint, const Line<const std::int64_t>& others, const Line<double>& out,
                       std::size_t n_threads) {
    check(categories, column, others, out.shape(0));
    if (joint.shape(0) != categories.n_rows()) throw std::invalid_argument("one joint category a row is expected");
    for (std::size_t row = 0; row < joint.shape(0); ++row)
        if (joint.data()[row] < 0 || static_cast<std::size_t>(joint.data()[row]) >= n_joint)
            throw std::invalid_argument("there is no such joint category");
    const nb::gil_scoped_release release;
    categories.joint_information(column, joint.data(), n_joint, others.data(), others.shape(0), n_threads, out.data());
}

std::size_t refine(const CategoryColumns& categories, const Line<std::int32_t>& joint, std::size_t n_joint,
                   std::size_t column) {
    if (joint.shape(0) != categories.n_rows() || column >= categories.n_columns() || !categories.is_filled())
        throw std::invalid_argument("one joint category a row, and a column that is there, are expected");
    const nb::gil_scoped_release release;
    return categories.refine(joint.data(), n_joint, column);
}

template <class T>
void few_distinct(const Rows<T>& rows, bool only_whole, const Table<double>& distinct,
                  const Line<std::int32_t>& n_distinct, std::size_t n_threads) {
    if (distinct.shape(0) != rows.shape(1) || n_distinct.shape(0) != rows.shape(1))
        throw std::invalid_argument("distinct values differ in shape from the rows");
    const nb::gil_scoped_release release;
    fewest::few_distinct(view<T>(rows), distinct.shape(1), only_whole, n_threads, distinct.data(), n_distinct.data());
}

template <class T, class Code>
void encode_columns(const Rows<T>& rows, const Table<const double>& thresholds,
                    const Line<const std::int32_t>& n_thresholds, const Array<Code, nb::ndim<2>>& codes,
                    std::size_t n_threads) {
    if (codes.shape(1) > 1 && codes.stride(1) != 1) throw std::invalid_argument("codes of a column lie side by side");
    if (thresholds.shape(0) != rows.shape(1) || n_thresholds.shape(0) != rows.shape(1) ||
        codes.shape(0) != rows.shape(1) || codes.shape(1) != rows.shape(0))
        throw std::invalid_argument("thresholds and codes differ in shape from the rows");
    for (std::size_t column = 0; column < rows.shape(1); ++column) {
        const std::int32_t count = n_thresholds.data()[column];
        if (count < 0 || static_cast<std::size_t>(count) > thresholds.shape(1) ||
            count >= std::numeric_limits<Code>::max() - 1)
            throw std::invalid_argument("too many thresholds");
    }
    const nb::gil_scoped_release release;
    fewest::encode_columns(view<T>(rows), thresholds.data(), thresholds.shape(1), n_thresholds.data(),
                           std::numeric_limits<Code>::max(), n_threads, codes.data(),
                           static_cast<std::ptrdiff_t>(codes.stride(0)));
}

template <class T>
void bind_rows(nb::module_& module) {
    module.def("few_distinct", &few_distinct<T>, nb::arg("rows").noconvert(), nb::arg("only_whole"),
               nb::arg("distinct").noconvert(), nb::arg("n_distinct").noconvert(), nb::arg("n_threads"),
               "The distinct values of each column, ascending; one more than fit where there are more, -1 where one is "
               "no whole number.");
    module.def("encode_columns", &encode_columns<T, std::uint8_t>, nb::arg("rows").noconvert(),
               nb::arg("thresholds").noconvert(), nb::arg("n_thresholds").noconvert(), nb::arg("codes").noconvert(),
               nb::arg("n_threads"), "How many of its column's thresholds each value exceeds.");
    module.def("encode_columns", &encode_columns<T, std::uint16_t>, nb::arg("rows").noconvert(),
               nb::arg("thresholds").noconvert(), nb::arg("n_thresholds").noconvert(), nb::arg("codes").noconvert(),
               nb::arg("n_threads"), "How many of its column's thresholds each value exceeds.");
}

void add_to(nb::module_& module) {
    bind_rows<double>(module);
    bind_rows<float>(module);
    nb::class_<CategoryColumns>(module, "CategoryColumns", "Columns of categories, and what they know of each other.")
        .def("__init__", &construct, nb::arg("n_categories").noconvert(), nb::arg("is_complete").noconvert(),
             nb::arg("is_listed").noconvert(), nb::arg("n_rows"))
        .def("fill", &fill<std::uint8_t>, nb::arg("columns").noconvert(), nb::arg("codes").noconvert(),
             nb::arg("first_codes").noconvert(), nb::arg("n_threads"), "Fill in the next rows of some columns.")
        .def("fill", &fill<std::uint16_t>, nb::arg("columns").noconvert(), nb::arg("codes").noconvert(),
             nb::arg("first_codes").noconvert(), nb::arg("n_threads"), "Fill in the next rows of some columns.")
        .def("place", &CategoryColumns::place, nb::arg("part"), nb::arg("first"),
             nb::call_guard<nb::gil_scoped_release>(),
             "Copy the columns of a part over the same rows: its last as the last, the others from the first on.")
        .def("list", &list, nb::arg("columns").noconvert(), nb::arg("starts").noconvert(), nb::arg("rows").noconvert(),
             nb::arg("categories").noconvert(), nb::arg("usual").noconvert(),
             "Fill in all rows of some columns by those that are not in the usual category.")
        .def("information", &each<&CategoryColumns::information>, nb::arg("column"), nb::arg("others").noconvert(),
             nb::arg("out").noconvert(), nb::arg("n_threads"), "Mutual information with each of others, in nats.")
        .def("add_information", &add_information, nb::arg("chosen").noconvert(), nb::arg("columns").noconvert(),
             nb::arg("counted").noconvert(), nb::arg("sums").noconvert(), nb::arg("n_threads"),
             "Add to each sum the column's information with the chosen ones that it does not count yet.")
        .def("chi_square", &each<&CategoryColumns::chi_square>, nb::arg("column"), nb::arg("others").noconvert(),
             nb::arg("out").noconvert(), nb::arg("n_threads"), "Pearson's chi square with each of others.")
        .def("joint_counts", &joint_counts, nb::arg("column"), nb::arg("others").noconvert(),
             nb::arg("cells").noconvert(), nb::arg("n_threads"),
             "How often the categories of each of others, one after the other, meet those of a column.")
        .def("__getstate__", &state_of)
        .def("__setstate__", &restore)
        .def("joint_information", &joint_information, nb::arg("column"), nb::arg("joint").noconvert(),
             nb::arg("n_joint"), nb::arg("others").noconvert(), nb::arg("out").noconvert(), nb::arg("n_threads"),
             "What joint categories know of a column together with each of others, in nats.")
        .def("refine", &refine, nb::arg("joint").noconvert(), nb::arg("n_joint"), nb::arg("column"),
             "Split joint categories by those of a column; how many there are now.");
}

}  // namespace category_columns

}  // namespace

void register_information(nb::module_& module) {
    byte_columns::add_to(module);
    category_columns::add_to(module);
}
