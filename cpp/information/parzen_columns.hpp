#pragma once
// What columns of numbers know of the class and of each other, their densities estimated with a Gaussian kernel.

#include <cstddef>
#include <cstdint>
#include <map>

#include "information/parzen_grid.hpp"

namespace fewest {

/// Columns in units of the kernel's width: G_ki = exp(-(x_k - x_i)^2 / 2). Rows of a class lie side by side.
struct ParzenColumns {
    const double* values;  ///< [column][row]
    std::size_t n_columns;
    std::size_t n_rows;
    const double* weights;           ///< by row; null where all are one
    const std::int64_t* class_ends;  ///< ascending; the last is n_rows
    std::size_t n_classes;
    const bool* is_flat;  ///< by column: it does not vary, and knows nothing
};

/// The kernels of some columns, [kept column][rows below the diagonal, one after the other], and where each column's is;
/// place < 0 where it is not kept.
struct KeptTriangles {
    const double* triangles;
    const std::int64_t* place;
};

/// Columns chosen so far, ready to meet others on a grid: they meet one batch of columns after the other. Only as many are
/// kept as there is room for; those that are not are made again.
class ChosenOnGrid {
public:
    const GridColumn* find(std::size_t column) const {
        const auto found = columns_.find(column);
        return found == columns_.end() ? nullptr : &found->second;
    }

    void keep(std::size_t column, GridColumn&& ready, std::size_t n_bytes) {
        if (n_bytes_ + n_bytes > most_bytes) return;
        n_bytes_ += n_bytes;
        columns_.emplace(column, std::move(ready));
    }

private:
    static constexpr std::size_t most_bytes = std::size_t{1} << 28;
    std::map<std::size_t, GridColumn> columns_;
    std::size_t n_bytes_ = 0;
};

/// The number of elements below the diagonal of a square matrix.
inline std::size_t triangle_size(std::size_t n_rows) { return n_rows == 0 ? 0 : n_rows * (n_rows - 1) / 2; }

/// relevance: what each column knows of the class, in nats. log_sums: sum_k w_k log r_k, r_k = sum_i w_i G_ki.
/// on_grid: as sums over a grid, O(n_rows), to 1e-9; otherwise over all pairs of rows.
void parzen_relevance(const ParzenColumns& columns, bool on_grid, std::size_t n_threads, double* relevance,
                      double* log_sums);

/// Writes the kernels of these columns, one after the other.
void parzen_triangles(const ParzenColumns& columns, const std::int64_t* which, std::size_t n_which,
                      std::size_t n_threads, double* out);

/// For each of these columns, adds to sums[i] its information with chosen[counted[i]], chosen[counted[i] + 1], ... in that
/// order, each at least 0. The same to the bit whatever other columns are asked for, kept or not.
/// ready: the same from call to call, to sum over a grid; null to sum over all pairs of rows.
void add_parzen_information(const ParzenColumns& columns, const double* log_sums, ChosenOnGrid* ready,
                            const KeptTriangles& kept, const std::int64_t* chosen, std::size_t n_chosen,
                            const std::int64_t* which, const std::int64_t* counted, std::size_t n_which,
                            std::size_t n_threads, double* sums);

/// What columns taken, whose kernels' product is `joint` (below the diagonal), know of the class together with each of
/// others; a negative number stands for no other.
void joint_parzen_information(const ParzenColumns& columns, const double* joint, const std::int64_t* others,
                              std::size_t n_others, std::size_t n_threads, double* out);

/// joint *= the kernel of a column.
void multiply_parzen_kernel(const ParzenColumns& columns, std::size_t column, std::size_t n_threads, double* joint);

}  // namespace fewest
