#include "evaluation/nested_neighbours.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/threads.hpp"

namespace fewest {
namespace {

/// Asked rows that share a pass over the learned ones, and learned rows whose distances stay in the nearest cache.
constexpr std::size_t n_abreast = 4, n_in_tile = 512;
/// Distances that are looked at together: mostly none of them is among the nearest.
constexpr std::size_t n_at_once = 16;
constexpr std::size_t n_asked_in_task = 16;

/// The k nearest rows met so far, the nearest first.
class Nearest {
public:
    void clear(std::size_t k) {
        squares_.assign(k, std::numeric_limits<double>::infinity());
        rows_.assign(k, none);
    }

    void meet(const double* squares, std::size_t n, std::size_t first_row) {
        std::size_t i = 0;
        for (; i + n_at_once <= n; i += n_at_once) {
            double least[4] = {squares[i], squares[i + 1], squares[i + 2], squares[i + 3]};
            for (std::size_t j = 4; j < n_at_once; j += 4)
                for (std::size_t lane = 0; lane < 4; ++lane)
                    least[lane] = squares[i + j + lane] < least[lane] ? squares[i + j + lane] : least[lane];
            const double farthest = squares_.back();
            if (least[0] < farthest || least[1] < farthest || least[2] < farthest || least[3] < farthest ||
                rows_.back() == none)
                for (std::size_t j = i; j < i + n_at_once; ++j) meet_one(squares[j], first_row + j);
        }
        for (; i < n; ++i) meet_one(squares[i], first_row + i);
    }

    template <class Visit>
    void each_row(Visit&& visit) const {
        for (const std::size_t row : rows_) visit(row);
    }

private:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    void meet_one(double square, std::size_t row) {
        // Rows come in their order: of equals those met before stay. An infinite distance is one too.
        if (!(square < squares_.back() || rows_.back() == none)) return;
        std::size_t place = rows_.size() - 1;
        for (; place > 0 && (square < squares_[place - 1] || rows_[place - 1] == none); --place) {
            squares_[place] = squares_[place - 1];
            rows_[place] = rows_[place - 1];
        }
        squares_[place] = square;
        rows_[place] = row;
    }

    std::vector<double> squares_;
    std::vector<std::size_t> rows_;
};

/// What one thread needs.
struct Scratch {
    std::vector<double> squares = std::vector<double>(n_abreast * n_in_tile);
    std::vector<Nearest> nearest;  ///< [end][asked row]
    std::vector<std::size_t> votes;
};

void add_squares(const double* values, std::size_t n, const double (&own)[n_abreast], double* __restrict squares) {
    for (std::size_t q = 0; q < n_abreast; ++q) {
        double* const to = squares + q * n_in_tile;
        const double x = own[q];
        for (std::size_t i = 0; i < n; ++i) to[i] += (x - values[i]) * (x - values[i]);
    }
}

std::int32_t commonest(const LearnedRows& learned, const Nearest& nearest, std::vector<std::size_t>& votes) {
    votes.assign(learned.n_classes, 0);
    nearest.each_row([&](std::size_t row) { ++votes[static_cast<std::size_t>(learned.codes[row])]; });
    return static_cast<std::int32_t>(std::max_element(votes.begin(), votes.end()) - votes.begin());
}

}  // namespace

void nearest_neighbour_classes(const LearnedRows& learned, const double* asked, std::size_t n_asked,
                               const std::size_t* ends, std::size_t n_ends, std::size_t k, std::size_t n_threads,
                               std::int32_t* predicted) {
    std::vector<Scratch> scratches(std::max<std::size_t>(n_threads, 1));
    const std::size_t n_tasks = (n_asked + n_asked_in_task - 1) / n_asked_in_task;
    run_tasks(n_tasks, n_threads, [&](std::size_t task, std::size_t worker) {
        Scratch& own = scratches[worker];
        const std::size_t last = std::min(n_asked, (task + 1) * n_asked_in_task);
        for (std::size_t first = task * n_asked_in_task; first < last; first += n_abreast) {
            const std::size_t n_here = std::min(n_abreast, last - first);
            own.nearest.resize(n_ends * n_abreast);
            for (Nearest& nearest : own.nearest) nearest.clear(k);
            for (std::size_t row = 0; row < learned.n_rows; row += n_in_tile) {
                const std::size_t n = std::min(n_in_tile, learned.n_rows - row);
                std::fill(own.squares.begin(), own.squares.end(), 0.0);
                std::size_t column = 0;
                for (std::size_t e = 0; e < n_ends; ++e) {
                    for (; column < ends[e]; ++column) {
                        double values[n_abreast] = {};
                        for (std::size_t q = 0; q < n_here; ++q)
                            values[q] = asked[(first + q) * learned.n_columns + column];
                        add_squares(learned.columns + column * learned.n_rows + row, n, values, own.squares.data());
                    }
                    for (std::size_t q = 0; q < n_here; ++q)
                        own.nearest[e * n_abreast + q].meet(own.squares.data() + q * n_in_tile, n, row);
                }
            }
            for (std::size_t e = 0; e < n_ends; ++e)
                for (std::size_t q = 0; q < n_here; ++q)
                    predicted[e * n_asked + first + q] = commonest(learned, own.nearest[e * n_abreast + q], own.votes);
        }
    });
}

}  // namespace fewest
