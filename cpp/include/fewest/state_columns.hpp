#pragma once
// Columns of states, and what they know of each other.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fewest/entropies.hpp"

namespace fewest {

/// Columns whose rows are each in one of some states, or in none (missing).
/// A column of few states is kept as a bit plane for each: then counting is anding.
class StateColumns {
public:
    /// codes: [column][row], below n_states[column], or the largest number of the type where a row is missing.
    /// Throws where one is neither.
    template <class Code>
    StateColumns(const Code* codes, const std::int32_t* n_states, std::size_t n_columns, std::size_t n_rows,
                 std::size_t n_threads);

    std::size_t n_columns() const { return columns_.size(); }
    std::size_t n_rows() const { return n_rows_; }

    /// The mutual information, in nats, of one column with each of others, over the rows where both are observed.
    void information(std::size_t column, const std::int64_t* others, std::size_t n_others, std::size_t n_threads,
                     double* out) const;

    /// For each of these columns, adds to sums[i] its information with chosen[counted[i]], chosen[counted[i] + 1], ...
    /// in that order.
    void add_information(const std::int64_t* chosen, std::size_t n_chosen, const std::int64_t* columns,
                         const std::int64_t* counted, std::size_t n_columns, std::size_t n_threads, double* sums) const;

    /// Pearson's chi square of the same tables.
    void chi_square(std::size_t column, const std::int64_t* others, std::size_t n_others, std::size_t n_threads,
                    double* out) const;

    /// What a joint state (one a row, below n_joint) knows of a column together with each of others. Nothing may be
    /// missing.
    void joint_information(std::size_t column, const std::int32_t* joint, std::size_t n_joint,
                           const std::int64_t* others, std::size_t n_others, std::size_t n_threads, double* out) const;

    /// Split joint states by those of a column, numbered as they appear; how many there are now.
    std::size_t refine(std::int32_t* joint, std::size_t n_joint, std::size_t column) const;

private:
    using Codes = std::vector<std::uint16_t>;

    struct Column {
        std::size_t n_states = 0;
        bool is_complete = true;            // no row is missing
        std::vector<std::int64_t> counts;   // rows in each state
        std::vector<std::uint64_t> planes;  // [state][word]; of the last state only where rows are missing
        Codes codes;                        // where there are too many states for planes

        bool has_planes() const { return codes.empty(); }
        std::size_t n_planes() const { return is_complete && n_states > 0 ? n_states - 1 : n_states; }
    };
    struct Room;

    template <class Code>
    Column column_of(const Code* codes, std::size_t n_states) const;
    const Codes& codes_of(const Column& column, Codes& room) const;
    template <class Measure>
    void measure_each(const std::int64_t* others, std::size_t n_others, std::size_t n_threads, Measure&& measure) const;
    double information(const Column& x, const Column& y, Room& room) const;
    void count(const Column& x, const Column& y, Room& room) const;
    void count_by_planes(const Column& x, const Column& y, Room& room) const;
    void count_by_codes(const Column& x, const Column& y, Room& room) const;

    std::size_t n_rows_, n_words_;
    std::vector<Column> columns_;
    Entropies entropies_;
};

}  // namespace fewest
