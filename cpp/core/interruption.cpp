#include "core/interruption.hpp"

#include <chrono>

namespace fewest {
namespace {

using Clock = std::chrono::steady_clock;

/// Short against the second in which Ctrl-C should end a program, long against the time that a check takes.
constexpr std::chrono::milliseconds between_checks{50};

std::atomic<void (*)()> check_signals{nullptr};
thread_local const std::atomic<bool>* watched = nullptr;
thread_local Clock::time_point last_check{};

}  // namespace

const char* Stopped::what() const noexcept { return "stopped, since another thread of the same work has ended"; }

void check_interruption() {
    if (watched) {
        if (watched->load(std::memory_order_relaxed)) throw Stopped();
        return;
    }
    const Clock::time_point now = Clock::now();
    if (now - last_check < between_checks) return;
    last_check = now;
    if (void (*const check)() = check_signals.load(std::memory_order_relaxed)) check();
}

void set_interruption_check(void (*check)()) { check_signals = check; }

const std::atomic<bool>* watch(const std::atomic<bool>* flag) {
    const std::atomic<bool>* const before = watched;
    watched = flag;
    return before;
}

}  // namespace fewest
