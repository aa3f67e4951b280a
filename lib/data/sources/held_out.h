#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/sources/index.h"

namespace vitrain::data {

// A dataset in two parts, which have no sample in common.
struct SplitData {
  Index train;
  Index held_out;
};

// Holds out a share (0 to 1) of every class: the nearest number of the whole
// dataset, the share of each class rounded down or up, and never a whole class.
// The choice depends only on the samples' names (for vectors, row numbers) and
// the seed, not on the order in which they are listed; lines of a list that
// name one image stay together. Throws Error(kData) if no sample would be held
// out. Of lists with several labels for an image every label has about the
// share, as stratify() chooses. For selectable kinds (select.h).
SplitData split_data(const Index& index, double share, std::uint64_t seed);

// Returns the names of a part's samples, one per line: for `list` and `tar` as
// they are, for `folder` relative to the dataset's folder, for vectors a hash
// of each row.
std::string sample_names(const Index& index);

} // namespace vitrain::data
