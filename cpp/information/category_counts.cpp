// What columns of categories know of each other, by counting how often their categories meet.

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "core/threads.hpp"
#include "information/category_columns.hpp"
#include "information/count_room.hpp"
#include "information/independence_measures.hpp"
#include "information/shared_bits.hpp"

namespace fewest {

namespace {

constexpr std::size_t columns_at_once = 16;

}  // namespace

CategoryColumns::Counter::Counter(const CategoryColumns& columns)
    : columns_(&columns), room_(std::make_shared<Room>()) {}

CategoryColumns::Counter::Counter(const Counter& other) : Counter(*other.columns_) {}

void CategoryColumns::Counter::add(std::size_t x, std::size_t y, std::int64_t* cells, std::size_t width) {
    const Column& of_y = columns_->columns_[y];
    columns_->count(columns_->columns_[x], of_y, *room_);
    for (std::size_t cell = 0; cell < room_->cells.size(); ++cell) {
        const auto [a, b] = room_->categories_of(cell, of_y.n_categories);
        cells[a * width + b] += room_->cells[cell];
    }
}

const std::uint16_t* CategoryColumns::codes_of(const Column& column, Codes& room) const {
    if (column.kept == Kept::codes) return codes(column);
    if (column.kept == Kept::list) {
        room.assign(n_rows_, column.usual);
        for (std::size_t at = column.at; at < column.at + column.n_listed; ++at)
            room[static_cast<std::size_t>(listed_rows_[at])] = listed_states_[at];
        return room.data();
    }
    room.assign(n_rows_, column.is_complete ? static_cast<std::uint16_t>(column.n_categories - 1) : missing_state);
    for (std::size_t category = 0; category < column.n_planes; ++category) {
        const std::uint64_t* const plane = planes(column) + category * n_words_;
        for (std::size_t row = 0; row < n_rows_; ++row)
            if (plane[row / 64] >> (row % 64) & 1) room[row] = static_cast<std::uint16_t>(category);
    }
    return room.data();
}

/// The category of one row of a column that is not listed.
std::uint16_t CategoryColumns::category_at(const Column& column, std::size_t row) const {
    if (column.kept == Kept::codes) return codes(column)[row];
    for (std::size_t category = 0; category < column.n_planes; ++category)
        if (planes(column)[category * n_words_ + row / 64] >> (row % 64) & 1)
            return static_cast<std::uint16_t>(category);
    return column.is_complete ? static_cast<std::uint16_t>(column.n_categories - 1) : missing_state;
}

void CategoryColumns::count_by_planes(const Column& x, const Column& y, Room& room) const {
    const std::size_t n_x = x.n_planes, n_y = y.n_planes, width = y.n_categories;
    std::vector<std::int64_t>& both = room.shared;
    both.assign(n_x * n_y, 0);
    bit_kernels().shared_bits(planes(x), n_x, planes(y), n_y, n_words_, n_words_, both.data());
    std::int64_t* const cells = room.cells.data();
    for (std::size_t a = 0; a < n_x; ++a) std::copy_n(both.data() + a * n_y, n_y, cells + a * width);
    if (n_y < width)
        for (std::size_t a = 0; a < n_x; ++a) {
            std::int64_t* const row = cells + a * width;
            row[n_y] = counts(x)[a] - std::accumulate(row, row + n_y, std::int64_t{0});
        }
    if (n_x < x.n_categories)
        for (std::size_t b = 0; b < width; ++b) {
            std::int64_t left = counts(y)[b];
            for (std::size_t a = 0; a < n_x; ++a) left -= cells[a * width + b];
            cells[n_x * width + b] = left;
        }
}

void CategoryColumns::count_by_codes(const Column& x, const Column& y, Room& room) const {
    const std::uint16_t* const x_codes = codes_of(x, room.x_codes);
    const std::uint16_t* const y_codes = codes_of(y, room.y_codes);
    const auto is_seen = [&](std::size_t row) {
        return x_codes[row] < x.n_categories && y_codes[row] < y.n_categories;
    };
    if (!room.is_sparse) {
        for (std::size_t row = 0; row < n_rows_; ++row)
            if (is_seen(row)) ++room.cells[x_codes[row] * y.n_categories + y_codes[row]];
        return;
    }
    room.counts.clear();
    for (std::size_t row = 0; row < n_rows_; ++row)
        if (is_seen(row)) ++room.counts[std::uint64_t{x_codes[row]} << 16 | y_codes[row]];
    room.cells.clear();
    room.categories.clear();
    for (const auto& [categories, count] : room.counts) {
        room.cells.push_back(count);
        room.categories.emplace_back(static_cast<std::uint16_t>(categories >> 16),
                                     static_cast<std::uint16_t>(categories & 0xffff));
    }
}

/// One column has many categories, the other planes: the rows of each plane are looked up.
void CategoryColumns::count_by_rows_of_planes(const Column& x, const Column& y, Room& room) const {
    const bool is_turned = x.kept == Kept::planes;
    const Column& many = is_turned ? y : x;
    const Column& few = is_turned ? x : y;
    const std::uint16_t* const codes = this->codes(many);
    // Of each category of the many a line of those of the few, for now.
    std::vector<std::int64_t>& lines = is_turned ? room.turned : room.cells;
    lines.assign(std::size_t{many.n_categories} * few.n_categories, 0);
    for (std::size_t category = 0; category < few.n_planes; ++category)
        for (std::size_t word = 0; word < n_words_; ++word)
            for (std::uint64_t bits = planes(few)[category * n_words_ + word]; bits != 0; bits &= bits - 1) {
                const std::uint16_t code = codes[word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits))];
                if (code != missing_state) ++lines[std::size_t{code} * few.n_categories + category];
            }
    if (few.n_planes < few.n_categories)
        for (std::size_t category = 0; category < many.n_categories; ++category) {
            std::int64_t* const line = lines.data() + category * few.n_categories;
            line[few.n_planes] = counts(many)[category] - std::accumulate(line, line + few.n_planes, std::int64_t{0});
        }
    if (!is_turned) return;
    for (std::size_t a = 0; a < x.n_categories; ++a)
        for (std::size_t b = 0; b < y.n_categories; ++b)
            room.cells[a * y.n_categories + b] = lines[b * few.n_categories + a];
}

/// Looks at listed rows only: at least one of the two columns is a list.
void CategoryColumns::count_by_list(const Column& x, const Column& y, Room& room) const {
    const bool is_turned = y.kept != Kept::list;
    const Column& list = is_turned ? x : y;
    const Column& other = is_turned ? y : x;
    const auto add = [&](std::size_t of_other, std::size_t of_list, std::int64_t count) {
        if (of_other >= other.n_categories || of_list >= list.n_categories) return;  // missing
        room.cells[is_turned ? of_list * y.n_categories + of_other : of_other * y.n_categories + of_list] += count;
    };
    std::size_t at = list.at;
    const std::size_t end = list.at + list.n_listed;
    if (other.kept != Kept::list) {
        std::vector<std::int64_t>& left = room.x_counts;
        left.assign(counts(other), counts(other) + other.n_categories);
        for (; at < end; ++at) {
            const std::uint16_t category = category_at(other, static_cast<std::size_t>(listed_rows_[at]));
            if (category == missing_state) continue;
            --left[category];
            add(category, listed_states_[at], 1);
        }
        for (std::size_t category = 0; category < other.n_categories; ++category)
            add(category, list.usual, left[category]);
        return;
    }
    std::size_t from = other.at, n_both = 0;
    const std::size_t stop = other.at + other.n_listed;
    while (at < end || from < stop) {
        const std::int32_t in_list = at < end ? listed_rows_[at] : std::numeric_limits<std::int32_t>::max();
        const std::int32_t in_other = from < stop ? listed_rows_[from] : std::numeric_limits<std::int32_t>::max();
        add(in_other <= in_list ? listed_states_[from] : other.usual,
            in_list <= in_other ? listed_states_[at] : list.usual, 1);
        n_both += in_list == in_other;
        at += in_list <= in_other;
        from += in_other <= in_list;
    }
    add(other.usual, list.usual, static_cast<std::int64_t>(n_rows_ + n_both - list.n_listed - other.n_listed));
}

void CategoryColumns::count(const Column& x, const Column& y, Room& room) const {
    const std::size_t n_cells = std::size_t{x.n_categories} * y.n_categories;
    // A table with many more cells than rows is nearly empty: then only those with rows are kept.
    room.is_sparse = n_cells > 4 * n_rows_ + 4096;
    if (!room.is_sparse) room.cells.assign(n_cells, 0);
    if (room.is_sparse)
        count_by_codes(x, y, room);
    else if (x.kept == Kept::list || y.kept == Kept::list)
        count_by_list(x, y, room);
    else if (x.kept == Kept::planes && y.kept == Kept::planes)
        count_by_planes(x, y, room);
    else if (x.kept == Kept::planes || y.kept == Kept::planes)
        count_by_rows_of_planes(x, y, room);
    else
        count_by_codes(x, y, room);
    if (x.is_complete && y.is_complete) {
        room.x_counts.assign(counts(x), counts(x) + x.n_categories);
        room.y_counts.assign(counts(y), counts(y) + y.n_categories);
        room.n_rows = static_cast<std::int64_t>(n_rows_);
        return;
    }
    room.x_counts.assign(x.n_categories, 0);
    room.y_counts.assign(y.n_categories, 0);
    room.n_rows = 0;
    for (std::size_t cell = 0; cell < room.cells.size(); ++cell) {
        const auto [a, b] = room.categories_of(cell, y.n_categories);
        room.x_counts[a] += room.cells[cell];
        room.y_counts[b] += room.cells[cell];
        room.n_rows += room.cells[cell];
    }
}

double CategoryColumns::information(const Column& x, const Column& y, Room& room) const {
    const auto is_simple = [](const Column& c) {
        return c.kept == Kept::planes && c.is_complete && c.n_categories > 0;
    };
    const Entropies& entropies = this->entropies();
    const std::int64_t* const known = entropies.all();
    if (known && is_simple(x) && is_simple(y)) {
        // The pairs that most tables are made of need no table of cells.
        const auto n_rows = static_cast<std::int64_t>(n_rows_);
        const std::int64_t of_cells = bit_kernels().sum_over_cells({planes(x), x.n_planes, counts(x)},
                                                                   {planes(y), y.n_planes, counts(y)}, n_words_, known);
        return entropies.nats(known[n_rows_] - x.entropy - y.entropy + of_cells, n_rows);
    }
    count(x, y, room);
    return fewest::information(entropies, room.cells, room.x_counts, room.y_counts, room.n_rows);
}

template <class Measure>
void CategoryColumns::measure_each(const std::int64_t* others, std::size_t n_others, std::size_t n_threads,
                                   Measure&& measure) const {
    std::vector<Room> rooms(std::max<std::size_t>(n_threads, 1));
    run_tasks((n_others + columns_at_once - 1) / columns_at_once, n_threads, [&](std::size_t task, std::size_t worker) {
        const std::size_t end = std::min((task + 1) * columns_at_once, n_others);
        for (std::size_t i = task * columns_at_once; i < end; ++i)
            measure(i, columns_[static_cast<std::size_t>(others[i])], rooms[worker]);
    });
}

void CategoryColumns::information(std::size_t column, const std::int64_t* others, std::size_t n_others,
                                  std::size_t n_threads, double* out) const {
    const Column& x = columns_[column];
    measure_each(others, n_others, n_threads,
                 [&](std::size_t i, const Column& y, Room& room) { out[i] = information(x, y, room); });
}

void CategoryColumns::add_information(const std::int64_t* chosen, std::size_t n_chosen, const std::int64_t* columns,
                                      const std::int64_t* counted, std::size_t n_columns, std::size_t n_threads,
                                      double* sums) const {
    measure_each(columns, n_columns, n_threads, [&](std::size_t i, const Column& y, Room& room) {
        for (auto place = static_cast<std::size_t>(counted[i]); place < n_chosen; ++place)
            sums[i] += information(columns_[static_cast<std::size_t>(chosen[place])], y, room);
    });
}

void CategoryColumns::chi_square(std::size_t column, const std::int64_t* others, std::size_t n_others,
                                 std::size_t n_threads, double* out) const {
    const Column& x = columns_[column];
    measure_each(others, n_others, n_threads, [&](std::size_t i, const Column& y, Room& room) {
        count(x, y, room);
        ChiSquare sum;
        for (std::size_t cell = 0; cell < room.cells.size(); ++cell) {
            const auto [a, b] = room.categories_of(cell, y.n_categories);
            sum.add(room.cells[cell], room.x_counts[a], room.y_counts[b]);
        }
        out[i] = sum.of_rows(room.n_rows);
    });
}

void CategoryColumns::joint_counts(std::size_t column, const std::int64_t* others, std::size_t n_others,
                                   std::size_t n_threads, std::int64_t* cells) const {
    const std::size_t width = n_categories(column);
    std::vector<std::size_t> starts(n_others + 1);
    for (std::size_t i = 0; i < n_others; ++i)
        starts[i + 1] = starts[i] + n_categories(static_cast<std::size_t>(others[i])) * width;
    std::fill_n(cells, starts.back(), 0);
    std::vector<Counter> counters(std::max<std::size_t>(n_threads, 1), Counter(*this));
    run_tasks((n_others + columns_at_once - 1) / columns_at_once, n_threads, [&](std::size_t task, std::size_t worker) {
        const std::size_t end = std::min((task + 1) * columns_at_once, n_others);
        for (std::size_t i = task * columns_at_once; i < end; ++i)
            counters[worker].add(static_cast<std::size_t>(others[i]), column, cells + starts[i], width);
    });
}

void CategoryColumns::joint_information(std::size_t column, const std::int32_t* joint, std::size_t n_joint,
                                        const std::int64_t* others, std::size_t n_others, std::size_t n_threads,
                                        double* out) const {
    const Column& target = columns_[column];
    const Entropies& entropies = this->entropies();
    Codes target_room;
    const std::uint16_t* const target_codes = codes_of(target, target_room);
    // Rows by joint category: then one joint category's table at a time is enough.
    std::vector<std::size_t> ends(n_joint + 1), order(n_rows_);
    for (std::size_t row = 0; row < n_rows_; ++row) ++ends[static_cast<std::size_t>(joint[row]) + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    std::vector<std::size_t> place(ends.begin(), ends.end() - 1);
    for (std::size_t row = 0; row < n_rows_; ++row) order[place[static_cast<std::size_t>(joint[row])]++] = row;

    measure_each(others, n_others, n_threads, [&](std::size_t i, const Column& y, Room& room) {
        const std::uint16_t* const codes = codes_of(y, room.y_codes);
        const std::size_t n_classes = target.n_categories;
        room.cells.assign(std::size_t{y.n_categories} * n_classes, 0);
        room.y_counts.assign(y.n_categories, 0);
        std::int64_t sum = entropies.of(static_cast<std::int64_t>(n_rows_)) - target.entropy;
        for (std::size_t category = 0; category < n_joint; ++category) {
            // Adding a row to a cell of k adds (k + 1) log (k + 1) - k log k; emptied again, the table serves the next.
            for (std::size_t at = ends[category]; at < ends[category + 1]; ++at) {
                const std::size_t row = order[at];
                std::int64_t& cell = room.cells[codes[row] * n_classes + target_codes[row]];
                std::int64_t& margin = room.y_counts[codes[row]];
                sum += entropies.of(cell + 1) - entropies.of(cell) - entropies.of(margin + 1) + entropies.of(margin);
                ++cell;
                ++margin;
            }
            for (std::size_t at = ends[category]; at < ends[category + 1]; ++at) {
                const std::size_t row = order[at];
                room.cells[codes[row] * n_classes + target_codes[row]] = 0;
                room.y_counts[codes[row]] = 0;
            }
        }
        out[i] = entropies.nats(sum, static_cast<std::int64_t>(n_rows_));
    });
}

std::size_t CategoryColumns::refine(std::int32_t* joint, std::size_t n_joint, std::size_t column) const {
    const Column& x = columns_[column];
    Codes room;
    const std::uint16_t* const codes = codes_of(x, room);
    std::unordered_map<std::uint64_t, std::int32_t> numbers;
    numbers.reserve(2 * n_joint);
    for (std::size_t row = 0; row < n_rows_; ++row) {
        const auto key = static_cast<std::uint64_t>(joint[row]) << 16 | codes[row];
        joint[row] = numbers.emplace(key, static_cast<std::int32_t>(numbers.size())).first->second;
    }
    return numbers.size();
}

}  // namespace fewest
