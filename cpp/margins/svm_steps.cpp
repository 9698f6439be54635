#include "margins/svm_steps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fewest {

SvmState::SvmState(std::size_t rows, const double* row_costs, const double* row_signs, const double* start)
    : n_rows(rows), costs(row_costs), signs(row_signs), is_active(rows), outputs(rows) {
    const bool is_cold = std::all_of(start, start + rows, [](double coefficient) { return coefficient == 0; });
    for (std::size_t i = 0; i < rows; ++i) is_active[i] = is_cold || start[i] != 0;
}

double SvmState::largest_output() const {
    double most = 1;
    for (const double output : outputs) most = std::max(most, std::abs(output));
    return most;
}

std::vector<std::size_t> SvmState::update_active() {
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < n_rows; ++i) {
        const double left = slack(i);
        if (is_active[i] ? left >= -no_slack : left <= no_slack) continue;
        is_active[i] = !is_active[i];
        changed.push_back(i);
    }
    return changed;
}

bool SvmState::stays_active(const std::vector<double>& moves) const {
    for (std::size_t i = 0; i < n_rows; ++i) {
        const double left = 1 - signs[i] * (outputs[i] + moves[i]);
        if (is_active[i] ? left < -no_slack : left > no_slack) return false;
    }
    return true;
}

double SvmState::step_length(const std::vector<double>& moves, double slope, double curvature) const {
    std::vector<std::pair<double, std::size_t>> turns;
    const auto weight_of = [&](std::size_t i, double gain) { return 2 * costs[i] * gain * gain; };
    for (std::size_t i = 0; i < n_rows; ++i) {
        const double left = slack(i), gain = signs[i] * moves[i];
        if (left > 0 || (left == 0 && gain < 0)) {
            slope -= 2 * costs[i] * left * gain;
            curvature += weight_of(i, gain);
        }
        if (left * gain > 0) turns.emplace_back(left / gain, i);
    }
    // A heap, since few of them are passed before the best length.
    const auto is_later = [](const auto& a, const auto& b) { return a > b; };
    std::make_heap(turns.begin(), turns.end(), is_later);
    double at = 0;
    for (auto end = turns.end(); end != turns.begin(); --end) {
        const auto [turn, i] = turns.front();
        if (slope + curvature * (turn - at) >= 0) break;
        std::pop_heap(turns.begin(), end, is_later);
        slope += curvature * (turn - at);
        at = turn;
        const double gain = signs[i] * moves[i];
        curvature += gain > 0 ? -weight_of(i, gain) : weight_of(i, gain);
    }
    return curvature > 0 ? at - std::min(slope, 0.0) / curvature : at;
}

}  // namespace fewest
