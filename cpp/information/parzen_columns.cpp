#include "information/parzen_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/threads.hpp"
#include "information/parzen_grid.hpp"
#include "information/parzen_loops.hpp"

namespace fewest {
namespace {

/// What is made of chosen columns to meet all others takes about so much at a time.
constexpr std::size_t bytes_of_chosen = std::size_t{1} << 26;
constexpr std::size_t rows_at_once = 64;

const double* values_of(const ParzenColumns& columns, std::size_t column) {
    return columns.values + column * columns.n_rows;
}

/// G_k0 ... G_k,k-1.
void write_row(const double* values, std::size_t k, double* out) {
    for (std::size_t i = 0; i < k; ++i) {
        const double apart = values[k] - values[i];
        out[i] = std::exp(-0.5 * apart * apart);
    }
}

void write_triangle(const double* values, std::size_t n_rows, double* out) {
    for (std::size_t k = 0; k < n_rows; ++k) write_row(values, k, out + triangle_size(k));
}

class Classes {
public:
    explicit Classes(const ParzenColumns& columns) : columns_(columns) {
        std::size_t row = 0;
        std::vector<double> weights(columns.n_classes, 0.0);
        for (std::size_t c = 0; c < columns.n_classes; ++c)
            for (; row < static_cast<std::size_t>(columns.class_ends[c]); ++row)
                weights[c] += columns.weights ? columns.weights[row] : 1.0;
        for (const double weight : weights) total_ += weight;
        for (const double weight : weights)
            if (weight > 0) entropy_ += weight * std::log(total_ / weight);
    }

    double total_weight() const { return total_; }

    /// mean_k log [N a_k / (N_c r_k)], given r and a.
    double information(const double* sums, const double* sums_of_class) const {
        const std::size_t n = columns_.n_rows;
        const double logs = sum_of_logs(sums_of_class, columns_.weights, n) - sum_of_logs(sums, columns_.weights, n);
        return std::max((entropy_ + logs) / total_, 0.0);
    }

    template <class Visit>
    void each(Visit&& visit) const {
        std::size_t begin = 0;
        for (std::size_t c = 0; c < columns_.n_classes; ++c) {
            const auto end = static_cast<std::size_t>(columns_.class_ends[c]);
            visit(begin, end);
            begin = end;
        }
    }

    /// The class's first row, for each row.
    std::vector<std::size_t> begins() const {
        std::vector<std::size_t> of_row(columns_.n_rows);
        each([&](std::size_t begin, std::size_t end) { std::fill(&of_row[0] + begin, &of_row[0] + end, begin); });
        return of_row;
    }

private:
    const ParzenColumns& columns_;
    double total_ = 0.0;
    double entropy_ = 0.0;  // times the total weight
};

/// Adds row k of a kernel, or of the product of two, to the sums over all rows and over those of a class.
void add_row(const ParzenColumns& columns, const double* x, const double* y, std::size_t k, std::size_t class_begin,
             double* sums, double* sums_of_class) {
    const auto add = parzen_loops().add_row;
    const double* const weights = columns.weights;
    const double weight = weights ? weights[k] : 1.0;
    sums[k] = weight + add(x, y, k, weights, weight, sums);
    const std::size_t n = k - class_begin;
    sums_of_class[k] = weight + add(x + class_begin, y ? y + class_begin : nullptr, n,
                                    weights ? weights + class_begin : nullptr, weight, sums_of_class + class_begin);
}

/// Pairs of rows one by one.
class ByPairs {
public:
    struct Column {
        const double* triangle = nullptr;
        std::vector<double> own;  // where none is kept
    };
    using Room = std::vector<double>;

    ByPairs(const ParzenColumns& columns, const KeptTriangles& kept) : columns_(columns), kept_(kept) {}

    std::size_t bytes_of_column() const { return sizeof(double) * triangle_size(columns_.n_rows) + 1; }

    const Column* ready(std::size_t) const { return nullptr; }
    void keep_ready(std::size_t, Column&&) const {}
    void prepare_chosen(std::size_t column, Column& out) const { prepare(column, out); }

    void prepare(std::size_t column, Column& out) const {
        const std::size_t size = triangle_size(columns_.n_rows);
        if (kept_.place && kept_.place[column] >= 0) {
            out.triangle = kept_.triangles + static_cast<std::size_t>(kept_.place[column]) * size;
            return;
        }
        out.own.resize(size);
        write_triangle(values_of(columns_, column), columns_.n_rows, out.own.data());
        out.triangle = out.own.data();
    }

    double log_sums(const Column& x, const Column& y, Room& room) const {
        room.resize(columns_.n_rows);
        parzen_loops().triangle_sums(x.triangle, y.triangle, columns_.n_rows, columns_.weights, room.data());
        return sum_of_logs(room.data(), columns_.weights, columns_.n_rows);
    }

private:
    const ParzenColumns& columns_;
    const KeptTriangles& kept_;
};

class OnGrid {
public:
    using Column = GridColumn;
    using Room = GridRoom;

    OnGrid(const ParzenColumns& columns, ChosenOnGrid& ready) : columns_(columns), ready_(ready) {}

    std::size_t bytes_of_column() const { return columns_.n_rows * (n_taps + 3) * sizeof(double) + 1; }

    const Column* ready(std::size_t column) const { return ready_.find(column); }
    void keep_ready(std::size_t column, Column&& made) const {
        ready_.keep(column, std::move(made), bytes_of_column());
    }

    void prepare_chosen(std::size_t column, Column& out) const {
        sort_on_grid(values_of(columns_, column), columns_.n_rows, out);
    }

    void prepare(std::size_t column, Column& out) const {
        pad_on_grid(values_of(columns_, column), columns_.n_rows, out);
    }

    double log_sums(const Column& x, const Column& y, Room& room) const {
        return log_pair_sums(x, y, columns_.n_rows, columns_.weights, room);
    }

private:
    const ParzenColumns& columns_;
    ChosenOnGrid& ready_;
};

template <class Form>
void add_information(const Form& form, const ParzenColumns& columns, const double* log_sums, const std::int64_t* chosen,
                     std::size_t n_chosen, const std::int64_t* which, const std::int64_t* counted, std::size_t n_which,
                     std::size_t n_threads, double* sums) {
    const double total = Classes(columns).total_weight();
    std::size_t begin = n_chosen;
    for (std::size_t i = 0; i < n_which; ++i) begin = std::min(begin, static_cast<std::size_t>(counted[i]));
    const std::size_t step = std::max<std::size_t>(1, bytes_of_chosen / form.bytes_of_column());
    std::vector<typename Form::Column> of_worker(std::max<std::size_t>(n_threads, 1));
    std::vector<typename Form::Room> rooms(of_worker.size());
    for (; begin < n_chosen; begin += step) {
        const std::size_t end = std::min(begin + step, n_chosen);
        std::vector<typename Form::Column> made(end - begin);
        std::vector<const typename Form::Column*> ready(end - begin);
        run_tasks(end - begin, n_threads, [&](std::size_t task, std::size_t) {
            const auto column = static_cast<std::size_t>(chosen[begin + task]);
            ready[task] = form.ready(column);
            if (ready[task] || columns.is_flat[column]) return;
            form.prepare_chosen(column, made[task]);
            ready[task] = &made[task];
        });
        run_tasks(n_which, n_threads, [&](std::size_t i, std::size_t worker) {
            const auto column = static_cast<std::size_t>(which[i]);
            const std::size_t first = std::max(begin, static_cast<std::size_t>(counted[i]));
            if (columns.is_flat[column] || first >= end) return;
            form.prepare(column, of_worker[worker]);
            for (std::size_t place = first; place < end; ++place) {
                const auto other = static_cast<std::size_t>(chosen[place]);
                if (columns.is_flat[other]) continue;
                const double logs = form.log_sums(*ready[place - begin], of_worker[worker], rooms[worker]);
                sums[i] += std::max(std::log(total) + (logs - log_sums[column] - log_sums[other]) / total, 0.0);
            }
        });
        for (std::size_t i = 0; i < made.size(); ++i)
            if (ready[i] == &made[i]) form.keep_ready(static_cast<std::size_t>(chosen[begin + i]), std::move(made[i]));
    }
}

}  // namespace

void parzen_relevance(const ParzenColumns& columns, bool on_grid, std::size_t n_threads, double* relevance,
                      double* log_sums) {
    const Classes classes(columns);
    const std::size_t n = columns.n_rows;
    const std::vector<std::size_t> class_begin = classes.begins();
    struct Room {
        GridColumn column;
        GridRoom grid;
        std::vector<double> row, sums, sums_of_class;
    };
    std::vector<Room> rooms(std::max<std::size_t>(n_threads, 1));
    run_tasks(columns.n_columns, n_threads, [&](std::size_t column, std::size_t worker) {
        relevance[column] = log_sums[column] = 0.0;
        if (columns.is_flat[column]) return;
        Room& room = rooms[worker];
        room.sums.resize(n);
        room.sums_of_class.resize(n);
        const double* const values = values_of(columns, column);
        if (on_grid) {
            pad_on_grid(values, n, room.column);
            line_sums(room.column, 0, n, columns.weights, room.grid, room.sums.data());
            classes.each([&](std::size_t begin, std::size_t end) {
                line_sums(room.column, begin, end, columns.weights, room.grid, room.sums_of_class.data());
            });
        } else {
            room.row.resize(n);
            for (std::size_t k = 0; k < n; ++k) {
                write_row(values, k, room.row.data());
                add_row(columns, room.row.data(), nullptr, k, class_begin[k], room.sums.data(),
                        room.sums_of_class.data());
            }
        }
        relevance[column] = classes.information(room.sums.data(), room.sums_of_class.data());
        log_sums[column] = sum_of_logs(room.sums.data(), columns.weights, n);
    });
}

void parzen_triangles(const ParzenColumns& columns, const std::int64_t* which, std::size_t n_which,
                      std::size_t n_threads, double* out) {
    const std::size_t size = triangle_size(columns.n_rows);
    run_tasks(n_which, n_threads, [&](std::size_t i, std::size_t) {
        write_triangle(values_of(columns, static_cast<std::size_t>(which[i])), columns.n_rows, out + i * size);
    });
}

void add_parzen_information(const ParzenColumns& columns, const double* log_sums, ChosenOnGrid* ready,
                            const KeptTriangles& kept, const std::int64_t* chosen, std::size_t n_chosen,
                            const std::int64_t* which, const std::int64_t* counted, std::size_t n_which,
                            std::size_t n_threads, double* sums) {
    if (ready)
        add_information(OnGrid(columns, *ready), columns, log_sums, chosen, n_chosen, which, counted, n_which,
                        n_threads, sums);
    else
        add_information(ByPairs(columns, kept), columns, log_sums, chosen, n_chosen, which, counted, n_which, n_threads,
                        sums);
}

void joint_parzen_information(const ParzenColumns& columns, const double* joint, const std::int64_t* others,
                              std::size_t n_others, std::size_t n_threads, double* out) {
    const Classes classes(columns);
    const std::size_t n = columns.n_rows;
    const std::vector<std::size_t> class_begin = classes.begins();
    struct Room {
        std::vector<double> row, sums, sums_of_class;
    };
    std::vector<Room> rooms(std::max<std::size_t>(n_threads, 1));
    run_tasks(n_others, n_threads, [&](std::size_t i, std::size_t worker) {
        Room& room = rooms[worker];
        for (auto* numbers : {&room.row, &room.sums, &room.sums_of_class}) numbers->resize(n);
        const bool is_alone = others[i] < 0 || columns.is_flat[others[i]];
        for (std::size_t k = 0; k < n; ++k) {
            if (!is_alone) write_row(values_of(columns, static_cast<std::size_t>(others[i])), k, room.row.data());
            add_row(columns, joint + triangle_size(k), is_alone ? nullptr : room.row.data(), k, class_begin[k],
                    room.sums.data(), room.sums_of_class.data());
        }
        out[i] = classes.information(room.sums.data(), room.sums_of_class.data());
    });
}

void multiply_parzen_kernel(const ParzenColumns& columns, std::size_t column, std::size_t n_threads, double* joint) {
    if (columns.is_flat[column]) return;
    const double* const values = values_of(columns, column);
    const std::size_t n = columns.n_rows;
    std::vector<std::vector<double>> rooms(std::max<std::size_t>(n_threads, 1));
    run_tasks((n + rows_at_once - 1) / rows_at_once, n_threads, [&](std::size_t task, std::size_t worker) {
        rooms[worker].resize(n);
        const std::size_t end = std::min((task + 1) * rows_at_once, n);
        for (std::size_t k = task * rows_at_once; k < end; ++k) {
            write_row(values, k, rooms[worker].data());
            double* const to = joint + triangle_size(k);
            for (std::size_t i = 0; i < k; ++i) to[i] *= rooms[worker][i];
        }
    });
}

}  // namespace fewest
