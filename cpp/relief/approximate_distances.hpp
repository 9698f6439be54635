#pragma once
// Distances between rows, roughly and fast: which rows may be among the nearest.

#include <memory>

#include "core/large_array.hpp"
#include "relief/distance_loops.hpp"
#include "relief/margin_rows.hpp"

namespace fewest {

/// All rows in float32; or in bytes, a quarter of that and faster still, where these tell the distances of many columns
/// well enough; or in words of 16 bits where the nearest of few rows are wanted, so that hardly a distance has to be
/// computed exactly. Which of them it is changes no result.
class ApproximateDistances {
public:
    /// n_among: the number of rows, on average, among which the nearest are to be found.
    ApproximateDistances(const MarginRows& rows, bool is_squared, std::size_t n_among, std::size_t n_threads);

    /// Numbers from one query's distances to the next's.
    std::size_t stride() const { return n_runs_ * n_lanes; }
    /// Bytes of memory that look() needs for each query.
    std::size_t query_bytes() const {
        return by_bytes_ ? 8 * n_groups_ : rows_.n_columns * (words_ ? sizeof(std::uint16_t) : sizeof(float));
    }

    /// Looks from these rows at all rows: out[i * stride() + row]. There is room for a multiple of n_abreast.
    void look(const std::int64_t* queries, std::size_t n_queries, char* scratch, float* out) const;

    /// No row whose true distance to the query is at most this looks farther than that.
    float at_most(std::size_t query, double distance) const;
    /// No row whose true distance to a query is at least this looks nearer than that. Of bytes and of categories nothing
    /// is known: a value that was cut off, or two codes that float32 cannot distinguish, look nearer by any amount.
    float at_least(std::size_t query, double distance) const;
    /// A distance that is above the true one of every row that looks as near as this, by little.
    double above(std::size_t query, float near) const;
    /// A distance that is below the true one of every row that looks at least as far as this, by little.
    double below(std::size_t query, float near) const;

private:
    void pack_floats(std::size_t n_threads);
    bool pack_bytes(std::size_t n_threads);
    void pack_words(std::size_t n_threads);
    void look_by_words(const std::int64_t* queries, std::size_t n_queries, char* scratch, float* out) const;
    double find_step(std::size_t n_cut);
    bool tells_enough() const;
    double pack_row(const double* row, std::uint8_t* bytes) const;

    const MarginRows& rows_;
    bool is_squared_, by_bytes_ = false;
    std::size_t n_runs_, n_groups_;
    std::unique_ptr<LargeArray<float>> floats_;
    std::unique_ptr<LargeArray<std::uint8_t>> bytes_;
    std::unique_ptr<LargeArray<std::uint16_t>> words_;
    std::vector<std::int32_t> word_sums_;
    std::vector<float> errors_;
    std::vector<double> lowest_;
    double step_ = 0, per_step_ = 0, slack_ = 0, loss_ = 0, largest_error_ = 0;
};

}  // namespace fewest
