#pragma once

#include <cstdint>
#include <vector>

namespace vitrain::data {

// Chooses a share of samples with any number of labels each, so that every
// label has about that share of its samples among them: iterative
// stratification (Sechidis, Tsoumakas and Vlahavas, "On the Stratification of
// Multi-Label Data", 2011), in the order of the samples. Never chooses all
// samples of a label. `labels` are distinct numbers below `classes` for each
// sample. Returns whether each sample is chosen.
std::vector<bool> stratify(
    const std::vector<std::vector<std::int32_t>>& labels,
    std::int64_t classes,
    double share);

} // namespace vitrain::data
