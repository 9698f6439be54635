#pragma once
// Per-class moments of every column, from one read of the rows.

#include <cstddef>
#include <cstdint>

namespace fewest {

/// What a pass over rows leaves behind. Tables are [n_classes][n_columns], row-major; the caller allocates.
/// A class mean is the unevaluated sum mean_high + mean_low, so that columns far from zero keep their digits.
struct ClassMoments {
    std::size_t n_classes = 0;
    std::size_t n_columns = 0;
    double* weight = nullptr;  ///< total weight of the observed values
    double* mean_high = nullptr;
    double* mean_low = nullptr;
    double* scatter = nullptr;                 ///< weighted sum of squared differences from the class mean
    const std::uint64_t* class_key = nullptr;  ///< [n_classes] an odd number for each class
    /// [n_columns] sum, modulo 2^64, of the values' bits times their class's key: the same for any order of rows
    std::uint64_t* checksum = nullptr;
    double* lowest = nullptr;         ///< [n_columns]
    double* highest = nullptr;        ///< [n_columns]
    std::int64_t* missing = nullptr;  ///< [n_columns] NaN values met
};

/// Rows of one numeric type with any strides (counted in elements, of any sign).
template <class T>
struct DenseRows {
    const T* data = nullptr;
    std::size_t n_rows = 0;
    std::size_t n_columns = 0;
    std::ptrdiff_t row_stride = 0;
    std::ptrdiff_t column_stride = 0;
};

/// Compressed sparse rows or columns; what is not stored is zero.
/// Pre: indices ascend within a line (a row, or a column when is_by_column), none twice.
template <class T, class Index>
struct SparseLines {
    const T* data = nullptr;
    const Index* indices = nullptr;
    const Index* starts = nullptr;  ///< one more than there are lines
    std::size_t n_rows = 0;
    std::size_t n_columns = 0;
    bool is_by_column = false;
};

/// Adds rows to the moments. codes[i] is the class of row i in [0, n_classes); weights may be null (all one).
/// A row of weight zero is not read. NaN is a missing value. Returns false, with the moments in an
/// unspecified category, when a value is infinite or so large that its square overflows.
///
/// Rows are cut into chunks of a fixed size and merged in chunk order, and every column is treated alike:
/// neither the number of threads nor the order of the columns changes a bit.
template <class T>
bool add_rows(const DenseRows<T>& rows, const std::int32_t* codes, const double* weights, std::size_t n_threads,
              ClassMoments& moments);

template <class T, class Index>
bool add_rows(const SparseLines<T, Index>& rows, const std::int32_t* codes, const double* weights,
              std::size_t n_threads, ClassMoments& moments);

/// Adds `other` to `moments`: class c of `other` is class target[c] of `moments`.
void merge(ClassMoments& moments, const ClassMoments& other, const std::int32_t* target);

/// Scatter between and within the classes, each divided by the total weight, per column.
/// Classes are summed in the given order. A column never observed has total weight 0 and scatter 0.
void scatter(const ClassMoments& moments, const std::int32_t* class_order, std::size_t n_threads, double* between,
             double* within, double* total_weight);

}  // namespace fewest
