#include "information/packed_codes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "core/threads.hpp"
#include "core/word_bits.hpp"
#include "information/byte_rows.hpp"

namespace fewest {

namespace {

constexpr std::size_t columns_at_once = 16;
/// Of more bits the bits of each code are too many to be worked out one by one.
constexpr std::size_t few_bits = 8;

}  // namespace

PackedCodes::PackedCodes(const std::int32_t* n_codes, std::size_t n_columns, std::size_t n_rows)
    : n_rows_(n_rows), n_words_((n_rows + 63) / 64), n_codes_(n_codes, n_codes + n_columns), starts_(n_columns + 1) {
    for (std::size_t i = 0; i < n_columns; ++i) {
        std::size_t n_bits = 0;
        while (n_codes_[i] > std::size_t{1} << n_bits) ++n_bits;
        starts_[i + 1] = starts_[i] + n_bits;
    }
    bits_ = LargeArray<std::uint64_t>(starts_.back() * n_words_);
}

template <class Code>
void PackedCodes::fill_column(std::size_t column, const Code* codes, const std::int64_t* rows, std::size_t n_rows) {
    const std::size_t last = n_codes_[column] - 1, n_low = std::min<std::size_t>(n_bits(column), 8);
    const auto to_bits = byte_kernels().to_bits;
    std::array<std::uint8_t, 64> low{}, high{};
    std::array<std::uint64_t, 16> words{};
    for (std::size_t done = 0; done < n_rows; done += 64) {
        const std::size_t n_now = std::min<std::size_t>(64, n_rows - done);
        std::size_t largest = 0;
        for (std::size_t i = 0; i < n_now; ++i) {
            const Code code = codes[rows[done + i]];
            const std::size_t own = code == std::numeric_limits<Code>::max() ? last : code;
            low[i] = static_cast<std::uint8_t>(own);
            if constexpr (sizeof(Code) > 1) high[i] = static_cast<std::uint8_t>(own >> 8);
            largest = std::max(largest, own);
        }
        if (largest > last) throw std::invalid_argument("there is no such code");
        std::fill(low.begin() + static_cast<std::ptrdiff_t>(n_now), low.end(), std::uint8_t{0});
        std::fill(high.begin() + static_cast<std::ptrdiff_t>(n_now), high.end(), std::uint8_t{0});
        to_bits(low.data(), n_low, words.data());
        if (n_bits(column) > 8) to_bits(high.data(), n_bits(column) - 8, words.data() + 8);
        for (std::size_t bit = 0; bit < n_bits(column); ++bit)
            append_bits(line(column, bit), n_filled_ + done, words[bit], n_now);
    }
}

template <class Code>
void PackedCodes::fill(const Code* codes, std::ptrdiff_t stride, const std::int64_t* rows, std::size_t n_rows,
                       std::size_t n_threads) {
    if (n_rows > n_rows_ - n_filled_) throw std::invalid_argument("there are no such rows to fill in");
    run_tasks((n_columns() + columns_at_once - 1) / columns_at_once, n_threads, [&](std::size_t task, std::size_t) {
        const std::size_t end = std::min((task + 1) * columns_at_once, n_columns());
        for (std::size_t column = task * columns_at_once; column < end; ++column)
            fill_column(column, codes + static_cast<std::ptrdiff_t>(column) * stride, rows, n_rows);
    });
    n_filled_ += n_rows;
}

void PackedCodes::fill_in_bits(CategoryColumns& columns, std::size_t to, std::size_t column,
                               const std::uint16_t* categories) const {
    const std::size_t n_categories = columns.n_categories(to), n_lines = n_bits(column);
    std::vector<std::uint64_t> bits(n_categories * n_words_);
    std::array<std::uint64_t, std::size_t{1} << few_bits> of_code;
    for (std::size_t word = 0; word < n_words_; ++word) {
        const std::size_t n_left = n_rows_ - word * 64;
        of_code[0] = n_left < 64 ? (std::uint64_t{1} << n_left) - 1 : ~std::uint64_t{0};
        // Each bit splits the rows of every code so far.
        for (std::size_t bit = 0; bit < n_lines; ++bit) {
            const std::uint64_t is_set = line(column, bit)[word];
            for (std::size_t code = 0; code < std::size_t{1} << bit; ++code) {
                of_code[code | std::size_t{1} << bit] = of_code[code] & is_set;
                of_code[code] &= ~is_set;
            }
        }
        for (std::size_t code = 0; code < n_codes_[column]; ++code)
            if (categories[code] < n_categories) bits[categories[code] * n_words_ + word] |= of_code[code];
    }
    columns.fill_bits(to, bits.data(), n_words_, n_rows_);
}

void PackedCodes::fill_in_codes(CategoryColumns& columns, std::size_t to, std::size_t column,
                                const std::uint16_t* categories) const {
    std::vector<std::uint16_t> of_rows(n_rows_);
    for (std::size_t row = 0; row < n_rows_; ++row) {
        std::size_t code = 0;
        for (std::size_t bit = 0; bit < n_bits(column); ++bit)
            code |= (line(column, bit)[row / 64] >> (row % 64) & 1) << bit;
        of_rows[row] = categories[code];
    }
    const std::int64_t index = static_cast<std::int64_t>(to), first_code = 0;
    columns.fill(&index, 1, of_rows.data(), 0, &first_code, n_rows_, 1);
}

void PackedCodes::fill_in(CategoryColumns& columns, std::size_t first, const std::uint16_t* categories,
                          std::size_t width, std::size_t n_threads) const {
    run_tasks((n_columns() + columns_at_once - 1) / columns_at_once, n_threads, [&](std::size_t task, std::size_t) {
        const std::size_t end = std::min((task + 1) * columns_at_once, n_columns());
        for (std::size_t column = task * columns_at_once; column < end; ++column) {
            const bool are_few = n_bits(column) <= few_bits && columns.has_planes(first + column);
            (this->*(are_few ? &PackedCodes::fill_in_bits : &PackedCodes::fill_in_codes))(
                columns, first + column, column, categories + column * width);
        }
    });
}

template void PackedCodes::fill<std::uint8_t>(const std::uint8_t*, std::ptrdiff_t, const std::int64_t*, std::size_t,
                                              std::size_t);
template void PackedCodes::fill<std::uint16_t>(const std::uint16_t*, std::ptrdiff_t, const std::int64_t*, std::size_t,
                                               std::size_t);

}  // namespace fewest
