#pragma once
// The classes of the nearest rows, by the first columns alone, for many numbers of columns at once.

#include <cstddef>
#include <cstdint>

namespace fewest {

struct LearnedRows {
    const double* columns;  ///< [column][row]
    std::size_t n_rows;
    std::size_t n_columns;
    const std::int32_t* codes;  ///< by row, from 0 to n_classes - 1
    std::size_t n_classes;
};

/// predicted[e * n_asked + i] = the commonest class among the k rows nearest to asked row i in the first ends[e] columns,
/// of equally common ones the first; of rows equally far the first are nearest.
///
/// Squared distances add up column by column, so that every end goes on from the one before.
/// asked : [row][column]
/// Pre: ends ascend and are at most n_columns; 1 <= k <= n_rows.
void nearest_neighbour_classes(const LearnedRows& learned, const double* asked, std::size_t n_asked,
                               const std::size_t* ends, std::size_t n_ends, std::size_t k, std::size_t n_threads,
                               std::int32_t* predicted);

}  // namespace fewest
