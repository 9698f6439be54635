#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "arrays.hpp"
#include "information/category_columns.hpp"
#include "information/triple_counts.hpp"
#include "registers.hpp"

namespace nb = nanobind;

namespace {

using fewest::CategoryColumns;

/// Raises unless target and selected are columns, and no row of the target is missing.
void check_triples(const CategoryColumns& categories, std::size_t target, std::size_t selected,
                   const Line<const std::int64_t>& others) {
    const auto n_columns = static_cast<std::int64_t>(categories.n_columns());
    bool is_right = target < categories.n_columns() && selected < categories.n_columns() &&
                    categories.is_complete(target) && categories.is_filled();
    for (std::size_t i = 0; i < others.shape(0); ++i) is_right &= others.data()[i] >= 0 && others.data()[i] < n_columns;
    if (!is_right)
        throw std::invalid_argument("columns that are filled in, and a target without missing rows, are expected");
}

void triple_information(const CategoryColumns& categories, std::size_t target, std::size_t selected,
                        const Line<const std::int64_t>& others, const Table<double>& out, std::size_t n_threads) {
    check_triples(categories, target, selected, others);
    if (out.shape(0) != others.shape(0) || out.shape(1) != fewest::n_triple_measures)
        throw std::invalid_argument("five numbers a column are given back");
    const nb::gil_scoped_release release;
    categories.triple_information(target, selected, others.data(), others.shape(0), n_threads, out.data());
}

void triple_counts(const CategoryColumns& categories, std::size_t target, std::size_t selected,
                   const Line<const std::int64_t>& others, const Table<std::int64_t>& cells, std::size_t n_threads) {
    check_triples(categories, target, selected, others);
    std::size_t n_lines = 0;
    for (std::size_t i = 0; i < others.shape(0); ++i)
        n_lines += categories.n_categories(static_cast<std::size_t>(others.data()[i]));
    if (cells.shape(0) != n_lines ||
        cells.shape(1) != categories.n_categories(selected) * categories.n_categories(target))
        throw std::invalid_argument("a line of cells for each category is expected");
    const nb::gil_scoped_release release;
    categories.triple_counts(target, selected, others.data(), others.shape(0), n_threads, cells.data());
}

std::size_t n_categories_of(const CategoryColumns& categories, std::size_t column) {
    if (column >= categories.n_columns()) throw std::invalid_argument("there is no such column");
    return categories.n_categories(column);
}

void entropies(const CategoryColumns& categories, const Line<double>& out) {
    if (out.shape(0) != categories.n_columns() || !categories.is_filled())
        throw std::invalid_argument("one number a column that is filled in is given back");
    categories.entropies_of_columns(out.data());
}

void triple_information_of_cells(const Table<const std::int64_t>& cells, const Line<const std::int32_t>& n_categories,
                                 std::size_t n_selected, std::size_t n_target, std::size_t n_rows,
                                 const Table<double>& out) {
    std::size_t n_lines = 0;
    bool is_right = out.shape(0) == n_categories.shape(0) && out.shape(1) == fewest::n_triple_measures;
    for (std::size_t i = 0; i < n_categories.shape(0); ++i) {
        is_right &= n_categories.data()[i] >= 0;
        n_lines += static_cast<std::size_t>(n_categories.data()[i]);
    }
    if (!is_right || cells.shape(0) != n_lines || cells.shape(1) != n_selected * n_target)
        throw std::invalid_argument("cells of these categories, and five numbers a column, are expected");
    const auto is_no_count = [&](std::int64_t n) { return n < 0 || n > static_cast<std::int64_t>(n_rows); };
    if (std::any_of(cells.data(), cells.data() + cells.size(), is_no_count))
        throw std::invalid_argument("a cell holds some of the rows");
    const nb::gil_scoped_release release;
    fewest::triple_information_of_cells(cells.data(), n_categories.data(), n_categories.shape(0), n_selected, n_target,
                                        n_rows, out.data());
}

}  // namespace

void register_triples(nb::module_& module) {
    module.def(
        "triple_information", &triple_information, nb::arg("categories"), nb::arg("target"), nb::arg("selected"),
        nb::arg("others").noconvert(), nb::arg("out").noconvert(), nb::arg("n_threads"),
        "Of each of others x, a selected s and a target c: I(x; c | s), I(x; s), H(x, s, c), and, only where values "
        "are missing, I(x; c) and I(s; c) over the rows where both are observed.");
    module.def("triple_counts", &triple_counts, nb::arg("categories"), nb::arg("target"), nb::arg("selected"),
               nb::arg("others").noconvert(), nb::arg("cells").noconvert(), nb::arg("n_threads"),
               "How often the categories of each of others meet those of a selected column and of a target.");
    module.def("triple_information_of_cells", &triple_information_of_cells, nb::arg("cells").noconvert(),
               nb::arg("n_categories").noconvert(), nb::arg("n_selected"), nb::arg("n_target"), nb::arg("n_rows"),
               nb::arg("out").noconvert(), "What triple_information gives, all five numbers, from triple_counts.");
    module.def("n_categories_of", &n_categories_of, nb::arg("categories"), nb::arg("column"),
               "The number of categories of a column.");
    module.def("category_entropies", &entropies, nb::arg("categories"), nb::arg("out").noconvert(),
               "The entropy of each column, in nats.");
}
