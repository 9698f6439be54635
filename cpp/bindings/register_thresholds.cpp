#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "registers.hpp"
#include "thresholds/binned_columns.hpp"
#include "thresholds/distribution_distances.hpp"
#include "thresholds/kolmogorov_tails.hpp"
#include "thresholds/sorted_columns.hpp"
#include "thresholds/stumps.hpp"

namespace nb = nanobind;

namespace {

using fewest::SortedColumns;

void check_rows(std::size_t n_rows) {
    if (n_rows >= SortedColumns::has_threshold) throw std::invalid_argument("there are too many rows to be numbered");
}

template <class T>
SortedColumns of_dense(const Rows<T>& rows, std::size_t n_threads) {
    check_rows(rows.shape(0));
    const fewest::DenseRows<T> view{rows.data(), rows.shape(0), rows.shape(1),
                                    static_cast<std::ptrdiff_t>(rows.stride(0)),
                                    static_cast<std::ptrdiff_t>(rows.stride(1))};
    const nb::gil_scoped_release release;
    return fewest::sort_columns(view, n_threads);
}

template <class Index>
SortedColumns of_sparse(const Line<const double>& values, const Line<const Index>& rows,
                        const Line<const Index>& starts, std::size_t n_rows, std::size_t n_threads) {
    check_rows(n_rows);
    const Index* const at = starts.data();
    const std::size_t n_starts = starts.shape(0);
    if (n_starts == 0 || rows.shape(0) != values.shape(0) || at[0] != 0 || !std::is_sorted(at, at + n_starts) ||
        static_cast<std::size_t>(at[n_starts - 1]) > rows.shape(0))
        throw std::invalid_argument("a sparse matrix has one start more than columns, and as many rows as values");
    const auto is_row = [&](Index row) { return row >= 0 && static_cast<std::size_t>(row) < n_rows; };
    if (!std::all_of(rows.data(), rows.data() + rows.shape(0), is_row))
        throw std::invalid_argument("there is no such row");
    const fewest::SparseLines<double, Index> view{values.data(), rows.data(), at, n_rows, n_starts - 1, true};
    const nb::gil_scoped_release release;
    return fewest::sort_columns(view, n_threads);
}

/// Classes and counts of rows, with what follows from them.
struct Counted {
    std::vector<std::int64_t> totals;
    fewest::CountedRows rows;

    template <class Columns>
    Counted(const Columns& columns, const Line<const std::int32_t>& codes, const Line<const std::int64_t>& counts,
            std::size_t n_classes, std::size_t n_out)
        : totals(n_classes), rows{codes.data(), counts.data(), totals.data(), codes.shape(0), n_classes} {
        if (rows.n_rows != columns.n_rows() || counts.shape(0) != rows.n_rows || n_out != columns.n_columns())
            throw std::invalid_argument("columns, codes, counts and what is written differ in shape");
        if (n_classes == 0) throw std::invalid_argument("there are no classes");
        // Half of what a number can hold: sums of two such are still no larger than that.
        std::int64_t left = std::numeric_limits<std::int64_t>::max() / 4;
        for (std::size_t i = 0; i < rows.n_rows; ++i) {
            if (rows.codes[i] < 0 || static_cast<std::size_t>(rows.codes[i]) >= n_classes)
                throw std::invalid_argument("there is no such class");
            if (rows.counts[i] < 0 || rows.counts[i] > left)
                throw std::invalid_argument("counts are positive, and not too large");
            left -= rows.counts[i];
            totals[static_cast<std::size_t>(rows.codes[i])] += rows.counts[i];
        }
    }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
};

void distribution_distances(const SortedColumns& columns, const Line<const std::int32_t>& codes,
                            const Line<const std::int64_t>& counts, std::size_t n_classes,
                            const Line<double>& distances, std::size_t n_threads) {
    const Counted counted(columns, codes, counts, n_classes, distances.shape(0));
    const std::int64_t total = std::accumulate(counted.totals.begin(), counted.totals.end(), std::int64_t{0});
    const bool is_exact = total <= (std::int64_t{1} << 31);
    const nb::gil_scoped_release release;
    fewest::distribution_distances(columns, counted.rows, is_exact, n_threads, distances.data());
}

void kolmogorov_tails(const Line<const std::int64_t>& first, const Line<const std::int64_t>& second,
                      const Line<const std::int64_t>& farthest, const Line<double>& tails, std::size_t n_threads) {
    const std::size_t n = tails.shape(0);
    if (first.shape(0) != n || second.shape(0) != n || farthest.shape(0) != n)
        throw std::invalid_argument("the sizes of two samples, and their difference, are expected for each tail");
    for (std::size_t i = 0; i < n; ++i)
        if (first.data()[i] < 0 || second.data()[i] < 0 || first.data()[i] > (1 << 30) || second.data()[i] > (1 << 30))
            throw std::invalid_argument("samples have at least no value, and not too many");
    const nb::gil_scoped_release release;
    fewest::kolmogorov_tails(first.data(), second.data(), farthest.data(), n, n_threads, tails.data());
}

/// columns : which of them; what the best stump of each gets right is written at their positions
void stumps_right(const SortedColumns& columns, const Line<const std::int32_t>& codes,
                  const Line<const std::int64_t>& counts, std::size_t n_classes, const Line<const std::int64_t>& among,
                  const Line<std::int64_t>& right, std::size_t n_threads) {
    const Counted counted(columns, codes, counts, n_classes, right.shape(0));
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < among.shape(0); ++k) {
        if (among.data()[k] < 0 || static_cast<std::size_t>(among.data()[k]) >= columns.n_columns())
            throw std::invalid_argument("there is no such column");
        chosen.push_back(static_cast<std::size_t>(among.data()[k]));
    }
    const nb::gil_scoped_release release;
    fewest::stumps_right(columns, counted.rows, chosen, n_threads, right.data());
}

fewest::BinnedColumns bin_columns(const SortedColumns& columns, const Line<const std::int32_t>& codes,
                                  std::size_t n_classes, std::size_t n_threads) {
    if (codes.shape(0) != columns.n_rows()) throw std::invalid_argument("columns and codes differ in rows");
    for (std::size_t i = 0; i < codes.shape(0); ++i)
        if (codes.data()[i] < 0 || static_cast<std::size_t>(codes.data()[i]) >= n_classes)
            throw std::invalid_argument("there is no such class");
    const nb::gil_scoped_release release;
    return fewest::BinnedColumns(columns, codes.data(), n_classes, n_threads);
}

void stump_bounds(const fewest::BinnedColumns& columns, const Line<const std::int64_t>& counts,
                  const Line<std::int64_t>& bounds, std::size_t n_threads) {
    if (counts.shape(0) != columns.n_rows() || bounds.shape(0) != columns.n_columns())
        throw std::invalid_argument("columns, counts and what is written differ in shape");
    const nb::gil_scoped_release release;
    columns.find_bounds(counts.data(), n_threads, bounds.data());
}

template <class T>
void bind_dense(nb::module_& module) {
    module.def("sort_columns", &of_dense<T>, nb::arg("rows").noconvert(), nb::arg("n_threads"),
               "The rows of each column in the order of their values.");
}

template <class Index>
void bind_sparse(nb::module_& module) {
    module.def("sort_sparse_columns", &of_sparse<Index>, nb::arg("values").noconvert(), nb::arg("rows").noconvert(),
               nb::arg("starts").noconvert(), nb::arg("n_rows"), nb::arg("n_threads"),
               "The same of a sparse matrix, held column by column.");
}

}  // namespace

void register_thresholds(nb::module_& module) {
    nb::class_<SortedColumns>(module, "SortedColumns", "Columns in the order of their values.")
        .def_prop_ro("n_rows", &SortedColumns::n_rows)
        .def_prop_ro("n_columns", &SortedColumns::n_columns);
    bind_dense<double>(module);
    bind_dense<float>(module);
    bind_sparse<std::int32_t>(module);
    bind_sparse<std::int64_t>(module);
    module.def("distribution_distances", &distribution_distances, nb::arg("columns"), nb::arg("codes").noconvert(),
               nb::arg("counts").noconvert(), nb::arg("n_classes"), nb::arg("distances").noconvert(),
               nb::arg("n_threads"), "How far apart the distributions of the classes lie, by column.");
    module.def("kolmogorov_tails", &kolmogorov_tails, nb::arg("first").noconvert(), nb::arg("second").noconvert(),
               nb::arg("farthest").noconvert(), nb::arg("tails").noconvert(), nb::arg("n_threads"),
               "How likely two samples of one distribution, of these sizes, are this far apart or farther, times the "
               "product of their sizes.");
    module.def("stumps_right", &stumps_right, nb::arg("columns"), nb::arg("codes").noconvert(),
               nb::arg("counts").noconvert(), nb::arg("n_classes"), nb::arg("among").noconvert(),
               nb::arg("right").noconvert(), nb::arg("n_threads"),
               "How much the best stump of each of these columns gets right, by count.");
    nb::class_<fewest::BinnedColumns>(module, "BinnedColumns", "Columns cut into few bins of values.")
        .def_prop_ro("n_rows", &fewest::BinnedColumns::n_rows)
        .def_prop_ro("n_columns", &fewest::BinnedColumns::n_columns);
    module.def("bin_columns", &bin_columns, nb::arg("columns"), nb::arg("codes").noconvert(), nb::arg("n_classes"),
               nb::arg("n_threads"), "Columns cut into few bins of values, for rows of these classes.");
    module.def("stump_bounds", &stump_bounds, nb::arg("columns"), nb::arg("counts").noconvert(),
               nb::arg("bounds").noconvert(), nb::arg("n_threads"),
               "How much the best stump of each column gets right at most, by count.");
}
