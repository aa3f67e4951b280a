#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/ranges.h>

#include "config/rules/checker.h"
#include "config/sections/model.h"
#include "models/families/layer_rule.h"
#include "models/families/spec.h"
#include "options/resampling.h"

namespace vitrain::models {

inline constexpr std::int64_t kFp32Bytes = 4;

// Estimated bytes of the activations of one sample.
struct ActivationBytes {
  std::int64_t kept = 0; // training: all activations kept for backward
  // Inference: largest sum of activations in memory at once.
  std::int64_t passing = 0;
};

// Description of a family of networks. The networks themselves are in
// networks/. Each description is defined in the family's own file; families()
// lists them.
struct Family {
  const char* name; // short identifier, such as "vit"
  // Text for users about the names that find() accepts besides those of list();
  // null: no text.
  const char* pattern = nullptr;
  // Returns the names that `vitrain models` lists.
  std::vector<std::string> (*list)();
  // Returns the spec of a name, with image_size, channels and the family's own
  // numbers; nullopt if the name does not belong to this family. find_model()
  // sets the other members.
  std::optional<ModelSpec> (*find)(const std::string& name);
  // Returns the keys of the recipe's section `model` that only some networks
  // support and that the network `named` supports ("depth"). Other such keys
  // are rejected.
  std::vector<std::string_view> (*options)(const ModelSpec& named) =
      [](const ModelSpec&) { return std::vector<std::string_view>{}; };
  // Reports settings that do not fit the network `named`, which is find()'s
  // spec, before apply(). Not called if the data are vectors. Null: no rules.
  void (*check)(
      const config::ModelConfig& config,
      const ModelSpec& named,
      config::Checker& checker) = nullptr;
  // Replaces numbers of the named network with those that the recipe sets;
  // null: the family has no such keys.
  void (*apply)(const config::ModelConfig& config, ModelSpec& spec) = nullptr;
  // Description printed by `vitrain models`.
  std::string (*describe)(const ModelSpec& spec);
  // Returns a text with everything, besides name and number of outputs, that
  // determines the shapes and the meaning of the weights. A run resumes only
  // from a checkpoint with the same text.
  std::string (*identity)(const ModelSpec& spec);
  // Estimates activations from the spec, under bf16 autocast if `bf16`. Null:
  // callers run the network on the meta device instead (networks/cost.h).
  ActivationBytes (*activations)(const ModelSpec& spec, bool bf16) = nullptr;
  // Name prefixes of the classifier's tensors, which are not loaded from
  // weights for other classes.
  std::vector<std::string> classifier{"head."};
  // Rules that map parameter names to layers for layer decay, as in timm. The
  // first matching rule applies; names without a match belong to the last
  // layer. Empty: every twelve successive parameters outside the classifier are
  // a layer.
  std::vector<LayerRule> layers{};
  // Returns the size of the grid that the position tensor `tensor` covers (for
  // a table of relative positions: of the window); null: grids are square.
  ImageSize (*grid)(const ModelSpec& spec, std::string_view tensor) = nullptr;
  // Returns the method by which timm resamples positions of this network, used
  // for model.pretrained_resampling: timm; null: kTimm.
  Resampling (*resampling)(const ModelSpec& spec) = nullptr;
  // True if the network has a distillation head; null: no network of the family
  // has one.
  bool (*two_heads)(const ModelSpec& spec) = nullptr;
  // True if weights fit images of any size that `check` allows: nothing depends
  // on the size, or forward() resamples positions.
  bool any_image_size = false;
  bool takes_vectors = false; // accepts vectors besides images
  // True if the network has no classifier and computes its own loss
  // (train.loss: pixels).
  bool learns_pixels = false;
  // The classifier is a convolution: without model.head_dropout and model.lora.
  bool has_conv_classifier = false;
  bool channels_last = false; // images are fastest in channels_last
  // Factor for the estimate of the activations in training: measured ratio of
  // resident to estimated memory.
  double memory_overhead = 1.1;
};

// Returns the families of this library, then the families of add_family().
std::span<const Family* const> families();

// Returns the spec of a name, with 1000 classes; nullopt if no family has the
// name.
std::optional<ModelSpec> find_model(const std::string& name);

// Returns true if the parameter `name` of a network belongs to its classifier;
// false for an unknown network.
bool classifies(const Family& family, std::string_view name);
bool classifies(const std::string& network, std::string_view name);

// Returns the names that `vitrain models` lists, of all families.
std::vector<std::string> listed_names();

// Row of a table of networks: a name and its spec.
template <typename Numbers>
struct NamedNetwork {
  const char* name;
  std::int64_t image_size; // side of the square input
  std::int64_t channels;
  Numbers numbers;
};

// Family::list and Family::find for a family defined by a table of
// NamedNetwork.
template <const auto& table>
std::vector<std::string> names_in() {
  std::vector<std::string> names;
  for (const auto& network : table) {
    names.emplace_back(network.name);
  }
  return names;
}

template <const auto& table>
std::optional<ModelSpec> find_in(const std::string& name) {
  const auto found = std::ranges::find(
      table, name, [](auto& network) { return network.name; });
  if (found == table.end()) {
    return std::nullopt;
  }
  ModelSpec spec;
  spec.image_size = found->image_size;
  spec.channels = found->channels;
  spec.numbers = found->numbers;
  return spec;
}

// Returns the recipe's image size; if unset, the named network's.
ImageSize image_size_of(
    const config::ModelConfig& config,
    const ModelSpec& named);

// Family::options for families whose only option is model.drop_path.
std::vector<std::string_view> drop_path_option(const ModelSpec& named);

// Reports, as model.image_size, image sides that are not multiples of
// `multiple`, which the message calls the patch size.
void check_multiple(
    const config::ModelConfig& config,
    const ModelSpec& named,
    std::int64_t multiple,
    config::Checker& checker);

// Family::check and Family::grid for families whose `numbers` have a
// patch_size.
template <typename Numbers>
void check_patches(
    const config::ModelConfig& config,
    const ModelSpec& named,
    config::Checker& checker) {
  check_multiple(config, named, named.get<Numbers>().patch_size, checker);
}
template <typename Numbers>
ImageSize patch_grid(const ModelSpec& spec, std::string_view /*tensor*/ = {}) {
  const std::int64_t patch = spec.get<Numbers>().patch_size;
  return {spec.image_size.height / patch, spec.image_size.width / patch};
}

// Reports image sides below `least` pixels.
void check_least_side(
    const config::ModelConfig& config,
    const ModelSpec& named,
    std::int64_t least,
    config::Checker& checker);

// Family::check for families that require sides of at least `least` pixels.
template <std::int64_t least>
void check_least(
    const config::ModelConfig& config,
    const ModelSpec& named,
    config::Checker& checker) {
  check_least_side(config, named, least, checker);
}

// Family::describe, or its first part, for families with widths and depths by
// stage.
template <typename Numbers>
std::string describe_stages(const ModelSpec& spec) {
  const auto& net = spec.get<Numbers>();
  return fmt::format(
      "widths {}, depths {}",
      fmt::join(net.widths, "-"),
      fmt::join(net.depths, "-"));
}

// Family::identity for networks whose weights fit any image size (channels
// only), and for networks whose weights depend on the image size.
std::string channels_identity(const ModelSpec& spec);
std::string image_identity(const ModelSpec& spec);

// Parses a size in a model name: a number from 1 to 4096 without sign or
// leading zero. Returns false for any other text; `value` is then unspecified.
bool parse_size(std::string_view text, std::int64_t& value);

} // namespace vitrain::models
