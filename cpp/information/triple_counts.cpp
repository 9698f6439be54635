// What two columns of categories know of a target together, by counting how often three categories meet.

#include "information/triple_counts.hpp"

#include <algorithm>

#include "core/threads.hpp"
#include "information/category_columns.hpp"
#include "information/count_room.hpp"
#include "information/shared_bits.hpp"

namespace fewest {

namespace {

constexpr std::size_t columns_at_once = 16;

/// Sums of k log k over the cells of a table of x, s and c, and over its margins.
struct TripleSums {
    std::int64_t xsc = 0, xs = 0, sc = 0, x = 0, s = 0;
    std::int64_t n_rows = 0;

    void write(const Entropies& entropies, double* out) const {
        const std::int64_t of_rows = entropies.of(n_rows);
        out[0] = entropies.nats(xsc + s - xs - sc, n_rows);
        out[1] = entropies.nats(of_rows + xs - x - s, n_rows);
        out[2] = entropies.nats(of_rows - xsc, n_rows);
    }
};

/// From the cells of a dense table, all that triple_information() gives.
void measure_cells(const Entropies& entropies, const std::int64_t* cells, std::size_t n_x, std::size_t n_s,
                   std::size_t n_c, MarginRoom& room, double* out) {
    room.xc.assign(n_x * n_c, 0);
    room.sc.assign(n_s * n_c, 0);
    room.s.assign(n_s, 0);
    room.c.assign(n_c, 0);
    TripleSums sums;
    for (std::size_t a = 0; a < n_x; ++a) {
        std::int64_t of_x = 0;
        for (std::size_t b = 0; b < n_s; ++b) {
            std::int64_t of_pair = 0;
            for (std::size_t c = 0; c < n_c; ++c) {
                const std::int64_t cell = *cells++;
                sums.xsc += entropies.of(cell);
                of_pair += cell;
                room.xc[a * n_c + c] += cell;
                room.sc[b * n_c + c] += cell;
            }
            sums.xs += entropies.of(of_pair);
            room.s[b] += of_pair;
            of_x += of_pair;
        }
        sums.x += entropies.of(of_x);
        sums.n_rows += of_x;
    }
    for (std::size_t b = 0; b < n_s; ++b)
        for (std::size_t c = 0; c < n_c; ++c) room.c[c] += room.sc[b * n_c + c];
    const auto sum_of = [&](const std::vector<std::int64_t>& counts) {
        std::int64_t sum = 0;
        for (const std::int64_t count : counts) sum += entropies.of(count);
        return sum;
    };
    sums.sc = sum_of(room.sc);
    sums.s = sum_of(room.s);
    sums.write(entropies, out);
    const std::int64_t of_rows = entropies.of(sums.n_rows), of_c = sum_of(room.c);
    out[3] = entropies.nats(of_rows + sum_of(room.xc) - sums.x - of_c, sums.n_rows);
    out[4] = entropies.nats(of_rows + sums.sc - sums.s - of_c, sums.n_rows);
}

/// The sum of k log k over how often each key stands in a list.
std::int64_t sum_of_runs(const Entropies& entropies, std::vector<std::uint64_t>& keys) {
    std::sort(keys.begin(), keys.end());
    std::int64_t sum = 0;
    for (std::size_t first = 0, end = 0; first < keys.size(); first = end) {
        while (end < keys.size() && keys[end] == keys[first]) ++end;
        sum += entropies.of(static_cast<std::int64_t>(end - first));
    }
    return sum;
}

/// The same as measure_cells, from the categories of the rows: where a table of cells would be nearly empty.
void measure_rows(const Entropies& entropies, const std::uint16_t* x, std::size_t n_x, const std::uint16_t* s,
                  std::size_t n_s, const std::uint16_t* c, std::size_t n_rows, double* out) {
    std::vector<std::uint64_t> keys;
    const auto sum = [&](bool has_x, bool has_s, bool has_c) {
        keys.clear();
        for (std::size_t row = 0; row < n_rows; ++row)
            if (x[row] < n_x && s[row] < n_s)
                keys.push_back((has_x ? std::uint64_t{x[row]} << 32 : 0) | (has_s ? std::uint64_t{s[row]} << 16 : 0) |
                               (has_c ? std::uint64_t{c[row]} : 0));
        return sum_of_runs(entropies, keys);
    };
    TripleSums sums{sum(true, true, true),   sum(true, true, false),  sum(false, true, true),
                    sum(true, false, false), sum(false, true, false), 0};
    const std::int64_t of_xc = sum(true, false, true), of_c = sum(false, false, true);
    sums.n_rows = static_cast<std::int64_t>(keys.size());
    sums.write(entropies, out);
    const std::int64_t of_rows = entropies.of(sums.n_rows);
    out[3] = entropies.nats(of_rows + of_xc - sums.x - of_c, sums.n_rows);
    out[4] = entropies.nats(of_rows + sums.sc - sums.s - of_c, sums.n_rows);
}

}  // namespace

/// Category b * n_c + c of the joint column are the rows in category b of the first and c of the second.
struct CategoryColumns::Joint {
    Column column;
    Apart apart{};
    std::vector<std::uint64_t> planes;
    Codes codes;
    std::vector<std::int64_t> counts;
    bool is_made = false;  // not where there are too many joint categories
};

struct CategoryColumns::TripleRoom {
    Room pair;
    MarginRoom margins;
    Codes selected_codes, target_codes;
};

/// The rows of every category, also of the last one of complete columns, [category][word].
std::vector<std::uint64_t> CategoryColumns::bits_of_categories(const Column& column) const {
    std::vector<std::uint64_t> bits(column.n_categories * n_words_);
    if (column.kept != Kept::planes) {
        Codes room;
        const std::uint16_t* const codes = codes_of(column, room);
        for (std::size_t row = 0; row < n_rows_; ++row)
            if (codes[row] < column.n_categories)
                bits[codes[row] * n_words_ + row / 64] |= std::uint64_t{1} << (row % 64);
        return bits;
    }
    std::copy_n(planes(column), column.n_planes * n_words_, bits.data());
    if (column.n_planes == column.n_categories || n_words_ == 0) return bits;
    std::uint64_t* const last = bits.data() + column.n_planes * n_words_;
    std::fill_n(last, n_words_, ~std::uint64_t{0});
    if (n_rows_ % 64 != 0) last[n_words_ - 1] = (std::uint64_t{1} << (n_rows_ % 64)) - 1;
    for (std::size_t at = 0; at < column.n_planes * n_words_; ++at) last[at % n_words_] &= ~bits[at];
    return bits;
}

void CategoryColumns::join(const Column& x, const Column& y, Joint& joint) const {
    const std::size_t n_joint = std::size_t{x.n_categories} * y.n_categories;
    if (n_joint >= missing_state || n_joint == 0) return;
    joint.is_made = true;
    joint.counts.assign(n_joint, 0);
    Column& column = joint.column;
    column.n_categories = static_cast<std::uint16_t>(n_joint);
    column.is_complete = x.is_complete && y.is_complete;
    // A list is met with lists, row by row: these look up codes.
    if (n_joint <= most_joint_planes && x.kept != Kept::list) {
        column.n_planes = static_cast<std::uint16_t>(n_joint - column.is_complete);
        joint.planes.resize(column.n_planes * n_words_);
        const std::vector<std::uint64_t> of_x = bits_of_categories(x), of_y = bits_of_categories(y);
        for (std::size_t category = 0; category < column.n_planes; ++category) {
            const std::uint64_t* const a = of_x.data() + category / y.n_categories * n_words_;
            const std::uint64_t* const b = of_y.data() + category % y.n_categories * n_words_;
            std::uint64_t* const out = joint.planes.data() + category * n_words_;
            for (std::size_t word = 0; word < n_words_; ++word) out[word] = a[word] & b[word];
        }
        bit_kernels().shared_bits(of_x.data(), x.n_categories, of_y.data(), y.n_categories, n_words_, n_words_,
                                  joint.counts.data());
    } else {
        column.kept = Kept::codes;
        Codes room_x, room_y;
        const std::uint16_t* const of_x = codes_of(x, room_x);
        const std::uint16_t* const of_y = codes_of(y, room_y);
        joint.codes.assign(n_rows_, missing_state);
        for (std::size_t row = 0; row < n_rows_; ++row) {
            if (of_x[row] >= x.n_categories || of_y[row] >= y.n_categories) continue;
            joint.codes[row] = static_cast<std::uint16_t>(of_x[row] * y.n_categories + of_y[row]);
            ++joint.counts[joint.codes[row]];
        }
    }
    for (const std::int64_t count : joint.counts) column.entropy += entropies().of(count);
    joint.apart = {joint.planes.data(), joint.codes.data(), joint.counts.data()};
    column.apart = &joint.apart;
}

void CategoryColumns::measure_triple(const Column& x, const Column& selected, const Column& target, const Joint& joint,
                                     TripleRoom& room, double* out) const {
    const Entropies& entropies = this->entropies();
    const std::int64_t* const known = entropies.all();
    const Column& of_joint = joint.column;
    const bool is_complete = x.is_complete && selected.is_complete;
    if (known && joint.is_made && is_complete && x.kept == Kept::planes && of_joint.kept == Kept::planes &&
        x.n_categories > 0) {
        // The triples that most tables are made of need no table of cells.
        TripleSums sums{0, 0, of_joint.entropy, x.entropy, selected.entropy, static_cast<std::int64_t>(n_rows_)};
        const CategorySums found = bit_kernels().sum_over_triples(
            {planes(x), x.n_planes, counts(x)}, {planes(of_joint), of_joint.n_planes, counts(of_joint)},
            target.n_categories, n_words_, known);
        sums.xsc = found.of_triples;
        sums.xs = found.of_pairs;
        sums.write(entropies, out);
        return;
    }
    double all[n_triple_measures];
    const std::size_t n_cells = std::size_t{x.n_categories} * of_joint.n_categories;
    if (joint.is_made && n_cells <= 4 * n_rows_ + 4096) {
        count(x, of_joint, room.pair);
        measure_cells(entropies, room.pair.cells.data(), x.n_categories, selected.n_categories, target.n_categories,
                      room.margins, all);
    } else {
        measure_rows(entropies, codes_of(x, room.pair.x_codes), x.n_categories, codes_of(selected, room.selected_codes),
                     selected.n_categories, codes_of(target, room.target_codes), n_rows_, all);
    }
    std::copy_n(all, is_complete ? 3 : n_triple_measures, out);
}

void CategoryColumns::triple_information(std::size_t target, std::size_t selected, const std::int64_t* others,
                                         std::size_t n_others, std::size_t n_threads, double* out) const {
    const Column& of_target = columns_[target];
    const Column& of_selected = columns_[selected];
    this->entropies();
    Joint joint;
    join(of_selected, of_target, joint);
    std::vector<TripleRoom> rooms(std::max<std::size_t>(n_threads, 1));
    run_tasks((n_others + columns_at_once - 1) / columns_at_once, n_threads, [&](std::size_t task, std::size_t worker) {
        const std::size_t end = std::min((task + 1) * columns_at_once, n_others);
        for (std::size_t i = task * columns_at_once; i < end; ++i)
            measure_triple(columns_[static_cast<std::size_t>(others[i])], of_selected, of_target, joint, rooms[worker],
                           out + i * n_triple_measures);
    });
}

void CategoryColumns::triple_counts(std::size_t target, std::size_t selected, const std::int64_t* others,
                                    std::size_t n_others, std::size_t n_threads, std::int64_t* cells) const {
    const Column& of_target = columns_[target];
    const Column& of_selected = columns_[selected];
    const std::size_t n_s = of_selected.n_categories, n_c = of_target.n_categories, width = n_s * n_c;
    std::vector<std::size_t> starts(n_others + 1);
    for (std::size_t i = 0; i < n_others; ++i)
        starts[i + 1] = starts[i] + n_categories(static_cast<std::size_t>(others[i])) * width;
    std::fill_n(cells, starts.back(), 0);
    Joint joint;
    join(of_selected, of_target, joint);
    Codes selected_room, target_room;
    const std::uint16_t* const of_s = joint.is_made ? nullptr : codes_of(of_selected, selected_room);
    const std::uint16_t* const of_c = joint.is_made ? nullptr : codes_of(of_target, target_room);
    std::vector<Room> rooms(std::max<std::size_t>(n_threads, 1));
    run_tasks(n_others, n_threads, [&](std::size_t i, std::size_t worker) {
        const Column& x = columns_[static_cast<std::size_t>(others[i])];
        std::int64_t* const own = cells + starts[i];
        if (joint.is_made) {
            Room& room = rooms[worker];
            count(x, joint.column, room);
            for (std::size_t cell = 0; cell < room.cells.size(); ++cell) {
                const auto [a, b] = room.categories_of(cell, width);
                own[a * width + b] += room.cells[cell];
            }
            return;
        }
        const std::uint16_t* const of_x = codes_of(x, rooms[worker].x_codes);
        for (std::size_t row = 0; row < n_rows_; ++row)
            if (of_x[row] < x.n_categories && of_s[row] < n_s) ++own[of_x[row] * width + of_s[row] * n_c + of_c[row]];
    });
}

void CategoryColumns::entropies_of_columns(double* out) const {
    const Entropies& entropies = this->entropies();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const std::int64_t* const own = counts(columns_[i]);
        std::int64_t n_observed = 0;
        for (std::size_t category = 0; category < columns_[i].n_categories; ++category) n_observed += own[category];
        out[i] = entropies.nats(entropies.of(n_observed) - columns_[i].entropy, n_observed);
    }
}

void triple_information_of_cells(const std::int64_t* cells, const std::int32_t* n_categories, std::size_t n_columns,
                                 std::size_t n_selected, std::size_t n_target, std::size_t n_rows, double* out) {
    const Entropies entropies(n_rows);
    MarginRoom room;
    for (std::size_t i = 0; i < n_columns; ++i) {
        const auto n_x = static_cast<std::size_t>(n_categories[i]);
        measure_cells(entropies, cells, n_x, n_selected, n_target, room, out + i * n_triple_measures);
        cells += n_x * n_selected * n_target;
    }
}

}  // namespace fewest
