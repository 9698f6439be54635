#pragma once
// Scratch memory for counting pairs of columns.

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "information/category_columns.hpp"

namespace fewest {

/// What a thread needs to count one pair after the other: cells that hold rows, with their categories, and the margins.
struct CategoryColumns::Room {
    std::vector<std::int64_t> cells;  // [x category][y category], or in any order those that hold rows where is_sparse
    std::vector<std::int64_t> x_counts, y_counts, turned, shared;
    std::vector<std::pair<std::uint16_t, std::uint16_t>> categories;  // of the cells, where is_sparse
    bool is_sparse = false;
    std::int64_t n_rows = 0;
    Codes x_codes, y_codes;
    std::unordered_map<std::uint64_t, std::int64_t> counts;

    /// The categories of x and y that a cell stands for.
    std::pair<std::size_t, std::size_t> categories_of(std::size_t cell, std::size_t n_y) const {
        if (is_sparse) return {categories[cell].first, categories[cell].second};
        return {cell / n_y, cell % n_y};
    }
};

}  // namespace fewest
