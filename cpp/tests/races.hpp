#pragma once
// What the checks of kernels on several threads share.

#include <cstddef>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

/// Everything is run twice, on a number of threads.
inline constexpr std::size_t threads_of_run[] = {1, 4};

inline bool reported(const std::string& what, bool ok) {
    std::printf("%s: %s\n", what.c_str(), ok ? "the same on 1 and 4 threads" : "DIFFERENT");
    return ok;
}

inline std::vector<double> normal_numbers(std::size_t n, std::mt19937& random) {
    std::normal_distribution<double> normal;
    std::vector<double> numbers(n);
    for (double& number : numbers) number = normal(random);
    return numbers;
}

/// In svm_races.cpp: linear SVMs on all columns and without one, on nested subsets, and of many subsets in folds.
bool agrees_svms(std::size_t n_rows, std::size_t n_columns);
bool agrees_nested_svms();
bool agrees_subset_svms();
