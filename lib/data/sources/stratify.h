#pragma once

#include <cstdint>
#include <vector>

namespace vitrain::data {

// Chooses a share of the samples, each with any number of labels, such that
// about that share of every label's samples is chosen: iterative stratification
// (Sechidis, Tsoumakas and Vlahavas, "On the Stratification of Multi-Label
// Data", 2011), in the order of the samples. Never chooses all samples of a
// label. `labels[i]` are distinct numbers below `classes`, the labels of sample
// i. Element i of the result is true if sample i is chosen.
std::vector<bool> stratify(
    const std::vector<std::vector<std::int32_t>>& labels,
    std::int64_t classes,
    double share);

} // namespace vitrain::data
