#pragma once
// The instructions that the processor has and the system lets programs use.

#if defined(FEWEST_X86_LEVELS) && defined(_MSC_VER)
#include <cpuid.h>
#endif

namespace fewest {

struct Processor {
    bool has_sse42 = false;
    bool has_avx2 = false;    ///< and fused multiply-adds and BMI2
    bool has_avx512 = false;  ///< VL, BW, DQ and VPOPCNTDQ
};

#if defined(FEWEST_X86_LEVELS) && defined(_MSC_VER)
// Clang's __builtin_cpu_supports reads a variable of Clang's own library, which Microsoft's linker is not given.
inline Processor this_processor() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    Processor found;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return found;
    const auto has = [](unsigned bits, unsigned bit) { return (bits >> bit & 1u) != 0; };
    found.has_sse42 = has(c, 20);
    if (!has(c, 27)) return found;
    unsigned states = 0, higher = 0;  // the registers that the system saves
    __asm__("xgetbv" : "=a"(states), "=d"(higher) : "c"(0));
    const bool has_fma = has(c, 12);
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return found;
    found.has_avx2 = (states & 0x06u) == 0x06u && has_fma && has(b, 5) && has(b, 8);
    found.has_avx512 = (states & 0xe6u) == 0xe6u && has(b, 16) && has(b, 17) && has(b, 30) && has(b, 31) && has(c, 14);
    return found;
}
#elif defined(FEWEST_X86_LEVELS)
inline Processor this_processor() {
    Processor found;
    found.has_sse42 = __builtin_cpu_supports("sse4.2");
    found.has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    found.has_avx512 = __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vpopcntdq");
    return found;
}
#endif

}  // namespace fewest
