#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "evaluation/nested_neighbours.hpp"
#include "evaluation/nested_svms.hpp"
#include "evaluation/nested_trees.hpp"
#include "registers.hpp"

namespace nb = nanobind;

namespace {

void nearest_neighbour_classes(const Table<const double>& columns, const Line<const std::int32_t>& codes,
                               const Table<const double>& asked, const Line<const std::int64_t>& ends, std::size_t k,
                               std::size_t n_classes, const Table<std::int32_t>& predicted, std::size_t n_threads) {
    const fewest::LearnedRows learned{columns.data(), columns.shape(1), columns.shape(0), codes.data(), n_classes};
    if (codes.shape(0) != learned.n_rows || asked.shape(1) != learned.n_columns ||
        predicted.shape(0) != ends.shape(0) || predicted.shape(1) != asked.shape(0))
        throw std::invalid_argument("columns, codes, asked rows, ends and what is written differ in shape");
    if (k == 0 || k > learned.n_rows)
        throw std::invalid_argument("as many neighbours as there are rows, and at least one");
    for (std::size_t i = 0; i < learned.n_rows; ++i)
        if (codes.data()[i] < 0 || static_cast<std::size_t>(codes.data()[i]) >= n_classes)
            throw std::invalid_argument("there is no such class");
    const std::int64_t* const at = ends.data();
    const auto n_columns = static_cast<std::int64_t>(learned.n_columns);
    if (!std::is_sorted(at, at + ends.shape(0)) ||
        std::any_of(at, at + ends.shape(0), [&](std::int64_t end) { return end < 0 || end > n_columns; }))
        throw std::invalid_argument("ends ascend, up to the number of columns");
    const std::vector<std::size_t> places(at, at + ends.shape(0));
    const nb::gil_scoped_release release;
    fewest::nearest_neighbour_classes(learned, asked.data(), asked.shape(0), places.data(), places.size(), k, n_threads,
                                      predicted.data());
}

void nested_svm_decisions(const Table<const double>& columns, const Line<const std::int32_t>& codes,
                          const Table<const double>& asked, const Line<const std::int64_t>& ends, std::size_t n_classes,
                          double cost, const Array<double, nb::ndim<3>, nb::c_contig>& decisions,
                          std::size_t n_threads) {
    const fewest::SvmTrainingRows training{columns.data(), columns.shape(1), columns.shape(0),
                                           codes.data(),   n_classes,        cost};
    const std::size_t n_svms = n_classes == 2 ? 1 : n_classes;
    if (codes.shape(0) != training.n_rows || asked.shape(0) != training.n_columns ||
        decisions.shape(0) != ends.shape(0) || decisions.shape(1) != asked.shape(1) || decisions.shape(2) != n_svms)
        throw std::invalid_argument("columns, codes, asked rows, ends and what is written differ in shape");
    if (n_classes < 2 || !(cost > 0)) throw std::invalid_argument("two classes at least, and a positive cost");
    for (std::size_t i = 0; i < training.n_rows; ++i)
        if (codes.data()[i] < 0 || static_cast<std::size_t>(codes.data()[i]) >= n_classes)
            throw std::invalid_argument("there is no such class");
    const std::int64_t* const at = ends.data();
    const auto n_columns = static_cast<std::int64_t>(training.n_columns);
    if (!std::is_sorted(at, at + ends.shape(0)) ||
        std::any_of(at, at + ends.shape(0), [&](std::int64_t end) { return end < 1 || end > n_columns; }))
        throw std::invalid_argument("ends ascend, from one to the number of columns");
    const std::vector<std::size_t> places(at, at + ends.shape(0));
    const nb::gil_scoped_release release;
    fewest::nested_svm_decisions(training, asked.data(), asked.shape(1), places.data(), places.size(), n_threads,
                                 decisions.data());
}

void nested_tree_classes(const Table<const float>& columns, const Line<const std::int32_t>& codes,
                         const Table<const float>& asked, const Line<const std::int64_t>& ends, std::size_t n_classes,
                         std::uint32_t state, const Table<std::int32_t>& predicted) {
    const fewest::TreeTrainingRows training{columns.data(), columns.shape(1), columns.shape(0), codes.data(),
                                            n_classes};
    if (codes.shape(0) != training.n_rows || asked.shape(1) != training.n_columns ||
        predicted.shape(0) != ends.shape(0) || predicted.shape(1) != asked.shape(0))
        throw std::invalid_argument("columns, codes, asked rows, ends and what is written differ in shape");
    if (training.n_rows == 0 || training.n_rows >= std::numeric_limits<std::uint32_t>::max())
        throw std::invalid_argument("one row at least, and fewer than 2^32");
    for (std::size_t i = 0; i < training.n_rows; ++i)
        if (codes.data()[i] < 0 || static_cast<std::size_t>(codes.data()[i]) >= n_classes)
            throw std::invalid_argument("there is no such class");
    std::vector<std::size_t> places;
    for (std::size_t e = 0; e < ends.shape(0); ++e) {
        if (ends.data()[e] < 0 || ends.data()[e] > static_cast<std::int64_t>(training.n_columns))
            throw std::invalid_argument("ends are at most the number of columns");
        places.push_back(static_cast<std::size_t>(ends.data()[e]));
    }
    const nb::gil_scoped_release release;
    fewest::nested_tree_classes(training, asked.data(), asked.shape(0), places.data(), places.size(), state,
                                predicted.data());
}

}  // namespace

void register_evaluation(nb::module_& module) {
    module.def("nearest_neighbour_classes", &nearest_neighbour_classes, nb::arg("columns").noconvert(),
               nb::arg("codes").noconvert(), nb::arg("asked").noconvert(), nb::arg("ends").noconvert(), nb::arg("k"),
               nb::arg("n_classes"), nb::arg("predicted").noconvert(), nb::arg("n_threads"),
               "The commonest class among the k nearest rows, by the first columns up to each end: ends by rows.");
    module.def("nested_svm_decisions", &nested_svm_decisions, nb::arg("columns").noconvert(),
               nb::arg("codes").noconvert(), nb::arg("asked").noconvert(), nb::arg("ends").noconvert(),
               nb::arg("n_classes"), nb::arg("cost"), nb::arg("decisions").noconvert(), nb::arg("n_threads"),
               "Decision values of linear SVMs on the first columns up to each end: ends by rows by SVMs.");
    module.def("nested_tree_classes", &nested_tree_classes, nb::arg("columns").noconvert(),
               nb::arg("codes").noconvert(), nb::arg("asked").noconvert(), nb::arg("ends").noconvert(),
               nb::arg("n_classes"), nb::arg("state"), nb::arg("predicted").noconvert(),
               "The classes by decision trees on the first columns up to each end: ends by rows.");
}
