#pragma once
// Information of three columns from how often their categories meet.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fewest {

/// Room for the margins of a table of three columns.
struct MarginRoom {
    std::vector<std::int64_t> xc, sc, s, c;
};

/// What CategoryColumns::triple_information gives, all five numbers, from what CategoryColumns::triple_counts gives (added up
/// over parts of n_rows rows): n_categories[i] lines of each column, of n_selected * n_target cells.
void triple_information_of_cells(const std::int64_t* cells, const std::int32_t* n_categories, std::size_t n_columns,
                                 std::size_t n_selected, std::size_t n_target, std::size_t n_rows, double* out);

}  // namespace fewest
