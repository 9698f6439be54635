#pragma once
// Decision trees on the first columns alone, for many numbers of columns at once.

#include <cstddef>
#include <cstdint>

namespace fewest {

struct TreeTrainingRows {
    const float* columns;  ///< [column][row], without NaN
    std::size_t n_rows;
    std::size_t n_columns;
    const std::int32_t* codes;  ///< by row, from 0 to n_classes - 1
    std::size_t n_classes;
};

/// predicted[e * n_asked + i] = the class of asked row i by the tree on the first ends[e] columns.
///
/// The tree of scikit-learn's DecisionTreeClassifier(criterion="entropy"), to the last split: nodes are split until they
/// are pure, at the threshold with the least entropy, of equal ones the first in a random order of the columns. Columns
/// are sorted once for all ends, and stay sorted within the nodes. Entropies are updated from a table with every row;
/// only thresholds that may be the best are evaluated by the formula.
/// asked : [row][column]
/// state : of the random numbers, as scikit-learn draws it for its splitter
/// Pre: ends are at most n_columns.
void nested_tree_classes(const TreeTrainingRows& training, const float* asked, std::size_t n_asked,
                         const std::size_t* ends, std::size_t n_ends, std::uint32_t state, std::int32_t* predicted);

}  // namespace fewest
