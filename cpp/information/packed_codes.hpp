#pragma once
// Codes of columns in as few bits as their number needs, to be turned into categories in several ways.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/large_array.hpp"
#include "information/category_columns.hpp"

namespace fewest {

/// Codes 0, 1, ... of some columns, bit by bit: a line for each bit of a column's codes.
class PackedCodes {
public:
    /// Columns with these numbers of codes; the rows are filled in later.
    PackedCodes(const std::int32_t* n_codes, std::size_t n_columns, std::size_t n_rows);

    std::size_t n_columns() const { return n_codes_.size(); }
    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_filled() const { return n_filled_; }
    std::size_t n_codes(std::size_t column) const { return n_codes_[column]; }

    /// Fills in the next rows of all columns: codes[column * stride + rows[i]], of which the largest number of the type is
    /// the column's last code. Throws where a code is none of its column's.
    template <class Code>
    void fill(const Code* codes, std::ptrdiff_t stride, const std::int64_t* rows, std::size_t n_rows,
              std::size_t n_threads);

    /// Fills in the next rows of the columns from `first` on: categories[column * width + code], missing_state for none.
    void fill_in(CategoryColumns& columns, std::size_t first, const std::uint16_t* categories, std::size_t width,
                 std::size_t n_threads) const;

private:
    std::uint64_t* line(std::size_t column, std::size_t bit) const {
        return bits_.data() + (starts_[column] + bit) * n_words_;
    }
    std::size_t n_bits(std::size_t column) const { return starts_[column + 1] - starts_[column]; }
    template <class Code>
    void fill_column(std::size_t column, const Code* codes, const std::int64_t* rows, std::size_t n_rows);
    void fill_in_bits(CategoryColumns& columns, std::size_t to, std::size_t column,
                      const std::uint16_t* categories) const;
    void fill_in_codes(CategoryColumns& columns, std::size_t to, std::size_t column,
                       const std::uint16_t* categories) const;

    std::size_t n_rows_, n_words_, n_filled_ = 0;
    std::vector<std::size_t> n_codes_;
    std::vector<std::size_t> starts_;  // the first line of each column, and one more
    LargeArray<std::uint64_t> bits_{0};
};

}  // namespace fewest
