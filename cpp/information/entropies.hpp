#pragma once
// Entropies of counts, exactly.

#include <cstddef>
#include <cstdint>
#include <memory>

namespace fewest {

/// k log k in whole numbers of a fixed small unit, so that sums of them are exact in any order: columns that tell the
/// same have the same information to the bit.
class Entropies {
public:
    explicit Entropies(std::size_t n_rows);

    std::int64_t of(std::int64_t count) const { return count < n_known_ ? known_.get()[count] : computed(count); }

    /// Those of 0, 1, ... up to all rows, or null where there are too many to keep.
    const std::int64_t* all() const { return is_all_known_ ? known_.get() : nullptr; }

    /// Nats a row, from a sum of such numbers over the rows; not below zero, which it can be by rounding only.
    double nats(std::int64_t sum, std::int64_t n_rows) const;

private:
    std::int64_t computed(std::int64_t count) const;

    double unit_;
    bool is_all_known_;
    std::int64_t n_known_;
    std::shared_ptr<const std::int64_t[]> known_;  // of one number of rows there is one table, whoever has it
};

}  // namespace fewest
