#include <algorithm>
#include <cstdint>
#include <memory>

#include "evaluation/nested_svms.hpp"
#include "margins/linear_svms.hpp"
#include "tests/races.hpp"
#include "wrappers/subset_svms.hpp"

namespace {

/// gram_and_start : the products of the rows where the SVMs need them, and coefficients to begin with
template <typename Svms, typename... Pointers>
std::unique_ptr<fewest::LinearSVMs> svms_by(const std::vector<double>& values, const std::vector<double>& costs,
                                            const std::vector<double>& signs, Pointers... gram_and_start) {
    const std::size_t n = costs.size();
    return std::make_unique<Svms>(values.data(), values.size() / n, n, costs.data(), signs.data(), signs.size() / n,
                                  gram_and_start...);
}

}  // namespace

bool agrees_svms(std::size_t n_rows, std::size_t n_columns) {
    std::mt19937 random(4);
    constexpr std::size_t n_svms = 4;
    const std::vector<double> values = normal_numbers(n_rows * n_columns, random), costs(n_rows, 1.0);
    std::vector<double> signs(n_svms * n_rows, -1.0), start(signs.size());
    for (std::size_t i = 0; i < n_rows; ++i) signs[i % n_svms * n_rows + i] = 1.0;
    std::vector<double> gram(n_rows <= n_columns ? n_rows * n_rows : 0, 1.0);
    for (std::size_t j = 0; j < n_columns && !gram.empty(); ++j)
        for (std::size_t i = 0; i < n_rows; ++i)
            for (std::size_t k = 0; k < n_rows; ++k)
                gram[i * n_rows + k] += values[j * n_rows + i] * values[j * n_rows + k];
    std::vector<double> norms[2];
    for (std::size_t run = 0; run < 2; ++run) {
        const auto svms = gram.empty() ? svms_by<fewest::WeightSvms>(values, costs, signs, start.data())
                                       : svms_by<fewest::RowSvms>(values, costs, signs, gram.data(), start.data());
        svms->solve(threads_of_run[run]);
        svms->drop(3);
        svms->solve(threads_of_run[run]);
        for (std::size_t j = 0; j < n_columns; ++j) norms[run].push_back(svms->norm(j));
    }
    return reported("SVMs on " + std::to_string(n_columns) + " columns", norms[0] == norms[1]);
}

bool agrees_nested_svms() {
    constexpr std::size_t n_rows = 90, n_columns = 30, n_classes = 3, n_asked = 20;
    std::mt19937 random(8);
    std::vector<double> columns = normal_numbers(n_columns * n_rows, random);
    std::fill_n(columns.begin(), n_rows, 1.0);
    const std::vector<double> asked = normal_numbers(n_columns * n_asked, random);
    std::vector<std::int32_t> codes(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) codes[i] = static_cast<std::int32_t>(i % n_classes);
    const fewest::SvmTrainingRows rows{columns.data(), n_rows, n_columns, codes.data(), n_classes, 1.0};
    const std::vector<std::size_t> ends{2, 5, n_columns};
    std::vector<double> decisions[2];
    for (std::size_t run = 0; run < 2; ++run) {
        decisions[run].resize(ends.size() * n_asked * n_classes);
        fewest::nested_svm_decisions(rows, asked.data(), n_asked, ends.data(), ends.size(), threads_of_run[run],
                                     decisions[run].data());
    }
    return reported("nested SVMs", decisions[0] == decisions[1]);
}

bool agrees_subset_svms() {
    constexpr std::size_t n_rows = 80, n_columns = 12, n_folds = 4, size = 3;
    std::mt19937 random(9);
    const std::vector<double> values = normal_numbers(n_rows * n_columns, random), costs(n_rows, 1.0),
                              centre(n_folds * n_columns), ones(n_folds * n_columns, 1.0);
    std::vector<std::int64_t> order(n_rows), subsets;
    std::vector<std::int32_t> labels(n_rows), folds(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) {
        order[i] = static_cast<std::int64_t>(i);
        labels[i] = static_cast<std::int32_t>(i % 3);
        folds[i] = static_cast<std::int32_t>(i / 3 % n_folds);
    }
    for (std::int64_t first = 0; first + 2 < static_cast<std::int64_t>(n_columns); ++first)
        subsets.insert(subsets.end(), {first, first + 1, first + 2});
    const fewest::FoldedRows rows{values.data(), n_columns, order.data(), labels.data(), costs.data(), folds.data(),
                                  n_rows,        3,         n_folds,      centre.data(), ones.data(),  ones.data()};
    const std::size_t n_subsets = subsets.size() / size;
    std::vector<std::uint8_t> is_wrong[2];
    for (std::size_t run = 0; run < 2; ++run) {
        is_wrong[run].resize(n_subsets * n_rows);
        const std::unique_ptr<bool[]> is_solved(new bool[n_subsets]());
        fewest::subset_svms(rows, subsets.data(), n_subsets, size, threads_of_run[run], is_wrong[run].data(),
                            is_solved.get());
    }
    return reported("SVMs of subsets in folds", is_wrong[0] == is_wrong[1]);
}
