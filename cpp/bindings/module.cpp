#include "registers.hpp"

NB_MODULE(_core, module) {
    // The command ends without a last look at every object, so that some are alive at the end of the process.
    nanobind::set_leak_warnings(false);
    module.doc() = "The compiled kernels of fewest. Arguments are checked in Python; nothing here is public.";
    register_core(module);
    register_evaluation(module);
    register_information(module);
    register_kernels(module);
    register_margins(module);
    register_packed_codes(module);
    register_pair_tables(module);
    register_parzen(module);
    register_relief(module);
    register_scatter(module);
    register_searches(module);
    register_statistics(module);
    register_thresholds(module);
    register_triples(module);
    register_wrappers(module);
}
