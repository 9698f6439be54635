#pragma once
// Sums of Gaussians within and between classes, column by column, in time that grows with the rows.
//
//     S_cd = sum over i in c, j in d of w_i w_j exp(-(x_i - x_j)^2 / 2 s^2)
//
// A Gaussian is the convolution of two narrower ones, and the trapezoid rule is spectrally accurate on it:
//     S_cd = factor sum_g G_c(g) G_d(g),  G_c(g) = sum over i in c of w_i exp(-(x_i - g)^2 / s^2)
// over the points g of a grid. All terms are positive: no digits cancel. A column of few distinct values needs no grid.

#include <cstddef>
#include <cstdint>

namespace fewest {

/// What is common to all columns, and where each column's numbers go.
struct KernelSums {
    const std::int32_t* codes;  ///< the class of each row
    const double* weights;      ///< of each row; null where all are one
    std::size_t n_rows;
    std::size_t n_classes;
    std::size_t n_columns;
    const double* origin;  ///< by column: no value lies below it
    const double* width;   ///< by column: s; where it is not above zero the column is left out
    double* own;           ///< [column][class]: S_cc; written
    double* all;           ///< [column][class]: sum_d S_cd
};

/// values: [column][row], NaN where one is missing.
void write_kernel_sums(const KernelSums& sums, const double* values, std::size_t n_threads);

/// Columns of a sparse matrix, which holds the rows in `rows` and zero in all others: z_c of them by weight. A zero stands
/// for all of its class at once:
///     S_cd = z_c z_d + z_c t_d + z_d t_c + T_cd, t_c the kernels between zero and what is held, T_cd those within that.
template <class Index>
struct HeldValues {
    const double* values;  ///< column after column
    const Index* rows;
    const Index* starts;          ///< where each column begins, and the end
    const double* class_weights;  ///< of all rows
    const std::int64_t* class_counts;
};

template <class Index>
void write_kernel_sums(const KernelSums& sums, const HeldValues<Index>& held, std::size_t n_threads);

/// Grids that are kept, so that rows can come in parts: [column][class][point], a column's beginning at starts[column] times
/// the number of classes; a column without points is left out.
struct KernelGrids {
    const std::int64_t* starts;  ///< in points, each a multiple of four; and the end
    double* points;
};

/// How many points the grid of a column has whose values lie within `extent` of its origin.
std::size_t n_kernel_grid_points(double extent, double width);

/// Spreads rows over the grids; values as above, sums.own and sums.all are not used. False where a value lies outside its
/// grid; then the grids are of no use.
bool add_to_kernel_grids(const KernelSums& sums, const double* values, const KernelGrids& grids, std::size_t n_threads);

/// Writes the sums of the rows that were spread over the grids.
void write_kernel_sums(const KernelSums& sums, const KernelGrids& grids, std::size_t n_threads);

}  // namespace fewest
