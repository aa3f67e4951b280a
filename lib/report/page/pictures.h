#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "report/runs/read_evaluation.h"

// Pictures of a page, which adapt to the reader's light or dark mode. They are
// embedded in the page; large ones are converted to JPEG.
namespace vitrain::report {

enum class Paper {
  kWhite, // a drawing, whose colours are inverted on a dark page
  kPhotographs, // colours stay
};

// Returns a PNG file as a figure with the caption `text`; "" if there is no
// such file or it is no PNG. If it cannot be read or has more than 32 MiB,
// returns a paragraph with the error instead. Throws Error(kData), as cards()
// does, for a damaged file that must be converted (to JPEG or to cards).
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
