#pragma once
// Maximum flow on a dense graph, exactly: what nodes have too much of is passed on to nodes that lack it.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/large_array.hpp"

namespace fewest {

/// Nodes with an excess (a deficit where negative), and for each ordered pair how much the first may pass to the second.
/// Passing d from j to l takes d from what j may pass to l and adds it to what l may pass to j.
/// Push-relabel, highest label first, with a gap heuristic and relabelling from the deficits now and then.
/// Exact as long as no sum of what enters a node overflows.
class DenseFlow {
public:
    explicit DenseFlow(std::size_t n_nodes)
        : n_(n_nodes), passable_(n_nodes * n_nodes), excess_(n_nodes), height_(n_nodes), next_(n_nodes) {}

    std::size_t size() const { return n_; }
    std::int64_t* passable(std::size_t from) { return passable_.data() + from * n_; }
    std::int64_t& excess(std::size_t node) { return excess_[node]; }

    /// Pass excess on until none that is left can reach a deficit.
    void route();

    /// Which nodes an excess can reach. After route(): the smallest set of nodes with the most excess among them that
    /// nothing can leave, one side of a minimum cut.
    std::vector<char> reached_by_excess() const;

private:
    using Height = std::int32_t;

    const std::int64_t* passable(std::size_t from) const { return passable_.data() + from * n_; }
    std::vector<Height> steps_to_deficit() const;
    void relabel_all();
    void activate(std::size_t node);
    void lift_above_gap(Height gap);
    void discharge(std::size_t node);
    bool relabel(std::size_t node);

    std::size_t n_;
    LargeArray<std::int64_t> passable_;  // [from][to]; whoever makes a flow writes all of it
    std::vector<std::int64_t> excess_;
    std::vector<Height> height_;
    std::vector<std::size_t> next_;                 // where each node goes on looking for a neighbour to pass to
    std::vector<std::vector<std::size_t>> active_;  // nodes with excess, by height
    std::vector<std::size_t> n_at_height_;
    std::size_t highest_active_ = 0, n_relabels_ = 0;
};

}  // namespace fewest
