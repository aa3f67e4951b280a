#pragma once

#include <string>
#include <vector>

#include "data/sources/index.h"

namespace vitrain::data {

// Returns one weight per sample, 1 / (number of samples of its class), so that
// every class with samples is sampled equally often. Of label lists only each
// sample's first label counts (Index::label()).
std::vector<double> balanced_sample_weights(const Index& index);

// Returns one weight per sample from a text file with one number per line: one
// line per class (assumed if there are as many classes as samples), or one per
// sample. Skips empty lines and lines that begin with #. For lists with several
// labels per image the file must have one line per sample, since class weights
// do not define weights of label combinations. Throws Error(kData) that names
// the file and what was expected, also if all weights are 0.
std::vector<double> read_weights(const std::string& path, const Index& index);

} // namespace vitrain::data
