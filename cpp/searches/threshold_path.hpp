#pragma once
// The best subsets at every threshold, exactly, from one total a node.
//
// Shares (pair_shares.hpp, term_shares.hpp) offer: size(), total(node), balance(nodes), separate(nodes),
// give_across(from, to), flow(nodes, factor, threshold); for best_above also pass_across(threshold).

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "searches/pair_shares.hpp"

namespace fewest {

/// Nodes that enter the best subset together when the threshold falls to total / nodes.size().
struct PathBlock {
    Nodes nodes;
    std::int64_t total;
};

template <class Shares>
class ThresholdPath {
public:
    explicit ThresholdPath(Shares& shares) : shares_(shares) {}

    /// All blocks, highest threshold first. The blocks down to some threshold are the best subset there.
    std::vector<PathBlock> blocks() {
        blocks_.clear();
        if (shares_.size() > 0) split(all_nodes());
        return std::move(blocks_);
    }

    /// The smallest best subset when every node costs `threshold`.
    Nodes best_above(std::int64_t threshold) {
        const Nodes nodes = all_nodes();
        for (int sweep = 0; sweep < sweeps_of_a_cut; ++sweep) {
            shares_.balance(nodes);
            if (sweep == 0 || !shares_.pass_across(threshold)) continue;
            Nodes best;
            for (const std::size_t node : nodes)
                if (shares_.total(node) > threshold) best.push_back(node);
            return best;
        }
        return first_of(shares_.flow(nodes, 1, threshold), nodes).first;
    }

private:
    // Sweeps are cheap and leave little to the exact flow; more than these gain less than they cost.
    static constexpr int sweeps_at_once = 6, sweeps_of_a_cut = 4;
    // With fewer nodes the exact flow is as fast as a sweep.
    static constexpr std::size_t few_nodes = 24;

    Nodes all_nodes() const {
        Nodes nodes(shares_.size());
        std::iota(nodes.begin(), nodes.end(), std::size_t{0});
        return nodes;
    }

    /// The nodes that come first once the flow is routed, and the rest.
    template <class Flow>
    static std::pair<Nodes, Nodes> first_of(Flow&& flow, const Nodes& nodes) {
        flow.route();
        const std::vector<char> comes_first = flow.reached_by_excess();
        std::pair<Nodes, Nodes> parts;
        for (std::size_t a = 0; a < nodes.size(); ++a)
            (comes_first[a] ? parts.first : parts.second).push_back(nodes[a]);
        return parts;
    }

    void split(const Nodes& nodes) {
        if (nodes.size() <= few_nodes) {
            settle(nodes);
            return;
        }
        for (int sweep = 0; sweep < sweeps_at_once; ++sweep) shares_.balance(nodes);
        for (const Nodes& run : shares_.separate(nodes)) {
            // A long run that was just separated from most of the others gains from sweeps of its own.
            if (2 * run.size() < nodes.size())
                split(run);
            else
                settle(run);
        }
    }

    /// Nodes that balancing could not tell apart: either they enter together, at their mean total, or the flow finds
    /// those that come first. Cutting k nodes off at the mean leaves thresholds within k / (k + 1) of their range, and
    /// these are 60-bit numbers, so calls nest some hundreds deep for thousands of nodes, whatever the coefficients.
    void settle(const Nodes& nodes) {
        std::int64_t total = 0;
        for (const std::size_t node : nodes) total += shares_.total(node);
        if (nodes.size() > 1) {
            const auto n_nodes = static_cast<std::int64_t>(nodes.size());
            const auto [first, rest] = first_of(shares_.flow(nodes, n_nodes, total), nodes);
            if (!first.empty()) {
                shares_.give_across(first, rest);
                split(first);
                split(rest);
                return;
            }
        }
        blocks_.push_back({nodes, total});
    }

    Shares& shares_;
    std::vector<PathBlock> blocks_;
};

}  // namespace fewest
