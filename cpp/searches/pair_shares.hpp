#pragma once
// Every pair's value shared out between its two nodes, so that the nodes' totals come as close as the pairs allow.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/large_array.hpp"
#include "searches/dense_flow.hpp"

namespace fewest {

using Nodes = std::vector<std::size_t>;

/// Whole numbers in place of the coefficients of  sum_j u_j a_j + sum_{j<l} w_jl a_j a_l,  w >= 0.
/// A node's total is u_j plus its shares of the pairs it is in. Where the totals of the shares are as equal as can be,
/// they are the path: the nodes whose total exceeds beta are the best set at beta.
class PairShares {
public:
    /// unary, pairs: n and n by n numbers, the pairs symmetric; both are multiplied by `scale` and rounded, and pairs
    /// below zero count as zero. Only pairs[j][l] with j < l is read.
    PairShares(const double* unary, const double* pairs, std::size_t n_nodes, double scale);

    std::size_t size() const { return n_; }
    std::int64_t total(std::size_t node) const { return total_[node]; }

    /// Move shares from the larger to the smaller total, once for every pair among the nodes (ascending).
    void balance(const Nodes& nodes);

    /// The nodes cut into runs of descending totals such that no node in an earlier run holds a share in a pair with
    /// one of a later run, and totals differ strictly between runs: each start of a run is a best set at some beta.
    std::vector<Nodes> separate(const Nodes& nodes) const;

    /// Move shares from totals above the threshold straight to totals below it. Whether no node above it is left with
    /// a share in a pair with one that is not: those above are then the best set at the threshold.
    bool pass_across(std::int64_t threshold);

    /// Give all of the pairs between the two sets to the second.
    void give_across(const Nodes& from, const Nodes& to);

    /// The flow problem among the nodes: node j has the excess factor * total(j) - threshold and may pass on factor
    /// times the shares that it holds.
    DenseFlow flow(const Nodes& nodes, std::int64_t factor, std::int64_t threshold) const;

private:
    template <class NodeAt>
    void balance(std::size_t n_nodes, NodeAt node_at);

    /// A row that is read from right to left.
    struct Backwards {
        std::int64_t* last;
        std::int64_t& operator[](std::size_t place) const { return *(last - place); }
    };

    /// What node j holds of its pairs with later nodes, and what those hold of them; both by the later node.
    std::int64_t* held_by_first(std::size_t j) const { return shares_.data() + j * n_; }
    Backwards held_by_second(std::size_t j) const { return {shares_.data() + (n_ - 1 - j) * n_ + (n_ - 1)}; }
    /// What j holds of its pair with l.
    std::int64_t& held(std::size_t j, std::size_t l) const {
        return j < l ? held_by_first(j)[l] : held_by_second(l)[j];
    }

    std::size_t n_;
    // The first's shares above the diagonal, and the second's below it, turned by half a turn: a sweep goes along
    // rows in both.
    LargeArray<std::int64_t> shares_;
    std::vector<std::int64_t> total_;
};

/// A scale for which no sum of PairShares, times the number of nodes, overflows: a power of two, with about
/// 59 - log2(nodes) bits left for the largest total. Throws std::invalid_argument where a sum is not finite.
double safe_scale(const double* unary, const double* pairs, std::size_t n_nodes);

/// The same from the most that each node can hold. At most 2^1023, so that numbers below 1e-290 lose digits.
double scale_for(const std::vector<double>& most);

}  // namespace fewest
