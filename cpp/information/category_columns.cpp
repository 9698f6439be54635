#include "information/category_columns.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "core/threads.hpp"
#include "core/word_bits.hpp"
#include "information/byte_rows.hpp"

namespace fewest {

namespace {

constexpr std::size_t columns_at_once = 16;

/// The categories of up to 64 codes as bytes.
template <class Code>
void to_states(const Code* codes, std::size_t n_codes, std::int64_t first_code, std::uint8_t* categories) {
    for (std::size_t i = 0; i < n_codes; ++i) {
        const std::int64_t category = codes[i] - first_code;
        const bool is_missing = codes[i] == std::numeric_limits<Code>::max();
        const bool is_any = category >= 0 && static_cast<std::size_t>(category) < most_planes;
        categories[i] = is_missing ? missing_byte : static_cast<std::uint8_t>(is_any ? category : missing_byte - 1);
    }
}

[[noreturn]] void throw_no_such_state() { throw std::invalid_argument("there is no such category"); }

}  // namespace

CategoryColumns::CategoryColumns(const std::int32_t* n_categories, const std::uint8_t* is_complete,
                                 const std::uint8_t* is_listed, std::size_t n_columns, std::size_t n_rows)
    : n_rows_(n_rows), n_words_((n_rows + 63) / 64), columns_(n_columns), n_filled_(n_columns) {
    std::size_t n_counts = 0;
    for (std::size_t i = 0; i < n_columns; ++i) {
        Column& column = columns_[i];
        column.n_categories = static_cast<std::uint16_t>(n_categories[i]);
        column.is_complete = is_complete[i] != 0;
        column.counts_at = n_counts;
        n_counts += column.n_categories;
        if (is_listed[i]) {
            column.kept = Kept::list;
        } else if (column.n_categories > most_planes) {
            column.kept = Kept::codes;
            column.at = n_codes_;
            n_codes_ += n_rows;
        } else {
            // Where no row is missing the last category has what the others leave.
            column.n_planes =
                static_cast<std::uint16_t>(column.n_categories - (column.is_complete && column.n_categories > 0));
            column.at = n_plane_words_;
            n_plane_words_ += column.n_planes * n_words_;
        }
    }
    planes_ = LargeArray<std::uint64_t>(n_plane_words_);
    codes_ = LargeArray<std::uint16_t>(n_codes_);
    counts_.resize(n_counts);
}

bool CategoryColumns::is_filled() const {
    return std::all_of(n_filled_.begin(), n_filled_.end(), [&](std::size_t n) { return n == n_rows_; });
}

bool CategoryColumns::has_lists() const {
    return std::any_of(columns_.begin(), columns_.end(), [](const Column& c) { return c.kept == Kept::list; });
}

CategoryColumns::Memory CategoryColumns::memory() {
    return {planes_.data(), codes_.data(), counts_.data(), n_plane_words_, n_codes_, counts_.size()};
}

void CategoryColumns::take_memory() {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        Column& column = columns_[i];
        const std::uint16_t* const codes = codes_.data() + column.at;
        const auto is_none = [&](std::uint16_t code) {
            return code >= column.n_categories && (column.is_complete || code != missing_state);
        };
        if (column.kept == Kept::codes && std::any_of(codes, codes + n_rows_, is_none)) throw_no_such_state();
        const std::int64_t* const own = counts(column);
        const auto is_no_count = [&](std::int64_t n) { return n < 0 || n > static_cast<std::int64_t>(n_rows_); };
        if (std::any_of(own, own + column.n_categories, is_no_count)) throw_no_such_state();
        n_filled_[i] = n_rows_;
    }
}

void CategoryColumns::place(const CategoryColumns& part, std::size_t first) {
    const std::size_t n_placed = part.columns_.size() - 1, last = columns_.size() - 1;
    if (part.n_rows_ != n_rows_ || !part.is_filled() || first + n_placed > last)
        throw std::invalid_argument("a part has the same rows, all filled in, and no more columns");
    for (std::size_t i = 0; i <= n_placed; ++i) {
        const std::size_t index = i < n_placed ? first + i : last;
        const Column& from = part.columns_[i];
        Column& to = columns_[index];
        const bool is_alike = from.kept == to.kept && from.kept != Kept::list && from.n_categories == to.n_categories &&
                              from.n_planes == to.n_planes;
        if (!is_alike) throw std::invalid_argument("a part keeps its columns as the whole does");
        if (from.kept == Kept::planes)
            std::copy_n(part.planes_.data() + from.at, from.n_planes * n_words_, planes_.data() + to.at);
        else
            std::copy_n(part.codes_.data() + from.at, n_rows_, codes_.data() + to.at);
        std::copy_n(part.counts(from), from.n_categories, counts_.data() + to.counts_at);
        to.is_complete = from.is_complete;
        n_filled_[index] = n_rows_;
    }
}

const Entropies& CategoryColumns::entropies() const {
    std::call_once(entropies_->is_known, [&] {
        const Entropies& entropies = entropies_->value.emplace(n_rows_);
        for (const Column& column : columns_)
            for (std::size_t category = 0; category < column.n_categories; ++category)
                column.entropy += entropies.of(counts(column)[category]);
    });
    return *entropies_->value;
}

template <class Code>
void CategoryColumns::fill(const std::int64_t* columns, std::size_t n_filled, const Code* codes, std::ptrdiff_t stride,
                           const std::int64_t* first_codes, std::size_t n_rows, std::size_t n_threads) {
    run_tasks((n_filled + columns_at_once - 1) / columns_at_once, n_threads, [&](std::size_t task, std::size_t) {
        const std::size_t end = std::min((task + 1) * columns_at_once, n_filled);
        for (std::size_t i = task * columns_at_once; i < end; ++i) {
            Column& column = columns_[static_cast<std::size_t>(columns[i])];
            std::size_t& n_so_far = n_filled_[static_cast<std::size_t>(columns[i])];
            if (column.kept == Kept::list || n_rows > n_rows_ - n_so_far)
                throw std::invalid_argument("there are no such rows to fill in");
            const Code* const of_column = codes + static_cast<std::ptrdiff_t>(i) * stride;
            if (column.kept == Kept::planes)
                fill_planes(column, of_column, first_codes[i], n_so_far, n_rows);
            else
                fill_codes(column, of_column, first_codes[i], n_so_far, n_rows);
            n_so_far += n_rows;
        }
    });
}

template <class Code>
void CategoryColumns::fill_planes(const Column& column, const Code* codes, std::int64_t first_code,
                                  std::size_t first_row, std::size_t n_rows) {
    const auto to_planes = byte_kernels().to_planes;
    std::uint64_t* const planes = planes_.data() + column.at;
    std::int64_t* const counts = counts_.data() + column.counts_at;
    const std::int64_t n_before = std::accumulate(counts, counts + column.n_categories, std::int64_t{0});
    // Bytes are taken as they are where they fill whole words.
    const auto fill_words = [&](const std::uint8_t* bytes, std::size_t n_words, std::int64_t first_byte, auto* out,
                                std::size_t stride) {
        // A run of rows may lie above its column's first categories, or below the last: then none are there.
        const auto first = static_cast<std::size_t>(std::max<std::int64_t>(-first_byte, 0));
        const auto end = std::min<std::size_t>(
            column.n_categories, static_cast<std::size_t>(std::max<std::int64_t>(missing_byte - first_byte, 0)));
        for (std::size_t category = 0; category < column.n_planes; ++category)
            if (category < first || category >= end) std::fill_n(out + category * stride, n_words, 0);
        if (first >= end) return;
        to_planes(bytes, n_words, static_cast<std::uint8_t>(first_byte + static_cast<std::int64_t>(first)), end - first,
                  std::min<std::size_t>(end, column.n_planes) - std::min<std::size_t>(first, column.n_planes), stride,
                  out + first * stride, counts + first);
    };
    std::array<std::uint8_t, 64> room;
    std::array<std::uint64_t, most_planes> bits;
    for (std::size_t done = 0; done < n_rows;) {
        const std::size_t row = first_row + done, word = row / 64, offset = row % 64;
        if constexpr (sizeof(Code) == 1) {
            if (const std::size_t n_words = (n_rows - done) / 64; offset == 0 && n_words > 0) {
                fill_words(codes + done, n_words, first_code, planes + word, n_words_);
                done += 64 * n_words;
                continue;
            }
        }
        const std::size_t n_now = std::min(64 - offset, n_rows - done);
        room.fill(missing_byte);
        to_states(codes + done, n_now, first_code, room.data() + offset);
        fill_words(room.data(), 1, 0, bits.data(), 1);
        for (std::size_t category = 0; category < column.n_planes; ++category) {
            std::uint64_t& place = planes[category * n_words_ + word];
            place = offset == 0 ? bits[category] : place | bits[category];
        }
        done += n_now;
    }
    const std::int64_t n_placed = std::accumulate(counts, counts + column.n_categories, -n_before);
    const auto n_missing = static_cast<std::int64_t>(n_rows) - n_placed;
    if (n_missing == 0) return;
    if (column.is_complete || n_missing != std::count(codes, codes + n_rows, std::numeric_limits<Code>::max()))
        throw_no_such_state();
}

template <class Code>
void CategoryColumns::fill_codes(const Column& column, const Code* codes, std::int64_t first_code,
                                 std::size_t first_row, std::size_t n_rows) {
    std::uint16_t* const out = codes_.data() + column.at + first_row;
    for (std::size_t row = 0; row < n_rows; ++row) {
        const std::int64_t category = codes[row] - first_code;
        const bool is_missing = codes[row] == std::numeric_limits<Code>::max();
        if (is_missing ? column.is_complete : category < 0 || static_cast<std::size_t>(category) >= column.n_categories)
            throw_no_such_state();
        out[row] = is_missing ? missing_state : static_cast<std::uint16_t>(category);
        if (!is_missing) ++counts_[column.counts_at + out[row]];
    }
}

void CategoryColumns::fill_bits(std::size_t index, const std::uint64_t* bits, std::size_t stride, std::size_t n_rows) {
    Column& column = columns_[index];
    if (column.kept != Kept::planes || n_rows > n_rows_ - n_filled_[index])
        throw std::invalid_argument("there are no such rows to fill in");
    std::int64_t* const counts = counts_.data() + column.counts_at;
    std::int64_t n_placed = 0;
    for (std::size_t category = 0; category < column.n_categories; ++category) {
        const std::uint64_t* const words = bits + category * stride;
        std::uint64_t* const plane = planes_.data() + column.at + category * n_words_;
        std::int64_t count = 0;
        for (std::size_t done = 0; done < n_rows; done += 64) {
            count += static_cast<std::int64_t>(bits_of_word(words[done / 64]));
            if (category < column.n_planes)
                append_bits(plane, n_filled_[index] + done, words[done / 64], std::min<std::size_t>(64, n_rows - done));
        }
        counts[category] += count;
        n_placed += count;
    }
    if (column.is_complete && n_placed != static_cast<std::int64_t>(n_rows)) throw_no_such_state();
    n_filled_[index] += n_rows;
}

void CategoryColumns::list(const std::int64_t* columns, std::size_t n_listed, const std::int64_t* starts,
                           const std::int32_t* rows, const std::uint16_t* categories, const std::int32_t* usual) {
    for (std::size_t i = 0; i < n_listed; ++i) {
        Column& column = columns_[static_cast<std::size_t>(columns[i])];
        std::size_t& n_so_far = n_filled_[static_cast<std::size_t>(columns[i])];
        if (column.kept != Kept::list || n_so_far > 0 || static_cast<std::size_t>(usual[i]) >= column.n_categories)
            throw std::invalid_argument("this column cannot be listed");
        column.at = listed_rows_.size();
        column.usual = static_cast<std::uint16_t>(usual[i]);
        std::int32_t before = -1;
        for (std::int64_t at = starts[i]; at < starts[i + 1]; ++at) {
            if (rows[at] <= before || static_cast<std::size_t>(rows[at]) >= n_rows_)
                throw std::invalid_argument("rows are listed in ascending order");
            if (categories[at] == missing_state ? column.is_complete : categories[at] >= column.n_categories)
                throw_no_such_state();
            before = rows[at];
            if (categories[at] == column.usual) continue;
            if (categories[at] != missing_state) ++counts_[column.counts_at + categories[at]];
            listed_rows_.push_back(rows[at]);
            listed_states_.push_back(categories[at]);
        }
        column.n_listed = static_cast<std::uint32_t>(listed_rows_.size() - column.at);
        counts_[column.counts_at + column.usual] = static_cast<std::int64_t>(n_rows_ - column.n_listed);
        n_so_far = n_rows_;
    }
}

template void CategoryColumns::fill<std::uint8_t>(const std::int64_t*, std::size_t, const std::uint8_t*, std::ptrdiff_t,
                                                  const std::int64_t*, std::size_t, std::size_t);
template void CategoryColumns::fill<std::uint16_t>(const std::int64_t*, std::size_t, const std::uint16_t*,
                                                   std::ptrdiff_t, const std::int64_t*, std::size_t, std::size_t);

}  // namespace fewest
