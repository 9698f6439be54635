#include "margins/margin_exchanges.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/factor_loops.hpp"

namespace fewest {
namespace {

/// Up to this number of numbers the columns are copied row after row, which is faster.
constexpr std::size_t most_copied = std::size_t{1} << 22;

/// The squared pulls of one SVM's alpha at columns.
class PullsAt {
public:
    PullsAt(const SoftRows& rows, const std::vector<std::size_t>& columns)
        : rows_(rows), columns_(columns),
          lines_(rows.n_rows * columns.size() <= most_copied ? rows.n_rows * columns.size() : 0),
          pulls_(columns.size()) {
        if (lines_.empty()) return;
        for (std::size_t j = 0; j < columns.size(); ++j) {
            const double* const numbers = rows.column(columns[j]);
            for (std::size_t n = 0; n < rows.n_rows; ++n) lines_[n * columns.size() + j] = numbers[n];
        }
    }

    std::vector<double> squares(const double* alpha, const double* signs) {
        std::fill(pulls_.begin(), pulls_.end(), 0.0);
        if (lines_.empty())
            add_columns(alpha, signs);
        else
            add_lines(alpha, signs);
        std::vector<double> squares(pulls_.size());
        for (std::size_t j = 0; j < pulls_.size(); ++j) squares[j] = pulls_[j] * pulls_[j];
        return squares;
    }

private:
    void add_lines(const double* alpha, const double* signs) {
        added_.clear();
        shares_.clear();
        for (std::size_t n = 0; n < rows_.n_rows; ++n) {
            const double share = alpha[n] * signs[n];
            if (share == 0) continue;
            added_.push_back(lines_.data() + n * pulls_.size());
            shares_.push_back(share);
        }
        factor_loops().add_lines(added_.data(), shares_.data(), added_.size(), pulls_.size(), pulls_.data());
    }

    /// Each sum in the same order; some columns at a time, whose sums do not wait for each other.
    void add_columns(const double* alpha, const double* signs) {
        constexpr std::size_t at_once = 8;
        for (std::size_t first = 0; first < pulls_.size(); first += at_once) {
            const std::size_t count = std::min(at_once, pulls_.size() - first);
            const double* numbers[at_once];
            double sums[at_once] = {};
            // Beyond the last column that one is read again.
            for (std::size_t j = 0; j < at_once; ++j)
                numbers[j] = rows_.column(columns_[first + std::min(j, count - 1)]);
            for (std::size_t n = 0; n < rows_.n_rows; ++n) {
                const double share = alpha[n] * signs[n];
                if (share == 0) continue;
                for (std::size_t j = 0; j < at_once; ++j) sums[j] += share * numbers[j][n];
            }
            std::copy(sums, sums + count, pulls_.begin() + static_cast<std::ptrdiff_t>(first));
        }
    }

    const SoftRows rows_;
    const std::vector<std::size_t> columns_;
    std::vector<double> lines_, pulls_;
    /// The lines that are added, with these multiples.
    std::vector<const double*> added_;
    std::vector<double> shares_;
};

/// Weights and offset that alpha stands for.
std::vector<double> weights_of(const SubsetSvms& set, const double* signs, const double* alpha, double offset) {
    constexpr std::size_t at_once = 8;  // columns, whose sums do not wait for each other
    std::vector<double> weights(set.columns.size() + 1);
    for (std::size_t first = 0; first < set.columns.size(); first += at_once) {
        const std::size_t count = std::min(at_once, set.columns.size() - first);
        const double* numbers[at_once];
        double sums[at_once] = {};
        // Beyond the last column that one is read again.
        for (std::size_t j = 0; j < at_once; ++j)
            numbers[j] = set.rows.column(set.columns[first + std::min(j, count - 1)]);
        for (std::size_t n = 0; n < set.rows.n_rows; ++n) {
            const double share = alpha[n] * signs[n];
            for (std::size_t j = 0; j < at_once; ++j) sums[j] += share * numbers[j][n];
        }
        std::copy(sums, sums + count, weights.begin() + static_cast<std::ptrdiff_t>(first));
    }
    weights.back() = offset;
    return weights;
}

/// What an alpha proves of the sets that exchanges lead to: w of its SVM is no less than the reach, less the squared
/// pulls at the set's columns.
struct Proof {
    double reach;                 ///< less the squares at the columns of the set
    std::vector<double> squares;  ///< at the columns of the set, then at those that may come

    double bound(std::size_t goes, std::size_t comes) const { return reach + squares[goes] - squares[comes]; }
};

double reach_of(const SoftRows& rows, const double* alpha) {
    double sum = 0;
    for (std::size_t n = 0; n < rows.n_rows; ++n) sum += alpha[n] * (2 - rows.ridges[n] * alpha[n]);
    return sum;
}

std::vector<MarginSvm> svms_on(const SubsetSvms& set, const std::shared_ptr<const SubsetRows>& subset,
                               const double* alpha, const double* offsets) {
    std::vector<MarginSvm> svms;
    for (std::size_t k = 0; k < set.n_svms; ++k) {
        const double* const signs = set.signs + k * set.rows.n_rows;
        svms.emplace_back(subset, signs, weights_of(set, signs, alpha + k * set.rows.n_rows, offsets[k]));
    }
    return svms;
}

void write(const std::vector<MarginSvm>& svms, std::size_t n_rows, double* alpha, double* offsets) {
    for (std::size_t k = 0; k < svms.size(); ++k) {
        svms[k].write_alpha(alpha + k * n_rows);
        offsets[k] = svms[k].offset();
    }
}

}  // namespace

bool solve_svms(const SubsetSvms& set, double* alpha, double* offsets) {
    std::vector<MarginSvm> svms =
        svms_on(set, std::make_shared<const SubsetRows>(set.rows, set.columns), alpha, offsets);
    for (MarginSvm& svm : svms)
        if (!svm.solve()) return false;
    write(svms, set.rows.n_rows, alpha, offsets);
    return true;
}

std::size_t first_better(const SubsetSvms& set, std::vector<Exchange>& exchanges, double limit, std::size_t most_tries,
                         double* alpha, double* offsets) {
    const SoftRows& rows = set.rows;
    const std::size_t n_in_set = set.columns.size();
    // In which columns are exchanged: of the SVMs at the set no more is needed than they have found.
    const auto subset = std::make_shared<SubsetRows>(rows, set.columns);
    std::vector<MarginSvm> at_set = svms_on(set, subset, alpha, offsets);
    for (MarginSvm& svm : at_set) svm.prepare_exchanges();
    std::vector<MarginSvm> svms = at_set;
    /// By SVM: w after the exchange is no less, as far as is known.
    std::vector<double> needs(set.n_svms);
    /// About how far that is from w, and whether its steps for this exchange have begun.
    std::vector<double> distances(set.n_svms);
    std::vector<char> is_begun;
    // The columns of the set, then those that may come.
    std::vector<std::size_t> columns = set.columns, places;
    for (const Exchange& exchange : exchanges) columns.push_back(exchange.column);
    std::sort(columns.begin() + static_cast<std::ptrdiff_t>(n_in_set), columns.end());
    columns.erase(std::unique(columns.begin() + static_cast<std::ptrdiff_t>(n_in_set), columns.end()), columns.end());
    for (const Exchange& exchange : exchanges)
        places.push_back(static_cast<std::size_t>(
            std::lower_bound(columns.begin() + static_cast<std::ptrdiff_t>(n_in_set), columns.end(), exchange.column) -
            columns.begin()));
    PullsAt pulls(rows, columns);
    const auto proof_of = [&](const double* found, std::size_t k) {
        Proof proof{reach_of(rows, found), pulls.squares(found, set.signs + k * rows.n_rows)};
        for (std::size_t j = 0; j < n_in_set; ++j) proof.reach -= proof.squares[j];
        return proof;
    };
    std::vector<Proof> proofs;
    for (std::size_t k = 0; k < set.n_svms; ++k) proofs.push_back(proof_of(alpha + k * rows.n_rows, k));
    std::vector<double> own_alpha(rows.n_rows);
    /// By exchange and SVM: w of the SVM after the exchange is no less.
    std::vector<double> known(exchanges.size() * set.n_svms);
    for (std::size_t e = 0; e < exchanges.size(); ++e)
        for (std::size_t k = 0; k < set.n_svms; ++k)
            known[e * set.n_svms + k] = proofs[k].bound(exchanges[e].place, places[e]);
    std::size_t n_tried = 0;
    for (std::size_t e = 0; e < exchanges.size() && n_tried < most_tries; ++e) {
        if (exchanges[e].bound >= limit) continue;
        ++n_tried;
        const std::size_t place = exchanges[e].place;
        for (std::size_t j = 0; j < n_in_set; ++j)
            if (const std::size_t column = j == place ? exchanges[e].column : set.columns[j];
                subset->columns[j] != column)
                subset->put(j, column);
        // What is left for an SVM once the others have what they need at least.
        double left = limit;
        for (std::size_t k = 0; k < set.n_svms; ++k) {
            left -= needs[k] = known[e * set.n_svms + k];
            // Before it is begun, what the two columns mean to an SVM says about how far off its bound is.
            distances[k] = proofs[k].squares[place] + proofs[k].squares[places[e]];
        }
        is_begun.assign(set.n_svms, 0);
        // A step of the SVM whose bound may be the farthest off: most exchanges change few SVMs much, and the bounds of
        // these show that w is too high, long before all are solved.
        bool is_worse = left < 0, is_lost = false;
        for (std::size_t n_solved = 0; n_solved < set.n_svms && !is_worse && !is_lost;) {
            const auto k =
                static_cast<std::size_t>(std::max_element(distances.begin(), distances.end()) - distances.begin());
            MarginSvm::End end = MarginSvm::End::unsolved;
            if (is_begun[k])
                end = svms[k].advance();
            else
                svms[k].begin_with_exchange(at_set[k], place);
            is_begun[k] = 1;
            is_lost = end == MarginSvm::End::lost;
            const bool is_solved = end == MarginSvm::End::solved;
            const double value = svms[k].value();
            const double need = is_solved ? value : std::max(needs[k], svms[k].lower_bound());
            n_solved += is_solved;
            // One that is solved comes last, and one that is not before it.
            distances[k] = is_solved ? -1 : std::max(value - need, 0.0);
            left -= need - needs[k];
            needs[k] = need;
            is_worse = left < 0;
        }
        if (is_lost) continue;
        if (!is_worse && left > 0) {
            write(svms, set.rows.n_rows, alpha, offsets);
            return e;
        }
        for (std::size_t k = 0; k < set.n_svms; ++k) {
            if (!is_begun[k]) continue;
            svms[k].write_alpha(own_alpha.data());
            const Proof proof = proof_of(own_alpha.data(), k);
            for (std::size_t f = e; f < exchanges.size(); ++f) {
                double& bound = known[f * set.n_svms + k];
                bound = std::max(bound, proof.bound(exchanges[f].place, places[f]));
            }
        }
        for (std::size_t f = e; f < exchanges.size(); ++f) {
            const double* const own = known.data() + f * set.n_svms;
            exchanges[f].bound = std::max(exchanges[f].bound, std::accumulate(own, own + set.n_svms, 0.0));
        }
    }
    return exchanges.size();
}

}  // namespace fewest
