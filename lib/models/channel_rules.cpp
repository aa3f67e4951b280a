// Rules for recipes whose images have neither 1 nor 3 channels.

#include <array>
#include <string>

#include <fmt/format.h>

#include "config/rules/stages.h"
#include "core/enum_names.h"
#include "models/resolve.h"
#include "models/rules.h"
#include "options/channels.h"

namespace vitrain::models {
namespace {

constexpr const char* kChannels = "model.in_chans";

// True for kinds of data whose images are always colour or grey, so that
// model.in_chans can only be 3 or 1.
bool has_colours(SourceKind kind) {
  return kind == SourceKind::kShapes || kind == SourceKind::kCifar ||
      kind == SourceKind::kMnist;
}

struct ColourChange {
  const char* key; // key in data.augment
  bool (*is_set)(const config::AugmentConfig&);
};

using Augment = config::AugmentConfig;

constexpr std::array kColourChanges{
    ColourChange{
        "auto_augment",
        [](const Augment& a) { return a.auto_augment.has_value(); }},
    ColourChange{
        "color_jitter",
        [](const Augment& a) { return !a.color_jitter.empty(); }},
    ColourChange{"grayscale", [](const Augment& a) { return a.grayscale > 0; }},
    ColourChange{
        "gaussian_blur",
        [](const Augment& a) { return a.gaussian_blur > 0; }},
    ColourChange{"solarize", [](const Augment& a) { return a.solarize > 0; }},
};

std::vector<config::Finding> check_changes(const config::Recipe& recipe) {
  std::vector<config::Finding> findings;
  const std::int64_t channels = channels_of(recipe.model);
  for (const ColourChange& change : kColourChanges) {
    if (!are_colours(channels) && change.is_set(recipe.data.augment)) {
      findings.push_back(
          {fmt::format("data.augment.{}", change.key),
           fmt::format(
               "is for colours, and images have {} channels ({}): leave it "
               "out; crops, flips, erasing, mixup and cutmix are for all",
               channels,
               kChannels),
           {kChannels, "model.name"}});
    }
  }
  return findings;
}

} // namespace

std::vector<config::Finding> check_channels(
    const config::Recipe& recipe,
    bool training) {
  const std::int64_t channels = channels_of(recipe.model);
  if (are_colours(channels)) {
    return {};
  }
  config::Checker checker;
  const auto check_kind = [&](const char* key, SourceKind kind) {
    checker.require(
        !has_colours(kind),
        kChannels,
        fmt::format(
            "in_chans is {}, and images of {} {} have colours: it can be 3, or "
            "1 for grey input. Others are for folder, list and tar, whose TIFF "
            "or PNG files have so many channels, and for random",
            channels,
            key,
            name_of(kind)),
        {key});
  };
  check_kind("data.eval.kind", recipe.data.eval.kind);
  if (training) {
    check_kind("data.train.kind", recipe.data.train.kind);
    checker.add(check_changes(recipe));
    checker.add(config::check_stages(recipe, check_changes));
  }
  return checker.take();
}

} // namespace vitrain::models
