#include "searches/term_shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/interruption.hpp"

namespace fewest {

namespace {

/// Calls visit(nodes, size, value) for every term whose value is above zero, or NaN.
template <class Visit>
void for_each_term(const double* pairs, const double* triples, std::size_t n, Visit&& visit) {
    for (std::size_t j = 0; j < n; ++j) {
        check_interruption();
        for (std::size_t k = j + 1; k < n; ++k) {
            const double pair = pairs[j * n + k];
            if (!(pair <= 0)) visit(std::array<std::size_t, 3>{j, k, n}, std::size_t{2}, pair);
            for (std::size_t l = k + 1; l < n; ++l) {
                const double value = triples[(j * n + k) * n + l];
                if (!(value <= 0)) visit(std::array<std::size_t, 3>{j, k, l}, std::size_t{3}, value);
            }
        }
    }
}

std::vector<Term> whole_terms(const double* pairs, const double* triples, std::size_t n, double scale) {
    std::vector<Term> terms;
    for_each_term(pairs, triples, n, [&](const std::array<std::size_t, 3>& nodes, std::size_t size, double value) {
        const std::int64_t whole = std::llrint(value * scale), part = whole / static_cast<std::int64_t>(size);
        Term term{nodes, size, {part, part, size == 3 ? part : 0}};
        term.shares[0] += whole - part * static_cast<std::int64_t>(size);
        terms.push_back(term);
    });
    return terms;
}

}  // namespace

double safe_scale(const double* unary, const double* pairs, const double* triples, std::size_t n_nodes) {
    std::vector<double> most(n_nodes);
    for (std::size_t j = 0; j < n_nodes; ++j) most[j] = std::fabs(unary[j]);
    for_each_term(pairs, triples, n_nodes,
                  [&](const std::array<std::size_t, 3>& nodes, std::size_t size, double value) {
                      for (std::size_t place = 0; place < size; ++place) most[nodes[place]] += value;
                  });
    return scale_for(most);
}

TermIndex::TermIndex(const std::vector<Term>& terms, std::size_t n_nodes) : n_(n_nodes), terms_(n_nodes * n_nodes) {
    for (std::size_t t = 0; t < terms.size(); ++t) {
        const Term& term = terms[t];
        for (std::size_t a = 0; a < term.size; ++a)
            for (std::size_t b = 0; b < term.size; ++b)
                if (a != b) terms_[term.nodes[a] * n_ + term.nodes[b]].push_back(t);
    }
}

TermFlow::TermFlow(const Nodes& nodes, const std::vector<Term>& terms, const TermIndex& index, std::int64_t factor,
                   std::vector<std::int64_t> excess)
    : nodes_(nodes), terms_(terms), index_(index), excess_(std::move(excess)) {
    for (Term& term : terms_)
        for (std::int64_t& share : term.shares) share *= factor;
}

bool TermFlow::can_pass(std::size_t a, std::size_t b) const {
    const std::vector<std::size_t>& shared = index_.of(nodes_[a], nodes_[b]);
    return std::any_of(shared.begin(), shared.end(),
                       [&](std::size_t t) { return terms_[t].shares[terms_[t].place_of(nodes_[a])] > 0; });
}

std::int64_t TermFlow::passable(std::size_t a, std::size_t b) const {
    std::int64_t sum = 0;
    for (const std::size_t t : index_.of(nodes_[a], nodes_[b])) sum += terms_[t].shares[terms_[t].place_of(nodes_[a])];
    return sum;
}

void TermFlow::pass(std::size_t a, std::size_t b, std::int64_t amount) {
    excess_[a] -= amount;
    excess_[b] += amount;
    for (const std::size_t t : index_.of(nodes_[a], nodes_[b])) {
        Term& term = terms_[t];
        std::int64_t& held = term.shares[term.place_of(nodes_[a])];
        const std::int64_t moved = std::min(held, amount);
        held -= moved;
        term.shares[term.place_of(nodes_[b])] += moved;
        amount -= moved;
        if (amount == 0) return;
    }
}

/// A shortest way from any excess to any deficit, first node first; empty where there is none.
std::vector<std::size_t> TermFlow::path_to_deficit() const {
    const std::size_t unseen = nodes_.size();
    std::vector<std::size_t> before(nodes_.size(), unseen), queue;
    for (std::size_t a = 0; a < nodes_.size(); ++a) {
        if (excess_[a] <= 0) continue;
        before[a] = a;
        queue.push_back(a);
    }
    for (std::size_t head = 0; head < queue.size(); ++head) {
        check_interruption();
        const std::size_t a = queue[head];
        for (std::size_t b = 0; b < nodes_.size(); ++b) {
            if (before[b] != unseen || !can_pass(a, b)) continue;
            before[b] = a;
            if (excess_[b] >= 0) {
                queue.push_back(b);
                continue;
            }
            std::vector<std::size_t> path{b};
            while (before[path.back()] != path.back()) path.push_back(before[path.back()]);
            std::reverse(path.begin(), path.end());
            return path;
        }
    }
    return {};
}

void TermFlow::route() {
    while (true) {
        const std::vector<std::size_t> path = path_to_deficit();
        if (path.empty()) return;
        std::int64_t amount = std::min(excess_[path.front()], -excess_[path.back()]);
        for (std::size_t step = 0; step + 1 < path.size(); ++step)
            amount = std::min(amount, passable(path[step], path[step + 1]));
        // From the far end on, so that what is passed was held before and no later step takes it away.
        for (std::size_t step = path.size() - 1; step > 0; --step) pass(path[step - 1], path[step], amount);
    }
}

std::vector<char> TermFlow::reached_by_excess() const {
    std::vector<char> is_reached(nodes_.size());
    std::vector<std::size_t> to_visit;
    for (std::size_t a = 0; a < nodes_.size(); ++a) {
        is_reached[a] = excess_[a] > 0;
        if (is_reached[a]) to_visit.push_back(a);
    }
    while (!to_visit.empty()) {
        const std::size_t a = to_visit.back();
        to_visit.pop_back();
        for (std::size_t b = 0; b < nodes_.size(); ++b) {
            if (is_reached[b] || !can_pass(a, b)) continue;
            is_reached[b] = 1;
            to_visit.push_back(b);
        }
    }
    return is_reached;
}

TermShares::TermShares(const double* unary, const double* pairs, const double* triples, std::size_t n_nodes,
                       double scale)
    : total_(n_nodes), terms_(whole_terms(pairs, triples, n_nodes, scale)), index_(terms_, n_nodes) {
    for (std::size_t j = 0; j < n_nodes; ++j) total_[j] = std::llrint(unary[j] * scale);
    for (const Term& term : terms_)
        for (std::size_t place = 0; place < term.size; ++place) total_[term.nodes[place]] += term.shares[place];
}

void TermShares::balance(const Nodes& nodes) {
    check_interruption();
    std::vector<char> is_meant(size());
    for (const std::size_t node : nodes) is_meant[node] = 1;
    for (Term& term : terms_) {
        for (std::size_t a = 0; a < term.size; ++a) {
            for (std::size_t b = a + 1; b < term.size; ++b) {
                const std::size_t j = term.nodes[a], l = term.nodes[b];
                if (!is_meant[j] || !is_meant[l]) continue;
                const std::int64_t moved =
                    std::max(std::min((total_[j] - total_[l]) / 2, term.shares[a]), -term.shares[b]);
                term.shares[a] -= moved;
                term.shares[b] += moved;
                total_[j] -= moved;
                total_[l] += moved;
            }
        }
    }
}

void TermShares::give_across(const Nodes& from, const Nodes& to) {
    std::vector<char> gives(size()), takes(size());
    for (const std::size_t node : from) gives[node] = 1;
    for (const std::size_t node : to) takes[node] = 1;
    for (Term& term : terms_) {
        for (std::size_t b = 0; b < term.size; ++b) {
            if (!takes[term.nodes[b]]) continue;
            for (std::size_t a = 0; a < term.size; ++a) {
                if (!gives[term.nodes[a]]) continue;
                total_[term.nodes[a]] -= term.shares[a];
                total_[term.nodes[b]] += term.shares[a];
                term.shares[b] += term.shares[a];
                term.shares[a] = 0;
            }
            break;
        }
    }
}

TermFlow TermShares::flow(const Nodes& nodes, std::int64_t factor, std::int64_t threshold) const {
    std::vector<std::int64_t> excess(nodes.size());
    for (std::size_t a = 0; a < nodes.size(); ++a) excess[a] = factor * total_[nodes[a]] - threshold;
    return TermFlow(nodes, terms_, index_, factor, std::move(excess));
}

}  // namespace fewest
