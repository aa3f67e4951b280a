#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/sources/index.h"

// Lists whose images have any number of labels (data.train.multi_label).
namespace vitrain::data {

// What stands between the labels of an image: in text lists commas; in the
// fields of a .csv file blanks or, where one of its fields has semicolons or
// bars, those.
inline constexpr std::string_view kBetweenInText = ",";
inline constexpr std::string_view kBetweenInCsv = " \t";
inline constexpr std::string_view kBarsInCsv = ";|";

// Returns the labels in the text that a line has for its image, which are
// divided by any character of `between`. "" and "-" are none.
std::vector<std::string> labels_in(
    std::string_view text,
    std::string_view between);

// Whether these are whole numbers with commas between them.
bool are_label_numbers(std::string_view text);

// When the further labels of all samples have their numbers: ends them, and
// makes the first one of each sample its label, 0 where there is none. Returns
// the number of samples without one.
std::int64_t finish_label_sets(Index::Contents& contents);

} // namespace vitrain::data
