#pragma once
// The only header that knows threads.

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace fewest {

/// Runs task(i, worker) for i = 0 ... n_tasks - 1, each once, started in that order, on at most n_threads threads.
/// worker < n_threads tells which thread it is, for scratch memory. The calling thread works too. The first exception stops new tasks and is rethrown here.
template <class Task>
void run_tasks(std::size_t n_tasks, std::size_t n_threads, Task&& task) {
    n_threads = std::min(n_threads, n_tasks);
    if (n_threads <= 1) {
        for (std::size_t i = 0; i < n_tasks; ++i) task(i, std::size_t{0});
        return;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failure_mutex;
    const auto work = [&](std::size_t worker) {
        try {
            for (std::size_t i = next++; i < n_tasks; i = next++) task(i, worker);
        } catch (...) {
            next = n_tasks;
            const std::lock_guard<std::mutex> lock(failure_mutex);
            if (!failure) failure = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    others.reserve(n_threads - 1);
    for (std::size_t t = 1; t < n_threads; ++t) others.emplace_back(work, t);
    work(0);
    for (auto& thread : others) thread.join();
    if (failure) std::rethrow_exception(failure);
}

/// Lets results that are computed in any order be merged in one order, so that the number of threads
/// cannot change a sum. Tasks of one queue must be started in that order, or nobody's turn would come.
class Turns {
public:
    /// Waits until turns 0 ... turn - 1 have been taken, runs merge(), and passes the turn on.
    /// merge must not throw.
    template <class Merge>
    void take(std::size_t turn, Merge&& merge) {
        {
            std::unique_lock<std::mutex> lock(mutex_);
            passed_.wait(lock, [&] { return taken_ == turn; });
        }
        merge();
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            ++taken_;
        }
        passed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable passed_;
    std::size_t taken_ = 0;
};

}  // namespace fewest
