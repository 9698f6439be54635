#pragma once
// Where, along a step of an SVM, rows come to another piece of the loss.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fewest {

/// How far along the step, and by how much the curvature changes there.
struct StepTurn {
    double at, curvature;
    bool operator<(const StepTurn& other) const { return at < other.at; }
};

/// Sorts turns, all between 0 and 1. Those that lie in equal parts are put together first: few parts have more than one.
/// room, firsts : overwritten
inline void sort_turns(std::vector<StepTurn>& turns, std::vector<StepTurn>& room, std::vector<std::uint32_t>& firsts) {
    constexpr std::size_t few = 32;
    const std::size_t n_turns = turns.size();
    if (n_turns <= few) {
        std::sort(turns.begin(), turns.end());
        return;
    }
    const auto part_of = [n_turns](const StepTurn& turn) {
        return static_cast<std::size_t>(turn.at * static_cast<double>(n_turns));
    };
    firsts.assign(n_turns + 2, 0);
    for (const StepTurn& turn : turns) ++firsts[part_of(turn) + 1];
    for (std::size_t part = 0; part <= n_turns; ++part) firsts[part + 1] += firsts[part];
    room.resize(n_turns);
    for (const StepTurn& turn : turns) room[firsts[part_of(turn)]++] = turn;
    for (std::size_t k = 1; k < n_turns; ++k) {
        const StepTurn turn = room[k];
        std::size_t place = k;
        for (; place > 0 && turn < room[place - 1]; --place) room[place] = room[place - 1];
        room[place] = turn;
    }
    std::swap(turns, room);
}

}  // namespace fewest
