#pragma once

#include <nanobind/nanobind.h>

void register_byte_columns(nanobind::module_& module);
void register_class_moments(nanobind::module_& module);
void register_distinct_rows(nanobind::module_& module);
void register_kernel_sums(nanobind::module_& module);
void register_linear_machines(nanobind::module_& module);
void register_margin_machines(nanobind::module_& module);
void register_margins(nanobind::module_& module);
void register_nested_neighbours(nanobind::module_& module);
void register_pair_tables(nanobind::module_& module);
void register_parzen_columns(nanobind::module_& module);
void register_quadratic_programs(nanobind::module_& module);
void register_shifted_rows(nanobind::module_& module);
void register_simd_level(nanobind::module_& module);
void register_sorted_columns(nanobind::module_& module);
void register_state_columns(nanobind::module_& module);
void register_subset_kernels(nanobind::module_& module);
void register_threshold_path(nanobind::module_& module);
