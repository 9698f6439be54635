#pragma once
// Linear SVMs on the first columns alone, for many numbers of columns, each solved from the one before.

#include <cstddef>
#include <cstdint>

namespace fewest {

/// Rows to train on; the first column is one everywhere: its weight is the intercept.
struct SvmTrainingRows {
    const double* columns;  ///< [column][row]
    std::size_t n_rows;
    std::size_t n_columns;
    const std::int32_t* codes;  ///< by row, from 0 to n_classes - 1
    std::size_t n_classes;
    double cost;  ///< of a row's squared slack
};

/// decisions[(e * n_asked + i) * n_svms + m] = w x_i of SVM m on the first ends[e] columns, the column of ones included.
///
/// Each SVM separates a class from all others: min 1/2 |w|^2 + cost sum_i max(0, 1 - sign_i x_i w)^2. Of two classes
/// there is one SVM, positive for the second. Solved exactly but for rounding, by finite Newton steps: for the rows that
/// have slack the problem is least squares. The unknowns are the weights, or the rows' coefficients where those are
/// fewer. Costs a few products of the rows with slack and factors of a matrix of min(columns, rows) unknowns for each
/// end and SVM.
///
/// asked : [column][row], as many columns
/// Pre: ends ascend, and are from 1 to n_columns; n_classes >= 2.
void nested_svm_decisions(const SvmTrainingRows& training, const double* asked, std::size_t n_asked,
                          const std::size_t* ends, std::size_t n_ends, std::size_t n_threads, double* decisions);

}  // namespace fewest
