#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "margins/hinge_simplex.hpp"
#include "margins/linear_svms.hpp"
#include "margins/margin_exchanges.hpp"
#include "registers.hpp"

namespace nb = nanobind;

namespace {

namespace linear_svms {

using Numbers = Line<const std::int64_t>;
using Matrix = Table<const double>;

/// SVMs whose table, costs and signs stay with Python: this holds on to them.
class BoundSvms {
public:
    /// table : columns by rows where there is a Gram matrix, else rows by columns
    BoundSvms(const Matrix& table, const Line<const double>& costs, const Matrix& signs, const Matrix& gram,
              const Matrix& start)
        : table_(table), costs_(costs), signs_(signs), n_columns_(table.shape(gram.size() ? 0 : 1)),
          n_rows_(table.shape(gram.size() ? 1 : 0)) {
        if (costs.shape(0) != n_rows_ || signs.shape(1) != n_rows_ || start.shape(1) != n_rows_ ||
            start.shape(0) != signs.shape(0))
            throw std::invalid_argument("table, costs, signs and start differ in rows");
        if (gram.size() != 0 && (gram.shape(0) != n_rows_ || gram.shape(1) != n_rows_))
            throw std::invalid_argument("a Gram matrix has one row and one column a row");
        const nb::gil_scoped_release release;
        if (gram.size() != 0)
            svms_ = std::make_unique<fewest::RowSvms>(table.data(), n_columns_, n_rows_, costs.data(), signs.data(),
                                                      signs.shape(0), gram.data(), start.data());
        else
            svms_ = std::make_unique<fewest::WeightSvms>(table.data(), n_columns_, n_rows_, costs.data(), signs.data(),
                                                         signs.shape(0), start.data());
    }

    void drop(const Numbers& columns) {
        for (std::size_t k = 0; k < columns.shape(0); ++k)
            if (columns.data()[k] < 0 || columns.data()[k] >= static_cast<std::int64_t>(n_columns_))
                throw std::invalid_argument("there is no such column");
        n_dropped_ += columns.shape(0);
        const nb::gil_scoped_release release;
        for (std::size_t k = 0; k < columns.shape(0); ++k) svms_->drop(static_cast<std::size_t>(columns.data()[k]));
    }

    bool solve(std::size_t n_threads) {
        const nb::gil_scoped_release release;
        svms_->solve(n_threads);
        return svms_->is_solved();
    }

    void norms(const Line<double>& norms) const {
        if (n_columns_ != norms.shape(0)) throw std::invalid_argument("one number a column is given back");
        for (std::size_t j = 0; j < norms.shape(0); ++j) norms.data()[j] = svms_->norm(j);
    }

    void least(const Numbers& numbers, double tie, const Line<std::int64_t>& columns) {
        if (numbers.shape(0) != n_columns_) throw std::invalid_argument("one number a column is expected");
        if (columns.shape(0) == 0 || columns.shape(0) + n_dropped_ > n_columns_)
            throw std::invalid_argument("there are fewer columns left");
        svms_->least(numbers.data(), tie, columns.data(), columns.shape(0));
    }

    void coefficients(const Table<double>& coefficients) const {
        if (coefficients.shape(0) != signs_.shape(0) || coefficients.shape(1) != n_rows_)
            throw std::invalid_argument("one number an SVM and row is given back");
        svms_->find_coefficients(coefficients.data());
    }

private:
    Matrix table_;
    Line<const double> costs_;
    Matrix signs_;
    std::size_t n_columns_, n_rows_;
    std::unique_ptr<fewest::LinearSVMs> svms_;
    std::size_t n_dropped_ = 0;
};

void add_to(nb::module_& module) {
    nb::class_<BoundSvms>(module, "LinearSVMs",
                          "Linear support vector machines with squared hinge, whose columns may be dropped.")
        .def(nb::init<const Matrix&, const Line<const double>&, const Matrix&, const Matrix&, const Matrix&>(),
             nb::arg("table").noconvert(), nb::arg("costs").noconvert(), nb::arg("signs").noconvert(),
             nb::arg("gram").noconvert(), nb::arg("start").noconvert())
        .def("drop", &BoundSvms::drop, nb::arg("columns").noconvert(), "Takes columns out, each once; solve() follows.")
        .def("solve", &BoundSvms::solve, nb::arg("n_threads"),
             "Solves all SVMs; False where rounding errors prevent it.")
        .def("norms", &BoundSvms::norms, nb::arg("norms").noconvert(),
             "The norm over the SVMs of each column's weight.")
        .def("least", &BoundSvms::least, nb::arg("numbers").noconvert(), nb::arg("tie"), nb::arg("columns").noconvert(),
             "The columns left with the least norms, the least first, of ties the one with the highest number.")
        .def("coefficients", &BoundSvms::coefficients, nb::arg("coefficients").noconvert(),
             "One an SVM and row: the weights are the sums of the rows with these.");
}

}  // namespace linear_svms

namespace margin_svms {

using Numbers = Line<const std::int64_t>;

fewest::SubsetSvms on_set(const Table<const double>& columns, const Table<const double>& signs,
                          const Line<const double>& caps, const Line<const double>& ridges, const Numbers& subset,
                          const Table<double>& alpha, const Line<double>& offsets) {
    const std::size_t n_columns = columns.shape(0), n_rows = columns.shape(1), n_svms = signs.shape(0);
    if (signs.shape(1) != n_rows || caps.shape(0) != n_rows || ridges.shape(0) != n_rows || alpha.shape(1) != n_rows)
        throw std::invalid_argument("one number a row is expected");
    if (alpha.shape(0) != n_svms || offsets.shape(0) != n_svms)
        throw std::invalid_argument("one number an SVM is expected");
    fewest::SubsetSvms set{{columns.data(), n_columns, n_rows, caps.data(), ridges.data()}, signs.data(), n_svms, {}};
    for (std::size_t i = 0; i < subset.shape(0); ++i) {
        if (subset.data()[i] < 0 || static_cast<std::size_t>(subset.data()[i]) >= n_columns)
            throw std::invalid_argument("there is no such column");
        set.columns.push_back(static_cast<std::size_t>(subset.data()[i]));
    }
    return set;
}

bool solve_svms(const Table<const double>& columns, const Table<const double>& signs, const Line<const double>& caps,
                const Line<const double>& ridges, const Numbers& subset, const Table<double>& alpha,
                const Line<double>& offsets) {
    const fewest::SubsetSvms set = on_set(columns, signs, caps, ridges, subset, alpha, offsets);
    const nb::gil_scoped_release release;
    return fewest::solve_svms(set, alpha.data(), offsets.data());
}

std::size_t first_better(const Table<const double>& columns, const Table<const double>& signs,
                         const Line<const double>& caps, const Line<const double>& ridges, const Numbers& subset,
                         const Numbers& places, const Numbers& others, const Line<const double>& bounds, double limit,
                         std::size_t most_tries, const Table<double>& alpha, const Line<double>& offsets) {
    const fewest::SubsetSvms set = on_set(columns, signs, caps, ridges, subset, alpha, offsets);
    if (places.shape(0) != others.shape(0) || bounds.shape(0) != others.shape(0))
        throw std::invalid_argument("one number an exchange is expected");
    std::vector<fewest::Exchange> exchanges;
    for (std::size_t e = 0; e < others.shape(0); ++e) {
        const auto place = static_cast<std::size_t>(places.data()[e]),
                   other = static_cast<std::size_t>(others.data()[e]);
        if (place >= set.columns.size() || other >= set.rows.n_columns)
            throw std::invalid_argument("there is no such column");
        exchanges.push_back({place, other, bounds.data()[e]});
    }
    const nb::gil_scoped_release release;
    return fewest::first_better(set, exchanges, limit, most_tries, alpha.data(), offsets.data());
}

void add_to(nb::module_& module) {
    module.def("solve_margin_svms", &solve_svms, nb::arg("columns").noconvert(), nb::arg("signs").noconvert(),
               nb::arg("caps").noconvert(), nb::arg("ridges").noconvert(), nb::arg("subset").noconvert(),
               nb::arg("alpha").noconvert(), nb::arg("offsets").noconvert(),
               "Solves SVMs on some columns; alpha and offsets are where to begin, and the answer. False where they "
               "were not solved.");
    module.def("first_better_exchange", &first_better, nb::arg("columns").noconvert(), nb::arg("signs").noconvert(),
               nb::arg("caps").noconvert(), nb::arg("ridges").noconvert(), nb::arg("subset").noconvert(),
               nb::arg("places").noconvert(), nb::arg("others").noconvert(), nb::arg("bounds").noconvert(),
               nb::arg("limit"), nb::arg("most_tries"), nb::arg("alpha").noconvert(), nb::arg("offsets").noconvert(),
               "The first of the exchanges of a column of the subset, by its place, for another after which w is below "
               "the limit; their number where there is none. alpha and offsets become those after it.");
}

}  // namespace margin_svms

namespace hinge_simplex {

/// A simplex method whose columns, rows and signs stay with Python: this holds on to them.
class BoundSimplex {
public:
    BoundSimplex(const Table<const double>& columns, const Table<const double>& rows, const Line<const double>& signs)
        : columns_(columns), rows_(rows), signs_(signs), simplex_(checked_rows(columns, rows, signs), signs.data()) {}

    bool solve(const Line<const double>& costs, const Line<const double>& penalties, const Line<double>& weights,
               const Line<double>& losses) {
        const std::size_t n_columns = columns_.shape(0), n_rows = rows_.shape(0);
        if (costs.shape(0) != n_rows || losses.shape(0) != n_rows)
            throw std::invalid_argument("one number a row is expected");
        if (penalties.shape(0) != n_columns || weights.shape(0) != n_columns)
            throw std::invalid_argument("one number a column is expected");
        const nb::gil_scoped_release release;
        return simplex_.solve(costs.data(), penalties.data(), weights.data(), losses.data());
    }

    void find_gains(const Line<const double>& costs, const Line<double>& gains) const {
        if (costs.shape(0) != rows_.shape(0)) throw std::invalid_argument("one number a row is expected");
        if (gains.shape(0) != columns_.shape(0)) throw std::invalid_argument("one number a column is expected");
        const nb::gil_scoped_release release;
        simplex_.find_gains(costs.data(), gains.data());
    }

    std::size_t n_steps() const { return simplex_.n_steps(); }

private:
    static fewest::HingeRows checked_rows(const Table<const double>& columns, const Table<const double>& rows,
                                          const Line<const double>& signs) {
        if (columns.shape(0) != rows.shape(1) || columns.shape(1) != rows.shape(0) || signs.shape(0) != rows.shape(0))
            throw std::invalid_argument("columns, rows and signs differ in their numbers");
        if (rows.shape(0) == 0) throw std::invalid_argument("there are no rows");
        return {columns.data(), rows.data(), columns.shape(0), columns.shape(1)};
    }

    Table<const double> columns_, rows_;
    Line<const double> signs_;
    fewest::HingeSimplex simplex_;
};

void add_to(nb::module_& module) {
    nb::class_<BoundSimplex>(module, "HingeSimplex",
                             "A linear SVM with hinge loss and an L1 penalty, by a simplex method.")
        .def(nb::init<const Table<const double>&, const Table<const double>&, const Line<const double>&>(),
             nb::arg("columns").noconvert(), nb::arg("rows").noconvert(), nb::arg("signs").noconvert())
        .def("solve", &BoundSimplex::solve, nb::arg("costs").noconvert(), nb::arg("penalties").noconvert(),
             nb::arg("weights").noconvert(), nb::arg("losses").noconvert(),
             "Solves it from the last solution, into weights and losses; False where rounding errors prevent it.")
        .def("find_gains", &BoundSimplex::find_gains, nb::arg("costs").noconvert(), nb::arg("gains").noconvert(),
             "By how much the loss falls for a unit of each column's weight at the last solution, into gains.")
        .def_prop_ro("n_steps", &BoundSimplex::n_steps, "The number of edges followed so far.");
}

}  // namespace hinge_simplex

}  // namespace

void register_margins(nb::module_& module) {
    linear_svms::add_to(module);
    margin_svms::add_to(module);
    hinge_simplex::add_to(module);
}
