#include "engine/report/describe_model.h"

#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "config/rules/stages.h"
#include "core/text.h"
#include "models/changed_numbers.h"
#include "models/families/family.h"
#include "models/resolve.h"
#include "options/channels.h"

namespace vitrain::engine {
namespace {

// Returns the image sizes in training, for example "128, 192 from epoch 31"; ""
// if training always uses the size of evaluation.
std::string training_sizes(
    const config::Recipe& recipe,
    const models::ModelSpec& spec) {
  std::string text;
  ImageSize before;
  for (const std::int64_t epoch : config::stage_epochs(recipe)) {
    const ImageSize size =
        models::in_training(
            config::recipe_in_epoch(recipe, epoch).data.augment, spec)
            .image_size;
    if (size != before) {
      text += epoch == 1
          ? size.text()
          : fmt::format(", {} from epoch {}", size.text(), epoch);
    }
    before = size;
  }
  return text == spec.image_size.text() ? "" : text;
}

// Returns " grey" for one channel, "" for three colours, otherwise, for
// example, " with 13 channels".
std::string channels_text(const models::ModelSpec& spec) {
  return are_colours(spec.channels)
      ? (spec.channels == 1 ? " grey" : "")
      : fmt::format(" with {} channels", spec.channels);
}

// Returns the numbers that the recipe has changed and the parameter count, for
// example "depth 6, 5.7 M parameters".
std::string numbers_text(
    const config::ModelConfig& config,
    std::int64_t parameters) {
  constexpr std::int64_t kFew = 100'000;
  constexpr double kMillion = 1e6;
  std::vector<std::string> numbers = models::changed_numbers(config);
  numbers.push_back(fmt::format(
      "{} parameters",
      parameters < kFew
          ? with_commas(parameters)
          : fmt::format(
                "{:.1f} M", static_cast<double>(parameters) / kMillion)));
  return join(numbers, ", ");
}

} // namespace

std::string describe_model(const RunFacts& facts) {
  const models::ModelSpec& spec = facts.spec;
  const std::string numbers =
      numbers_text(facts.job.recipe.model, facts.parameters);
  if (spec.features > 0) {
    return fmt::format(
        "{}, {}, {} to {}",
        spec.name,
        numbers,
        counted(spec.features, "feature"),
        counted(spec.num_classes, "output"));
  }
  const std::string trained =
      facts.train == nullptr ? "" : training_sizes(facts.job.recipe, spec);
  const std::string images = fmt::format(
      "{}, {} px{}{}, {}",
      spec.name,
      spec.image_size.text(),
      channels_text(spec),
      trained.empty() ? "" : fmt::format(" (trained at {})", trained),
      numbers);
  return spec.family->learns_pixels
      ? images
      : fmt::format("{}, {} classes", images, with_commas(spec.num_classes));
}

} // namespace vitrain::engine
