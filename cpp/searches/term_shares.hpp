#pragma once
// As pair_shares.hpp, for terms of two and of three nodes: slower, and for few nodes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "searches/pair_shares.hpp"

namespace fewest {

/// A product of two or three nodes, and how much of its value each of them holds.
struct Term {
    std::array<std::size_t, 3> nodes;
    std::size_t size;
    std::array<std::int64_t, 3> shares;

    std::size_t place_of(std::size_t node) const { return nodes[0] == node ? 0 : nodes[1] == node ? 1 : 2; }
};

/// Which terms hold both of two nodes.
class TermIndex {
public:
    TermIndex(const std::vector<Term>& terms, std::size_t n_nodes);
    const std::vector<std::size_t>& of(std::size_t j, std::size_t l) const { return terms_[j * n_ + l]; }

private:
    std::size_t n_;
    std::vector<std::vector<std::size_t>> terms_;
};

/// Excess that nodes pass on along the terms they share, by shortest paths.
class TermFlow {
public:
    TermFlow(const Nodes& nodes, const std::vector<Term>& terms, const TermIndex& index, std::int64_t factor,
             std::vector<std::int64_t> excess);

    void route();
    std::vector<char> reached_by_excess() const;

private:
    bool can_pass(std::size_t a, std::size_t b) const;
    void pass(std::size_t a, std::size_t b, std::int64_t amount);
    std::int64_t passable(std::size_t a, std::size_t b) const;
    std::vector<std::size_t> path_to_deficit() const;

    const Nodes& nodes_;
    std::vector<Term> terms_;
    const TermIndex& index_;
    std::vector<std::int64_t> excess_;
};

class TermShares {
public:
    /// unary, pairs, triples: n, n by n, n by n by n numbers; only ascending indices are read, negative terms are zero.
    TermShares(const double* unary, const double* pairs, const double* triples, std::size_t n_nodes, double scale);

    std::size_t size() const { return total_.size(); }
    std::int64_t total(std::size_t node) const { return total_[node]; }
    void balance(const Nodes& nodes);
    std::vector<Nodes> separate(const Nodes& nodes) const { return {nodes}; }
    void give_across(const Nodes& from, const Nodes& to);
    TermFlow flow(const Nodes& nodes, std::int64_t factor, std::int64_t threshold) const;

private:
    std::vector<std::int64_t> total_;
    std::vector<Term> terms_;
    TermIndex index_;
};

/// A scale for which no sum of TermShares, times the number of nodes, overflows: a power of two.
double safe_scale(const double* unary, const double* pairs, const double* triples, std::size_t n_nodes);

}  // namespace fewest
