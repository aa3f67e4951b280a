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

// Holds out a share (0 to 1) of every class alike: of the whole the nearest
// number, of each class that or one more, and never all of one. Which samples
// these are depends on their names and the seed alone, not on the order in
// which they are listed; lines of a list that name one image stay together. (Of
// vectors: on the number of the row.) Throws Error(kData) where that is none.
// Of lists with several labels for an image every label has about the share, as
// stratify() chooses. For selectable kinds (select.h).
SplitData split_data(const Index& index, double share, std::uint64_t seed);

// The names of a part's samples, one on each line: of `list` and `tar` as they
// have them, of `folder` from the dataset's folder on, of vectors a hash of
// each row.
std::string sample_names(const Index& index);

} // namespace vitrain::data
