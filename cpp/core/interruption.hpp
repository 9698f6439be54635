#pragma once
// Stopping what runs for long: because of a signal such as Ctrl-C, or because another thread of the same work has failed.

#include <atomic>
#include <exception>

namespace fewest {

/// Thrown by check_interruption on a thread whose flag is set; whoever set it has the reason.
class Stopped : public std::exception {
public:
    const char* what() const noexcept override;
};

/// Throws if this thread should stop; takes some 20 ns. Long loops call it every few milliseconds of work at most.
void check_interruption();

/// What check_interruption calls every 50 ms on threads that watch no flag; it throws to stop them. Null for nothing.
void set_interruption_check(void (*check)());

/// Makes this thread stop once the flag is set; null for none. Returns the flag that it watched before.
const std::atomic<bool>* watch(const std::atomic<bool>* flag);

}  // namespace fewest
