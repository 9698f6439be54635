#include "searches/pair_shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "core/interruption.hpp"

namespace fewest {

namespace {

/// The nearest whole number, halves away from zero; in line, unlike llrint. Adding a half and truncating would move odd
/// numbers between 2^52 and 2^53: the difference taken here is exact.
std::int64_t rounded(double x) {
    const auto whole = static_cast<std::int64_t>(x);
    const double rest = x - static_cast<double>(whole);
    return whole + (rest >= 0.5) - (rest <= -0.5);
}

/// For pairs: those below zero count as zero.
std::int64_t rounded_pair(double x) {
    const double value = std::max(x, 0.0);
    const auto whole = static_cast<std::int64_t>(value);
    return whole + (value - static_cast<double>(whole) >= 0.5);
}

/// The sum of what is above zero (NaN where one is), in eight strands so that additions need not wait for each other.
double positive_sum(const double* x, std::size_t count) {
    double strands[8] = {};
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (std::size_t s = 0; s < 8; ++s) strands[s] += std::max(x[i + s], 0.0);
    for (; i < count; ++i) strands[0] += std::max(x[i], 0.0);
    return std::accumulate(strands, strands + 8, 0.0);
}

}  // namespace

double safe_scale(const double* unary, const double* pairs, std::size_t n_nodes) {
    std::vector<double> most(n_nodes);
    for (std::size_t j = 0; j < n_nodes; ++j)
        most[j] = std::fabs(unary[j]) + positive_sum(pairs + j * n_nodes, n_nodes);
    return scale_for(most);
}

double scale_for(const std::vector<double>& most) {
    double largest = 0.0;
    for (const double at_most : most) {
        if (!std::isfinite(at_most)) throw std::invalid_argument("coefficients and their sums must be finite");
        largest = std::max(largest, at_most);
    }
    if (largest == 0.0) return 1.0;
    int exponent = 0, more = 0;
    std::frexp(std::frexp(largest, &exponent) * static_cast<double>(most.size() + 1), &more);
    // Times the number of nodes at most 2^60: differences of two such numbers fit, and so does rounding.
    return std::ldexp(1.0, std::min(59 - exponent - more, std::numeric_limits<double>::max_exponent - 1));
}

PairShares::PairShares(const double* unary, const double* pairs, std::size_t n_nodes, double scale)
    : n_(n_nodes), shares_(n_nodes * n_nodes), total_(n_nodes) {
    for (std::size_t j = 0; j < n_; ++j) total_[j] = rounded(unary[j] * scale);
    for (std::size_t j = 0; j < n_; ++j) {
        const double* const row = pairs + j * n_;
        std::int64_t* const first = held_by_first(j);
        const Backwards second = held_by_second(j);
        std::int64_t total = total_[j];
        for (std::size_t l = j + 1; l < n_; ++l) {
            const std::int64_t whole = rounded_pair(row[l] * scale);
            first[l] = whole / 2;
            second[l] = whole - first[l];
            total += first[l];
            total_[l] += second[l];
        }
        total_[j] = total;
    }
}

namespace {

/// Moves part of what the two hold of a pair from the larger total to the smaller.
void even_out(std::int64_t& total, std::int64_t& other_total, std::int64_t& share, std::int64_t& other_share) {
    const std::int64_t moved = std::max(std::min((total - other_total) / 2, share), -other_share);
    share -= moved;
    other_share += moved;
    total -= moved;
    other_total += moved;
}

}  // namespace

template <class NodeAt>
void PairShares::balance(std::size_t n_nodes, NodeAt node_at) {
    // Four rows at a time: each waits for its own total only, so their arithmetic overlaps.
    constexpr std::size_t n_rows = 4;
    std::size_t a = 0;
    for (; a + n_rows <= n_nodes; a += n_rows) {
        check_interruption();
        std::int64_t *first[n_rows], total[n_rows];
        Backwards second[n_rows];
        for (std::size_t r = 0; r < n_rows; ++r) {
            first[r] = held_by_first(node_at(a + r));
            second[r] = held_by_second(node_at(a + r));
            total[r] = total_[node_at(a + r)];
        }
        for (std::size_t r = 0; r < n_rows; ++r) {
            for (std::size_t q = r + 1; q < n_rows; ++q) {
                const std::size_t l = node_at(a + q);
                even_out(total[r], total[q], first[r][l], second[r][l]);
            }
        }
        for (std::size_t b = a + n_rows; b < n_nodes; ++b) {
            const std::size_t l = node_at(b);
            std::int64_t other = total_[l];
            for (std::size_t r = 0; r < n_rows; ++r) even_out(total[r], other, first[r][l], second[r][l]);
            total_[l] = other;
        }
        for (std::size_t r = 0; r < n_rows; ++r) total_[node_at(a + r)] = total[r];
    }
    for (; a < n_nodes; ++a) {
        const std::size_t j = node_at(a);
        for (std::size_t b = a + 1; b < n_nodes; ++b) {
            const std::size_t l = node_at(b);
            even_out(total_[j], total_[l], held(j, l), held(l, j));
        }
    }
}

void PairShares::balance(const Nodes& nodes) {
    if (nodes.size() == n_)
        balance(n_, [](std::size_t a) { return a; });
    else
        balance(nodes.size(), [&](std::size_t a) { return nodes[a]; });
}

bool PairShares::pass_across(std::int64_t threshold) {
    bool is_settled = true;
    for (std::size_t j = 0; j < n_; ++j) {
        std::int64_t* const first = held_by_first(j);
        const Backwards second = held_by_second(j);
        std::int64_t excess = total_[j] - threshold;
        for (std::size_t l = j + 1; l < n_; ++l) {
            const std::int64_t other = total_[l] - threshold;
            // At most what one has above the threshold, what the other lacks, and what is held of the pair.
            const std::int64_t down = std::min(std::min(excess, -other), first[l]);
            const std::int64_t up = std::min(std::min(-excess, other), second[l]);
            const std::int64_t moved = std::max<std::int64_t>(down, 0) - std::max<std::int64_t>(up, 0);
            first[l] -= moved;
            second[l] += moved;
            excess -= moved;
            total_[l] += moved;
        }
        total_[j] = threshold + excess;
    }
    for (std::size_t j = 0; j < n_ && is_settled; ++j) {
        const bool is_above = total_[j] > threshold;
        for (std::size_t l = j + 1; l < n_; ++l) {
            if ((total_[l] > threshold) == is_above || (is_above ? held(j, l) : held(l, j)) == 0) continue;
            is_settled = false;
            break;
        }
    }
    return is_settled;
}

std::vector<Nodes> PairShares::separate(const Nodes& nodes) const {
    Nodes order = nodes;
    std::sort(order.begin(), order.end(),
              [&](std::size_t j, std::size_t l) { return total_[j] != total_[l] ? total_[j] > total_[l] : j < l; });
    std::vector<std::size_t> position(n_);
    for (std::size_t place = 0; place < order.size(); ++place) position[order[place]] = place;
    // How far down the order a node still holds a share.
    std::vector<std::size_t> reach(order.size());
    std::iota(reach.begin(), reach.end(), std::size_t{0});
    for (std::size_t a = 0; a < nodes.size(); ++a) {
        const std::size_t j = nodes[a], place = position[j];
        const std::int64_t* const first = held_by_first(j);
        const Backwards second = held_by_second(j);
        for (std::size_t b = a + 1; b < nodes.size(); ++b) {
            const std::size_t l = nodes[b], other = position[l];
            if (place < other) {
                if (first[l] > 0) reach[place] = std::max(reach[place], other);
            } else if (second[l] > 0) {
                reach[other] = std::max(reach[other], place);
            }
        }
    }
    std::vector<Nodes> runs(1);
    std::size_t farthest = 0;
    for (std::size_t place = 0; place < order.size(); ++place) {
        if (place > 0 && farthest < place && total_[order[place - 1]] > total_[order[place]]) runs.emplace_back();
        runs.back().push_back(order[place]);
        farthest = std::max(farthest, reach[place]);
    }
    for (Nodes& run : runs) std::sort(run.begin(), run.end());
    return runs;
}

void PairShares::give_across(const Nodes& from, const Nodes& to) {
    for (const std::size_t j : from) {
        for (const std::size_t l : to) {
            const std::int64_t given = held(j, l);
            total_[j] -= given;
            total_[l] += given;
            held(l, j) += given;
            held(j, l) = 0;
        }
    }
}

DenseFlow PairShares::flow(const Nodes& nodes, std::int64_t factor, std::int64_t threshold) const {
    DenseFlow flow(nodes.size());
    // In tiles: what is held by the second of a pair is read along rows and written along columns.
    constexpr std::size_t width = 32;
    for (std::size_t top = 0; top < nodes.size(); top += width) {
        const std::size_t bottom = std::min(top + width, nodes.size());
        for (std::size_t a = top; a < bottom; ++a) {
            flow.excess(a) = factor * total_[nodes[a]] - threshold;
            flow.passable(a)[a] = 0;
        }
        for (std::size_t left = top; left < nodes.size(); left += width) {
            const std::size_t right = std::min(left + width, nodes.size());
            for (std::size_t a = top; a < bottom; ++a) {
                const std::int64_t* const first = held_by_first(nodes[a]);
                const Backwards second = held_by_second(nodes[a]);
                for (std::size_t b = std::max(left, a + 1); b < right; ++b) {
                    flow.passable(a)[b] = factor * first[nodes[b]];
                    flow.passable(b)[a] = factor * second[nodes[b]];
                }
            }
        }
    }
    return flow;
}

}  // namespace fewest
