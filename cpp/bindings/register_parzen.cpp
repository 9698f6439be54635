#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "information/parzen_columns.hpp"
#include "registers.hpp"

namespace nb = nanobind;

namespace {

using Numbers = Line<const std::int64_t>;

/// Columns whose arrays stay with Python: this holds on to them.
class Columns {
public:
    Columns(const Table<const double>& values, const std::optional<Line<const double>>& weights,
            const Numbers& class_ends, const Line<const bool>& is_flat)
        : values_(values), weights_(weights), class_ends_(class_ends), is_flat_(is_flat) {
        const auto n_rows = static_cast<std::int64_t>(values_.shape(1));
        const std::int64_t* const ends = class_ends_.data();
        const std::size_t n_classes = class_ends_.shape(0);
        if (is_flat_.shape(0) != values_.shape(0) || (weights_ && weights_->shape(0) != values_.shape(1)))
            throw std::invalid_argument("values, weights and is_flat differ in shape");
        if (n_classes == 0 || ends[n_classes - 1] != n_rows || ends[0] < 0 || !std::is_sorted(ends, ends + n_classes))
            throw std::invalid_argument("classes end in ascending order, the last with the last row");
    }

    fewest::ParzenColumns view() const {
        return {values_.data(),     values_.shape(0),     values_.shape(1), weights_ ? weights_->data() : nullptr,
                class_ends_.data(), class_ends_.shape(0), is_flat_.data()};
    }

    fewest::ChosenOnGrid& ready() { return ready_; }

    void check(const Numbers& columns, std::int64_t lowest = 0) const {
        for (std::size_t i = 0; i < columns.shape(0); ++i)
            if (columns.data()[i] < lowest || columns.data()[i] >= static_cast<std::int64_t>(values_.shape(0)))
                throw std::invalid_argument("there is no such column");
    }

private:
    Table<const double> values_;
    std::optional<Line<const double>> weights_;
    Numbers class_ends_;
    Line<const bool> is_flat_;
    fewest::ChosenOnGrid ready_;
};

void relevance(const Columns& self, bool on_grid, const Line<double>& relevance, const Line<double>& log_sums,
               std::size_t n_threads) {
    const fewest::ParzenColumns view = self.view();
    if (relevance.shape(0) != view.n_columns || log_sums.shape(0) != view.n_columns)
        throw std::invalid_argument("one number a column is given back");
    const nb::gil_scoped_release release;
    fewest::parzen_relevance(view, on_grid, n_threads, relevance.data(), log_sums.data());
}

void triangles(const Columns& self, const Numbers& which, const Table<double>& out, std::size_t n_threads) {
    const fewest::ParzenColumns view = self.view();
    self.check(which);
    if (out.shape(0) != which.shape(0) || out.shape(1) != fewest::triangle_size(view.n_rows))
        throw std::invalid_argument("one triangle a column is given back");
    const nb::gil_scoped_release release;
    fewest::parzen_triangles(view, which.data(), which.shape(0), n_threads, out.data());
}

void add_information(Columns& self, const Line<const double>& log_sums, bool on_grid, const Table<const double>& kept,
                     const Numbers& kept_at, const Numbers& chosen, const Numbers& columns, const Numbers& counted,
                     const Line<double>& sums, std::size_t n_threads) {
    const fewest::ParzenColumns view = self.view();
    self.check(chosen);
    self.check(columns);
    if (log_sums.shape(0) != view.n_columns || kept_at.shape(0) != view.n_columns)
        throw std::invalid_argument("one number a column is expected");
    if (counted.shape(0) != columns.shape(0) || sums.shape(0) != columns.shape(0))
        throw std::invalid_argument("one count and one sum a column are expected");
    for (std::size_t i = 0; i < counted.shape(0); ++i)
        if (counted.data()[i] < 0) throw std::invalid_argument("counts are not negative");
    for (std::size_t i = 0; i < kept_at.shape(0); ++i)
        if (kept_at.data()[i] >= static_cast<std::int64_t>(kept.shape(0)))
            throw std::invalid_argument("there is no such triangle");
    if (kept.shape(0) > 0 && kept.shape(1) != fewest::triangle_size(view.n_rows))
        throw std::invalid_argument("triangles are of another size");
    const fewest::KeptTriangles triangles{kept.data(), kept_at.data()};
    const nb::gil_scoped_release release;
    fewest::add_parzen_information(view, log_sums.data(), on_grid ? &self.ready() : nullptr, triangles, chosen.data(),
                                   chosen.shape(0), columns.data(), counted.data(), columns.shape(0), n_threads,
                                   sums.data());
}

void joint_information(const Columns& self, const Line<const double>& joint, const Numbers& others,
                       const Line<double>& out, std::size_t n_threads) {
    const fewest::ParzenColumns view = self.view();
    self.check(others, -1);
    if (joint.shape(0) != fewest::triangle_size(view.n_rows) || out.shape(0) != others.shape(0))
        throw std::invalid_argument("a triangle, and one number a column, are expected");
    const nb::gil_scoped_release release;
    fewest::joint_parzen_information(view, joint.data(), others.data(), others.shape(0), n_threads, out.data());
}

void multiply(const Columns& self, std::size_t column, const Line<double>& joint, std::size_t n_threads) {
    const fewest::ParzenColumns view = self.view();
    if (column >= view.n_columns || joint.shape(0) != fewest::triangle_size(view.n_rows))
        throw std::invalid_argument("a column that is there, and a triangle, are expected");
    const nb::gil_scoped_release release;
    fewest::multiply_parzen_kernel(view, column, n_threads, joint.data());
}

}  // namespace

void register_parzen(nb::module_& module) {
    nb::class_<Columns>(module, "ParzenColumns",
                        "Columns in units of the kernel's width, and what they know of the class and of each other.")
        .def(nb::init<const Table<const double>&, const std::optional<Line<const double>>&, const Numbers&,
                      const Line<const bool>&>(),
             nb::arg("values").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("class_ends").noconvert(),
             nb::arg("is_flat").noconvert())
        .def("relevance", &relevance, nb::arg("on_grid"), nb::arg("relevance").noconvert(),
             nb::arg("log_sums").noconvert(), nb::arg("n_threads"),
             "What each column knows of the class, in nats, and the sum of the logarithms of its kernel sums.")
        .def("triangles", &triangles, nb::arg("which").noconvert(), nb::arg("out").noconvert(), nb::arg("n_threads"),
             "The kernels of these columns, below the diagonal.")
        .def("add_information", &add_information, nb::arg("log_sums").noconvert(), nb::arg("on_grid"),
             nb::arg("kept").noconvert(), nb::arg("kept_at").noconvert(), nb::arg("chosen").noconvert(),
             nb::arg("columns").noconvert(), nb::arg("counted").noconvert(), nb::arg("sums").noconvert(),
             nb::arg("n_threads"),
             "Add to each sum the column's information with the chosen ones that it does not count yet.")
        .def("joint_information", &joint_information, nb::arg("joint").noconvert(), nb::arg("others").noconvert(),
             nb::arg("out").noconvert(), nb::arg("n_threads"),
             "What columns with this product of kernels know of the class together with each of others; -1 is none.")
        .def("multiply", &multiply, nb::arg("column"), nb::arg("joint").noconvert(), nb::arg("n_threads"),
             "Multiply a product of kernels by that of a column.");
}
