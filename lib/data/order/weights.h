#pragma once

#include <string>
#include <vector>

#include "data/sources/index.h"

namespace vitrain::data {

// One weight per sample with which every class that has samples is drawn
// equally often: 1 / samples of its class.
std::vector<double> balanced_weights(const Index& index);

// One weight per sample from a text file with one number per line: for each
// class, or for each sample (empty lines and lines that begin with # do not
// count). Of lists with several labels for an image: for each sample alone, as
// classes say nothing of their combinations. Throws Error(kData) naming file,
// line and what was expected.
std::vector<double> read_weights(const std::string& path, const Index& index);

} // namespace vitrain::data
