#include <algorithm>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "margins/linear_svms.hpp"
#include "registers.hpp"

namespace nb = nanobind;

namespace {

using Numbers = Line<const std::int64_t>;
using Matrix = Table<const double>;

/// Machines whose columns, costs and signs stay with Python: this holds on to them.
class Machines {
public:
    Machines(const Matrix& columns, const Line<const double>& costs, const Matrix& signs, const Matrix& gram,
             const Matrix& start)
        : columns_(columns), costs_(costs), signs_(signs),
          machines_(checked_rows(columns, costs, signs, gram, start), signs.data(), signs.shape(0),
                    std::vector<double>(gram.data(), gram.data() + gram.size()), start.data()) {}

    void drop(const Numbers& columns) {
        check(columns);
        n_dropped_ += columns.shape(0);
        const nb::gil_scoped_release release;
        for (std::size_t k = 0; k < columns.shape(0); ++k)
            machines_.drop(static_cast<std::size_t>(columns.data()[k]));
    }

    void solve(std::size_t n_threads) {
        const nb::gil_scoped_release release;
        machines_.solve(n_threads);
    }

    void norms(const Line<double>& norms) const {
        if (columns_.shape(0) != norms.shape(0)) throw std::invalid_argument("one number a column is given back");
        for (std::size_t j = 0; j < norms.shape(0); ++j) norms.data()[j] = machines_.norm(j);
    }

    void least(const Numbers& numbers, double tie, const Line<std::int64_t>& columns) {
        if (numbers.shape(0) != columns_.shape(0)) throw std::invalid_argument("one number a column is expected");
        if (columns.shape(0) == 0 || columns.shape(0) + n_dropped_ > columns_.shape(0))
            throw std::invalid_argument("there are not so many columns left");
        machines_.least(numbers.data(), tie, columns.data(), columns.shape(0));
    }

    void coefficients(const Table<double>& coefficients) const {
        if (coefficients.shape(0) != machines_.n_machines() || coefficients.shape(1) != columns_.shape(1))
            throw std::invalid_argument("one number a machine and row is given back");
        for (std::size_t m = 0; m < machines_.n_machines(); ++m) {
            const std::vector<double>& found = machines_.machine(m).coefficients();
            std::copy(found.begin(), found.end(), coefficients.data() + m * found.size());
        }
    }

    double residual() const {
        double most = 0;
        for (std::size_t m = 0; m < machines_.n_machines(); ++m)
            most = std::max(most, machines_.machine(m).residual());
        return most;
    }

private:
    static fewest::MachineRows checked_rows(const Matrix& columns, const Line<const double>& costs,
                                            const Matrix& signs, const Matrix& gram, const Matrix& start) {
        const std::size_t n_rows = columns.shape(1);
        if (costs.shape(0) != n_rows || signs.shape(1) != n_rows || start.shape(1) != n_rows ||
            start.shape(0) != signs.shape(0))
            throw std::invalid_argument("columns, costs, signs and start differ in rows");
        if (gram.size() != 0 && (gram.shape(0) != n_rows || gram.shape(1) != n_rows))
            throw std::invalid_argument("a Gram matrix has one row and one column a row");
        return {columns.data(), columns.shape(0), n_rows, costs.data()};
    }

    void check(const Numbers& columns) const {
        for (std::size_t k = 0; k < columns.shape(0); ++k)
            if (columns.data()[k] < 0 || columns.data()[k] >= static_cast<std::int64_t>(columns_.shape(0)))
                throw std::invalid_argument("there is no such column");
    }

    Matrix columns_;
    Line<const double> costs_;
    Matrix signs_;
    fewest::LinearSVMs machines_;
    std::size_t n_dropped_ = 0;
};

}  // namespace

void register_linear_machines(nb::module_& module) {
    nb::class_<Machines>(module, "LinearSVMs",
                         "Linear support vector machines with squared hinge, whose columns may be dropped.")
        .def(nb::init<const Matrix&, const Line<const double>&, const Matrix&, const Matrix&, const Matrix&>(),
             nb::arg("columns").noconvert(), nb::arg("costs").noconvert(), nb::arg("signs").noconvert(),
             nb::arg("gram").noconvert(), nb::arg("start").noconvert())
        .def("drop", &Machines::drop, nb::arg("columns").noconvert(), "Takes columns out, each once; solve() follows.")
        .def("solve", &Machines::solve, nb::arg("n_threads"), "Solves all machines.")
        .def("norms", &Machines::norms, nb::arg("norms").noconvert(),
             "The norm over the machines of each column's weight.")
        .def("least", &Machines::least, nb::arg("numbers").noconvert(), nb::arg("tie"), nb::arg("columns").noconvert(),
             "The columns left with the least norms, the least first, of ties the one with the highest number.")
        .def("coefficients", &Machines::coefficients, nb::arg("coefficients").noconvert(),
             "One a machine and row: the weights are the sums of the rows with these.")
        .def("residual", &Machines::residual, "The largest difference of the conditions of the optimum from zero.");
}
