#include <nanobind/stl/string.h>

#include <atomic>
#include <string>

#include "core/interruption.hpp"
#include "registers.hpp"
#include "statistics/accumulate_rows.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace nb = nanobind;

namespace {

/// Runs the handlers of the signals that came, on the main thread; what they raise, such as KeyboardInterrupt, is thrown.
void check_signals() {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

/// Gives what was freed, but is kept for later, back to the system: the heaps of threads that have ended keep all of it.
void release_freed_memory() {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

/// A flag that stops the threads that watch it.
class StopFlag {
public:
    void stop() { is_set_ = true; }
    bool is_set() const { return is_set_; }
    void watch() const { fewest::watch(&is_set_); }
    static void unwatch() { fewest::watch(nullptr); }

private:
    std::atomic<bool> is_set_{false};
};

}  // namespace

void register_core(nb::module_& module) {
    fewest::set_interruption_check(&check_signals);
    nb::class_<StopFlag>(module, "StopFlag", "A flag that stops kernels on the threads that watch it.")
        .def(nb::init<>())
        .def("stop", &StopFlag::stop, "Stop them.")
        .def("is_set", &StopFlag::is_set, "Whether they are to stop.")
        .def("watch", &StopFlag::watch, "Let kernels on this thread stop with this flag; keep it until unwatch.")
        .def_static("unwatch", &StopFlag::unwatch, "Let kernels on this thread watch no flag.");
    module.def("release_freed_memory", &release_freed_memory, nb::call_guard<nb::gil_scoped_release>(),
               "Give what was freed, but is kept for later, back to the system.");
    module.def(
        "simd_level", [] { return std::string(fewest::simd_level()); }, "The SIMD level whose kernels are in use.");
    module.def(
        "use_simd_level", [](const std::string& name) { return fewest::use_simd_level(name.c_str()); }, nb::arg("name"),
        "Use the named level from now on; False when this processor lacks it.");
}
