#pragma once

#include "image/image.h"
#include "pictures/cards.h"
#include "pictures/colour.h"
#include "results/calibration.h"
#include "results/confusion.h"
#include "results/outcome.h"

namespace vitrain::results {

struct ConfusionStyle {
  pictures::Palette palette = pictures::kLightPalette;
  // Draw a heading with the counts; false if the page has one.
  bool heading = true;
};
// Draws the confusion matrix: rows are classes, columns predictions, colours
// fractions of a row. Up to 60 classes have names, up to 32 counts in the
// cells; with more than 500, several classes share a cell, which shows the
// largest fraction, of right predictions if there are any.
image::Image draw_confusion(
    const Confusion& confusion,
    const std::vector<std::string>& classes,
    const ConfusionStyle& style = {});

// Draws the reliability diagram: accuracy over confidence, and a histogram of
// the confidence.
image::Image draw_reliability(const Calibration& calibration);

// Draws the 48 mistakes with the largest loss (mistakes_of()), without those
// whose image cannot be read. Returns nullopt if none is left.
std::optional<pictures::CardSheet> draw_mistakes(const Evaluation& evaluation);

} // namespace vitrain::results
