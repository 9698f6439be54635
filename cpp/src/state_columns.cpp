#include "fewest/state_columns.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <unordered_map>

#include "fewest/shared_bits.hpp"
#include "fewest/threads.hpp"

namespace fewest {

namespace {

// With more states a plane for each costs more than it saves.
constexpr std::size_t most_planes = 16;
// Words counted at a time: the planes of two columns then stay in the nearest cache.
constexpr std::size_t words_at_once = 256;
constexpr std::size_t columns_at_once = 16;
constexpr std::uint16_t missing_state = std::numeric_limits<std::uint16_t>::max();

/// One bit for each of up to 64 codes: whether it is this state.
template <class Code>
std::uint64_t bits_where(const Code* codes, std::size_t n_codes, std::size_t state) {
    std::uint64_t bits = 0;
    std::size_t at = 0;
    if constexpr (sizeof(Code) == 1) {
        // Eight bytes at a time: those equal to the state become zero, a zero byte becomes its highest bit, and a
        // product gathers the eight bits.
        constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7fu;
        const std::uint64_t pattern = state * 0x0101010101010101u;
        for (; at + 8 <= n_codes; at += 8) {
            std::uint64_t bytes;
            std::memcpy(&bytes, codes + at, 8);
            bytes ^= pattern;
            const std::uint64_t is_zero = ~(((bytes & low) + low) | bytes | low);
            bits |= ((is_zero >> 7) * 0x0102040810204080u >> 56) << at;
        }
    }
    for (; at < n_codes; ++at) bits |= static_cast<std::uint64_t>(codes[at] == static_cast<Code>(state)) << at;
    return bits;
}

}  // namespace

/// What a thread needs to count one pair after the other: cells that hold rows, with their states, and the margins.
struct StateColumns::Room {
    std::vector<std::int64_t> cells;  // [x state][y state], or in any order those that hold rows where is_sparse
    std::vector<std::int64_t> x_counts, y_counts;
    std::vector<std::pair<std::uint16_t, std::uint16_t>> states;  // of the cells, where is_sparse
    bool is_sparse = false;
    std::int64_t n_rows = 0;
    Codes x_codes, y_codes;
    std::unordered_map<std::uint64_t, std::int64_t> counts;
};

template <class Code>
StateColumns::StateColumns(const Code* codes, const std::int32_t* n_states, std::size_t n_columns, std::size_t n_rows,
                           std::size_t n_threads)
    : n_rows_(n_rows), n_words_((n_rows + 63) / 64), columns_(n_columns), entropies_(n_rows) {
    run_tasks((n_columns + columns_at_once - 1) / columns_at_once, n_threads, [&](std::size_t task, std::size_t) {
        const std::size_t end = std::min((task + 1) * columns_at_once, n_columns);
        for (std::size_t column = task * columns_at_once; column < end; ++column)
            columns_[column] = column_of(codes + column * n_rows, static_cast<std::size_t>(n_states[column]));
    });
}

template <class Code>
StateColumns::Column StateColumns::column_of(const Code* codes, std::size_t n_states) const {
    constexpr Code missing = std::numeric_limits<Code>::max();
    Column column;
    column.n_states = n_states;
    column.counts.resize(n_states);
    // A missing code becomes 0, every other one more: so the largest tells of wrong codes, the smallest of missing ones.
    Code largest = 0, smallest = missing;
    for (std::size_t row = 0; row < n_rows_; ++row) {
        const auto next = static_cast<Code>(codes[row] + 1);
        largest = std::max(largest, next);
        smallest = std::min(smallest, next);
    }
    if (largest > n_states) throw std::invalid_argument("there is no such state");
    column.is_complete = smallest != 0;
    if (n_states > most_planes) {
        column.codes.resize(n_rows_);
        for (std::size_t row = 0; row < n_rows_; ++row) {
            const bool is_missing = codes[row] == missing;
            column.codes[row] = is_missing ? missing_state : static_cast<std::uint16_t>(codes[row]);
            if (!is_missing) ++column.counts[codes[row]];
        }
        return column;
    }
    column.planes.resize(column.n_planes() * n_words_);
    auto n_left = static_cast<std::int64_t>(n_rows_);
    for (std::size_t state = 0; state < column.n_planes(); ++state) {
        std::uint64_t* const plane = column.planes.data() + state * n_words_;
        for (std::size_t word = 0; word < n_words_; ++word) {
            plane[word] = bits_where(codes + word * 64, std::min<std::size_t>(64, n_rows_ - word * 64), state);
        }
        column.counts[state] = static_cast<std::int64_t>(shared_bits()(plane, plane, n_words_));
        n_left -= column.counts[state];
    }
    if (column.n_planes() < n_states) column.counts[n_states - 1] = n_left;
    return column;
}

const StateColumns::Codes& StateColumns::codes_of(const Column& column, Codes& room) const {
    if (!column.has_planes()) return column.codes;
    room.assign(n_rows_, column.is_complete ? static_cast<std::uint16_t>(column.n_states - 1) : missing_state);
    for (std::size_t state = 0; state < column.n_planes(); ++state) {
        const std::uint64_t* const plane = column.planes.data() + state * n_words_;
        for (std::size_t row = 0; row < n_rows_; ++row)
            if (plane[row / 64] >> (row % 64) & 1) room[row] = static_cast<std::uint16_t>(state);
    }
    return room;
}

void StateColumns::count_by_planes(const Column& x, const Column& y, Room& room) const {
    const SharedBits count = shared_bits();
    const std::size_t n_x = x.n_planes(), n_y = y.n_planes(), width = y.n_states;
    std::int64_t* const cells = room.cells.data();
    for (std::size_t first = 0; first < n_words_; first += words_at_once) {
        const std::size_t n_words = std::min(words_at_once, n_words_ - first);
        for (std::size_t a = 0; a < n_x; ++a)
            for (std::size_t b = 0; b < n_y; ++b)
                cells[a * width + b] += static_cast<std::int64_t>(count(
                    x.planes.data() + a * n_words_ + first, y.planes.data() + b * n_words_ + first, n_words));
    }
    // Where no row is missing the last state has what the others leave.
    if (n_y < width)
        for (std::size_t a = 0; a < n_x; ++a) {
            std::int64_t* const row = cells + a * width;
            row[n_y] = x.counts[a] - std::accumulate(row, row + n_y, std::int64_t{0});
        }
    if (n_x < x.n_states)
        for (std::size_t b = 0; b < width; ++b) {
            std::int64_t left = y.counts[b];
            for (std::size_t a = 0; a < n_x; ++a) left -= cells[a * width + b];
            cells[n_x * width + b] = left;
        }
}

void StateColumns::count_by_codes(const Column& x, const Column& y, Room& room) const {
    const Codes& x_codes = codes_of(x, room.x_codes);
    const Codes& y_codes = codes_of(y, room.y_codes);
    const auto is_seen = [&](std::size_t row) { return x_codes[row] < x.n_states && y_codes[row] < y.n_states; };
    if (!room.is_sparse) {
        for (std::size_t row = 0; row < n_rows_; ++row)
            if (is_seen(row)) ++room.cells[x_codes[row] * y.n_states + y_codes[row]];
        return;
    }
    room.counts.clear();
    for (std::size_t row = 0; row < n_rows_; ++row)
        if (is_seen(row)) ++room.counts[std::uint64_t{x_codes[row]} << 16 | y_codes[row]];
    room.cells.clear();
    room.states.clear();
    for (const auto& [states, count] : room.counts) {
        room.cells.push_back(count);
        room.states.emplace_back(static_cast<std::uint16_t>(states >> 16), static_cast<std::uint16_t>(states & 0xffff));
    }
}

void StateColumns::count(const Column& x, const Column& y, Room& room) const {
    const std::size_t n_cells = x.n_states * y.n_states;
    // A table with many more cells than rows is nearly empty: then only those with rows are kept.
    room.is_sparse = n_cells > 4 * n_rows_ + 4096;
    if (!room.is_sparse) room.cells.assign(n_cells, 0);
    if (x.has_planes() && y.has_planes() && !room.is_sparse)
        count_by_planes(x, y, room);
    else
        count_by_codes(x, y, room);
    if (x.is_complete && y.is_complete) {
        room.x_counts = x.counts;
        room.y_counts = y.counts;
        room.n_rows = static_cast<std::int64_t>(n_rows_);
        return;
    }
    room.x_counts.assign(x.n_states, 0);
    room.y_counts.assign(y.n_states, 0);
    room.n_rows = 0;
    for (std::size_t cell = 0; cell < room.cells.size(); ++cell) {
        const std::size_t a = room.is_sparse ? room.states[cell].first : cell / y.n_states;
        const std::size_t b = room.is_sparse ? room.states[cell].second : cell % y.n_states;
        room.x_counts[a] += room.cells[cell];
        room.y_counts[b] += room.cells[cell];
        room.n_rows += room.cells[cell];
    }
}

double StateColumns::information(const Column& x, const Column& y, Room& room) const {
    count(x, y, room);
    std::int64_t sum = entropies_.of(room.n_rows);
    for (const std::int64_t cell : room.cells) sum += entropies_.of(cell);
    for (const std::int64_t count : room.x_counts) sum -= entropies_.of(count);
    for (const std::int64_t count : room.y_counts) sum -= entropies_.of(count);
    return entropies_.nats(sum, room.n_rows);
}

template <class Measure>
void StateColumns::measure_each(const std::int64_t* others, std::size_t n_others, std::size_t n_threads,
                                Measure&& measure) const {
    std::vector<Room> rooms(std::max<std::size_t>(n_threads, 1));
    run_tasks((n_others + columns_at_once - 1) / columns_at_once, n_threads, [&](std::size_t task, std::size_t worker) {
        const std::size_t end = std::min((task + 1) * columns_at_once, n_others);
        for (std::size_t i = task * columns_at_once; i < end; ++i)
            measure(i, columns_[static_cast<std::size_t>(others[i])], rooms[worker]);
    });
}

void StateColumns::information(std::size_t column, const std::int64_t* others, std::size_t n_others,
                               std::size_t n_threads, double* out) const {
    const Column& x = columns_[column];
    measure_each(others, n_others, n_threads,
                 [&](std::size_t i, const Column& y, Room& room) { out[i] = information(x, y, room); });
}

void StateColumns::add_information(const std::int64_t* chosen, std::size_t n_chosen, const std::int64_t* columns,
                                   const std::int64_t* counted, std::size_t n_columns, std::size_t n_threads,
                                   double* sums) const {
    measure_each(columns, n_columns, n_threads, [&](std::size_t i, const Column& y, Room& room) {
        for (auto place = static_cast<std::size_t>(counted[i]); place < n_chosen; ++place)
            sums[i] += information(columns_[static_cast<std::size_t>(chosen[place])], y, room);
    });
}

void StateColumns::chi_square(std::size_t column, const std::int64_t* others, std::size_t n_others,
                              std::size_t n_threads, double* out) const {
    const Column& x = columns_[column];
    measure_each(others, n_others, n_threads, [&](std::size_t i, const Column& y, Room& room) {
        count(x, y, room);
        // n (sum n_ab^2 / (n_a n_b) - 1), which needs no cell without rows.
        double sum = 0.0;
        for (std::size_t cell = 0; cell < room.cells.size(); ++cell) {
            const std::size_t a = room.is_sparse ? room.states[cell].first : cell / y.n_states;
            const std::size_t b = room.is_sparse ? room.states[cell].second : cell % y.n_states;
            const auto both = static_cast<double>(room.cells[cell]);
            if (both > 0)
                sum += both * both / (static_cast<double>(room.x_counts[a]) * static_cast<double>(room.y_counts[b]));
        }
        out[i] = room.n_rows > 0 ? std::max(sum - 1.0, 0.0) * static_cast<double>(room.n_rows) : 0.0;
    });
}

void StateColumns::joint_information(std::size_t column, const std::int32_t* joint, std::size_t n_joint,
                                     const std::int64_t* others, std::size_t n_others, std::size_t n_threads,
                                     double* out) const {
    const Column& target = columns_[column];
    Codes target_room;
    const Codes& target_codes = codes_of(target, target_room);
    // Rows by joint state: then one joint state's table at a time is enough.
    std::vector<std::size_t> ends(n_joint + 1), order(n_rows_);
    for (std::size_t row = 0; row < n_rows_; ++row) ++ends[static_cast<std::size_t>(joint[row]) + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    std::vector<std::size_t> place(ends.begin(), ends.end() - 1);
    for (std::size_t row = 0; row < n_rows_; ++row) order[place[static_cast<std::size_t>(joint[row])]++] = row;

    measure_each(others, n_others, n_threads, [&](std::size_t i, const Column& y, Room& room) {
        const Codes& codes = codes_of(y, room.y_codes);
        const std::size_t n_classes = target.n_states;
        room.cells.assign(y.n_states * n_classes, 0);
        room.y_counts.assign(y.n_states, 0);
        std::int64_t sum = entropies_.of(static_cast<std::int64_t>(n_rows_));
        for (const std::int64_t count : target.counts) sum -= entropies_.of(count);
        for (std::size_t state = 0; state < n_joint; ++state) {
            // Adding a row to a cell of k adds (k + 1) log (k + 1) - k log k; emptied again, the table serves the next.
            for (std::size_t at = ends[state]; at < ends[state + 1]; ++at) {
                const std::size_t row = order[at];
                std::int64_t& cell = room.cells[codes[row] * n_classes + target_codes[row]];
                std::int64_t& margin = room.y_counts[codes[row]];
                sum += entropies_.of(cell + 1) - entropies_.of(cell) - entropies_.of(margin + 1) + entropies_.of(margin);
                ++cell;
                ++margin;
            }
            for (std::size_t at = ends[state]; at < ends[state + 1]; ++at) {
                const std::size_t row = order[at];
                room.cells[codes[row] * n_classes + target_codes[row]] = 0;
                room.y_counts[codes[row]] = 0;
            }
        }
        out[i] = entropies_.nats(sum, static_cast<std::int64_t>(n_rows_));
    });
}

std::size_t StateColumns::refine(std::int32_t* joint, std::size_t n_joint, std::size_t column) const {
    const Column& x = columns_[column];
    Codes room;
    const Codes& codes = codes_of(x, room);
    std::unordered_map<std::uint64_t, std::int32_t> numbers;
    numbers.reserve(2 * n_joint);
    for (std::size_t row = 0; row < n_rows_; ++row) {
        const auto key = static_cast<std::uint64_t>(joint[row]) << 16 | codes[row];
        joint[row] = numbers.emplace(key, static_cast<std::int32_t>(numbers.size())).first->second;
    }
    return numbers.size();
}

template StateColumns::StateColumns(const std::uint8_t*, const std::int32_t*, std::size_t, std::size_t, std::size_t);
template StateColumns::StateColumns(const std::uint16_t*, const std::int32_t*, std::size_t, std::size_t, std::size_t);

}  // namespace fewest
