#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "report/runs/read_evaluation.h"

// Pictures of a page, which follow the reader's light or dark. All of them are
// inside of the page, and small: photographs are JPEGs there.
namespace vitrain::report {

enum class Paper {
  kWhite, // a drawing: on a dark page its colours are turned round
  kPhotographs,
};

// A PNG file as a figure; "" if there is no such file. One that is too large
// for a page is named instead.
std::string
picture(const std::filesystem::path& file, std::string_view text, Paper paper);

// A sheet of cards (pictures/cards.h) as cards of the page, so many in a row as
// there is room for; another PNG file as picture() has it.
std::string cards(const std::filesystem::path& file, std::string_view text);

// The confusion of so many classes that a table has no room for them.
std::string heat_map(const NamedConfusion& table);

// The reliability diagram; "" without predictions.
std::string reliability(const std::vector<results::Calibration::Bin>& bins);

} // namespace vitrain::report
