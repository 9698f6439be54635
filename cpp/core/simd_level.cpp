#include <cstring>

#include "core/factor_loops.hpp"
#include "core/processor.hpp"
#include "core/symmetric_loops.hpp"
#include "information/byte_rows.hpp"
#include "information/parzen_loops.hpp"
#include "information/shared_bits.hpp"
#include "kernels/moment_loops.hpp"
#include "kernels/width_loops.hpp"
#include "relief/distance_loops.hpp"
#include "relief/kernel_sum_loops.hpp"
#include "relief/pair_loops.hpp"
#include "statistics/accumulate_rows.hpp"

namespace fewest {
namespace {

struct Level {
    const char* name;
    const RowKernels* kernels;
    const BitKernels* bit_kernels;
    const ByteKernels* byte_kernels;
    const ParzenLoops* parzen_loops;
    const KernelSumLoops* kernel_sum_loops;
    const DistanceLoops* distance_loops;
    const WidthLoops* width_loops;
    const MomentLoops* moment_loops;
    const FactorLoops* factor_loops;
    const SymmetricLoops* symmetric_loops;
    const PairLoops* pair_loops;
};

bool has_level(const char* name) {
#if defined(FEWEST_X86_LEVELS)
    static const Processor own = this_processor();
    if (std::strcmp(name, "x86-64-v4") == 0) return own.has_avx2 && own.has_avx512;
    if (std::strcmp(name, "x86-64-v3") == 0) return own.has_avx2;
    if (std::strcmp(name, "x86-64-v2") == 0) return own.has_sse42;
#endif
    return std::strcmp(name, "base") == 0;
}

constexpr Level levels[] = {
#if defined(FEWEST_X86_LEVELS)
    // Wider vectors gain nothing where memory is the limit: only counting bits has kernels of its own.
    {"x86-64-v4", &row_kernels_v3, &bit_kernels_v4, &byte_kernels_v3, &parzen_loops_v3, &kernel_sum_loops_v3,
     &distance_loops_v3, &width_loops_v3, &moment_loops_v3, &factor_loops_v3, &symmetric_loops_v3, &pair_loops_v3},
    {"x86-64-v3", &row_kernels_v3, &bit_kernels_v3, &byte_kernels_v3, &parzen_loops_v3, &kernel_sum_loops_v3,
     &distance_loops_v3, &width_loops_v3, &moment_loops_v3, &factor_loops_v3, &symmetric_loops_v3, &pair_loops_v3},
    {"x86-64-v2", &row_kernels_v2, &bit_kernels_v2, &byte_kernels_v2, &parzen_loops_v2, &kernel_sum_loops_v2,
     &distance_loops_v2, &width_loops_v2, &moment_loops_v2, &factor_loops_v2, &symmetric_loops_v2, &pair_loops_v2},
#endif
    {"base", &row_kernels_base, &bit_kernels_base, &byte_kernels_base, &parzen_loops_base, &kernel_sum_loops_base,
     &distance_loops_base, &width_loops_base, &moment_loops_base, &factor_loops_base, &symmetric_loops_base,
     &pair_loops_base},
};

const Level* newest_level() {
    for (const Level& level : levels)
        if (has_level(level.name)) return &level;
    return nullptr;  // not reached: every processor has the base
}

const Level* level_in_use = newest_level();

}  // namespace

const RowKernels& row_kernels() { return *level_in_use->kernels; }

const BitKernels& bit_kernels() { return *level_in_use->bit_kernels; }

const ByteKernels& byte_kernels() { return *level_in_use->byte_kernels; }
const ParzenLoops& parzen_loops() { return *level_in_use->parzen_loops; }
const KernelSumLoops& kernel_sum_loops() { return *level_in_use->kernel_sum_loops; }
const DistanceLoops& distance_loops() { return *level_in_use->distance_loops; }
const WidthLoops& width_loops() { return *level_in_use->width_loops; }
const MomentLoops& moment_loops() { return *level_in_use->moment_loops; }
const FactorLoops& factor_loops() { return *level_in_use->factor_loops; }
const SymmetricLoops& symmetric_loops() { return *level_in_use->symmetric_loops; }
const PairLoops& pair_loops() { return *level_in_use->pair_loops; }

const char* simd_level() { return level_in_use->name; }

bool use_simd_level(const char* name) {
    for (const Level& level : levels) {
        if (std::strcmp(level.name, name) != 0 || !has_level(name)) continue;
        level_in_use = &level;
        return true;
    }
    return false;
}

}  // namespace fewest
