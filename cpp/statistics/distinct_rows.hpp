#pragma once
// Which rows of bytes are equal.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fewest {

/// Gives equal rows equal codes 0, 1, ... in order of first appearance, and returns where each first appears.
/// Rows of `width` bytes follow each other every `stride` bytes; codes has room for n_rows.
std::vector<std::int64_t> distinct_rows(const char* data, std::size_t n_rows, std::size_t width, std::ptrdiff_t stride,
                                        std::int32_t* codes);

}  // namespace fewest
