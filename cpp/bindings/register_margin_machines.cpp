#include <cstdint>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "margins/margin_exchanges.hpp"
#include "registers.hpp"


namespace nb = nanobind;

namespace {

using Numbers = Line<const std::int64_t>;

fewest::MachinesOnSet on_set(const Table<const double>& columns, const Table<const double>& signs,
                             const Line<const double>& caps, const Line<const double>& ridges, const Numbers& subset,
                             const Table<double>& alpha, const Line<double>& offsets) {
    const std::size_t n_columns = columns.shape(0), n_rows = columns.shape(1), n_machines = signs.shape(0);
    if (signs.shape(1) != n_rows || caps.shape(0) != n_rows || ridges.shape(0) != n_rows || alpha.shape(1) != n_rows)
        throw std::invalid_argument("one number a row is expected");
    if (alpha.shape(0) != n_machines || offsets.shape(0) != n_machines)
        throw std::invalid_argument("one number a machine is expected");
    fewest::MachinesOnSet set{{columns.data(), n_columns, n_rows, caps.data(), ridges.data()}, signs.data(), n_machines, {}};
    for (std::size_t i = 0; i < subset.shape(0); ++i) {
        if (subset.data()[i] < 0 || static_cast<std::size_t>(subset.data()[i]) >= n_columns)
            throw std::invalid_argument("there is no such column");
        set.columns.push_back(static_cast<std::size_t>(subset.data()[i]));
    }
    return set;
}

bool solve_machines(const Table<const double>& columns, const Table<const double>& signs, const Line<const double>& caps,
                    const Line<const double>& ridges, const Numbers& subset, const Table<double>& alpha,
                    const Line<double>& offsets) {
    const fewest::MachinesOnSet set = on_set(columns, signs, caps, ridges, subset, alpha, offsets);
    const nb::gil_scoped_release release;
    return fewest::solve_machines(set, alpha.data(), offsets.data());
}

std::size_t first_better(const Table<const double>& columns, const Table<const double>& signs,
                         const Line<const double>& caps, const Line<const double>& ridges, const Numbers& subset,
                         const Numbers& places, const Numbers& others, const Line<const double>& bounds, double limit,
                         std::size_t most_tries, const Table<double>& alpha, const Line<double>& offsets) {
    const fewest::MachinesOnSet set = on_set(columns, signs, caps, ridges, subset, alpha, offsets);
    if (places.shape(0) != others.shape(0) || bounds.shape(0) != others.shape(0))
        throw std::invalid_argument("one number an exchange is expected");
    std::vector<fewest::Exchange> exchanges;
    for (std::size_t e = 0; e < others.shape(0); ++e) {
        const auto place = static_cast<std::size_t>(places.data()[e]), other = static_cast<std::size_t>(others.data()[e]);
        if (place >= set.columns.size() || other >= set.rows.n_columns)
            throw std::invalid_argument("there is no such column");
        exchanges.push_back({place, other, bounds.data()[e]});
    }
    const nb::gil_scoped_release release;
    return fewest::first_better(set, exchanges, limit, most_tries, alpha.data(), offsets.data());
}

}  // namespace

void register_margin_machines(nb::module_& module) {
    module.def("solve_margin_svms", &solve_machines, nb::arg("columns").noconvert(), nb::arg("signs").noconvert(),
               nb::arg("caps").noconvert(), nb::arg("ridges").noconvert(), nb::arg("subset").noconvert(),
               nb::arg("alpha").noconvert(), nb::arg("offsets").noconvert(),
               "Solves machines on some columns; alpha and offsets are where to begin, and the answer. False where they "
               "were not solved.");
    module.def("first_better_exchange", &first_better, nb::arg("columns").noconvert(), nb::arg("signs").noconvert(),
               nb::arg("caps").noconvert(), nb::arg("ridges").noconvert(), nb::arg("subset").noconvert(),
               nb::arg("places").noconvert(), nb::arg("others").noconvert(), nb::arg("bounds").noconvert(),
               nb::arg("limit"), nb::arg("most_tries"), nb::arg("alpha").noconvert(), nb::arg("offsets").noconvert(),
               "The first of the exchanges of a column of the subset, by its place, for another after which w is below "
               "the limit; their number where there is none. alpha and offsets become those after it.");
}
