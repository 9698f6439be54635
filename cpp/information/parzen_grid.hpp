#pragma once
// Sums of Gaussians in time that grows with the rows, not with their square.
//
// A Gaussian is the convolution of two narrower ones, and the trapezoid rule is spectrally accurate on it:
//     exp(-(x - y)^2 / 2) = c sum_g exp(-(x - g)^2) exp(-(y - g)^2) over the points g of a grid,
// so every value is spread to the few points near it, and each sum gathered from them. All terms are positive: no digits
// cancel. A column of few distinct values needs no grid: they are its points, and the kernel stands between them.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fewest {

/// One column ready for sums.
struct GridColumn {
    /// Of few distinct values: which it is, by row, and the kernel between them, [value][value]. Otherwise empty.
    std::vector<std::uint8_t> level;
    std::vector<double> kernel;
    std::size_t n_levels = 0;

    /// On a grid: the first point and how much of each (see GridPair), by row, or by place where rows are sorted.
    std::vector<std::int64_t> first;
    std::vector<double> taps;
    std::size_t n_points = 0;
    /// The rows in the order of their first points; where they are sorted also the place of each row, and where the places
    /// of each point begin.
    std::vector<std::int64_t> rows, place, begins;
    bool is_sorted = false;

    bool has_levels() const { return n_levels > 0; }
};

/// Room for one thread.
struct GridRoom {
    std::vector<double> sums, points, products;
    std::vector<std::int64_t> order, next;
};

/// As the first of a pair: its rows in the order of the grid.
void sort_on_grid(const double* values, std::size_t n_rows, GridColumn& out);

/// As the second of a pair: in the order of the rows.
void pad_on_grid(const double* values, std::size_t n_rows, GridColumn& out);

/// sum_k w_k log sum_i w_i Gx_ki Gy_ki.
double log_pair_sums(const GridColumn& x, const GridColumn& y, std::size_t n_rows, const double* weights,
                     GridRoom& room);

/// out[k] = sum over the rows i in [begin, end) of w_i G_ki, for k in [begin, end); of a column padded on the grid.
void line_sums(const GridColumn& x, std::size_t begin, std::size_t end, const double* weights, GridRoom& room,
               double* out);

/// sum_k w_k log s_k.
double sum_of_logs(const double* sums, const double* weights, std::size_t n);

}  // namespace fewest
