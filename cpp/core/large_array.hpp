#pragma once
// Memory that is written before it is read, in large pages where the system has them.

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace fewest {

/// Room for `size` numbers, not set to anything. Fetching fresh memory page by page can take longer than the work
/// done on it, so arrays of several megabytes ask for large pages.
template <class T>
class LargeArray {
    static_assert(std::is_trivial_v<T>);

public:
    explicit LargeArray(std::size_t size) : data_(allocate(size), &std::free) {}

    /// Where it begins. What lies there is not part of the array's own category, as with a pointer.
    T* data() const { return data_.get(); }

private:
    static T* allocate(std::size_t size) {
        constexpr std::size_t large_page = std::size_t{1} << 21;
        std::size_t n_bytes = size * sizeof(T) + 1;
        void* memory = nullptr;
#if defined(__linux__)
        if (n_bytes >= 2 * large_page) {
            n_bytes = (n_bytes + large_page - 1) / large_page * large_page;
            memory = std::aligned_alloc(large_page, n_bytes);
            if (memory) madvise(memory, n_bytes, MADV_HUGEPAGE);  // only a wish: what comes of it does not matter
        } else {
            memory = std::malloc(n_bytes);
        }
#else
        memory = std::malloc(n_bytes);
#endif
        if (!memory) throw std::bad_alloc();
        return static_cast<T*>(memory);
    }

    std::unique_ptr<T, void (*)(void*)> data_;
};

}  // namespace fewest
