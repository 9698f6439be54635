#pragma once
// What rows are to a sweep over sorted columns.

#include <cstddef>
#include <cstdint>

namespace fewest {

struct CountedRows {
    const std::int32_t* codes;   ///< the class of each row
    const std::int64_t* counts;  ///< how much it counts, as a whole number: sums are exact in any order
    const std::int64_t* totals;  ///< of each class
    std::size_t n_rows;
    std::size_t n_classes;
};

}  // namespace fewest
