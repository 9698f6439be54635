#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "registers.hpp"
#include "statistics/class_moments.hpp"
#include "statistics/distinct_rows.hpp"
#include "statistics/row_hashes.hpp"

namespace nb = nanobind;

namespace {

namespace class_moments {

using Tables = Array<double, nb::shape<4, -1, -1>, nb::c_contig>;
using Keys = Line<const std::uint64_t>;
using Checksums = Line<std::uint64_t>;
using Extent = Array<double, nb::shape<2, -1>, nb::c_contig>;
using Missing = Line<std::int64_t>;
using Codes = Line<const std::int32_t>;
using Weights = std::optional<Line<const double>>;

fewest::ClassMoments view(const Tables& tables, const Keys& keys, const Checksums& checksums, const Extent& extent,
                          const Missing& missing) {
    fewest::ClassMoments moments;
    moments.n_classes = tables.shape(1);
    moments.n_columns = tables.shape(2);
    const std::size_t size = moments.n_classes * moments.n_columns;
    if (keys.shape(0) != moments.n_classes || checksums.shape(0) != moments.n_columns ||
        extent.shape(1) != moments.n_columns || missing.shape(0) != moments.n_columns)
        throw std::invalid_argument("moment tables differ in shape");
    moments.weight = tables.data();
    moments.mean_high = tables.data() + size;
    moments.mean_low = tables.data() + 2 * size;
    moments.scatter = tables.data() + 3 * size;
    moments.class_key = keys.data();
    moments.checksum = checksums.data();
    moments.lowest = extent.data();
    moments.highest = extent.data() + moments.n_columns;
    moments.missing = missing.data();
    return moments;
}

const double* pointer(const Weights& weights) { return weights ? weights->data() : nullptr; }

void check_rows(std::size_t n_rows, std::size_t n_columns, const Codes& codes, const Weights& weights,
                const fewest::ClassMoments& moments) {
    if (codes.shape(0) != n_rows || (weights && weights->shape(0) != n_rows) || n_columns != moments.n_columns)
        throw std::invalid_argument("rows, codes, weights and moments differ in shape");
}

template <class T>
bool add_dense(const Array<const T, nb::ndim<2>>& rows, const Codes& codes, const Weights& weights,
               const Tables& tables, const Keys& keys, const Checksums& checksums, const Extent& extent,
               const Missing& missing, std::size_t n_threads) {
    fewest::ClassMoments moments = view(tables, keys, checksums, extent, missing);
    check_rows(rows.shape(0), rows.shape(1), codes, weights, moments);
    fewest::DenseRows<T> view;
    view.data = rows.data();
    view.n_rows = rows.shape(0);
    view.n_columns = rows.shape(1);
    view.row_stride = static_cast<std::ptrdiff_t>(rows.stride(0));
    view.column_stride = static_cast<std::ptrdiff_t>(rows.stride(1));
    const nb::gil_scoped_release release;
    return fewest::add_rows(view, codes.data(), pointer(weights), n_threads, moments);
}

template <class T, class Index>
bool add_sparse(const Line<const T>& data, const Line<const Index>& indices, const Line<const Index>& starts,
                bool is_by_column, const Codes& codes, const Weights& weights, const Tables& tables, const Keys& keys,
                const Checksums& checksums, const Extent& extent, const Missing& missing, std::size_t n_threads) {
    fewest::ClassMoments moments = view(tables, keys, checksums, extent, missing);
    fewest::SparseLines<T, Index> rows;
    rows.data = data.data();
    rows.indices = indices.data();
    rows.starts = starts.data();
    rows.n_rows = codes.shape(0);
    rows.n_columns = moments.n_columns;
    rows.is_by_column = is_by_column;
    check_rows(rows.n_rows, rows.n_columns, codes, weights, moments);
    if (starts.shape(0) != (is_by_column ? rows.n_columns : rows.n_rows) + 1)
        throw std::invalid_argument("a sparse matrix has one start more than lines");
    const nb::gil_scoped_release release;
    return fewest::add_rows(rows, codes.data(), pointer(weights), n_threads, moments);
}

void merge(const Tables& tables, const Keys& keys, const Checksums& checksums, const Extent& extent,
           const Missing& missing, const Tables& other_tables, const Keys& other_keys, const Checksums& other_checksums,
           const Extent& other_extent, const Missing& other_missing, const Codes& target) {
    fewest::ClassMoments moments = view(tables, keys, checksums, extent, missing);
    const fewest::ClassMoments other = view(other_tables, other_keys, other_checksums, other_extent, other_missing);
    if (moments.n_columns != other.n_columns || target.shape(0) != other.n_classes)
        throw std::invalid_argument("moments to merge differ in shape");
    const nb::gil_scoped_release release;
    fewest::merge(moments, other, target.data());
}

void scatter(const Tables& tables, const Keys& keys, const Checksums& checksums, const Extent& extent,
             const Missing& missing, const Codes& class_order, const Line<double>& between, const Line<double>& within,
             const Line<double>& total_weight, std::size_t n_threads) {
    const fewest::ClassMoments moments = view(tables, keys, checksums, extent, missing);
    if (class_order.shape(0) != moments.n_classes || between.shape(0) != moments.n_columns ||
        within.shape(0) != moments.n_columns || total_weight.shape(0) != moments.n_columns)
        throw std::invalid_argument("scatter's arrays differ in shape");
    const nb::gil_scoped_release release;
    fewest::scatter(moments, class_order.data(), n_threads, between.data(), within.data(), total_weight.data());
}

template <class T>
void bind_dense(nb::module_& module) {
    module.def("add_dense_rows", &add_dense<T>, nb::arg("rows").noconvert(), nb::arg("codes").noconvert(),
               nb::arg("weights").noconvert().none(), nb::arg("tables").noconvert(), nb::arg("keys").noconvert(),
               nb::arg("checksums").noconvert(), nb::arg("extent").noconvert(), nb::arg("missing").noconvert(),
               nb::arg("n_threads"),
               "Add rows to class moments; False when a value is infinite or too large to square.");
}

template <class T, class Index>
void bind_sparse(nb::module_& module) {
    module.def("add_sparse_rows", &add_sparse<T, Index>, nb::arg("data").noconvert(), nb::arg("indices").noconvert(),
               nb::arg("starts").noconvert(), nb::arg("is_by_column"), nb::arg("codes").noconvert(),
               nb::arg("weights").noconvert().none(), nb::arg("tables").noconvert(), nb::arg("keys").noconvert(),
               nb::arg("checksums").noconvert(), nb::arg("extent").noconvert(), nb::arg("missing").noconvert(),
               nb::arg("n_threads"),
               "Add sparse rows to class moments; False when a value is infinite or too large to square.");
}

void add_to(nb::module_& module) {
    bind_dense<double>(module);
    bind_dense<float>(module);
    bind_sparse<double, std::int32_t>(module);
    bind_sparse<double, std::int64_t>(module);
    bind_sparse<float, std::int32_t>(module);
    bind_sparse<float, std::int64_t>(module);
    module.def("merge_moments", &merge, nb::arg("tables").noconvert(), nb::arg("keys").noconvert(),
               nb::arg("checksums").noconvert(), nb::arg("extent").noconvert(), nb::arg("missing").noconvert(),
               nb::arg("other_tables").noconvert(), nb::arg("other_keys").noconvert(),
               nb::arg("other_checksums").noconvert(), nb::arg("other_extent").noconvert(),
               nb::arg("other_missing").noconvert(), nb::arg("target").noconvert(),
               "Add other moments: class c of the other is class target[c] here.");
    module.def("scatter", &scatter, nb::arg("tables").noconvert(), nb::arg("keys").noconvert(),
               nb::arg("checksums").noconvert(), nb::arg("extent").noconvert(), nb::arg("missing").noconvert(),
               nb::arg("class_order").noconvert(), nb::arg("between").noconvert(), nb::arg("within").noconvert(),
               nb::arg("total_weight").noconvert(), nb::arg("n_threads"),
               "Scatter between and within the classes over the total weight, per column.");
}

}  // namespace class_moments

namespace distinct_rows {

using Rows = nb::ndarray<const std::uint8_t, nb::numpy, nb::device::cpu, nb::ndim<2>>;
using Codes = nb::ndarray<std::int32_t, nb::numpy, nb::device::cpu, nb::ndim<1>, nb::c_contig>;

std::vector<std::int64_t> distinct_rows(const Rows& rows, const Codes& codes) {
    if (codes.shape(0) != rows.shape(0) || (rows.shape(1) > 1 && rows.stride(1) != 1))
        throw std::invalid_argument("rows of consecutive bytes and one code a row are expected");
    const nb::gil_scoped_release release;
    return fewest::distinct_rows(reinterpret_cast<const char*>(rows.data()), rows.shape(0), rows.shape(1),
                                 static_cast<std::ptrdiff_t>(rows.stride(0)), codes.data());
}

void add_to(nb::module_& module) {
    module.def("distinct_rows", &distinct_rows, nb::arg("rows").noconvert(), nb::arg("codes").noconvert(),
               "Give equal rows of bytes equal codes; return where each first appears.");
}

}  // namespace distinct_rows

namespace row_hashes {

template <class T>
using Kernel = void(const fewest::DenseRows<T>&, const std::uint64_t*, const std::uint8_t*, std::size_t,
                    std::uint64_t*);

template <class T, Kernel<T>* kernel>
void add_to_sums(const ::Rows<T>& rows, const Line<const std::uint64_t>& keys, const Line<const bool>& is_counted,
                 const Line<std::uint64_t>& sums, std::size_t n_threads) {
    if (keys.shape(0) != rows.shape(1) || is_counted.shape(0) != rows.shape(1) || sums.shape(0) != rows.shape(0))
        throw std::invalid_argument("one key a column and one sum a row are expected");
    const nb::gil_scoped_release release;
    const fewest::DenseRows<T> view{rows.data(), rows.shape(0), rows.shape(1),
                                    static_cast<std::ptrdiff_t>(rows.stride(0)),
                                    static_cast<std::ptrdiff_t>(rows.stride(1))};
    kernel(view, keys.data(), reinterpret_cast<const std::uint8_t*>(is_counted.data()), n_threads, sums.data());
}

template <class T, Kernel<T>* kernel>
void bind(nb::module_& module, const char* name, const char* doc) {
    module.def(name, &add_to_sums<T, kernel>, nb::arg("rows").noconvert(), nb::arg("keys").noconvert(),
               nb::arg("is_counted").noconvert(), nb::arg("sums").noconvert(), nb::arg("n_threads"), doc);
}

template <class T>
void bind_rows(nb::module_& module) {
    bind<T, &fewest::add_row_hashes<T>>(
        module, "add_row_hashes",
        "Add to each row's sum the hashes of its values that are not zero, each with its column's key.");
    bind<T, &fewest::add_row_contents<T>>(
        module, "add_row_contents", "Add to each row's sum the bits of its values, mixed, times their column's key.");
}

void add_contents(const ::Rows<double>& rows, const Line<const std::uint64_t>& hashes,
                  const Line<const std::uint64_t>& times, const Line<const bool>& is_counted,
                  const Line<std::uint64_t>& totals, std::size_t n_threads) {
    if (hashes.shape(0) != rows.shape(0) || times.shape(0) != rows.shape(0) || totals.shape(0) != rows.shape(0) ||
        is_counted.shape(0) != rows.shape(1))
        throw std::invalid_argument("one hash, number of times and total a row are expected");
    const nb::gil_scoped_release release;
    const fewest::DenseRows<double> view{rows.data(), rows.shape(0), rows.shape(1),
                                         static_cast<std::ptrdiff_t>(rows.stride(0)),
                                         static_cast<std::ptrdiff_t>(rows.stride(1))};
    fewest::add_content_hashes(view, hashes.data(), times.data(),
                               reinterpret_cast<const std::uint8_t*>(is_counted.data()), n_threads, totals.data());
}

void add_to(nb::module_& module) {
    bind_rows<double>(module);
    bind_rows<float>(module);
    module.def("add_content_hashes", &add_contents, nb::arg("rows").noconvert(), nb::arg("hashes").noconvert(),
               nb::arg("times").noconvert(), nb::arg("is_counted").noconvert(), nb::arg("totals").noconvert(),
               nb::arg("n_threads"), "Add to each row's total the hashes of its values, each with that of its column.");
}

}  // namespace row_hashes

}  // namespace

void register_statistics(nb::module_& module) {
    class_moments::add_to(module);
    distinct_rows::add_to(module);
    row_hashes::add_to(module);
}
