#include "information/entropies.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

namespace fewest {

namespace {

constexpr std::int64_t most_known = std::int64_t{1} << 20;

double times_log(double count) { return count > 1 ? count * std::log(count) : 0.0; }

}  // namespace

Entropies::Entropies(std::size_t n_rows) {
    int exponent = 0;
    std::frexp(times_log(static_cast<double>(n_rows)) + 1, &exponent);
    // The four sums that make up an information fit into 62 bits.
    unit_ = std::ldexp(1.0, 59 - exponent);
    n_known_ = std::min<std::int64_t>(static_cast<std::int64_t>(n_rows) + 1, most_known);
    is_all_known_ = n_known_ > static_cast<std::int64_t>(n_rows);
    static std::mutex mutex;
    static std::size_t last_rows = 0;
    static std::weak_ptr<const std::int64_t[]> last;
    const std::lock_guard<std::mutex> lock(mutex);
    known_ = last_rows == n_rows ? last.lock() : nullptr;
    if (known_) return;
    const std::shared_ptr<std::int64_t[]> known(new std::int64_t[static_cast<std::size_t>(n_known_)]);
    for (std::int64_t count = 0; count < n_known_; ++count) known[count] = computed(count);
    known_ = known;
    last = known_;
    last_rows = n_rows;
}

std::int64_t Entropies::computed(std::int64_t count) const {
    return std::llrint(times_log(static_cast<double>(count)) * unit_);
}

double Entropies::nats(std::int64_t sum, std::int64_t n_rows) const {
    return n_rows > 0 ? static_cast<double>(std::max<std::int64_t>(sum, 0)) / (unit_ * static_cast<double>(n_rows))
                      : 0.0;
}

}  // namespace fewest
