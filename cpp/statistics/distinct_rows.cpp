#include "statistics/distinct_rows.hpp"

#include <cstring>

namespace fewest {
namespace {

std::uint64_t hash_bytes(const char* bytes, std::size_t width) {
    constexpr std::uint64_t factor = 0x9E3779B97F4A7C15u;
    std::uint64_t hash = width;
    for (; width >= 8; bytes += 8, width -= 8) {
        std::uint64_t word;
        std::memcpy(&word, bytes, 8);
        hash = (hash ^ word) * factor;
        hash ^= hash >> 32;
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, bytes, width);
    hash = (hash ^ rest) * factor;
    return hash ^ (hash >> 29);
}

}  // namespace

std::vector<std::int64_t> distinct_rows(const char* data, std::size_t n_rows, std::size_t width, std::ptrdiff_t stride,
                                        std::int32_t* codes) {
    const auto row = [&](std::size_t i) { return data + static_cast<std::ptrdiff_t>(i) * stride; };
    std::vector<std::int64_t> firsts;
    std::vector<std::int32_t> slots(64, -1);  // open addressing, at most half full
    const auto find_slot = [&](const char* bytes) {
        std::size_t slot = hash_bytes(bytes, width) & (slots.size() - 1);
        while (slots[slot] >= 0 &&
               std::memcmp(row(static_cast<std::size_t>(firsts[static_cast<std::size_t>(slots[slot])])), bytes,
                           width) != 0)
            slot = (slot + 1) & (slots.size() - 1);
        return slot;
    };
    for (std::size_t i = 0; i < n_rows; ++i) {
        std::size_t slot = find_slot(row(i));
        if (slots[slot] < 0) {
            slots[slot] = static_cast<std::int32_t>(firsts.size());
            codes[i] = slots[slot];
            firsts.push_back(static_cast<std::int64_t>(i));
            if (2 * firsts.size() > slots.size()) {
                slots.assign(2 * slots.size(), -1);
                for (std::size_t c = 0; c < firsts.size(); ++c)
                    slots[find_slot(row(static_cast<std::size_t>(firsts[c])))] = static_cast<std::int32_t>(c);
            }
        } else {
            codes[i] = slots[slot];
        }
    }
    return firsts;
}

}  // namespace fewest
