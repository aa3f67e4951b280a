#include <fmt/format.h>

#include "core/text.h"
#include "pictures/cards.h"
#include "results/evaluation_pictures.h"

namespace vitrain::results {
namespace {

constexpr std::size_t kMostMistakes = 48;

} // namespace

std::optional<pictures::CardSheet> draw_mistakes(const Evaluation& evaluation) {
  std::vector<pictures::Card> cards;
  for (const Outcome& one : mistakes_of(evaluation.outcomes, kMostMistakes)) {
    auto picture = evaluation.picture(one.sample);
    if (!picture) {
      continue;
    }
    cards.push_back(
        {.picture = std::move(*picture),
         .title = evaluation.path(one.sample),
         .lines = {
             {.text = "is " +
                  evaluation.classes[static_cast<std::size_t>(one.label)],
              .colour = pictures::kGreen},
             {.text =
                  evaluation.classes[static_cast<std::size_t>(one.prediction)],
              .share = static_cast<double>(one.probability),
              .colour = pictures::kRed}}});
  }
  if (cards.empty()) {
    return std::nullopt;
  }
  std::int64_t wrong = 0;
  for (const Outcome& one : evaluation.outcomes) {
    wrong += one.right() ? 0 : 1;
  }
  const image::Image& first = cards.front().picture;
  pictures::CardSheet sheet(
      {.count = std::ssize(cards),
       .lines = 2,
       .size = {first.width, first.height},
       .heading = "Worst mistakes",
       .note = fmt::format(
           "{} of {} wrong predictions, those with the largest loss first; "
           "images as the network sees them",
           cards.size(),
           with_commas(wrong))});
  for (const pictures::Card& card : cards) {
    sheet.add(card);
  }
  return sheet;
}

} // namespace vitrain::results
