#pragma once
// Memory that is written before it is read, in large pages where the system has them.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace fewest {

/// Room for `size` numbers, not set to anything. Fetching fresh memory page by page can take longer than the work
/// done on it, so arrays of several megabytes ask for large pages. Large ones are mapped by themselves: what is freed goes
/// back to the system at once, not to the heap.
template <class T>
class LargeArray {
    static_assert(std::is_trivial_v<T>);

public:
    explicit LargeArray(std::size_t size) : data_(nullptr, Free{0}) {
        const std::size_t n_bytes = size * sizeof(T) + 1;
        void* memory = nullptr;
#if defined(__linux__)
        if (n_bytes >= mapped_size) {
            memory = map(n_bytes);
            if (!memory) throw std::bad_alloc();
            data_ = Owner(static_cast<T*>(memory), Free{whole_pages(n_bytes)});
            return;
        }
#endif
        memory = std::malloc(n_bytes);
        if (!memory) throw std::bad_alloc();
        data_ = Owner(static_cast<T*>(memory), Free{0});
    }

    /// Where it begins. What lies there is not part of the array's own category, as with a pointer.
    T* data() const { return data_.get(); }

private:
    /// Frees what was mapped (of n_mapped bytes) or, where that is 0, allocated.
    struct Free {
        std::size_t n_mapped;

        void operator()(T* memory) const {
#if defined(__linux__)
            if (n_mapped > 0) {
                munmap(memory, n_mapped);
                return;
            }
#endif
            std::free(memory);
        }
    };
    using Owner = std::unique_ptr<T, Free>;

#if defined(__linux__)
    static constexpr std::size_t mapped_size = std::size_t{1} << 18, page = 4096, large_page = std::size_t{1} << 21;

    static std::size_t whole_pages(std::size_t n_bytes) { return (n_bytes + page - 1) / page * page; }

    /// Fresh pages, from a large page on where there is one; nullptr where there are none.
    static void* map(std::size_t n_bytes) {
        const std::size_t n_mapped = whole_pages(n_bytes);
        const std::size_t spare = n_mapped >= 2 * large_page ? large_page : 0;
        void* const memory =
            mmap(nullptr, n_mapped + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return nullptr;
        if (spare == 0) return memory;
        char* const first = static_cast<char*>(memory);
        const std::size_t past = reinterpret_cast<std::uintptr_t>(memory) % large_page;
        const std::size_t head = past == 0 ? 0 : large_page - past;
        if (head > 0) munmap(first, head);
        if (spare > head) munmap(first + head + n_mapped, spare - head);
        madvise(first + head, n_mapped, MADV_HUGEPAGE);  // only a wish: what comes of it does not matter
        return first + head;
    }
#endif

    Owner data_;
};

}  // namespace fewest
