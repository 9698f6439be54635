#include <limits>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "information/encode_columns.hpp"
#include "information/state_columns.hpp"
#include "registers.hpp"

namespace nb = nanobind;

namespace {

using fewest::CategoryColumns;

template <class T>
fewest::DenseRows<T> view(const Rows<T>& rows) {
    return {rows.data(), rows.shape(0), rows.shape(1), static_cast<std::ptrdiff_t>(rows.stride(0)),
            static_cast<std::ptrdiff_t>(rows.stride(1))};
}

void construct(CategoryColumns* self, const Line<const std::int32_t>& n_states, const Line<const bool>& is_complete,
               const Line<const bool>& is_listed, std::size_t n_rows) {
    const std::size_t n_columns = n_states.shape(0);
    if (is_complete.shape(0) != n_columns || is_listed.shape(0) != n_columns)
        throw std::invalid_argument("one number of states a column is expected");
    for (std::size_t i = 0; i < n_columns; ++i)
        if (n_states.data()[i] < 0 || n_states.data()[i] >= fewest::missing_state)
            throw std::invalid_argument("there are too many states");
    const nb::gil_scoped_release release;
    new (self) CategoryColumns(n_states.data(), reinterpret_cast<const std::uint8_t*>(is_complete.data()),
                            reinterpret_cast<const std::uint8_t*>(is_listed.data()), n_columns, n_rows);
}

/// Raises unless these are columns, none twice: several threads fill them in.
void check_apart(const CategoryColumns& states, const Line<const std::int64_t>& columns) {
    std::vector<bool> is_met(states.n_columns());
    for (std::size_t i = 0; i < columns.shape(0); ++i) {
        const std::int64_t column = columns.data()[i];
        if (column < 0 || static_cast<std::size_t>(column) >= is_met.size() || is_met[static_cast<std::size_t>(column)])
            throw std::invalid_argument("there is no such column, or it is named twice");
        is_met[static_cast<std::size_t>(column)] = true;
    }
}

template <class Code>
void fill(CategoryColumns& states, const Line<const std::int64_t>& columns, const Array<const Code, nb::ndim<2>>& codes,
          const Line<const std::int64_t>& first_codes, std::size_t n_threads) {
    check_apart(states, columns);
    if (codes.shape(0) != columns.shape(0) || first_codes.shape(0) != columns.shape(0))
        throw std::invalid_argument("codes, and a first code, of each column are expected");
    if (codes.shape(1) > 1 && codes.stride(1) != 1) throw std::invalid_argument("codes of a column lie side by side");
    const nb::gil_scoped_release release;
    states.fill(columns.data(), columns.shape(0), codes.data(), static_cast<std::ptrdiff_t>(codes.stride(0)),
                first_codes.data(), codes.shape(1), n_threads);
}

void list(CategoryColumns& states, const Line<const std::int64_t>& columns, const Line<const std::int64_t>& starts,
          const Line<const std::int32_t>& rows, const Line<const std::uint16_t>& listed,
          const Line<const std::int32_t>& usual) {
    check_apart(states, columns);
    const std::size_t n_columns = columns.shape(0);
    bool is_right = starts.shape(0) == n_columns + 1 && usual.shape(0) == n_columns && rows.shape(0) == listed.shape(0) &&
                    starts.data()[0] >= 0 && starts.data()[n_columns] <= static_cast<std::int64_t>(rows.shape(0));
    for (std::size_t i = 0; is_right && i < n_columns; ++i)
        is_right = starts.data()[i] <= starts.data()[i + 1] && usual.data()[i] >= 0;
    if (!is_right) throw std::invalid_argument("lists of rows and states, one a column, are expected");
    const nb::gil_scoped_release release;
    states.list(columns.data(), n_columns, starts.data(), rows.data(), listed.data(), usual.data());
}

void check(const CategoryColumns& states, std::size_t column, const Line<const std::int64_t>& others,
           std::size_t n_given_back) {
    if (n_given_back != others.shape(0)) throw std::invalid_argument("one number a column is given back");
    const auto n_columns = static_cast<std::int64_t>(states.n_columns());
    bool is_known = static_cast<std::int64_t>(column) < n_columns;
    for (std::size_t i = 0; i < others.shape(0); ++i)
        is_known &= others.data()[i] >= 0 && others.data()[i] < n_columns;
    if (!is_known) throw std::invalid_argument("there is no such column");
    if (!states.is_filled()) throw std::invalid_argument("rows are yet to be filled in");
}

using Measure = void (CategoryColumns::*)(std::size_t, const std::int64_t*, std::size_t, std::size_t, double*) const;

template <Measure measure>
void each(const CategoryColumns& states, std::size_t column, const Line<const std::int64_t>& others,
          const Line<double>& out, std::size_t n_threads) {
    check(states, column, others, out.shape(0));
    const nb::gil_scoped_release release;
    (states.*measure)(column, others.data(), others.shape(0), n_threads, out.data());
}

void add_information(const CategoryColumns& states, const Line<const std::int64_t>& chosen,
                     const Line<const std::int64_t>& columns, const Line<const std::int64_t>& counted,
                     const Line<double>& sums, std::size_t n_threads) {
    check(states, 0, chosen, chosen.shape(0));
    check(states, 0, columns, sums.shape(0));
    if (counted.shape(0) != columns.shape(0)) throw std::invalid_argument("one count a column is expected");
    for (std::size_t i = 0; i < counted.shape(0); ++i)
        if (counted.data()[i] < 0) throw std::invalid_argument("counts are not negative");
    const nb::gil_scoped_release release;
    states.add_information(chosen.data(), chosen.shape(0), columns.data(), counted.data(), columns.shape(0), n_threads,
                           sums.data());
}

void joint_information(const CategoryColumns& states, std::size_t column, const Line<const std::int32_t>& joint,
                       std::size_t n_joint, const Line<const std::int64_t>& others, const Line<double>& out,
                       std::size_t n_threads) {
    check(states, column, others, out.shape(0));
    if (joint.shape(0) != states.n_rows()) throw std::invalid_argument("one joint state a row is expected");
    for (std::size_t row = 0; row < joint.shape(0); ++row)
        if (joint.data()[row] < 0 || static_cast<std::size_t>(joint.data()[row]) >= n_joint)
            throw std::invalid_argument("there is no such joint state");
    const nb::gil_scoped_release release;
    states.joint_information(column, joint.data(), n_joint, others.data(), others.shape(0), n_threads, out.data());
}

std::size_t refine(const CategoryColumns& states, const Line<std::int32_t>& joint, std::size_t n_joint,
                   std::size_t column) {
    if (joint.shape(0) != states.n_rows() || column >= states.n_columns() || !states.is_filled())
        throw std::invalid_argument("one joint state a row, and a column that is there, are expected");
    const nb::gil_scoped_release release;
    return states.refine(joint.data(), n_joint, column);
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
               "The distinct values of each column, ascending; one more than fit where there are more, -1 where one is no whole number.");
    module.def("encode_columns", &encode_columns<T, std::uint8_t>, nb::arg("rows").noconvert(),
               nb::arg("thresholds").noconvert(), nb::arg("n_thresholds").noconvert(), nb::arg("codes").noconvert(),
               nb::arg("n_threads"), "How many of its column's thresholds each value exceeds.");
    module.def("encode_columns", &encode_columns<T, std::uint16_t>, nb::arg("rows").noconvert(),
               nb::arg("thresholds").noconvert(), nb::arg("n_thresholds").noconvert(), nb::arg("codes").noconvert(),
               nb::arg("n_threads"), "How many of its column's thresholds each value exceeds.");
}

}  // namespace

void register_state_columns(nb::module_& module) {
    bind_rows<double>(module);
    bind_rows<float>(module);
    nb::class_<CategoryColumns>(module, "CategoryColumns", "Columns of states, and what they know of each other.")
        .def("__init__", &construct, nb::arg("n_states").noconvert(), nb::arg("is_complete").noconvert(),
             nb::arg("is_listed").noconvert(), nb::arg("n_rows"))
        .def("fill", &fill<std::uint8_t>, nb::arg("columns").noconvert(), nb::arg("codes").noconvert(),
             nb::arg("first_codes").noconvert(), nb::arg("n_threads"), "Fill in the next rows of some columns.")
        .def("fill", &fill<std::uint16_t>, nb::arg("columns").noconvert(), nb::arg("codes").noconvert(),
             nb::arg("first_codes").noconvert(), nb::arg("n_threads"), "Fill in the next rows of some columns.")
        .def("list", &list, nb::arg("columns").noconvert(), nb::arg("starts").noconvert(), nb::arg("rows").noconvert(),
             nb::arg("states").noconvert(), nb::arg("usual").noconvert(),
             "Fill in all rows of some columns by those that are not in the usual state.")
        .def("information", &each<&CategoryColumns::information>, nb::arg("column"), nb::arg("others").noconvert(),
             nb::arg("out").noconvert(), nb::arg("n_threads"), "Mutual information with each of others, in nats.")
        .def("add_information", &add_information, nb::arg("chosen").noconvert(), nb::arg("columns").noconvert(),
             nb::arg("counted").noconvert(), nb::arg("sums").noconvert(), nb::arg("n_threads"),
             "Add to each sum the column's information with the chosen ones that it does not count yet.")
        .def("chi_square", &each<&CategoryColumns::chi_square>, nb::arg("column"), nb::arg("others").noconvert(),
             nb::arg("out").noconvert(), nb::arg("n_threads"), "Pearson's chi square with each of others.")
        .def("joint_information", &joint_information, nb::arg("column"), nb::arg("joint").noconvert(),
             nb::arg("n_joint"), nb::arg("others").noconvert(), nb::arg("out").noconvert(), nb::arg("n_threads"),
             "What joint states know of a column together with each of others, in nats.")
        .def("refine", &refine, nb::arg("joint").noconvert(), nb::arg("n_joint"), nb::arg("column"),
             "Split joint states by those of a column; how many there are now.");
}
