#include "evaluation/nested_trees.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/interruption.hpp"

namespace fewest {
namespace {

/// Values of a column that are no farther apart are equal: no threshold lies between them.
constexpr float equal = 1e-7f;
/// An entropy, or a loss of it, that is rounding.
constexpr double rounding = std::numeric_limits<double>::epsilon();
/// The share of its size by which a sum that is updated with every row may be off.
constexpr double drift = 1e-9;

struct Entry {
    float value;
    std::uint32_t row;
};

using Counts = std::vector<double>;

double entropy(const Counts& counts, double total) {
    double sum = 0;
    for (const double count : counts)
        if (count > 0) {
            const double share = count / total;
            sum -= share * (std::log(share) / std::log(2.0));
        }
    return sum;
}

struct Node {
    std::size_t column = 0;  ///< of a leaf: its class
    double threshold = 0;
    std::size_t left = 0, right = 0;  ///< both zero for a leaf
};

struct Split {
    std::size_t column = 0, position = 0;
    double threshold = 0;
    bool is_found = false;
};

class Tree {
public:
    /// sorted : by column, its values ascending
    Tree(const TreeTrainingRows& training, const std::vector<std::vector<Entry>>& sorted, std::size_t n_columns,
         const std::vector<double>& terms, std::uint32_t state)
        : training_(training), terms_(terms), state_(state),
          sorted_(sorted.begin(), sorted.begin() + std::ptrdiff_t(n_columns)), order_(n_columns), constant_(n_columns),
          is_left_(training.n_rows), spare_(training.n_rows), left_(training.n_classes), right_(training.n_classes) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        Counts counts(training.n_classes);
        for (std::size_t i = 0; i < training.n_rows; ++i) counts[std::size_t(training.codes[i])] += 1;
        grow(std::move(counts));
    }

    std::int32_t class_of(const float* values) const {
        std::size_t at = 0;
        while (nodes_[at].right != 0)
            at = double(values[nodes_[at].column]) <= nodes_[at].threshold ? nodes_[at].left : nodes_[at].right;
        return static_cast<std::int32_t>(nodes_[at].column);
    }

private:
    /// A node that is yet to be made, of rows [first, last) of the sorted columns.
    struct Open {
        std::size_t first, last, n_constant, parent;
        bool is_left;
        double impurity;
        Counts counts;
    };

    void grow(Counts counts) {
        const double impurity = entropy(counts, double(training_.n_rows));
        std::vector<Open> open;
        open.push_back({0, training_.n_rows, 0, 0, false, impurity, std::move(counts)});
        while (!open.empty()) {
            check_interruption();
            Open node = std::move(open.back());
            open.pop_back();
            const std::size_t own = nodes_.size();
            nodes_.push_back({});
            if (own > 0) (node.is_left ? nodes_[node.parent].left : nodes_[node.parent].right) = own;
            const std::size_t n = node.last - node.first;
            Split split;
            std::size_t n_constant = node.n_constant;
            if (n >= 2 && node.impurity > rounding) split = best_split(node, n_constant);
            double left_impurity = 0, right_impurity = 0;
            if (split.is_found) {
                count_sides(node, split);
                const double n_left = double(split.position - node.first), n_right = double(n) - n_left;
                left_impurity = entropy(left_, n_left);
                right_impurity = entropy(right_, n_right);
                const double gain =
                    double(n) / double(training_.n_rows) *
                    (node.impurity - n_right / double(n) * right_impurity - n_left / double(n) * left_impurity);
                split.is_found = !(gain + rounding < 0);
            }
            if (!split.is_found) {
                nodes_[own].column = static_cast<std::size_t>(std::max_element(node.counts.begin(), node.counts.end()) -
                                                              node.counts.begin());
                continue;
            }
            nodes_[own].column = split.column;
            nodes_[own].threshold = split.threshold;
            if (left_impurity > rounding || right_impurity > rounding) divide(node, split, n_constant);
            open.push_back({split.position, node.last, n_constant, own, false, right_impurity, right_});
            open.push_back({node.first, split.position, n_constant, own, true, left_impurity, left_});
        }
    }

    /// Draws a number from low to high - 1.
    std::size_t draw(std::size_t low, std::size_t high) {
        if (state_ == 0) state_ = 1;
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return low + (state_ % 0x80000000u) % (high - low);
    }

    /// The columns in random order, each once; those known to be constant in the node come first in `order_`, and are
    /// drawn too, but not looked at. n_constant : of the node's parent; then of the node
    Split best_split(const Open& node, std::size_t& n_constant) {
        const std::size_t n_known = n_constant, n_columns = order_.size();
        std::size_t n_drawn_known = 0, n_found = 0, n_visited = 0, end = n_columns;
        Split best;
        best_ = -std::numeric_limits<double>::infinity();
        while (end > n_constant && (n_visited < n_columns || n_visited <= n_found + n_drawn_known)) {
            ++n_visited;
            std::size_t at = draw(n_drawn_known, end - n_found);
            if (at < n_known) {
                std::swap(order_[n_drawn_known++], order_[at]);
                continue;
            }
            at += n_found;
            const std::size_t column = order_[at];
            const Entry* const entries = sorted_[column].data();
            if (entries[node.last - 1].value <= entries[node.first].value + equal) {
                std::swap(order_[at], order_[n_constant]);
                ++n_found;
                ++n_constant;
                continue;
            }
            std::swap(order_[--end], order_[at]);
            find_threshold(node, column, best);
        }
        // Nodes that are made later know the same constant columns in the same order.
        std::copy_n(constant_.begin(), n_known, order_.begin());
        std::copy_n(order_.begin() + std::ptrdiff_t(n_known), n_found, constant_.begin() + std::ptrdiff_t(n_known));
        return best;
    }

    /// Looks for a threshold of a column that is better than the best.
    void find_threshold(const Open& node, std::size_t column, Split& best) {
        const Entry* const entries = sorted_[column].data();
        const double* const terms = terms_.data();
        std::fill(left_.begin(), left_.end(), 0.0);
        right_ = node.counts;
        double sum_left = 0, sum_right = 0;
        for (const double count : right_) sum_right += terms[std::size_t(count)];
        const double slack = drift * (1 + terms[node.last - node.first]);
        for (std::size_t p = node.first; p + 1 < node.last; ++p) {
            const auto code = std::size_t(training_.codes[entries[p].row]);
            const auto own_left = std::size_t(left_[code]), own_right = std::size_t(right_[code]);
            sum_left += terms[own_left + 1] - terms[own_left];
            sum_right -= terms[own_right] - terms[own_right - 1];
            left_[code] += 1;
            right_[code] -= 1;
            if (entries[p + 1].value <= entries[p].value + equal) continue;
            const std::size_t n_left = p + 1 - node.first, n_right = node.last - p - 1;
            if ((sum_left - terms[n_left]) + (sum_right - terms[n_right]) < best_ - slack) continue;
            const double left = double(n_left), right = double(n_right);
            const double found = -right * entropy(right_, right) - left * entropy(left_, left);
            if (!(found > best_)) continue;
            best_ = found;
            double threshold = entries[p].value / 2.0 + entries[p + 1].value / 2.0;
            if (threshold == double(entries[p + 1].value) || std::isinf(threshold)) threshold = entries[p].value;
            best = {column, p + 1, threshold, true};
        }
    }

    void count_sides(const Open& node, const Split& split) {
        std::fill(left_.begin(), left_.end(), 0.0);
        const Entry* const entries = sorted_[split.column].data();
        for (std::size_t p = node.first; p < split.position; ++p)
            left_[std::size_t(training_.codes[entries[p].row])] += 1;
        for (std::size_t k = 0; k < left_.size(); ++k) right_[k] = node.counts[k] - left_[k];
    }

    /// Moves the rows of the left side to the front in all columns that are not constant; they stay sorted.
    void divide(const Open& node, const Split& split, std::size_t n_constant) {
        const Entry* const by = sorted_[split.column].data();
        for (std::size_t p = node.first; p < node.last; ++p) is_left_[by[p].row] = p < split.position;
        for (std::size_t k = n_constant; k < order_.size(); ++k) {
            if (order_[k] == split.column) continue;
            Entry* const entries = sorted_[order_[k]].data();
            std::size_t n_left = node.first, n_right = 0;
            for (std::size_t p = node.first; p < node.last; ++p) {
                const Entry entry = entries[p];
                const std::size_t goes_left = is_left_[entry.row];
                // Both are written, so that nothing depends on a guess; one of them is overwritten.
                entries[n_left] = entry;
                spare_[n_right] = entry;
                n_left += goes_left;
                n_right += 1 - goes_left;
            }
            std::copy_n(spare_.begin(), n_right, entries + n_left);
        }
    }

    const TreeTrainingRows& training_;
    const std::vector<double>& terms_;  ///< n log2 n
    std::uint32_t state_;
    std::vector<std::vector<Entry>> sorted_;
    /// The columns; those that are constant in a node and its parents first, which are also kept in constant_.
    std::vector<std::size_t> order_, constant_;
    std::vector<unsigned char> is_left_;
    std::vector<Entry> spare_;
    Counts left_, right_;
    double best_ = 0;
    std::vector<Node> nodes_;
};

}  // namespace

void nested_tree_classes(const TreeTrainingRows& training, const float* asked, std::size_t n_asked,
                         const std::size_t* ends, std::size_t n_ends, std::uint32_t state, std::int32_t* predicted) {
    const std::size_t n_columns = n_ends == 0 ? 0 : *std::max_element(ends, ends + n_ends);
    std::vector<std::vector<Entry>> sorted(n_columns, std::vector<Entry>(training.n_rows));
    for (std::size_t j = 0; j < n_columns; ++j) {
        check_interruption();
        const float* const values = training.columns + j * training.n_rows;
        for (std::size_t i = 0; i < training.n_rows; ++i) sorted[j][i] = {values[i], static_cast<std::uint32_t>(i)};
        std::sort(sorted[j].begin(), sorted[j].end(), [](const Entry& a, const Entry& b) {
            return a.value != b.value ? a.value < b.value : a.row < b.row;
        });
    }
    std::vector<double> terms(training.n_rows + 2);
    for (std::size_t n = 1; n < terms.size(); ++n) terms[n] = double(n) * std::log2(double(n));
    for (std::size_t e = 0; e < n_ends; ++e) {
        const Tree tree(training, sorted, ends[e], terms, state);
        for (std::size_t i = 0; i < n_asked; ++i)
            predicted[e * n_asked + i] = tree.class_of(asked + i * training.n_columns);
    }
}

}  // namespace fewest
