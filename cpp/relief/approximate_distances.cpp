#include "relief/approximate_distances.hpp"

#include <cmath>

#include "core/threads.hpp"

namespace fewest {
namespace {

/// Fewer columns or rows than this are seen as fast in float32.
constexpr std::size_t fewest_columns_in_bytes = 48, fewest_rows_in_bytes = 256;
/// Among more rows the nearest by bytes need few exact distances for what is saved by them.
constexpr std::size_t most_rows_in_words = 512;
/// The largest number in words.
constexpr int largest_word = 4095;
/// Rows that tell how columns spread, and pairs of rows that tell how distances do.
constexpr std::size_t n_sampled = 256, n_from = 16, n_to = 16;
/// Shorter steps are of no use, and their inverse need not be finite.
constexpr double least_step = 1e-30;
/// What distances may lose on average, as a share of their standard deviation, for bytes to be used.
constexpr double most_lost = 0.6;

}  // namespace

ApproximateDistances::ApproximateDistances(const MarginRows& rows, bool is_squared, std::size_t n_among,
                                           std::size_t n_threads)
    : rows_(rows), is_squared_(is_squared), n_runs_((rows.n_rows + n_lanes - 1) / n_lanes),
      n_groups_((rows.n_columns + 7) / 8) {
    const bool may_be_bytes = !is_squared && !rows.is_categorical && rows.n_columns >= fewest_columns_in_bytes &&
                              rows.n_rows >= fewest_rows_in_bytes && rows.n_columns < (std::size_t{1} << 22);
    if (may_be_bytes && n_among < most_rows_in_words) {
        pack_words(n_threads);
        return;
    }
    by_bytes_ = may_be_bytes && pack_bytes(n_threads);
    if (!by_bytes_) pack_floats(n_threads);
}

void ApproximateDistances::pack_floats(std::size_t n_threads) {
    const std::size_t n_columns = rows_.n_columns;
    floats_ = std::make_unique<LargeArray<float>>(n_runs_ * n_lanes * n_columns);
    std::vector<std::vector<double>> errors(std::max<std::size_t>(n_threads, 1), std::vector<double>(n_columns));
    run_tasks(n_runs_, n_threads, [&](std::size_t run, std::size_t worker) {
        float* const to = floats_->data() + run * n_lanes * n_columns;
        for (std::size_t lane = 0; lane < n_lanes; ++lane) {
            const std::size_t i = run * n_lanes + lane;
            const double* const row = i < rows_.n_rows ? rows_.row(i) : nullptr;
            for (std::size_t d = 0; d < n_columns; ++d) {
                const double value = row ? row[d] : 0.0;
                const float stored = static_cast<float>(value);
                to[d * n_lanes + lane] = stored;
                errors[worker][d] = std::max(errors[worker][d], std::abs(value - static_cast<double>(stored)));
            }
        }
    });
    double sum = 0, sum_of_squares = 0, largest = rows_.is_categorical ? rows_.category_difference * 1e-7 : 0.0;
    for (std::size_t d = 0; d < n_columns; ++d) {
        double error = 0;
        for (const auto& own : errors) error = std::max(error, own[d]);
        sum += error;
        sum_of_squares += error * error;
        largest = std::max(largest, error);
    }
    const double n = static_cast<double>(n_columns);
    if (rows_.is_categorical) {
        // Few columns may stand for all.
        sum = n * largest;
        sum_of_squares = n * largest * largest;
    }
    // Squares of less than this are lost in float32.
    slack_ = is_squared_ ? 2 * std::sqrt(sum_of_squares) + 1e-18 * std::sqrt(n) : 2 * sum;
    const double n_sums = static_cast<double>(n_columns / n_columns_at_once);
    loss_ = (static_cast<double>(n_columns_at_once) + n_sums + 20) * std::ldexp(1.0, -24);
}

/// The step of bytes that reach over the widest column but for some values at either end; each column's bytes begin near
/// its low end. What lies beyond is cut off there: that makes distances shorter, never longer.
double ApproximateDistances::find_step(std::size_t n_cut) {
    const std::size_t n = std::min(n_sampled, rows_.n_rows), n_columns = rows_.n_columns;
    const auto sampled = [&](std::size_t i) { return rows_.row(i * rows_.n_rows / n); };
    std::vector<double> highest(sampled(0), sampled(0) + n_columns);
    lowest_ = highest;
    for (std::size_t i = 1; n_cut == 0 && i < n; ++i) {
        const double* const row = sampled(i);
        for (std::size_t d = 0; d < n_columns; ++d) {
            lowest_[d] = std::min(lowest_[d], row[d]);
            highest[d] = std::max(highest[d], row[d]);
        }
    }
    std::vector<double> sample(n);
    for (std::size_t d = 0; n_cut > 0 && d < n_columns; ++d) {
        for (std::size_t i = 0; i < n; ++i) sample[i] = sampled(i)[d];
        const auto low = sample.begin() + static_cast<std::ptrdiff_t>(n_cut);
        const auto high = sample.end() - 1 - static_cast<std::ptrdiff_t>(n_cut);
        std::nth_element(sample.begin(), low, sample.end());
        lowest_[d] = *low;
        std::nth_element(low, high, sample.end());
        highest[d] = *high;
    }
    double widest = 0;
    for (std::size_t d = 0; d < n_columns; ++d) widest = std::max(widest, highest[d] - lowest_[d]);
    return widest / 255;
}

/// The bytes of a row, and how much farther apart they can make it lie from any other: the sum over its columns of what
/// rounding moved it, a value that was cut off counting as the end it was cut to.
double ApproximateDistances::pack_row(const double* row, std::uint8_t* bytes) const {
    const double reach = 255 * step_;
    double error = 0;
    for (std::size_t d = 0; d < rows_.n_columns; ++d) {
        const double kept = std::min(std::max(row[d] - lowest_[d], 0.0), reach);
        const auto place = std::min(static_cast<std::int32_t>(kept * per_step_ + 0.5), 255);
        bytes[d] = static_cast<std::uint8_t>(place);
        error += std::abs(kept - step_ * static_cast<double>(place));
    }
    return error;
}

/// Whether what bytes lose of distances is little beside how these differ, by some pairs of rows.
bool ApproximateDistances::tells_enough() const {
    struct Packed {
        std::size_t row;
        std::vector<std::uint8_t> bytes;
        double error;
    };
    const auto packed = [&](std::size_t row) {
        Packed made{row, std::vector<std::uint8_t>(rows_.n_columns), 0};
        made.error = pack_row(rows_.row(row), made.bytes.data());
        return made;
    };
    std::vector<Packed> from, to;
    for (std::size_t i = 0; i < n_from; ++i) from.push_back(packed(i * rows_.n_rows / n_from));
    for (std::size_t i = 0; i < n_to; ++i) to.push_back(packed((2 * i + 1) * rows_.n_rows / (2 * n_to)));
    double lost = 0, sum = 0, sum_of_squares = 0, n = 0;
    for (const Packed& a : from)
        for (const Packed& b : to) {
            if (a.row == b.row) continue;
            const double distance =
                distance_loops().distance(rows_.row(a.row), rows_.row(b.row), rows_.n_columns, false);
            std::int64_t seen = 0;
            for (std::size_t d = 0; d < rows_.n_columns; ++d) seen += std::abs(a.bytes[d] - b.bytes[d]);
            lost += distance - (step_ * static_cast<double>(seen) - a.error - b.error);
            sum += distance;
            sum_of_squares += distance * distance;
            n += 1;
        }
    const double variance = sum_of_squares / n - (sum / n) * (sum / n);
    return variance > 0 && lost / n <= most_lost * std::sqrt(variance);
}

bool ApproximateDistances::pack_bytes(std::size_t n_threads) {
    const std::size_t n_columns = rows_.n_columns;
    bool is_found = false;
    for (const std::size_t n_cut : {std::size_t{0}, n_sampled / 64, n_sampled / 16}) {
        step_ = find_step(n_cut);
        per_step_ = 1 / step_;
        is_found = step_ > least_step && tells_enough();
        if (is_found) break;
    }
    if (!is_found) return false;
    bytes_ = std::make_unique<LargeArray<std::uint8_t>>(n_runs_ * n_lanes * n_groups_ * 8);
    errors_.resize(n_runs_ * n_lanes);
    run_tasks(n_runs_, n_threads, [&](std::size_t run, std::size_t) {
        std::uint8_t* const to = bytes_->data() + run * n_lanes * n_groups_ * 8;
        std::vector<std::uint8_t> packed(n_groups_ * 8);
        for (std::size_t lane = 0; lane < n_lanes; ++lane) {
            const std::size_t i = run * n_lanes + lane;
            if (i == rows_.n_rows) std::fill(packed.begin(), packed.end(), std::uint8_t{0});
            errors_[i] = i < rows_.n_rows ? static_cast<float>(pack_row(rows_.row(i), packed.data())) : 0.0f;
            for (std::size_t g = 0; g < n_groups_; ++g)
                std::copy_n(packed.data() + g * 8, 8, to + (g * n_lanes + lane) * 8);
        }
    });
    // What float32 may lose of the sums and errors.
    slack_ = 1e-6 * (255 * step_ * static_cast<double>(n_columns));
    return true;
}

/// Every value is from 0 to 1, but for rounding, so that words reach over all columns.
void ApproximateDistances::pack_words(std::size_t n_threads) {
    const std::size_t n_columns = rows_.n_columns;
    step_ = 1.0 / largest_word;
    words_ = std::make_unique<LargeArray<std::uint16_t>>(n_runs_ * n_lanes * n_columns);
    errors_.resize(n_runs_ * n_lanes);
    word_sums_.resize(n_runs_ * n_lanes);
    run_tasks(n_runs_, n_threads, [&](std::size_t run, std::size_t) {
        std::uint16_t* const to = words_->data() + run * n_lanes * n_columns;
        for (std::size_t lane = 0; lane < n_lanes; ++lane) {
            const std::size_t i = run * n_lanes + lane;
            const double* const row = i < rows_.n_rows ? rows_.row(i) : nullptr;
            double error = 0;
            for (std::size_t d = 0; d < n_columns; ++d) {
                const double value = row ? row[d] : 0.0;
                const auto word = static_cast<std::int32_t>(std::min(value, 1.0) * largest_word + 0.5);
                to[d * n_lanes + lane] = static_cast<std::uint16_t>(word);
                word_sums_[i] += word;
                error += std::abs(value - step_ * static_cast<double>(word));
            }
            errors_[i] = static_cast<float>(error);
        }
    });
    largest_error_ = static_cast<double>(*std::max_element(errors_.begin(), errors_.end()));
    // What float32 may lose of the sums and errors.
    slack_ = 1e-6 * static_cast<double>(n_columns);
}

void ApproximateDistances::look_by_words(const std::int64_t* queries, std::size_t n_queries, char* scratch,
                                         float* out) const {
    const std::size_t n_columns = rows_.n_columns, n_packed = (n_queries + n_abreast - 1) / n_abreast * n_abreast;
    auto* const words = reinterpret_cast<std::uint16_t*>(scratch);
    std::vector<std::int32_t> sums(n_packed);
    for (std::size_t q = 0; q < n_packed; ++q) {
        const auto i = static_cast<std::size_t>(queries[std::min(q, n_queries - 1)]);
        const std::uint16_t* const from = words_->data() + i / n_lanes * n_lanes * n_columns + i % n_lanes;
        for (std::size_t d = 0; d < n_columns; ++d) words[q * n_columns + d] = from[d * n_lanes];
        sums[q] = word_sums_[i];
    }
    distance_loops().scan_words(
        {words_->data(), n_runs_, n_columns, word_sums_.data(), errors_.data(), static_cast<float>(step_)}, words,
        sums.data(), n_packed, out, stride());
}

void ApproximateDistances::look(const std::int64_t* queries, std::size_t n_queries, char* scratch, float* out) const {
    if (words_) return look_by_words(queries, n_queries, scratch, out);
    const std::size_t n_columns = rows_.n_columns, n_packed = (n_queries + n_abreast - 1) / n_abreast * n_abreast;
    for (std::size_t q = 0; q < n_packed; ++q) {
        const auto i = static_cast<std::size_t>(queries[std::min(q, n_queries - 1)]);
        if (by_bytes_) {
            const std::uint8_t* const from = bytes_->data() + i / n_lanes * n_lanes * n_groups_ * 8 + i % n_lanes * 8;
            auto* const to = reinterpret_cast<std::uint8_t*>(scratch) + q * n_groups_ * 8;
            for (std::size_t g = 0; g < n_groups_; ++g) std::copy_n(from + g * n_lanes * 8, 8, to + g * 8);
        } else {
            const float* const from = floats_->data() + i / n_lanes * n_lanes * n_columns + i % n_lanes;
            float* const to = reinterpret_cast<float*>(scratch) + q / n_abreast * n_abreast * n_columns + q % n_abreast;
            for (std::size_t d = 0; d < n_columns; ++d) to[d * n_abreast] = from[d * n_lanes];
        }
    }
    if (by_bytes_)
        distance_loops().scan_bytes({bytes_->data(), n_runs_, n_groups_, errors_.data(), static_cast<float>(step_)},
                                    reinterpret_cast<const std::uint8_t*>(scratch), n_packed, out, stride());
    else
        distance_loops().scan(
            {floats_->data(), n_runs_, n_columns, rows_.is_categorical, static_cast<float>(rows_.category_difference)},
            reinterpret_cast<const float*>(scratch), n_packed, is_squared_, out, stride());
}

float ApproximateDistances::at_most(std::size_t query, double distance) const {
    double limit = 0;
    if (by_bytes_ || words_) {
        limit = distance + static_cast<double>(errors_[query]) + slack_;
    } else {
        limit = is_squared_ ? std::sqrt(distance) + slack_ : distance + slack_;
        if (is_squared_) limit *= limit;
        limit /= 1 - loss_;
    }
    limit *= 1 + 1e-6;
    return limit < 3e38 ? static_cast<float>(limit) : 3e38f;
}

float ApproximateDistances::at_least(std::size_t query, double distance) const {
    if (by_bytes_ || rows_.is_categorical) return -1.0f;
    double limit = 0;
    if (words_) {
        limit = distance - 2 * largest_error_ - static_cast<double>(errors_[query]) - slack_;
    } else {
        limit = std::max((is_squared_ ? std::sqrt(distance) : distance) - slack_, 0.0);
        if (is_squared_) limit *= limit;
        limit *= 1 - loss_;
    }
    return static_cast<float>(std::min(limit - 1e-6 * std::abs(limit), 3e38));
}

double ApproximateDistances::above(std::size_t query, float near) const {
    const double seen = static_cast<double>(near);
    double own = 0;
    if (words_) {
        own = seen + 2 * largest_error_ + static_cast<double>(errors_[query]) + slack_;
    } else {
        own = (is_squared_ ? std::sqrt(seen / (1 - loss_)) : seen / (1 - loss_)) + slack_;
        if (is_squared_) own *= own;
    }
    // More than at_least takes off again.
    return own + 1e-5 * std::abs(own) + 1e-300;
}

double ApproximateDistances::below(std::size_t query, float near) const {
    const double seen = static_cast<double>(near) * (1 - 1e-5);
    if (words_ || by_bytes_) return seen - static_cast<double>(errors_[query]) - slack_;
    const double own = (is_squared_ ? std::sqrt(seen * (1 - loss_)) : seen * (1 - loss_)) - slack_;
    return is_squared_ ? own * std::abs(own) : own;
}

}  // namespace fewest
