#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/sources/index.h"

// Lists in which an image has any number of labels (data.train.multi_label).
namespace vitrain::data {

// Separators between the labels of an image: commas in text lists; in .csv
// fields semicolons or bars if any field contains one, else spaces and tabs.
inline constexpr std::string_view kBetweenInText = ",";
inline constexpr std::string_view kBetweenInCsv = " \t";
inline constexpr std::string_view kBarsInCsv = ";|";

// Splits the label field of an image at any character of `between`. "" and "-"
// mean no labels.
std::vector<std::string> labels_in(
    std::string_view text,
    std::string_view between);

// Returns true if the text is a list of whole numbers separated by commas, or
// has no labels ("" or "-").
bool are_label_numbers(std::string_view text);

// Call after the further labels of all samples are final: appends the last
// element of set_starts, and sets each sample's label to its first further
// label, or 0 if it has none. Returns the number of samples without labels.
std::int64_t finish_label_sets(Index::Contents& contents);

} // namespace vitrain::data
