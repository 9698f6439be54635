#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "information/category_columns.hpp"
#include "information/pair_tables.hpp"
#include "registers.hpp"

namespace nb = nanobind;

namespace {

using fewest::PairTables;

void construct(PairTables* self, const Line<const std::int32_t>& n_categories, bool is_all_pairs) {
    for (std::size_t i = 0; i < n_categories.shape(0); ++i)
        if (n_categories.data()[i] < 0) throw std::invalid_argument("a number of categories is not negative");
    if (n_categories.shape(0) == 0) throw std::invalid_argument("at least one column is expected");
    new (self) PairTables(n_categories.data(), n_categories.shape(0), is_all_pairs);
}

void check(const PairTables& tables, std::size_t column, const Line<const std::int64_t>& others, std::size_t n_out) {
    if (n_out != others.shape(0)) throw std::invalid_argument("one number a column is given back");
    const std::size_t n_columns = tables.n_columns();
    bool is_known = column < n_columns;
    for (std::size_t i = 0; is_known && i < others.shape(0); ++i) {
        const auto other = static_cast<std::size_t>(others.data()[i]);
        is_known = others.data()[i] >= 0 && other < n_columns && tables.has(column, other);
    }
    if (!is_known) throw std::invalid_argument("there is no table of such columns");
}

template <void (PairTables::*measure)(std::size_t, const std::int64_t*, std::size_t, double*)>
void each(PairTables& tables, std::size_t column, const Line<const std::int64_t>& others, const Line<double>& out,
          std::size_t) {
    check(tables, column, others, out.shape(0));
    const nb::gil_scoped_release release;
    (tables.*measure)(column, others.data(), others.shape(0), out.data());
}

void add_information(PairTables& tables, const Line<const std::int64_t>& chosen,
                     const Line<const std::int64_t>& columns, const Line<const std::int64_t>& counted,
                     const Line<double>& sums, std::size_t) {
    const auto n_columns = static_cast<std::int64_t>(tables.n_columns());
    bool is_right = counted.shape(0) == columns.shape(0) && sums.shape(0) == columns.shape(0);
    for (std::size_t i = 0; is_right && i < columns.shape(0); ++i)
        is_right = columns.data()[i] >= 0 && columns.data()[i] < n_columns && counted.data()[i] >= 0;
    for (std::size_t i = 0; is_right && i < chosen.shape(0); ++i)
        is_right = chosen.data()[i] >= 0 && chosen.data()[i] < n_columns;
    if (!is_right || (n_columns > 2 && !tables.has(0, 1)))
        throw std::invalid_argument("there is no table of such columns");
    const nb::gil_scoped_release release;
    tables.add_information(chosen.data(), chosen.shape(0), columns.data(), counted.data(), columns.shape(0),
                           sums.data());
}

void add(PairTables& tables, const fewest::CategoryColumns& rows, std::size_t n_threads) {
    if (!rows.is_filled()) throw std::invalid_argument("rows are yet to be filled in");
    const nb::gil_scoped_release release;
    tables.add(rows, n_threads);
}

void add_cells(PairTables& tables, const Table<const std::int64_t>& cells, std::size_t n_rows) {
    if (cells.shape(1) != tables.width() || cells.shape(0) * cells.shape(1) != tables.cells().size())
        throw std::invalid_argument("cells of other categories cannot be added");
    tables.add_cells(cells.data(), n_rows);
}

/// The cells as an array of its own.
Array<std::int64_t, nb::ndim<2>> cells_of(const PairTables& tables) {
    const auto* const copy = new std::vector<std::int64_t>(tables.cells());
    const nb::capsule owner(copy, [](void* p) noexcept { delete static_cast<std::vector<std::int64_t>*>(p); });
    const std::size_t width = std::max<std::size_t>(tables.width(), 1);
    return {const_cast<std::int64_t*>(copy->data()), {copy->size() / width, tables.width()}, owner};
}

}  // namespace

void register_pair_tables(nb::module_& module) {
    nb::class_<PairTables>(module, "PairTables", "How often the categories of two columns meet, from rows not kept.")
        .def("__init__", &construct, nb::arg("n_categories").noconvert(), nb::arg("is_all_pairs"))
        .def_prop_ro("n_rows", &PairTables::n_rows, "How many rows were added.")
        .def("add", &add, nb::arg("rows"), nb::arg("n_threads"), "Add rows.")
        .def("merge", &PairTables::merge, nb::arg("other"), "Add what others have counted.")
        .def("cells", &cells_of, "A line for each category of all columns but the last, as an array of its own.")
        .def("add_cells", &add_cells, nb::arg("cells").noconvert(), nb::arg("n_rows"), "Add the cells of other rows.")
        .def("place", &PairTables::place, nb::arg("part"), nb::arg("first"),
             "Copy the tables of a part over the same rows: those of its columns with the last, from the first on.")
        .def("information", &each<&PairTables::information>, nb::arg("column"), nb::arg("others").noconvert(),
             nb::arg("out").noconvert(), nb::arg("n_threads"), "Mutual information with each of others, in nats.")
        .def("add_information", &add_information, nb::arg("chosen").noconvert(), nb::arg("columns").noconvert(),
             nb::arg("counted").noconvert(), nb::arg("sums").noconvert(), nb::arg("n_threads"),
             "Add to each sum the column's information with the chosen ones that it does not count yet.")
        .def("chi_square", &each<&PairTables::chi_square>, nb::arg("column"), nb::arg("others").noconvert(),
             nb::arg("out").noconvert(), nb::arg("n_threads"), "Pearson's chi square with each of others.");
}
