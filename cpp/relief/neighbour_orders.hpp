#pragma once
// The rows in the order of their distance from each, and the margins of all rows under many assignments of labels.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "relief/neighbour_margins.hpp"

namespace fewest {

/// For each row all others, the nearest first, of equal ones the lowest: found once, whatever the labels.
class NeighbourOrders {
public:
    /// values: [row][column], complete numbers. is_squared: sums of squares tell which are nearest.
    NeighbourOrders(const double* values, std::size_t n_rows, std::size_t n_columns, bool is_squared,
                    std::size_t n_threads);

    std::size_t n_rows() const { return n_rows_; }

    /// For each of n_labellings, [labelling][row], the sum over rows of their margins by column, [labelling][column], as
    /// neighbour_margins has them. values: [row][column], those columns of the rows whose margins are wanted.
    void add_margins(const double* values, std::size_t n_columns, const std::int32_t* codes, std::size_t n_labellings,
                     std::size_t n_classes, const NeighbourRule& rule, std::size_t n_threads, double* sums) const;

private:
    std::size_t n_rows_;
    std::vector<std::int32_t> others_;  ///< [row][n_rows - 1]
    std::vector<double> distances_;     ///< in the same order
};

}  // namespace fewest
