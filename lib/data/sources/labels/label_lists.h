#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/sources/index.h"

// Lists whose images have any number of labels (data.train.multi_label).
namespace vitrain::data {

// The labels in the text that a line has for its image: between commas, or in a
// field of a .csv file between semicolons or bars, where it has such, else
// between blanks. "" and "-" are none.
std::vector<std::string> labels_in(std::string_view text, bool csv);

// Whether these are whole numbers.
bool are_label_numbers(std::string_view text);

// When the further labels of all samples have their numbers: ends them, and
// makes the first one of each sample its label, 0 where there is none. Returns
// the number of samples without one.
std::int64_t finish_label_sets(Index::Contents& contents);

} // namespace vitrain::data
