#include <nanobind/stl/string.h>

#include <string>

#include "registers.hpp"
#include "statistics/accumulate_rows.hpp"

namespace nb = nanobind;

void register_core(nb::module_& module) {
    module.def(
        "simd_level", [] { return std::string(fewest::simd_level()); }, "The SIMD level whose kernels are in use.");
    module.def(
        "use_simd_level", [](const std::string& name) { return fewest::use_simd_level(name.c_str()); }, nb::arg("name"),
        "Use the named level from now on; False when this processor lacks it.");
}
