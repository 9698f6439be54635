#include "registers.hpp"

NB_MODULE(_core, module) {
    module.doc() = "The compiled kernels of fewest. Arguments are checked in Python; nothing here is public.";
    register_byte_columns(module);
    register_class_moments(module);
    register_distinct_rows(module);
    register_kernel_sums(module);
    register_linear_machines(module);
    register_margin_machines(module);
    register_margins(module);
    register_nested_neighbours(module);
    register_pair_tables(module);
    register_parzen_columns(module);
    register_quadratic_programs(module);
    register_shifted_rows(module);
    register_simd_level(module);
    register_sorted_columns(module);
    register_state_columns(module);
    register_subset_kernels(module);
    register_threshold_path(module);
}
