#include "relief/pair_margins.hpp"

#include <cmath>

#include "core/large_array.hpp"
#include "core/threads.hpp"
#include "relief/pair_loops.hpp"

namespace fewest {
namespace {

constexpr std::size_t fewest_rows = 512;  // with fewer there is nothing to gain
/// exp of less than minus this is not far from the least number that keeps all digits: in double, and in float.
constexpr double longest_reach = 600, longest_rough_reach = 60;
constexpr std::size_t n_parts = n_other_rows / n_own_rows;

const PairLoopsOf<double>& loops_of(double) { return pair_loops().exact; }
const PairLoopsOf<float>& loops_of(float) { return pair_loops().rough; }

template <class T>
double sum_of(const T* numbers, std::size_t begin, std::size_t end) {
    double sums[4] = {0, 0, 0, 0};
    std::size_t i = begin;
    for (; i + 4 <= end; i += 4)
        for (std::size_t k = 0; k < 4; ++k) sums[k] += static_cast<double>(numbers[i + k]);
    for (; i < end; ++i) sums[0] += static_cast<double>(numbers[i]);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Where the hits of a row begin and end among others.
struct HitRange {
    std::size_t begin, end;

    HitRange(const MarginRows& rows, std::size_t own_class, std::size_t first_other)
        : begin(place(rows.class_begin(own_class), first_other)), end(place(rows.class_end(own_class), first_other)) {}

    static std::size_t place(std::size_t row, std::size_t first) {
        return std::min(row > first ? row - first : 0, n_other_rows);
    }
};

/// All rows in blocks of n_other_rows, [block][column][row]; zeros behind the last.
template <class T>
class RowBlocks {
public:
    RowBlocks(const MarginRows& rows, const double* weights, bool is_squared, std::size_t n_threads)
        : rows_(rows), n_blocks_((rows.n_rows + n_other_rows - 1) / n_other_rows),
          values_(n_blocks_ * n_other_rows * rows.n_columns) {
        // What has no weight adds nothing to a distance.
        for (std::size_t d = 0; d < rows.n_columns; ++d)
            if (weights[d] > 0) {
                used_.push_back(d);
                factors_.push_back(static_cast<T>(is_squared ? std::sqrt(weights[d]) : weights[d]));
            }
        run_tasks(n_blocks_, n_threads, [&](std::size_t block, std::size_t) {
            T* const to = values_.data() + block * n_other_rows * rows.n_columns;
            for (std::size_t lane = 0; lane < n_other_rows; ++lane) {
                const std::size_t i = block * n_other_rows + lane;
                for (std::size_t d = 0; d < rows.n_columns; ++d)
                    to[d * n_other_rows + lane] = static_cast<T>(i < rows.n_rows ? rows.row(i)[d] : 0.0);
            }
        });
    }

    std::size_t n_blocks() const { return n_blocks_; }
    std::size_t n_used() const { return used_.size(); }
    const T* block(std::size_t b) const { return values_.data() + b * n_other_rows * rows_.n_columns; }

    /// The rows of a block by their weighted columns, and the sums of these.
    void weigh(std::size_t b, T* values, T* sums) const {
        std::fill(sums, sums + n_other_rows, T{0});
        for (std::size_t u = 0; u < used_.size(); ++u) {
            const T* const from = block(b) + used_[u] * n_other_rows;
            T* const to = values + u * n_other_rows;
            for (std::size_t i = 0; i < n_other_rows; ++i) {
                to[i] = factors_[u] * from[i];
                sums[i] += to[i];
            }
        }
    }

    /// Writes one row's values, and its weighted ones with their sum, into the lines of n_own_rows rows.
    void place_own(std::size_t row, std::size_t lane, T* values, T* weighted, T* sums) const {
        const double* const from = rows_.row(row);
        for (std::size_t d = 0; d < rows_.n_columns; ++d) values[d * n_own_rows + lane] = static_cast<T>(from[d]);
        sums[lane] = 0;
        for (std::size_t u = 0; u < used_.size(); ++u) {
            weighted[u * n_own_rows + lane] = factors_[u] * static_cast<T>(from[used_[u]]);
            sums[lane] += weighted[u * n_own_rows + lane];
        }
    }

private:
    const MarginRows& rows_;
    std::size_t n_blocks_;
    LargeArray<T> values_;
    std::vector<std::size_t> used_;
    std::vector<T> factors_;
};

/// A few rows and how they compare with blocks of others.
template <class T>
class OwnRows {
public:
    OwnRows(const MarginRows& rows, const RowBlocks<T>& blocks)
        : rows_(rows), blocks_(blocks), values_(rows.n_columns * n_own_rows), weighted_(blocks.n_used() * n_own_rows) {}

    std::size_t n = 0;
    std::size_t row[n_own_rows], own_class[n_own_rows];
    double hits[n_own_rows], misses[n_own_rows];  ///< sums of kernels

    void set(const std::int64_t* which, std::size_t n_rows) {
        n = n_rows;
        std::fill(values_.begin(), values_.end(), T{0});
        std::fill(weighted_.begin(), weighted_.end(), T{0});
        for (std::size_t q = 0; q < n_own_rows; ++q) {
            sums_[q] = 0;
            hits[q] = misses[q] = 0;
            if (q >= n) continue;
            row[q] = static_cast<std::size_t>(which[q]);
            own_class[q] = rows_.class_of(row[q]);
            blocks_.place_own(row[q], q, values_.data(), weighted_.data(), sums_);
        }
    }

    /// The kernels with a block of others; zero with themselves, and with rows that are not there.
    void write_kernels(std::size_t block, const RowLines<T>& others, T rate, bool is_squared, T* kernels) const {
        loops_of(T{}).kernels({weighted_.data(), sums_}, others, blocks_.n_used(), rate, is_squared, kernels);
        const std::size_t first = block * n_other_rows, n_there = std::min(n_other_rows, rows_.n_rows - first);
        for (std::size_t q = 0; q < n_own_rows; ++q) {
            T* const line = kernels + q * n_other_rows;
            if (q >= n)
                std::fill(line, line + n_other_rows, T{0});
            else
                std::fill(line + n_there, line + n_other_rows, T{0});
            if (q < n && row[q] >= first && row[q] < first + n_there) line[row[q] - first] = 0;
        }
    }

    void add_kernels(std::size_t block, const T* kernels) {
        for (std::size_t q = 0; q < n; ++q) {
            const T* const line = kernels + q * n_other_rows;
            const HitRange hit(rows_, own_class[q], block * n_other_rows);
            hits[q] += sum_of(line, hit.begin, hit.end);
            misses[q] += sum_of(line, 0, hit.begin) + sum_of(line, hit.end, n_other_rows);
        }
    }

    /// sums += what pairs with these factors differ by, column by column.
    void add_differences(std::size_t block, const T* factors, double* sums) const {
        loops_of(T{}).add_differences(values_.data(), blocks_.block(block), rows_.n_columns, factors, sums);
    }

private:
    const MarginRows& rows_;
    const RowBlocks<T>& blocks_;
    std::vector<T> values_, weighted_;
    T sums_[n_own_rows];
};

/// What a row's hits and misses are multiplied by: (1 - o) over the sum of their kernels, 1 - o = H / (H + M).
struct RowFactors {
    double hit = 0, miss = 0;

    RowFactors() = default;
    RowFactors(double hits, double misses) {
        if (!(hits > 0 && misses > 0)) return;
        hit = 1 / (hits + misses);
        miss = hits / (hits + misses) / misses;
    }
};

/// What one thread keeps from task to task.
template <class T>
struct Scratch {
    Scratch(const MarginRows& rows, const RowBlocks<T>& blocks, std::size_t n_own, std::size_t n_kept)
        : own(n_own, OwnRows<T>(rows, blocks)), weighted(blocks.n_used() * n_other_rows),
          kernels(n_kept * n_own_rows * n_other_rows), sums(rows.n_columns) {}

    RowLines<T> weigh(const RowBlocks<T>& blocks, std::size_t block) {
        blocks.weigh(block, weighted.data(), other_sums);
        return {weighted.data(), other_sums};
    }

    std::vector<OwnRows<T>> own;
    std::vector<T> weighted, kernels;
    T other_sums[n_other_rows];
    std::vector<double> sums;
    std::vector<double> hits, misses;  ///< by row of later blocks
};

template <class T>
class PairMargins {
public:
    PairMargins(const MarginRows& rows, const double* weights, double width, bool is_squared, std::size_t n_threads)
        : rows_(rows), blocks_(rows, weights, is_squared, n_threads), rate_(static_cast<T>(1 / width)),
          is_squared_(is_squared), n_threads_(std::max<std::size_t>(n_threads, 1)) {}

    /// Of some rows: the kernels of a few with all others are kept until their sums are known.
    std::size_t add_some(const std::int64_t* queries, std::size_t n_queries, double* sums) {
        const std::size_t n_tasks = (n_queries + n_own_rows - 1) / n_own_rows;
        std::vector<Scratch<T>> scratch;
        scratch.reserve(n_threads_);
        for (std::size_t t = 0; t < n_threads_; ++t) scratch.emplace_back(rows_, blocks_, 1, blocks_.n_blocks());
        std::size_t n_counted = 0;
        Turns turns;
        run_tasks(n_tasks, n_threads_, [&](std::size_t task, std::size_t worker) {
            Scratch<T>& mine = scratch[worker];
            std::size_t n_own_counted = 0;
            const auto compute = [&] {
                const std::size_t first = task * n_own_rows;
                n_own_counted = add_own(queries + first, std::min(n_own_rows, n_queries - first), mine);
            };
            turns.take(task, compute, [&] {
                for (std::size_t d = 0; d < rows_.n_columns; ++d) sums[d] += mine.sums[d];
                n_counted += n_own_counted;
            });
        });
        return n_counted;
    }

    /// Of all rows: the kernel of a pair is computed when the sums are taken, and again for both rows' margins at once.
    std::size_t add_all(double* sums) {
        std::vector<double> hits(blocks_.n_blocks() * n_other_rows), misses(hits.size());
        std::vector<Scratch<T>> scratch(n_threads_, Scratch<T>(rows_, blocks_, n_parts, 1));
        for (Scratch<T>& mine : scratch) {
            mine.hits.resize(hits.size());
            mine.misses.resize(hits.size());
        }
        Turns turns;
        run_tasks(blocks_.n_blocks(), n_threads_, [&](std::size_t block, std::size_t worker) {
            Scratch<T>& mine = scratch[worker];
            turns.take(
                block, [&] { add_kernel_sums(block, mine); },
                [&] {
                    for (std::size_t i = block * n_other_rows; i < hits.size(); ++i) {
                        hits[i] += mine.hits[i];
                        misses[i] += mine.misses[i];
                    }
                });
        });
        std::vector<RowFactors> factors(hits.size());
        std::size_t n_counted = 0;
        for (std::size_t i = 0; i < rows_.n_rows; ++i) {
            factors[i] = RowFactors(hits[i], misses[i]);
            n_counted += factors[i].hit > 0;
        }
        Turns later;
        run_tasks(blocks_.n_blocks(), n_threads_, [&](std::size_t block, std::size_t worker) {
            Scratch<T>& mine = scratch[worker];
            later.take(
                block, [&] { add_differences(block, factors.data(), mine); },
                [&] {
                    for (std::size_t d = 0; d < rows_.n_columns; ++d) sums[d] += mine.sums[d];
                });
        });
        return n_counted;
    }

private:
    std::size_t add_own(const std::int64_t* queries, std::size_t n, Scratch<T>& mine) const {
        OwnRows<T>& own = mine.own[0];
        own.set(queries, n);
        std::fill(mine.sums.begin(), mine.sums.end(), 0.0);
        const auto kernels_of = [&](std::size_t b) { return mine.kernels.data() + b * n_own_rows * n_other_rows; };
        for (std::size_t b = 0; b < blocks_.n_blocks(); ++b) {
            check_interruption();
            own.write_kernels(b, mine.weigh(blocks_, b), rate_, is_squared_, kernels_of(b));
            own.add_kernels(b, kernels_of(b));
        }
        RowFactors factors[n_own_rows];
        std::size_t n_counted = 0;
        for (std::size_t q = 0; q < n; ++q) {
            factors[q] = RowFactors(own.hits[q], own.misses[q]);
            n_counted += factors[q].hit > 0;
        }
        for (std::size_t b = 0; b < blocks_.n_blocks(); ++b) {
            for (std::size_t q = 0; q < n; ++q)
                scale(
                    own, q, b, [&](std::size_t) { return -factors[q].hit; },
                    [&](std::size_t) { return factors[q].miss; }, kernels_of(b) + q * n_other_rows);
            own.add_differences(b, kernels_of(b), mine.sums.data());
        }
        return n_counted;
    }

    /// Multiplies the kernels of one row with a block by factors for hits and for misses.
    template <class Hit, class Miss>
    void scale(const OwnRows<T>& own, std::size_t q, std::size_t block, Hit&& hit_factor, Miss&& miss_factor,
               T* line) const {
        const HitRange hit(rows_, own.own_class[q], block * n_other_rows);
        for (std::size_t i = 0; i < hit.begin; ++i) line[i] *= static_cast<T>(miss_factor(i));
        for (std::size_t i = hit.begin; i < hit.end; ++i) line[i] *= static_cast<T>(hit_factor(i));
        for (std::size_t i = hit.end; i < n_other_rows; ++i) line[i] *= static_cast<T>(miss_factor(i));
    }

    /// The rows of a block, in parts.
    void set_own(std::size_t block, Scratch<T>& mine) const {
        std::int64_t which[n_own_rows];
        for (std::size_t part = 0; part < n_parts; ++part) {
            const std::size_t first = block * n_other_rows + part * n_own_rows;
            const std::size_t n = first < rows_.n_rows ? std::min(n_own_rows, rows_.n_rows - first) : 0;
            for (std::size_t q = 0; q < n; ++q) which[q] = static_cast<std::int64_t>(first + q);
            mine.own[part].set(which, n);
        }
    }

    /// Sums of the kernels of a block with itself and the later ones, for the rows of either.
    void add_kernel_sums(std::size_t block, Scratch<T>& mine) const {
        const std::size_t begin = block * n_other_rows;
        set_own(block, mine);
        std::fill(mine.hits.begin() + static_cast<std::ptrdiff_t>(begin), mine.hits.end(), 0.0);
        std::fill(mine.misses.begin() + static_cast<std::ptrdiff_t>(begin), mine.misses.end(), 0.0);
        T* const kernels = mine.kernels.data();
        for (std::size_t b = block; b < blocks_.n_blocks(); ++b) {
            check_interruption();
            const RowLines<T> others = mine.weigh(blocks_, b);
            double *const hits = mine.hits.data() + b * n_other_rows, *const misses =
                                                                          mine.misses.data() + b * n_other_rows;
            for (OwnRows<T>& own : mine.own) {
                own.write_kernels(b, others, rate_, is_squared_, kernels);
                own.add_kernels(b, kernels);
                // Within the block the pairs come in both orders.
                for (std::size_t q = 0; b > block && q < own.n; ++q) {
                    const T* const line = kernels + q * n_other_rows;
                    const HitRange hit(rows_, own.own_class[q], b * n_other_rows);
                    for (std::size_t i = 0; i < hit.begin; ++i) misses[i] += static_cast<double>(line[i]);
                    for (std::size_t i = hit.begin; i < hit.end; ++i) hits[i] += static_cast<double>(line[i]);
                    for (std::size_t i = hit.end; i < n_other_rows; ++i) misses[i] += static_cast<double>(line[i]);
                }
            }
        }
        for (const OwnRows<T>& own : mine.own)
            for (std::size_t q = 0; q < own.n; ++q) {
                mine.hits[own.row[q]] += own.hits[q];
                mine.misses[own.row[q]] += own.misses[q];
            }
    }

    /// The margins' sums over the pairs of a block with itself and the later ones.
    void add_differences(std::size_t block, const RowFactors* factors, Scratch<T>& mine) const {
        set_own(block, mine);
        std::fill(mine.sums.begin(), mine.sums.end(), 0.0);
        T* const kernels = mine.kernels.data();
        for (std::size_t b = block; b < blocks_.n_blocks(); ++b) {
            check_interruption();
            const RowLines<T> others = mine.weigh(blocks_, b);
            // Within the block the pairs come in both orders, and each is for one row.
            const double is_for_both = b > block ? 1.0 : 0.0;
            const RowFactors* const there = factors + b * n_other_rows;
            for (const OwnRows<T>& own : mine.own) {
                own.write_kernels(b, others, rate_, is_squared_, kernels);
                for (std::size_t q = 0; q < own.n; ++q) {
                    const RowFactors& here = factors[own.row[q]];
                    scale(
                        own, q, b, [&](std::size_t i) { return -(here.hit + is_for_both * there[i].hit); },
                        [&](std::size_t i) { return here.miss + is_for_both * there[i].miss; },
                        kernels + q * n_other_rows);
                }
                own.add_differences(b, kernels, mine.sums.data());
            }
        }
    }

    const MarginRows& rows_;
    RowBlocks<T> blocks_;
    T rate_;
    bool is_squared_;
    std::size_t n_threads_;
};

/// What no distance of two rows exceeds: no difference is above one.
double farthest(const MarginRows& rows, const double* weights, bool is_squared) {
    double sum = 0;
    for (std::size_t d = 0; d < rows.n_columns; ++d) sum += weights[d];
    return is_squared ? std::sqrt(sum) : sum;
}

}  // namespace

bool can_pair(const MarginRows& rows, std::size_t n_queries, const double* weights, double width, bool is_squared) {
    return !rows.is_categorical && rows.n_rows >= fewest_rows && n_queries >= n_own_rows &&
           farthest(rows, weights, is_squared) <= longest_reach * width;
}

bool pair_margins(const MarginRows& rows, const std::int64_t* queries, std::size_t n_queries, const double* weights,
                  double width, bool is_squared, bool is_rough, std::size_t n_threads, double* sums,
                  std::int64_t* counts) {
    std::fill(sums, sums + rows.n_columns, 0.0);
    const auto add = [&](auto&& pairs) {
        return n_queries == rows.n_rows ? pairs.add_all(sums) : pairs.add_some(queries, n_queries, sums);
    };
    const bool is_float = is_rough && farthest(rows, weights, is_squared) <= longest_rough_reach * width;
    const std::size_t n_counted = is_float ? add(PairMargins<float>(rows, weights, width, is_squared, n_threads))
                                           : add(PairMargins<double>(rows, weights, width, is_squared, n_threads));
    std::fill(counts, counts + rows.n_columns, static_cast<std::int64_t>(n_counted));
    return is_float;
}

}  // namespace fewest
