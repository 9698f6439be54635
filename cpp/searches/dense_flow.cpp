#include "searches/dense_flow.hpp"

#include <algorithm>
#include <utility>

#include "core/interruption.hpp"

namespace fewest {

/// The fewest arcs to a node with a deficit, plus one; n + 1 where there is no way.
std::vector<DenseFlow::Height> DenseFlow::steps_to_deficit() const {
    const Height unreachable = static_cast<Height>(n_) + 1;
    std::vector<Height> steps(n_, unreachable);
    std::vector<std::size_t> last, far;
    for (std::size_t node = 0; node < n_; ++node) {
        if (excess_[node] < 0) {
            steps[node] = 1;
            last.push_back(node);
        } else {
            far.push_back(node);
        }
    }
    // The graph is dense: nearly every node finds one of the last layer among the first few it looks at.
    for (Height layer = 1; !last.empty() && !far.empty(); ++layer) {
        std::vector<std::size_t> found, still_far;
        for (const std::size_t node : far) {
            check_interruption();
            const std::int64_t* const passable_from = passable(node);
            const bool is_near =
                std::any_of(last.begin(), last.end(), [&](std::size_t l) { return passable_from[l] > 0; });
            (is_near ? found : still_far).push_back(node);
        }
        for (const std::size_t node : found) steps[node] = layer + 1;
        last = std::move(found);
        far = std::move(still_far);
    }
    return steps;
}

void DenseFlow::relabel_all() {
    height_ = steps_to_deficit();
    active_.assign(n_ + 2, {});
    n_at_height_.assign(n_ + 2, 0);
    std::fill(next_.begin(), next_.end(), std::size_t{0});
    highest_active_ = 0;
    n_relabels_ = 0;
    for (std::size_t node = 0; node < n_; ++node) {
        ++n_at_height_[static_cast<std::size_t>(height_[node])];
        if (excess_[node] > 0) activate(node);
    }
}

void DenseFlow::activate(std::size_t node) {
    const auto height = static_cast<std::size_t>(height_[node]);
    if (height > n_) return;  // no way to a deficit: what is left there stays
    active_[height].push_back(node);
    highest_active_ = std::max(highest_active_, height);
}

void DenseFlow::lift_above_gap(Height gap) {
    // No node at this height: those above it have no way down.
    const Height top = static_cast<Height>(n_) + 1;
    for (Height& height : height_) {
        if (height <= gap || height == top) continue;
        --n_at_height_[static_cast<std::size_t>(height)];
        ++n_at_height_[n_ + 1];
        height = top;
    }
}

/// Lifts a node just above the lowest neighbour it may pass to; whether it still has a way to a deficit.
bool DenseFlow::relabel(std::size_t node) {
    const Height old = height_[node], top = static_cast<Height>(n_) + 1;
    const std::int64_t* const passable_from = passable(node);
    Height lowest = top;
    for (std::size_t l = 0; l < n_; ++l)
        if (passable_from[l] > 0) lowest = std::min(lowest, height_[l]);
    const Height lifted = std::min<Height>(lowest + 1, top);
    --n_at_height_[static_cast<std::size_t>(old)];
    ++n_at_height_[static_cast<std::size_t>(lifted)];
    height_[node] = lifted;
    next_[node] = 0;
    ++n_relabels_;
    if (n_at_height_[static_cast<std::size_t>(old)] == 0) lift_above_gap(old);
    return height_[node] < top;
}

void DenseFlow::discharge(std::size_t node) {
    std::int64_t* const passable_from = passable(node);
    do {
        const Height below = height_[node] - 1;
        std::size_t& l = next_[node];
        for (; l < n_ && excess_[node] > 0; ++l) {
            if (height_[l] != below || passable_from[l] <= 0) continue;
            const std::int64_t passed = std::min(excess_[node], passable_from[l]);
            passable_from[l] -= passed;
            passable(l)[node] += passed;
            excess_[node] -= passed;
            const bool was_active = excess_[l] > 0;
            excess_[l] += passed;
            if (!was_active && excess_[l] > 0) activate(l);
            if (excess_[node] == 0) return;  // this neighbour may take more next time
        }
    } while (relabel(node));
}

void DenseFlow::route() {
    relabel_all();
    while (true) {
        while (highest_active_ > 0 && active_[highest_active_].empty()) --highest_active_;
        if (highest_active_ == 0) return;
        const std::size_t node = active_[highest_active_].back();
        active_[highest_active_].pop_back();
        // Entries go stale when a gap lifts their node.
        if (static_cast<std::size_t>(height_[node]) != highest_active_ || excess_[node] <= 0) continue;
        check_interruption();
        discharge(node);
        if (n_relabels_ > n_ + 16) relabel_all();
    }
}

std::vector<char> DenseFlow::reached_by_excess() const {
    std::vector<char> is_reached(n_);
    std::vector<std::size_t> to_visit;
    for (std::size_t node = 0; node < n_; ++node) {
        is_reached[node] = excess_[node] > 0;
        if (is_reached[node]) to_visit.push_back(node);
    }
    while (!to_visit.empty()) {
        const std::int64_t* const passable_from = passable(to_visit.back());
        to_visit.pop_back();
        for (std::size_t l = 0; l < n_; ++l) {
            if (is_reached[l] || passable_from[l] <= 0) continue;
            is_reached[l] = 1;
            to_visit.push_back(l);
        }
    }
    return is_reached;
}

}  // namespace fewest
