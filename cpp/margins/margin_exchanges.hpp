#pragma once
// Which exchange of one column for another makes SVMs better.

#include <cstddef>
#include <vector>

#include "margins/margin_svms.hpp"

namespace fewest {

/// A set of columns and the SVMs on it, one for each line of signs; w is the sum of theirs.
struct SubsetSvms {
    SoftRows rows;
    const double* signs;  ///< n_svms by n_rows
    std::size_t n_svms;
    std::vector<std::size_t> columns;
};

struct Exchange {
    std::size_t place;   ///< of the column that goes, in the set
    std::size_t column;  ///< that comes
    double bound;        ///< w is no less after it, as far as is known
};

/// Solves the SVMs on the set. alpha (n_svms by n_rows) and offsets are where to begin, and the answer.
/// False where one was not solved.
bool solve_svms(const SubsetSvms& set, double* alpha, double* offsets);

/// The first of the exchanges after which w is less than `limit`; as many as there are exchanges where none is found.
///
/// Those whose bound is no less are passed over. Every one that is tried in vain has an alpha which bounds w of all the
/// others: the bounds of each SVM are raised by it. After most_tries no more are tried.
/// alpha, offsets : of the SVMs on the set; then of those after the exchange
std::size_t first_better(const SubsetSvms& set, std::vector<Exchange>& exchanges, double limit, std::size_t most_tries,
                         double* alpha, double* offsets);

}  // namespace fewest
