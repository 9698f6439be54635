#pragma once
// Columns of categories, and what they know of each other.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/large_array.hpp"
#include "information/entropies.hpp"

namespace fewest {

/// The category of a row that is in none, where categories are 16 bits.
constexpr std::uint16_t missing_state = 65535;
/// With more categories a plane for each costs more than it saves.
constexpr std::size_t most_planes = 16;
/// Joint categories of two columns are met with each of many others: planes pay for more of them.
constexpr std::size_t most_joint_planes = 128;
/// How many numbers triple_information() gives of two columns and the class.
constexpr std::size_t n_triple_measures = 5;

/// Columns whose rows are each in one of some categories, or in none (missing).
/// A column of few categories is kept as a bit plane for each, and counting is anding; one of many as it is; one that is
/// nearly always in the same category as a list of the other rows.
class CategoryColumns {
public:
    /// Columns with these numbers of categories; the rows are filled in later. is_complete[column]: no row will be
    /// missing. is_listed[column]: to be filled in by list().
    CategoryColumns(const std::int32_t* n_categories, const std::uint8_t* is_complete, const std::uint8_t* is_listed,
                    std::size_t n_columns, std::size_t n_rows);

    /// Fills in the next n_rows rows of some columns: codes[i * stride + row] of columns[i], first_codes[i] being its
    /// first category, the largest number of the type a missing row. Throws where a code is neither.
    template <class Code>
    void fill(const std::int64_t* columns, std::size_t n_filled, const Code* codes, std::ptrdiff_t stride,
              const std::int64_t* first_codes, std::size_t n_rows, std::size_t n_threads);

    /// Fills in the next n_rows rows of a column by the bits of each of its categories, stride words apart; a row without any
    /// is missing. Bits after the last row are not set.
    void fill_bits(std::size_t column, const std::uint64_t* bits, std::size_t stride, std::size_t n_rows);

    /// Fills in all rows of some columns: those of columns[i] at rows[starts[i]] ... rows[starts[i + 1] - 1], ascending,
    /// are in the categories that stand there, all others in usual[i].
    void list(const std::int64_t* columns, std::size_t n_listed, const std::int64_t* starts, const std::int32_t* rows,
              const std::uint16_t* categories, const std::int32_t* usual);

    /// Copies the columns of a part, which are filled in over the same rows: its last one as the last here, the others from
    /// column `first` on. Throws where columns are not kept alike.
    void place(const CategoryColumns& part, std::size_t first);

    std::size_t n_columns() const { return columns_.size(); }
    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_categories(std::size_t column) const { return columns_[column].n_categories; }
    bool is_complete(std::size_t column) const { return columns_[column].is_complete; }
    bool has_lists() const;
    /// Whether all rows of all columns are filled in. Only then they know something.
    bool is_filled() const;
    /// Whether a column is kept as bits, so that fill_bits fills it in.
    bool has_planes(std::size_t column) const { return columns_[column].kept == Kept::planes; }

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

    /// How often the categories of each of others meet those of one column: cells[category of others, one column after the
    /// other][category of the column].
    void joint_counts(std::size_t column, const std::int64_t* others, std::size_t n_others, std::size_t n_threads,
                      std::int64_t* cells) const;

    /// Of each of others x, with a selected column s and a target c, over the rows where x and s are observed, in nats:
    /// out[i][0] = I(x; c | s), [1] = I(x; s), [2] = H(x, s, c), and, only where one of the two has missing values (over all
    /// rows the caller knows them), [3] = I(x; c) and [4] = I(s; c). No row of the target may be missing.
    void triple_information(std::size_t target, std::size_t selected, const std::int64_t* others, std::size_t n_others,
                            std::size_t n_threads, double* out) const;

    /// How often the categories of each of others, one column after the other, meet those of a selected column and of the
    /// target: cells[category of others][category of selected][category of target].
    void triple_counts(std::size_t target, std::size_t selected, const std::int64_t* others, std::size_t n_others,
                       std::size_t n_threads, std::int64_t* cells) const;

    /// The entropy of each column over the rows where it is observed, in nats.
    void entropies_of_columns(double* out) const;

    /// What a joint category (one a row, below n_joint) knows of a column together with each of others. Nothing may be
    /// missing.
    void joint_information(std::size_t column, const std::int32_t* joint, std::size_t n_joint,
                           const std::int64_t* others, std::size_t n_others, std::size_t n_threads, double* out) const;

    /// Split joint categories by those of a column, numbered as they appear; how many there are now.
    std::size_t refine(std::int32_t* joint, std::size_t n_joint, std::size_t column) const;

    /// The memory of columns that are filled in, none of them a list, as it travels to another process.
    struct Memory {
        std::uint64_t* planes;
        std::uint16_t* codes;
        std::int64_t* counts;
        std::size_t n_words, n_codes, n_counts;
    };
    Memory memory();
    /// Takes the columns for filled in, after their memory was written. Throws where a code is no category.
    void take_memory();

private:
    struct Room;

public:
    /// Counts how often the categories of two columns meet. One for each thread.
    class Counter {
    public:
        explicit Counter(const CategoryColumns& columns);
        Counter(const Counter& other);

        /// cells[a * width + b] += the rows where x is in category a and y in category b.
        void add(std::size_t x, std::size_t y, std::int64_t* cells, std::size_t width);

    private:
        const CategoryColumns* columns_;
        std::shared_ptr<Room> room_;
    };

private:
    using Codes = std::vector<std::uint16_t>;
    enum class Kept : std::uint8_t { planes, codes, list };

    /// Where a column that is none of those filled in is kept.
    struct Apart {
        const std::uint64_t* planes;
        const std::uint16_t* codes;
        const std::int64_t* counts;
    };

    // Small: full evaluation goes through all of them at every step.
    struct Column {
        std::size_t at = 0;                // where its planes, codes or list begin
        std::size_t counts_at = 0;         // where its counts do
        mutable std::int64_t entropy = 0;  // of the counts, once it is asked for
        std::uint32_t n_listed = 0;        // rows in the list
        std::uint16_t n_categories = 0, n_planes = 0;
        std::uint16_t usual = 0;  // the category of the rows that are not listed
        Kept kept = Kept::planes;
        bool is_complete = true;  // no row is missing
        const Apart* apart = nullptr;
    };
    /// The joint categories of two columns, as one more column.
    struct Joint;
    struct TripleRoom;
    template <class Code>
    void fill_planes(const Column& column, const Code* codes, std::int64_t first_code, std::size_t first_row,
                     std::size_t n_rows);
    template <class Code>
    void fill_codes(const Column& column, const Code* codes, std::int64_t first_code, std::size_t first_row,
                    std::size_t n_rows);
    const std::uint64_t* planes(const Column& column) const {
        return (column.apart ? column.apart->planes : planes_.data()) + column.at;
    }
    const std::uint16_t* codes(const Column& column) const {
        return (column.apart ? column.apart->codes : codes_.data()) + column.at;
    }
    /// Rows in each category.
    const std::int64_t* counts(const Column& column) const {
        return (column.apart ? column.apart->counts : counts_.data()) + column.counts_at;
    }
    /// Computes the entropies, once: rows that are only counted have no use for them, and they take longer than counting.
    const Entropies& entropies() const;
    const std::uint16_t* codes_of(const Column& column, Codes& room) const;
    std::uint16_t category_at(const Column& column, std::size_t row) const;
    template <class Measure>
    void measure_each(const std::int64_t* others, std::size_t n_others, std::size_t n_threads, Measure&& measure) const;
    double information(const Column& x, const Column& y, Room& room) const;
    void count(const Column& x, const Column& y, Room& room) const;
    void count_by_planes(const Column& x, const Column& y, Room& room) const;
    void count_by_codes(const Column& x, const Column& y, Room& room) const;
    void count_by_rows_of_planes(const Column& x, const Column& y, Room& room) const;
    void count_by_list(const Column& x, const Column& y, Room& room) const;
    void join(const Column& x, const Column& y, Joint& joint) const;
    std::vector<std::uint64_t> bits_of_categories(const Column& column) const;
    void measure_triple(const Column& x, const Column& selected, const Column& target, const Joint& joint,
                        TripleRoom& room, double* out) const;

    std::size_t n_rows_, n_words_, n_plane_words_ = 0, n_codes_ = 0;
    std::vector<Column> columns_;
    std::vector<std::size_t> n_filled_;    // rows of each column filled in so far
    std::vector<std::int64_t> counts_;     // [column][category]
    LargeArray<std::uint64_t> planes_{0};  // [column][category][word], without the last category of complete columns
    LargeArray<std::uint16_t> codes_{0};   // of columns with too many categories for planes
    std::vector<std::int32_t> listed_rows_;
    Codes listed_states_;
    struct LazyEntropies {
        std::once_flag is_known;
        std::optional<Entropies> value;
    };
    std::unique_ptr<LazyEntropies> entropies_ = std::make_unique<LazyEntropies>();
};

}  // namespace fewest
