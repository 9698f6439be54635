#pragma once
// Cross-validated linear SVMs on many small subsets of columns.

#include <cstddef>
#include <cstdint>

namespace fewest {

/// Rows to be classified, and how each fold scales its columns: (value factor - centre) / unit, 0 where it is missing.
struct FoldedRows {
    const double* values;  ///< [row][column]; NaN is missing
    std::size_t n_columns;
    const std::int64_t* order;   ///< the row of `values` that each row is
    const std::int32_t* labels;  ///< below n_classes
    const double* costs;         ///< positive: what the squared slack of a row costs
    const std::int32_t* folds;   ///< the fold in which it is a test row, below n_folds
    std::size_t n_rows;
    std::size_t n_classes;
    std::size_t n_folds;
    const double *centre, *unit, *factor;  ///< [fold][column], from the training rows of the fold
};

/// Which rows are misclassified by the SVMs of the other folds' rows, for each of n_subsets subsets of `size` columns:
/// is_wrong[subset][row]. An SVM minimises (|w|^2 + b^2) / 2 + sum_i cost_i max(0, 1 - y_i (w x_i + b))^2, as
/// scikit-learn's LinearSVC does: for two classes one, positive for the higher label, otherwise one for each class
/// against the rest. is_solved[subset] is false where Newton's method did not reach the minimum of one of them.
void subset_svms(const FoldedRows& rows, const std::int64_t* subsets, std::size_t n_subsets, std::size_t size,
                 std::size_t n_threads, std::uint8_t* is_wrong, bool* is_solved);

}  // namespace fewest
