#pragma once
// Merging two groups of values: weight, mean as high + low, scatter.

namespace fewest {

/// a + b as a rounded sum and its exact error (Knuth).
inline double two_sum(double a, double b, double& error) {
    const double sum = a + b;
    const double b_part = sum - a;
    error = (a - (sum - b_part)) + (b - b_part);
    return sum;
}

/// Adds a group of values (weight > 0) to the group in (weight, mean_high + mean_low, scatter).
inline void merge_group(double& weight, double& mean_high, double& mean_low, double& scatter, double other_weight,
                        double other_high, double other_low, double other_scatter) {
    // 0/0 would poison every later merge, so an empty side is replaced.
    if (weight == 0.0) {
        weight = other_weight;
        mean_high = two_sum(other_high, other_low, mean_low);
        scatter = other_scatter;
        return;
    }
    double error;
    const double step = two_sum(other_high, -mean_high, error);
    const double difference = step + (error + (other_low - mean_low));
    const double both = weight + other_weight;
    const double share = other_weight / both;
    const double low = mean_low + difference * share;
    mean_high = two_sum(mean_high, low, mean_low);
    scatter += other_scatter + difference * difference * (weight * share);
    weight = both;
}

}  // namespace fewest
