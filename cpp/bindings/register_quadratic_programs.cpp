#include <algorithm>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "kernels/quadratic_program.hpp"
#include "registers.hpp"

namespace nb = nanobind;

namespace {

/// Several programs over one kernel; those that were not solved have 0 steps.
void solve_quadratic_programs(const Table<const double>& kernel, const Line<const double>& ridge, const Table<const double>& signs,
                    const Table<const double>& gains, const Line<const double>& totals, const Table<double>& x,
                    const Line<double>& offsets, const Line<std::int64_t>& n_steps, std::size_t n_threads) {
    const std::size_t n = kernel.shape(0), n_programs = signs.shape(0);
    if (n == 0 || kernel.shape(1) != n || ridge.shape(0) != n) throw std::invalid_argument("one number a row is expected");
    for (const auto& table : {signs, gains})
        if (table.shape(0) != n_programs || table.shape(1) != n)
            throw std::invalid_argument("one number a program and row is expected");
    if (x.shape(0) != n_programs || x.shape(1) != n) throw std::invalid_argument("one number a program and row is expected");
    if (totals.shape(0) != n_programs || offsets.shape(0) != n_programs || n_steps.shape(0) != n_programs)
        throw std::invalid_argument("one number a program is expected");
    if (!std::all_of(ridge.data(), ridge.data() + n, [](double r) { return r > 0; }))
        throw std::invalid_argument("every ridge is positive");
    std::vector<fewest::QuadraticProgram> programs;
    std::vector<fewest::ProgramAnswer> answers;
    std::vector<double*> places;
    for (std::size_t p = 0; p < n_programs; ++p) {
        programs.push_back({kernel.data(), n, ridge.data(), signs.data() + p * n, gains.data() + p * n, totals.data()[p]});
        answers.push_back({offsets.data()[p], 0});
        places.push_back(x.data() + p * n);
    }
    {
        const nb::gil_scoped_release release;
        fewest::solve_quadratic_programs(programs.data(), n_programs, n_threads, places.data(), answers.data());
    }
    for (std::size_t p = 0; p < n_programs; ++p) {
        offsets.data()[p] = answers[p].offset;
        n_steps.data()[p] = answers[p].n_steps;
    }
}

}  // namespace

void register_quadratic_programs(nb::module_& module) {
    module.def("solve_quadratic_programs", &solve_quadratic_programs, nb::arg("kernel").noconvert(), nb::arg("ridge").noconvert(),
               nb::arg("signs").noconvert(), nb::arg("gains").noconvert(), nb::arg("totals").noconvert(),
               nb::arg("x").noconvert(), nb::arg("offsets").noconvert(), nb::arg("n_steps").noconvert(),
               nb::arg("n_threads"),
               "Minimises x'Hx/2 - gain'x over x >= 0 with sign'x = total, H = signs times kernel plus ridge, for each row "
               "of signs; x is where to begin, and the answer.");
}
