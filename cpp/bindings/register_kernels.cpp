#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "kernels/joint_descent.hpp"
#include "kernels/quadratic_program.hpp"
#include "kernels/subset_kernels.hpp"
#include "kernels/subset_moments.hpp"
#include "registers.hpp"

namespace nb = nanobind;

namespace {

namespace quadratic_programs {

/// Several programs over one kernel; those that were not solved have 0 steps.
void solve_quadratic_programs(const Table<const double>& kernel, const Line<const double>& ridge,
                              const Table<const double>& signs, const Table<const double>& gains,
                              const Line<const double>& totals, const Table<double>& x, const Line<double>& offsets,
                              const Line<std::int64_t>& n_steps, std::size_t n_threads,
                              const std::optional<std::size_t>& most_free,
                              const std::optional<Table<const double>>& inverse,
                              const std::optional<Table<const double>>& inverse_gains) {
    const std::size_t n = kernel.shape(0), n_programs = signs.shape(0);
    if (n == 0 || kernel.shape(1) != n || ridge.shape(0) != n)
        throw std::invalid_argument("one number a row is expected");
    for (const auto& table : {signs, gains})
        if (table.shape(0) != n_programs || table.shape(1) != n)
            throw std::invalid_argument("one number a program and row is expected");
    if (x.shape(0) != n_programs || x.shape(1) != n)
        throw std::invalid_argument("one number a program and row is expected");
    if (totals.shape(0) != n_programs || offsets.shape(0) != n_programs || n_steps.shape(0) != n_programs)
        throw std::invalid_argument("one number a program is expected");
    if (!std::all_of(ridge.data(), ridge.data() + n, [](double r) { return r > 0; }))
        throw std::invalid_argument("every ridge is positive");
    if (inverse.has_value() != inverse_gains.has_value())
        throw std::invalid_argument("the inverse goes with its products");
    if (inverse && (inverse->shape(0) != n || inverse->shape(1) != n || inverse_gains->shape(0) != n_programs ||
                    inverse_gains->shape(1) != n))
        throw std::invalid_argument("the inverse has the kernel's shape, its products that of the signs");
    const fewest::SharedKernel shared(kernel.data(), n, ridge.data(), most_free.value_or(n),
                                      inverse ? inverse->data() : nullptr);
    std::vector<fewest::QuadraticProgram> programs;
    std::vector<fewest::ProgramAnswer> answers;
    std::vector<double*> places;
    for (std::size_t p = 0; p < n_programs; ++p) {
        programs.push_back({signs.data() + p * n, gains.data() + p * n, totals.data()[p],
                            inverse_gains ? inverse_gains->data() + p * n : nullptr});
        answers.push_back({offsets.data()[p], 0});
        places.push_back(x.data() + p * n);
    }
    {
        const nb::gil_scoped_release release;
        fewest::solve_quadratic_programs(shared, programs.data(), n_programs, n_threads, places.data(), answers.data());
    }
    for (std::size_t p = 0; p < n_programs; ++p) {
        offsets.data()[p] = answers[p].offset;
        n_steps.data()[p] = answers[p].n_steps;
    }
}

void add_to(nb::module_& module) {
    module.def(
        "solve_quadratic_programs", &solve_quadratic_programs, nb::arg("kernel").noconvert(),
        nb::arg("ridge").noconvert(), nb::arg("signs").noconvert(), nb::arg("gains").noconvert(),
        nb::arg("totals").noconvert(), nb::arg("x").noconvert(), nb::arg("offsets").noconvert(),
        nb::arg("n_steps").noconvert(), nb::arg("n_threads"), nb::arg("most_free") = nb::none(),
        nb::arg("inverse").noconvert() = nb::none(), nb::arg("inverse_gains").noconvert() = nb::none(),
        "Minimises x'Hx/2 - gain'x over x >= 0 with sign'x = total, H = signs times kernel plus ridge, for each row "
        "of signs; x is where to begin, and the answer. With the inverse of the kernel plus the ridge, and that times "
        "signs times gains, steps with most rows free are fast. Without, programs with more than most_free rows free "
        "have -1 steps, those that were not solved 0.");
}

/// One round of steps of programs that are solved jointly.
std::size_t advance_jointly(const Table<const double>& kernel, const Line<const double>& ridge,
                            const Table<const double>& signs, const Table<const double>& gains,
                            const Line<const double>& totals, double largest, double tolerance, const Table<double>& z,
                            const Table<double>& reach, const Table<double>& free, const Table<double>& directions,
                            const Table<double>& numbers, const Line<std::int64_t>& states,
                            const Table<const float>& products, const Table<float>& rounded, std::size_t n_threads) {
    const std::size_t n = kernel.shape(0), n_programs = signs.shape(0);
    if (n == 0 || kernel.shape(1) != n || ridge.shape(0) != n)
        throw std::invalid_argument("one number a row is expected");
    const auto fits = [&](const auto& table) { return table.shape(0) == n_programs && table.shape(1) == n; };
    if (!(fits(gains) && fits(z) && fits(reach) && fits(free) && fits(directions) && fits(products) && fits(rounded)) ||
        signs.shape(1) != n)
        throw std::invalid_argument("one number a program and row is expected");
    if (totals.shape(0) != n_programs || states.shape(0) != n_programs || numbers.shape(0) != 3 ||
        numbers.shape(1) != n_programs)
        throw std::invalid_argument("one number a program is expected");
    if (!std::all_of(ridge.data(), ridge.data() + n, [](double r) { return r > 0; }))
        throw std::invalid_argument("every ridge is positive");
    const fewest::JointPrograms programs{kernel.data(),
                                         n,
                                         ridge.data(),
                                         n_programs,
                                         signs.data(),
                                         gains.data(),
                                         totals.data(),
                                         largest,
                                         tolerance,
                                         z.data(),
                                         reach.data(),
                                         free.data(),
                                         directions.data(),
                                         numbers.data(),
                                         numbers.data() + n_programs,
                                         numbers.data() + 2 * n_programs,
                                         states.data()};
    const nb::gil_scoped_release release;
    return fewest::advance_jointly(programs, products.data(), rounded.data(), n_threads);
}

void add_joint_to(nb::module_& module) {
    module.def("advance_jointly", &advance_jointly, nb::arg("kernel").noconvert(), nb::arg("ridge").noconvert(),
               nb::arg("signs").noconvert(), nb::arg("gains").noconvert(), nb::arg("totals").noconvert(),
               nb::arg("largest"), nb::arg("tolerance"), nb::arg("z").noconvert(), nb::arg("reach").noconvert(),
               nb::arg("free").noconvert(), nb::arg("directions").noconvert(), nb::arg("numbers").noconvert(),
               nb::arg("states").noconvert(), nb::arg("products").noconvert(), nb::arg("rounded").noconvert(),
               nb::arg("n_threads"),
               "One round of conjugate gradients in programs that begin (state 0) or go on (1): takes the products of "
               "the kernel with the last directions, writes the next ones, rounded, in the order of the programs that "
               "go on, and returns how many these are. 2 is solved, 3 wants reach = z kernel and to begin again, 4 has "
               "failed. numbers: offsets, slopes, and what rounding may have added to reach.");
}

}  // namespace quadratic_programs

namespace subset_kernels {

using Numbers = Line<const double>;
using Columns = Line<const std::int64_t>;
using Codes = Line<const std::int32_t>;

using Tables = Array<const double, nb::ndim<3>, nb::c_contig>;

fewest::SubsetKernels view(const Table<const double>& values, const Columns& selected, const Columns& among,
                           double sign, const Codes& codes, const Numbers& weights, const Tables& tables) {
    const auto n_columns = static_cast<std::int64_t>(values.shape(0)),
               n_classes = static_cast<std::int64_t>(tables.shape(1));
    const auto is_column = [&](std::int64_t column) { return column >= 0 && column < n_columns; };
    const auto is_class = [&](std::int32_t code) { return code >= 0 && code < n_classes; };
    if (codes.shape(0) != values.shape(1) || weights.shape(0) != values.shape(1) || tables.shape(1) != tables.shape(2))
        throw std::invalid_argument("values, codes, weights and the tables of classes differ in shape");
    if (!std::all_of(selected.data(), selected.data() + selected.shape(0), is_column) ||
        !std::all_of(among.data(), among.data() + among.shape(0), is_column))
        throw std::invalid_argument("there is no such column");
    if (!std::all_of(codes.data(), codes.data() + codes.shape(0), is_class))
        throw std::invalid_argument("there is no such class");
    return {values.data(), values.shape(1), selected.data(), selected.shape(0), among.data(),    among.shape(0),
            sign,          codes.data(),    weights.data(),  tables.data(),     tables.shape(0), tables.shape(1)};
}

void sums(const Table<const double>& values, const Columns& selected, const Columns& among, double sign,
          const Codes& codes, const Numbers& weights, const Tables& tables, const Numbers& eta,
          const Line<const bool>& is_squared, const Table<double>& sums, std::size_t n_threads) {
    const fewest::SubsetKernels kernels = view(values, selected, among, sign, codes, weights, tables);
    if (eta.shape(0) != kernels.n_among || sums.shape(0) != kernels.n_among || sums.shape(1) != kernels.n_forms ||
        is_squared.shape(0) != kernels.n_forms)
        throw std::invalid_argument("there is one width for each set, and one sum of each form");
    const nb::gil_scoped_release release;
    fewest::write_sums(kernels, eta.data(), is_squared.data(), sums.data(), n_threads);
}

void ladder(const Table<const double>& values, const Columns& selected, const Columns& among, double sign,
            const Codes& codes, const Numbers& weights, const Tables& tables, const Numbers& eta,
            const Array<double, nb::ndim<3>, nb::c_contig>& sums, std::size_t n_threads) {
    const fewest::SubsetKernels kernels = view(values, selected, among, sign, codes, weights, tables);
    if (eta.shape(0) != kernels.n_among || sums.shape(0) != kernels.n_among || sums.shape(1) != kernels.n_forms ||
        sums.shape(2) % 2 != 0)
        throw std::invalid_argument("there is one first width for each set, and an even number of sums of each form");
    const nb::gil_scoped_release release;
    fewest::write_ladder_sums(kernels, eta.data(), sums.shape(2), sums.data(), n_threads);
}

void moments(const Table<const double>& values, const Columns& selected, const Columns& among, const Codes& codes,
             const Numbers& weights, const Tables& tables, const Numbers& eta, const Numbers& centre,
             const Array<double, nb::ndim<4>, nb::c_contig>& moments, std::size_t n_threads) {
    const fewest::SubsetKernels kernels = view(values, selected, among, 1.0, codes, weights, tables);
    if (kernels.n_forms != 1) throw std::invalid_argument("one table of classes is expected");
    if (eta.shape(0) != kernels.n_among || centre.shape(0) != kernels.n_among || moments.shape(0) != kernels.n_among ||
        moments.shape(1) < 1 || moments.shape(2) != fewest::n_parts || moments.shape(3) != 5)
        throw std::invalid_argument("one width and one centre a set, and 3 x 5 moments a width are expected");
    const nb::gil_scoped_release release;
    fewest::write_moments(kernels, eta.data(), moments.shape(1), centre.data(), moments.data(), n_threads);
}

void add_to(nb::module_& module) {
    module.def("subset_kernel_sums", &sums, nb::arg("values").noconvert(), nb::arg("selected").noconvert(),
               nb::arg("among").noconvert(), nb::arg("sign"), nb::arg("codes").noconvert(),
               nb::arg("weights").noconvert(), nb::arg("tables").noconvert(), nb::arg("eta").noconvert(),
               nb::arg("is_squared").noconvert(), nb::arg("sums").noconvert(), nb::arg("n_threads"),
               "Write, for each set of columns, the weighted sums of Gaussian kernels over pairs of rows.");
    module.def("subset_kernel_ladder", &ladder, nb::arg("values").noconvert(), nb::arg("selected").noconvert(),
               nb::arg("among").noconvert(), nb::arg("sign"), nb::arg("codes").noconvert(),
               nb::arg("weights").noconvert(), nb::arg("tables").noconvert(), nb::arg("eta").noconvert(),
               nb::arg("sums").noconvert(), nb::arg("n_threads"),
               "The same at widths that go down by the fourth root of two.");
    module.def("subset_kernel_moments", &moments, nb::arg("values").noconvert(), nb::arg("selected").noconvert(),
               nb::arg("among").noconvert(), nb::arg("codes").noconvert(), nb::arg("weights").noconvert(),
               nb::arg("tables").noconvert(), nb::arg("eta").noconvert(), nb::arg("centre").noconvert(),
               nb::arg("moments").noconvert(), nb::arg("n_threads"),
               "Write, for each set of columns, the moments 0 to 4 of squared distance - centre under the kernel, in "
               "float: [set][eta, 2 eta, 4 eta ...][positive factors, negative factors, squared kernel without "
               "factors][moment].");
}

}  // namespace subset_kernels

}  // namespace

void register_kernels(nb::module_& module) {
    quadratic_programs::add_to(module);
    quadratic_programs::add_joint_to(module);
    subset_kernels::add_to(module);
}
