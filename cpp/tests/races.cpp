// The kernels on one thread and on four, for a thread sanitizer to watch and for equality to the bit.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/threads.hpp"
#include "evaluation/nested_neighbours.hpp"
#include "information/byte_columns.hpp"
#include "information/category_columns.hpp"
#include "information/pair_tables.hpp"
#include "information/parzen_columns.hpp"
#include "kernels/quadratic_program.hpp"
#include "kernels/subset_kernels.hpp"
#include "relief/kernel_sums.hpp"
#include "relief/neighbour_margins.hpp"
#include "relief/threshold_margins.hpp"
#include "relief/weighted_margins.hpp"
#include "scatter/shifted_rows.hpp"
#include "statistics/class_moments.hpp"
#include "tests/races.hpp"
#include "thresholds/distribution_distances.hpp"
#include "thresholds/sorted_columns.hpp"
#include "thresholds/stumps.hpp"

namespace {

constexpr std::size_t n_classes = 3;
std::vector<std::int32_t> class_codes(std::size_t n, std::mt19937& random) {
    std::vector<std::int32_t> codes(n);
    for (std::int32_t& code : codes) code = static_cast<std::int32_t>(random() % n_classes);
    return codes;
}

std::vector<std::int64_t> counted_from(std::int64_t first, std::size_t n) {
    std::vector<std::int64_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), first);
    return numbers;
}

struct Tables {
    explicit Tables(std::size_t n_columns)
        : numbers(4 * n_classes * n_columns), checksum(n_columns), lowest(n_columns, HUGE_VAL),
          highest(n_columns, -HUGE_VAL), missing(n_columns) {
        const std::size_t size = n_classes * n_columns;
        view.n_classes = n_classes;
        view.n_columns = n_columns;
        view.weight = numbers.data();
        view.mean_high = numbers.data() + size;
        view.mean_low = numbers.data() + 2 * size;
        view.scatter = numbers.data() + 3 * size;
        view.class_key = keys;
        view.checksum = checksum.data();
        view.lowest = lowest.data();
        view.highest = highest.data();
        view.missing = missing.data();
    }

    bool same_bits(const Tables& other) const {
        return std::memcmp(numbers.data(), other.numbers.data(), numbers.size() * sizeof(double)) == 0 &&
               checksum == other.checksum && lowest == other.lowest && highest == other.highest &&
               missing == other.missing;
    }

    std::vector<double> numbers;
    std::uint64_t keys[n_classes] = {1, 3, 5};
    std::vector<std::uint64_t> checksum;
    std::vector<double> lowest, highest;
    std::vector<std::int64_t> missing;
    fewest::ClassMoments view;
};

template <class Rows>
bool agrees(const char* what, const Rows& rows, const std::vector<std::int32_t>& codes,
            const std::vector<double>& weights) {
    Tables alone(rows.n_columns), together(rows.n_columns);
    bool ok = fewest::add_rows(rows, codes.data(), weights.data(), 1, alone.view) &&
              fewest::add_rows(rows, codes.data(), weights.data(), 4, together.view) && alone.same_bits(together);
    const std::vector<std::int32_t> order{2, 0, 1};
    std::vector<double> between(rows.n_columns), within(rows.n_columns), total(rows.n_columns);
    fewest::scatter(together.view, order.data(), 4, between.data(), within.data(), total.data());
    return reported(what, ok);
}

bool agrees_shifted(const fewest::DenseRows<double>& rows, const std::vector<double>& pivot) {
    std::vector<std::int64_t> chosen(rows.n_rows);
    for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = static_cast<std::int64_t>((i * 7) % rows.n_rows);
    std::vector<double> alone(rows.n_rows * rows.n_columns), together(alone.size());
    const bool misses =
        fewest::shifted_rows(rows, chosen.data(), chosen.size(), pivot.data(), nullptr, 1, alone.data());
    const bool ok =
        misses == fewest::shifted_rows(rows, chosen.data(), chosen.size(), pivot.data(), nullptr, 4, together.data()) &&
        std::memcmp(alone.data(), together.data(), alone.size() * sizeof(double)) == 0;
    return reported("shifted rows", ok);
}

bool agrees_parzen(std::size_t n_rows, bool on_grid) {
    constexpr std::size_t n_columns = 12;
    std::mt19937 random(2);
    std::normal_distribution<double> normal;
    std::vector<double> values(n_columns * n_rows), relevance[2], log_sums[2], sums[2];
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = i < 3 * n_rows ? static_cast<double>(random() % 5) : 4 * normal(random);
    const std::vector<std::int64_t> ends{static_cast<std::int64_t>(n_rows / 3), static_cast<std::int64_t>(n_rows)};
    const bool is_flat[n_columns] = {};
    const fewest::ParzenColumns columns{values.data(), n_columns, n_rows, nullptr, ends.data(), 2, is_flat};
    const std::vector<std::int64_t> chosen{4, 0, 7}, counted(n_columns), nowhere(n_columns, -1);
    const std::vector<std::int64_t> which = counted_from(0, n_columns);
    for (std::size_t run = 0; run < 2; ++run) {
        const std::size_t n_threads = threads_of_run[run];
        for (auto* numbers : {&relevance[run], &log_sums[run], &sums[run]}) numbers->resize(n_columns);
        fewest::parzen_relevance(columns, on_grid, n_threads, relevance[run].data(), log_sums[run].data());
        fewest::ChosenOnGrid ready;
        for (std::size_t n_chosen = 2; n_chosen <= 3; ++n_chosen)
            fewest::add_parzen_information(columns, log_sums[run].data(), on_grid ? &ready : nullptr,
                                           {nullptr, nowhere.data()}, chosen.data(), n_chosen, which.data(),
                                           counted.data(), n_columns, n_threads, sums[run].data());
    }
    return reported(on_grid ? "parzen on a grid" : "parzen by pairs",
                    relevance[0] == relevance[1] && log_sums[0] == log_sums[1] && sums[0] == sums[1]);
}

/// Bytes, categories, and what they know, on a number of threads.
std::vector<double> counted(const fewest::DenseRows<std::int64_t>& rows, const std::vector<std::int32_t>& classes,
                            std::size_t n_threads) {
    const std::size_t n_rows = rows.n_rows, n_columns = rows.n_columns;
    const std::uint64_t keys[n_classes] = {1, 3, 5};
    std::vector<std::int64_t> base(n_columns), missing(n_columns), first(n_columns);
    std::vector<std::uint8_t> is_whole(n_columns), lowest(n_columns), highest_next(n_columns),
        codes(n_rows * n_columns);
    std::vector<std::uint64_t> checksum(n_columns);
    fewest::to_bytes(rows, classes.data(), keys, false, n_threads,
                     {base.data(), is_whole.data(), lowest.data(), highest_next.data(), missing.data(), checksum.data(),
                      codes.data(), static_cast<std::ptrdiff_t>(n_rows)});
    std::vector<std::int32_t> n_categories(n_columns, 5);
    const std::vector<std::uint8_t> yes(n_columns, 1), no(n_columns, 0);
    const std::vector<std::int64_t> all = counted_from(0, n_columns);
    for (std::size_t i = 0; i < n_columns; ++i) first[i] = -base[i];
    fewest::CategoryColumns categories(n_categories.data(), yes.data(), no.data(), n_columns, n_rows);
    categories.fill(all.data(), n_columns, codes.data(), static_cast<std::ptrdiff_t>(n_rows), first.data(), n_rows,
                    n_threads);
    fewest::PairTables tables(n_categories.data(), n_columns, true);
    tables.add(categories, n_threads);
    std::vector<double> out(2 * n_columns);
    categories.information(0, all.data(), n_columns, n_threads, out.data());
    tables.information(0, all.data() + 1, n_columns - 1, out.data() + n_columns);
    for (const std::uint64_t sum : checksum) out.push_back(static_cast<double>(sum));
    const std::size_t n_before = out.size(), n_others = n_columns - 2;
    out.resize(n_before + fewest::n_triple_measures * n_others);
    categories.triple_information(0, 1, all.data() + 2, n_others, n_threads, out.data() + n_before);
    return out;
}

bool agrees_counted(const std::vector<std::int32_t>& classes) {
    const std::size_t n_rows = classes.size(), n_columns = 40;
    std::mt19937 random(3);
    std::vector<std::int64_t> values(n_rows * n_columns);
    for (std::int64_t& value : values) value = static_cast<std::int64_t>(random() % 5);
    const fewest::DenseRows<std::int64_t> by_row{values.data(), n_rows, n_columns, n_columns, 1};
    const fewest::DenseRows<std::int64_t> by_column{values.data(), n_rows, n_columns, 1,
                                                    static_cast<std::ptrdiff_t>(n_rows)};
    return reported("counting", counted(by_row, classes, 1) == counted(by_row, classes, 4) &&
                                    counted(by_column, classes, 1) == counted(by_column, classes, 4));
}

bool agrees_kernel_sums() {
    constexpr std::size_t n_rows = 700, n_columns = 30;
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    std::vector<double> values(n_columns * n_rows), origin(n_columns), width(n_columns), own[2], all[2], grids[2];
    const std::vector<std::int32_t> codes = class_codes(n_rows, random);
    std::vector<std::int64_t> starts{0};
    for (std::size_t j = 0; j < n_columns; ++j) {
        for (std::size_t row = 0; row < n_rows; ++row)
            values[j * n_rows + row] =
                j < 5 ? static_cast<double>(random() % 7) : std::min(std::abs(normal(random)), 6.0);
        width[j] = j < 10 ? 1e-5 : 0.2;  // a long grid, and a short one
        const std::size_t n_points = j < 10 ? 0 : fewest::n_kernel_grid_points(6.0, width[j]);
        starts.push_back(starts.back() + static_cast<std::int64_t>(n_points));
    }
    bool ok = true;
    std::vector<double> of_grids[2];
    for (std::size_t run = 0; run < 2; ++run) {
        const std::size_t n_threads = threads_of_run[run];
        own[run].resize(n_columns * n_classes);
        all[run].resize(n_columns * n_classes);
        const fewest::KernelSums sums{codes.data(),  nullptr,      n_rows,          n_classes,      n_columns,
                                      origin.data(), width.data(), own[run].data(), all[run].data()};
        fewest::write_kernel_sums(sums, values.data(), n_threads);
        of_grids[run] = own[run];
        grids[run].resize(static_cast<std::size_t>(starts.back()) * n_classes);
        const fewest::KernelGrids kept{starts.data(), grids[run].data()};
        ok = fewest::add_to_kernel_grids(sums, values.data(), kept, n_threads) && ok;
        fewest::write_kernel_sums(sums, kept, n_threads);
    }
    return reported("kernel sums",
                    ok && of_grids[0] == of_grids[1] && own[0] == own[1] && all[0] == all[1] && grids[0] == grids[1]);
}

bool agrees_subset_kernels() {
    constexpr std::size_t n_rows = 200, n_columns = 50, n_widths = 6;
    std::mt19937 random(3);
    const std::vector<double> values = normal_numbers(n_columns * n_rows, random);
    const std::vector<double> weights(n_rows, 1.0), tables(n_classes * n_classes, 0.5);
    const std::vector<std::int32_t> codes = class_codes(n_rows, random);
    std::vector<double> sums[4];
    const std::vector<std::int64_t> selected{0, 1};
    const std::vector<std::int64_t> among = counted_from(2, n_columns - 2);
    const std::vector<double> eta(among.size(), 0.01);
    const bool is_squared[] = {false};
    const fewest::SubsetKernels kernels{values.data(),
                                        n_rows,
                                        selected.data(),
                                        selected.size(),
                                        among.data(),
                                        among.size(),
                                        1.0,
                                        codes.data(),
                                        weights.data(),
                                        tables.data(),
                                        1,
                                        n_classes};
    for (std::size_t run = 0; run < 2; ++run) {
        const std::size_t n_threads = threads_of_run[run];
        sums[run].resize(among.size());
        sums[2 + run].resize(among.size() * n_widths);
        fewest::write_sums(kernels, eta.data(), is_squared, sums[run].data(), n_threads);
        fewest::write_ladder_sums(kernels, eta.data(), n_widths, sums[2 + run].data(), n_threads);
    }
    return reported("kernels on sets", sums[0] == sums[1] && sums[2] == sums[3]);
}

bool agrees_margins(std::size_t n_rows, std::size_t n_columns, bool has_missing) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> even;
    std::vector<double> values(n_rows * n_columns), weights(n_columns, 0.1), sums[8];
    for (double& value : values) value = has_missing && random() % 20 == 0 ? std::nan("") : even(random);
    const auto n = static_cast<std::int64_t>(n_rows);
    const std::vector<std::int64_t> ends{n / 4, n / 2, n};
    const std::vector<std::int64_t> queries = counted_from(0, n_rows);
    std::vector<std::int64_t> counts(n_columns);
    const std::vector<double> shares{0.25, 0.25, 0.5}, ones(3, 1.0);
    const std::unique_ptr<bool[]> is_categorical(new bool[n_columns]());
    const fewest::MarginRows rows{
        values.data(), n_rows, n_columns, ends.data(), 3, has_missing ? is_categorical.get() : nullptr, 1.0};
    const std::vector<std::size_t> k(3, 5);
    const fewest::NeighbourRule rule{k.data(), false, shares.data(), ones.data(), ones.data()};
    for (std::size_t run = 0; run < 2; ++run) {
        const std::size_t n_threads = threads_of_run[run];
        for (std::size_t kind = 0; kind < 8; kind += 2) sums[kind + run].resize(n_columns);
        fewest::neighbour_margins(rows, queries.data(), n_rows, rule, n_threads, sums[run].data(), counts.data());
        fewest::weighted_margins(rows, queries.data(), n_rows, weights.data(), 0.5, false, !has_missing, n_threads,
                                 sums[2 + run].data(), counts.data());
        fewest::threshold_margins(rows, queries.data(), n_rows, {false, true, true}, n_threads,
                                  {sums[4 + run].data(), counts.data()}, {sums[6 + run].data(), counts.data()});
    }
    bool ok = true;
    for (std::size_t kind = 0; kind < 8; kind += 2) ok = ok && sums[kind] == sums[kind + 1];
    return reported("margins of " + std::to_string(n_columns) + " columns", ok);
}

bool agrees_sorted(const fewest::DenseRows<double>& table, const std::vector<std::int32_t>& codes) {
    const std::vector<std::int64_t> counts(table.n_rows, 1);
    std::vector<std::int64_t> totals(n_classes), right[4];
    std::vector<double> distances[4];
    for (const std::int32_t code : codes) ++totals[static_cast<std::size_t>(code)];
    for (std::size_t run = 0; run < 4; ++run) {
        const std::size_t n_threads = threads_of_run[run % 2];
        // All classes, and the first two alone: rows of the others count nothing.
        std::vector<std::int64_t> counted = counts, of_class = totals;
        std::vector<std::int32_t> meant = codes;
        if (run >= 2) {
            for (std::size_t row = 0; row < table.n_rows; ++row)
                if (codes[row] >= 2) {
                    meant[row] = 0;
                    counted[row] = 0;
                }
            of_class.resize(2);
        }
        const fewest::CountedRows rows{meant.data(), counted.data(), of_class.data(), table.n_rows, of_class.size()};
        const fewest::SortedColumns sorted = fewest::sort_columns(table, n_threads);
        distances[run].resize(table.n_columns);
        right[run].resize(table.n_columns);
        fewest::distribution_distances(sorted, rows, true, n_threads, distances[run].data());
        std::vector<std::size_t> chosen(table.n_columns);
        std::iota(chosen.begin(), chosen.end(), std::size_t{0});
        fewest::stumps_right(sorted, rows, chosen, n_threads, right[run].data());
    }
    const bool ok =
        distances[0] == distances[1] && distances[2] == distances[3] && right[0] == right[1] && right[2] == right[3];
    return reported("sorted columns", ok);
}

bool agrees_nested_neighbours(const std::vector<std::int32_t>& codes) {
    constexpr std::size_t n_rows = 700, n_columns = 12, n_asked = 100, ends[] = {1, 5, 12};
    std::mt19937 random(5);
    const std::vector<double> columns = normal_numbers(n_columns * n_rows, random),
                              asked = normal_numbers(n_asked * n_columns, random);
    const fewest::LearnedRows learned{columns.data(), n_rows, n_columns, codes.data(), n_classes};
    std::vector<std::int32_t> alone(3 * n_asked), together(alone.size());
    fewest::nearest_neighbour_classes(learned, asked.data(), n_asked, ends, 3, 5, 1, alone.data());
    fewest::nearest_neighbour_classes(learned, asked.data(), n_asked, ends, 3, 5, 4, together.data());
    return reported("nested neighbours", alone == together);
}

bool agrees_programs() {
    constexpr std::size_t n = 90, n_programs = 6;
    std::mt19937 random(4);
    const std::vector<double> place = normal_numbers(n, random), ridge(n, 0.1), gains(n, 1.0);
    std::vector<double> kernel(n * n), signs(n_programs * n), x[2];
    for (std::size_t k = 0; k < n * n; ++k) kernel[k] = std::exp(-std::pow(place[k / n] - place[k % n], 2));
    for (double& sign : signs) sign = random() % 2 ? 1.0 : -1.0;
    bool ok = true;
    for (std::size_t run = 0; run < 2; ++run) {
        x[run].resize(n_programs * n);
        std::vector<fewest::QuadraticProgram> programs;
        std::vector<fewest::ProgramAnswer> answers(n_programs);
        std::vector<double*> places;
        for (std::size_t p = 0; p < n_programs; ++p) {
            programs.push_back({signs.data() + p * n, gains.data(), 0.0, nullptr});
            places.push_back(x[run].data() + p * n);
        }
        const fewest::SharedKernel shared(kernel.data(), n, ridge.data(), n, nullptr);
        fewest::solve_quadratic_programs(shared, programs.data(), n_programs, threads_of_run[run], places.data(),
                                         answers.data());
        for (const fewest::ProgramAnswer& answer : answers) ok = ok && answer.n_steps > 0;
    }
    return reported("quadratic programs", ok && x[0] == x[1]);
}

/// A failure is rethrown as it is, however soon the threads that wait for their turn stop because of it.
bool keeps_failures() {
    struct Failure {};
    bool ok = true;
    for (std::size_t run = 0; run < 3000; ++run) {
        fewest::Turns turns;
        std::atomic<bool> other_waits{false};
        try {
            fewest::run_tasks(2, 2, [&](std::size_t task, std::size_t) {
                const auto compute = [&] {
                    if (task == 1) return void(other_waits = true);
                    while (!other_waits) std::this_thread::yield();
                    throw Failure();
                };
                turns.take(task, compute, [] {});
            });
            ok = false;
        } catch (const Failure&) {
        } catch (...) {
            ok = false;
        }
    }
    return reported("failures", ok);
}

}  // namespace

int main() {
    constexpr std::size_t n_rows = 20000, n_columns = 70;
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    std::vector<double> values(n_rows * n_columns), weights(n_rows);
    for (double& value : values) value = random() % 50 == 0 ? std::nan("") : normal(random);
    for (double& weight : weights) weight = random() % 4;
    const std::vector<std::int32_t> codes = class_codes(n_rows, random);

    fewest::DenseRows<double> by_row{values.data(), n_rows, n_columns, n_columns, 1};
    fewest::DenseRows<double> by_column{values.data(), n_rows, n_columns, 1, n_rows};

    std::vector<double> stored;
    std::vector<std::int32_t> columns, starts{0};
    for (std::size_t row = 0; row < n_rows; ++row) {
        for (std::size_t column = row % 3; column < n_columns; column += 1 + random() % 9) {
            stored.push_back(values[row * n_columns + column]);
            columns.push_back(static_cast<std::int32_t>(column));
        }
        starts.push_back(static_cast<std::int32_t>(stored.size()));
    }
    const fewest::SparseLines<double, std::int32_t> sparse{stored.data(), columns.data(), starts.data(),
                                                           n_rows,        n_columns,      false};
    const bool ok = agrees("rows", by_row, codes, weights) & agrees("columns", by_column, codes, weights) &
                    agrees("sparse rows", sparse, codes, weights) &
                    agrees_shifted(by_row, std::vector<double>(n_columns, 0.5)) & agrees_parzen(90, false) &
                    agrees_parzen(500, true) & agrees_counted(codes) & agrees_kernel_sums() & agrees_subset_kernels() &
                    agrees_margins(600, 9, false) & agrees_margins(300, 60, false) & agrees_margins(200, 9, true) &
                    agrees_sorted(by_row, codes) & agrees_nested_neighbours(codes) & agrees_programs() &
                    agrees_svms(230, 260) & agrees_svms(300, 228) & agrees_nested_svms() & agrees_subset_svms() &
                    keeps_failures();
    return ok ? 0 : 1;
}
