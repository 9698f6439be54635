#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <stdexcept>
#include <tuple>

#include "registers.hpp"
#include "searches/pair_shares.hpp"
#include "searches/term_shares.hpp"
#include "searches/threshold_path.hpp"

namespace nb = nanobind;

namespace {

template <std::size_t Dimensions>
using Numbers = nb::ndarray<const double, nb::numpy, nb::device::cpu, nb::ndim<Dimensions>, nb::c_contig>;

/// Nodes block after block, the blocks' sizes, their totals in whole numbers, and what these were multiplied by.
using Path = std::tuple<fewest::Nodes, std::vector<std::size_t>, std::vector<std::int64_t>, double>;

template <class Shares>
Path path_of(Shares& shares, double scale) {
    Path path{{}, {}, {}, scale};
    auto& [nodes, sizes, totals, _] = path;
    for (const fewest::PathBlock& block : fewest::ThresholdPath<Shares>(shares).blocks()) {
        nodes.insert(nodes.end(), block.nodes.begin(), block.nodes.end());
        sizes.push_back(block.nodes.size());
        totals.push_back(block.total);
    }
    return path;
}

template <class Terms>
void check_shape(const Numbers<1>& unary, const Terms& terms) {
    for (std::size_t axis = 0; axis < terms.ndim(); ++axis)
        if (terms.shape(axis) != unary.shape(0)) throw std::invalid_argument("coefficients differ in shape");
}

Path pair_path(const Numbers<1>& unary, const Numbers<2>& pairs) {
    check_shape(unary, pairs);
    const nb::gil_scoped_release release;
    const double scale = fewest::safe_scale(unary.data(), pairs.data(), unary.shape(0));
    fewest::PairShares shares(unary.data(), pairs.data(), unary.shape(0), scale);
    return path_of(shares, scale);
}

Path triple_path(const Numbers<1>& unary, const Numbers<2>& pairs, const Numbers<3>& triples) {
    check_shape(unary, pairs);
    check_shape(unary, triples);
    const nb::gil_scoped_release release;
    const double scale = fewest::safe_scale(unary.data(), pairs.data(), triples.data(), unary.shape(0));
    fewest::TermShares shares(unary.data(), pairs.data(), triples.data(), unary.shape(0), scale);
    return path_of(shares, scale);
}

std::tuple<fewest::Nodes, double> pair_cut(const Numbers<1>& unary, const Numbers<2>& pairs) {
    check_shape(unary, pairs);
    const nb::gil_scoped_release release;
    const double scale = fewest::safe_scale(unary.data(), pairs.data(), unary.shape(0));
    fewest::PairShares shares(unary.data(), pairs.data(), unary.shape(0), scale);
    return {fewest::ThresholdPath<fewest::PairShares>(shares).best_above(0), scale};
}

}  // namespace

void register_searches(nb::module_& module) {
    module.def("pair_path", &pair_path, nb::arg("unary").noconvert(), nb::arg("pairs").noconvert(),
               "The path of best subsets: columns, sizes of blocks, their totals, and the scale of the totals.");
    module.def("triple_path", &triple_path, nb::arg("unary").noconvert(), nb::arg("pairs").noconvert(),
               nb::arg("triples").noconvert(), "The same with products of three.");
    module.def("pair_cut", &pair_cut, nb::arg("unary").noconvert(), nb::arg("pairs").noconvert(),
               "The smallest subset of the largest total, and the scale that numbers were rounded with.");
}
