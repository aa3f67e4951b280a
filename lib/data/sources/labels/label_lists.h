#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/sources/index.h"

// Lists whose images have any number of labels (data.train.multi_label).
namespace vitrain::data {

// Separators of an image's labels: commas in text lists; in .csv fields blanks,
// or semicolons or bars if any field has them.
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

// Call after the further labels of all samples are numbered: makes each
// sample's first one its label, 0 without labels. Returns the number of samples
// without labels.
std::int64_t finish_label_sets(Index::Contents& contents);

} // namespace vitrain::data
