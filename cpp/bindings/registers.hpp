#pragma once

#include <nanobind/nanobind.h>

void register_core(nanobind::module_& module);
void register_evaluation(nanobind::module_& module);
void register_information(nanobind::module_& module);
void register_kernels(nanobind::module_& module);
void register_margins(nanobind::module_& module);
void register_packed_codes(nanobind::module_& module);
void register_pair_tables(nanobind::module_& module);
void register_parzen(nanobind::module_& module);
void register_relief(nanobind::module_& module);
void register_scatter(nanobind::module_& module);
void register_searches(nanobind::module_& module);
void register_statistics(nanobind::module_& module);
void register_thresholds(nanobind::module_& module);
void register_triples(nanobind::module_& module);
void register_wrappers(nanobind::module_& module);
