#include "results/prediction_sheet.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"
#include "pictures/cards.h"

namespace vitrain::results {
namespace {

constexpr std::size_t kMostLines = 5; // lines per card
constexpr pictures::Colour kOthers{120, 132, 146};

pictures::Card card_of(
    const PicturedPrediction& one,
    const std::vector<std::string>& classes,
    const image::Size& size) {
  pictures::Card card{.title = one.path};
  if (one.picture) {
    card.picture = *one.picture;
  } else {
    card.picture = image::Image(size.width, size.height);
    std::ranges::fill(card.picture.pixels, pictures::kEdge.red);
  }
  if (!one.prediction.problem.empty()) {
    card.lines = {{.text = one.prediction.problem, .colour = pictures::kRed}};
    return card;
  }
  for (const ClassScore& score : one.prediction.top) {
    if (card.lines.size() == kMostLines) {
      break;
    }
    card.lines.push_back(
        {.text = classes[static_cast<std::size_t>(score.index)],
         .share = static_cast<double>(score.probability),
         .colour = card.lines.empty() ? pictures::kBlue : kOthers});
  }
  return card;
}

} // namespace

image::Image draw_predictions(
    std::span<const PicturedPrediction> shown,
    const std::vector<std::string>& classes,
    const image::Size& size,
    std::int64_t all) {
  std::size_t lines = 1;
  for (const PicturedPrediction& one : shown) {
    lines = std::max(lines, one.prediction.top.size());
  }
  pictures::CardSheet sheet(
      {.count = std::ssize(shown),
       .lines = static_cast<int>(std::min(lines, kMostLines)),
       .size = size,
       .heading = "Predictions",
       .note = fmt::format(
           "{}; images as the network sees them",
           std::ssize(shown) == all ? counted(all, "image")
                                    : fmt::format(
                                          "the first {} of {} images",
                                          shown.size(),
                                          with_commas(all)))});
  for (const PicturedPrediction& one : shown) {
    sheet.add(card_of(one, classes, size));
  }
  return sheet.image();
}

} // namespace vitrain::results
