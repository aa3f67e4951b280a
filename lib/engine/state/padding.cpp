#include "engine/state/padding.h"

#include <algorithm>
#include <any>
#include <optional>
#include <ranges>
#include <string_view>

#include <fmt/format.h>

#include "checkpoint/published_config.h"
#include "core/text.h"
#include "models/families/efficientnet.h"
#include "models/families/family.h"

namespace vitrain::engine {
namespace {

constexpr std::string_view kTensorFlow = "tf_";

std::optional<bool> pads_as_tensorflow(const models::ModelSpec& spec) {
  const auto* net = std::any_cast<models::EfficientNetSpec>(&spec.numbers);
  return net != nullptr ? std::optional(net->same_padding) : std::nullopt;
}

// Padding with which the weights were trained.
struct Known {
  bool tensorflow = false;
  std::string by; // source of this knowledge, for the message
};

std::optional<Known> known_of_network(
    const std::string& name,
    const std::string& by) {
  const auto spec = models::find_model(name);
  const auto pads = spec ? pads_as_tensorflow(*spec) : std::nullopt;
  return pads ? std::optional(Known{*pads, by}) : std::nullopt;
}

// Returns the longest name of an EfficientNet with which `part`, a component of
// a path, begins; "" if none.
std::string network_in(std::string_view part) {
  for (const std::string_view start : {"models--", "timm--"}) {
    if (part.starts_with(start)) {
      part.remove_prefix(start.size());
    }
  }
  std::string longest;
  for (const auto* family : {&models::kEfficientNet, &models::kMobileNet}) {
    for (const std::string& name : family->list()) {
      const bool begins = part.starts_with(name) &&
          (part.size() == name.size() ||
           std::string_view("._-").find(part[name.size()]) != part.npos);
      if (begins && name.size() > longest.size()) {
        longest = name;
      }
    }
  }
  return longest;
}

std::optional<Known> known_of(
    const std::filesystem::path& file,
    const weights::Archive& archive) {
  if (archive.tensorflow_padding) {
    return Known{true, "by the names of their tensors"};
  }
  const auto published = checkpoint::read_published_config(
      file, checkpoint::WeightsUse::kEvaluation);
  if (published && !published->architecture.empty()) {
    return known_of_network(
        published->architecture,
        fmt::format(
            "{}, by their {}",
            printable(published->architecture),
            published->source));
  }
  const std::vector<std::filesystem::path> parts(file.begin(), file.end());
  for (const auto& part : parts | std::views::reverse) {
    const std::string name = network_in(part.native());
    if (!name.empty()) {
      return known_of_network(name, name + ", by their path");
    }
  }
  return std::nullopt;
}

} // namespace

std::string padding_warning(
    const models::ModelSpec& spec,
    const std::filesystem::path& file,
    const weights::Archive& archive) {
  const auto own = pads_as_tensorflow(spec);
  if (!own) {
    return "";
  }
  const auto known = known_of(file, archive);
  if (!known || known->tensorflow == *own) {
    return "";
  }
  const std::string twin = *own ? without_prefix(spec.name, kTensorFlow)
                                : std::string(kTensorFlow) + spec.name;
  return fmt::format(
      "warning: these weights ({}) were trained with {} padding of "
      "convolutions, and {} pads {}: its outputs are others{}",
      known->by,
      known->tensorflow ? "TensorFlow's" : "even",
      spec.name,
      *own ? "as TensorFlow" : "evenly",
      models::find_model(twin) ? "; set model.name=" + twin : "");
}

} // namespace vitrain::engine
