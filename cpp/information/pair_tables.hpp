#pragma once
// How often the categories of two columns meet, for all pairs of columns, from rows that are not kept.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "information/category_columns.hpp"
#include "information/entropies.hpp"

namespace fewest {

/// The tables of the last column with each other one, or of all pairs. They know what CategoryColumns of the same rows know,
/// to the bit.
class PairTables {
public:
    PairTables(const std::int32_t* n_categories, std::size_t n_columns, bool is_all_pairs);

    /// Adds rows. Throws where their categories are not as many.
    void add(const CategoryColumns& rows, std::size_t n_threads);
    void merge(const PairTables& other);
    /// Adds the cells that another process has counted, of the same shape as cells().
    void add_cells(const std::int64_t* cells, std::size_t n_rows);
    /// Copies the tables of a part, over the same rows: of its columns with the last, the columns from `first` on. Throws
    /// where these have other categories, or where there are tables of all pairs.
    void place(const PairTables& part, std::size_t first);

    std::size_t n_columns() const { return n_states_.size(); }
    std::size_t n_rows() const { return n_rows_; }
    /// One line for each category of all columns but the last: the categories of later columns, or of the last one.
    const std::vector<std::int64_t>& cells() const { return cells_; }
    std::size_t width() const { return width_; }
    bool has(std::size_t x, std::size_t y) const {
        return x != y && (is_all_pairs_ || x + 1 == n_columns() || y + 1 == n_columns());
    }

    /// The mutual information, in nats, of one column with each of others. Pre: has(column, other) for all.
    void information(std::size_t column, const std::int64_t* others, std::size_t n_others, double* out);
    /// As of CategoryColumns. A column's information with itself is not known, and counts as zero.
    void add_information(const std::int64_t* chosen, std::size_t n_chosen, const std::int64_t* columns,
                         const std::int64_t* counted, std::size_t n_columns, double* sums);
    void chi_square(std::size_t column, const std::int64_t* others, std::size_t n_others, double* out);

private:
    struct Table;
    Table table(std::size_t x, std::size_t y) const;
    double information_of(std::size_t x, std::size_t y);

    std::vector<std::size_t> n_states_, starts_;
    bool is_all_pairs_;
    std::size_t n_rows_ = 0, width_;   // width: how many cells a line has
    std::vector<std::int64_t> cells_;  // [category of any column][category of a later column, or of the last one]
    std::optional<Entropies> entropies_;
};

}  // namespace fewest
