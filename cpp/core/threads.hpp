#pragma once
// The only header that knows threads.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "core/interruption.hpp"

namespace fewest {

/// Runs task(i, worker) for i = 0 ... n_tasks - 1, each once, started in that order, on at most n_threads threads.
/// worker < n_threads tells which thread it is, for scratch memory. The calling thread works too. The first exception
/// stops new tasks and is rethrown here. Between tasks the calling thread looks for an interruption; the others stop
/// with it, at their next task or their next call of check_interruption.
template <class Task>
void run_tasks(std::size_t n_tasks, std::size_t n_threads, Task&& task) {
    n_threads = std::min(n_threads, n_tasks);
    if (n_threads <= 1) {
        for (std::size_t i = 0; i < n_tasks; ++i) {
            check_interruption();
            task(i, std::size_t{0});
        }
        return;
    }
    std::atomic<std::size_t> next{0};
    std::atomic<bool> has_failed{false};
    std::exception_ptr failure, stop;
    std::mutex mutex;
    std::condition_variable has_ended;
    std::size_t n_ended = 0;
    // A thread that stops because of another's failure may come here before that failure does, which is the reason.
    const auto fail = [&](std::exception_ptr& kind) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!kind) kind = std::current_exception();
        next = n_tasks;
        has_failed = true;
    };
    const auto work = [&](std::size_t worker) {
        if (worker > 0) watch(&has_failed);
        try {
            while (true) {
                check_interruption();  // before a task is claimed: one that is claimed is done
                const std::size_t i = next++;
                if (i >= n_tasks) break;
                task(i, worker);
            }
        } catch (const Stopped&) {
            fail(stop);
        } catch (...) {
            fail(failure);
        }
        if (worker == 0) return;
        const std::lock_guard<std::mutex> lock(mutex);
        ++n_ended;
        has_ended.notify_one();
    };
    std::vector<std::thread> others;
    others.reserve(n_threads - 1);
    for (std::size_t t = 1; t < n_threads; ++t) others.emplace_back(work, t);
    work(0);
    // The others may have long tasks left: an interruption is for them too.
    for (std::unique_lock<std::mutex> lock(mutex); n_ended < n_threads - 1 && !has_failed;) {
        const auto soon = std::chrono::system_clock::now() + std::chrono::milliseconds(50);
        if (has_ended.wait_until(lock, soon) != std::cv_status::timeout) continue;
        lock.unlock();
        try {
            check_interruption();
        } catch (const Stopped&) {
            fail(stop);
        } catch (...) {
            fail(failure);
        }
        lock.lock();
    }
    for (auto& thread : others) thread.join();
    if (failure) std::rethrow_exception(failure);
    if (stop) std::rethrow_exception(stop);
}

/// Lets results that are computed in any order be merged in one order, so that the number of threads
/// cannot change a sum. Tasks of one queue must be started in that order, or nobody's turn would come.
class Turns {
public:
    /// Runs compute(), then merge() when its turn has come. Should compute throw, those that wait stop too.
    template <class Compute, class Merge>
    void take(std::size_t turn, Compute&& compute, Merge&& merge) {
        try {
            compute();
        } catch (...) {
            {
                const std::lock_guard<std::mutex> lock(mutex_);
                has_failed_ = true;
            }
            passed_.notify_all();
            throw;
        }
        take(turn, merge);
    }

    /// Waits until turns 0 ... turn - 1 have been taken, runs merge(), and passes the turn on.
    /// merge must not throw.
    template <class Merge>
    void take(std::size_t turn, Merge&& merge) {
        {
            std::unique_lock<std::mutex> lock(mutex_);
            passed_.wait(lock, [&] { return taken_ == turn || has_failed_; });
            if (taken_ != turn) throw Stopped();
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
    bool has_failed_ = false;
};

}  // namespace fewest
