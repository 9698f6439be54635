#pragma once
// The name of what a source defines that is compiled once for each SIMD level.

#define FEWEST_JOIN_(a, b) a##b
/// a and b as one word, after FEWEST_LEVEL was put in its place.
#define FEWEST_JOIN(a, b) FEWEST_JOIN_(a, b)
