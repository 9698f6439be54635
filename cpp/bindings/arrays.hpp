#pragma once
// The kinds of NumPy arrays that the bindings take. A silent copy would be a bug: every argument is bound with noconvert().

#include <nanobind/ndarray.h>

template <class T, class... Shape>
using Array = nanobind::ndarray<T, nanobind::numpy, nanobind::device::cpu, Shape...>;
template <class T>
using Line = Array<T, nanobind::ndim<1>, nanobind::c_contig>;
template <class T>
using Table = Array<T, nanobind::ndim<2>, nanobind::c_contig>;
/// Rows with any strides.
template <class T>
using Rows = Array<const T, nanobind::ndim<2>>;
