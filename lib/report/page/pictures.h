#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "report/runs/read_evaluation.h"

// Pictures of a page, which adapt to the reader's light or dark mode. They are
// embedded in the page and small: photographs are JPEGs.
namespace vitrain::report {

enum class Paper {
  kWhite, // a drawing, whose colours are inverted on a dark page
  kPhotographs,
};

// Returns a PNG file as a figure; "" if there is no such file. If it is too
// large for a page, returns its name instead.
std::string
picture(const std::filesystem::path& file, std::string_view text, Paper paper);

// Returns a sheet of cards (pictures/cards.h) as separate cards, as many per
// row as fit; any other PNG file as picture() does.
std::string cards(const std::filesystem::path& file, std::string_view text);

// Returns the confusion matrix as a picture, for more classes than a table can
// show.
std::string heat_map(const NamedConfusion& table);

// Returns the reliability diagram; "" without predictions.
std::string reliability(const std::vector<results::Calibration::Bin>& bins);

} // namespace vitrain::report
