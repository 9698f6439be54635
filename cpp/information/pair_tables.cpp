#include "information/pair_tables.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/threads.hpp"
#include "information/independence_measures.hpp"

namespace fewest {

/// One pair's cells, with their margins.
struct PairTables::Table {
    std::vector<std::int64_t> cells, x_counts, y_counts;
    std::int64_t n_rows = 0;
};

PairTables::PairTables(const std::int32_t* n_categories, std::size_t n_columns, bool is_all_pairs)
    : n_states_(n_categories, n_categories + n_columns), starts_(n_columns + 1), is_all_pairs_(is_all_pairs) {
    for (std::size_t column = 0; column < n_columns; ++column)
        starts_[column + 1] = starts_[column] + n_states_[column];
    const std::size_t n_last = n_columns > 0 ? n_states_.back() : 0;
    width_ = is_all_pairs ? starts_.back() : n_last;
    cells_.resize((starts_.back() - n_last) * width_);
}

void PairTables::add(const CategoryColumns& rows, std::size_t n_threads) {
    bool is_same = rows.n_columns() == n_columns();
    for (std::size_t i = 0; is_same && i < n_columns(); ++i) is_same = rows.n_categories(i) == n_states_[i];
    if (!is_same) throw std::invalid_argument("rows have other columns, or other categories");
    const std::size_t last = n_columns() - 1;
    std::vector<CategoryColumns::Counter> counters(std::max<std::size_t>(n_threads, 1), CategoryColumns::Counter(rows));
    run_tasks(last, n_threads, [&](std::size_t x, std::size_t worker) {
        for (std::size_t y = is_all_pairs_ ? x + 1 : last; y <= last; ++y) {
            const std::size_t first = is_all_pairs_ ? starts_[y] : 0;
            counters[worker].add(x, y, cells_.data() + starts_[x] * width_ + first, width_);
        }
    });
    n_rows_ += rows.n_rows();
    entropies_.reset();
}

void PairTables::merge(const PairTables& other) {
    if (other.n_states_ != n_states_ || other.is_all_pairs_ != is_all_pairs_)
        throw std::invalid_argument("tables of other categories cannot be added");
    add_cells(other.cells_.data(), other.n_rows_);
}

void PairTables::add_cells(const std::int64_t* cells, std::size_t n_rows) {
    std::transform(cells_.begin(), cells_.end(), cells, cells_.begin(), std::plus<>());
    n_rows_ += n_rows;
    entropies_.reset();
}

void PairTables::place(const PairTables& part, std::size_t first) {
    const std::size_t n_placed = part.n_columns() - 1;
    const bool is_alike = !is_all_pairs_ && !part.is_all_pairs_ && first + n_placed < n_columns() &&
                          n_states_.back() == part.n_states_.back() &&
                          std::equal(part.n_states_.begin(), part.n_states_.end() - 1, n_states_.data() + first);
    if (!is_alike) throw std::invalid_argument("a part has columns of the same categories");
    std::copy(part.cells_.begin(), part.cells_.end(), cells_.data() + starts_[first] * width_);
    n_rows_ = part.n_rows_;
    entropies_.reset();
}

PairTables::Table PairTables::table(std::size_t x, std::size_t y) const {
    Table table;
    table.x_counts.resize(n_states_[x]);
    table.y_counts.resize(n_states_[y]);
    table.cells.resize(n_states_[x] * n_states_[y]);
    const std::size_t first = is_all_pairs_ ? starts_[std::max(x, y)] : 0;
    const std::int64_t* const lines = cells_.data() + starts_[std::min(x, y)] * width_ + first;
    for (std::size_t a = 0; a < n_states_[x]; ++a)
        for (std::size_t b = 0; b < n_states_[y]; ++b) {
            const std::int64_t cell = x < y ? lines[a * width_ + b] : lines[b * width_ + a];
            table.cells[a * n_states_[y] + b] = cell;
            table.x_counts[a] += cell;
            table.y_counts[b] += cell;
            table.n_rows += cell;
        }
    return table;
}

double PairTables::information_of(std::size_t x, std::size_t y) {
    if (!entropies_) entropies_.emplace(n_rows_);
    const Table of_pair = table(x, y);
    return fewest::information(*entropies_, of_pair.cells, of_pair.x_counts, of_pair.y_counts, of_pair.n_rows);
}

void PairTables::information(std::size_t column, const std::int64_t* others, std::size_t n_others, double* out) {
    for (std::size_t i = 0; i < n_others; ++i) out[i] = information_of(column, static_cast<std::size_t>(others[i]));
}

void PairTables::add_information(const std::int64_t* chosen, std::size_t n_chosen, const std::int64_t* columns,
                                 const std::int64_t* counted, std::size_t n_columns, double* sums) {
    for (std::size_t i = 0; i < n_columns; ++i)
        for (auto place = static_cast<std::size_t>(counted[i]); place < n_chosen; ++place)
            if (chosen[place] != columns[i])
                sums[i] +=
                    information_of(static_cast<std::size_t>(chosen[place]), static_cast<std::size_t>(columns[i]));
}

void PairTables::chi_square(std::size_t column, const std::int64_t* others, std::size_t n_others, double* out) {
    for (std::size_t i = 0; i < n_others; ++i) {
        const auto other = static_cast<std::size_t>(others[i]);
        const Table of_pair = table(column, other);
        ChiSquare sum;
        for (std::size_t cell = 0; cell < of_pair.cells.size(); ++cell)
            sum.add(of_pair.cells[cell], of_pair.x_counts[cell / n_states_[other]],
                    of_pair.y_counts[cell % n_states_[other]]);
        out[i] = sum.of_rows(of_pair.n_rows);
    }
}

}  // namespace fewest
