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
#include "models/spec.h"
#include "options/resampling.h"

namespace vitrain::models {

inline constexpr std::int64_t kFp32Bytes = 4;

// Bytes of the results of layers, of one sample.
struct ActivationBytes {
  std::int64_t kept = 0; // of training: what backward needs of a forward pass
  std::int64_t passing = 0; // without backward: the most that is needed at once
};

// Everything that the program knows of a family of networks beside the networks
// themselves (networks/). Each stands in the family's own file, and families()
// lists them.
struct Family {
  const char* name; // "vit"
  // Names that find() knows beyond list(), in words; null: none.
  const char* pattern = nullptr;
  // The names that `vitrain models` lists, small to large.
  std::vector<std::string> (*list)();
  // What a name alone says: image_size, channels and the family's own numbers;
  // none where the name is not of this family.
  std::optional<ModelSpec> (*find)(const std::string& name);
  // Keys of the recipe's section `model` that change such a network, of those
  // which not every family has.
  std::vector<std::string_view> (*options)(const ModelSpec& named) =
      [](const ModelSpec&) { return std::vector<std::string_view>{}; };
  // What can be wrong with a recipe for images; null: nothing.
  void (*check)(
      const config::ModelConfig& config,
      const ModelSpec& named,
      config::Checker& checker) = nullptr;
  // Puts what the recipe sets in place of the numbers of the name; null: it has
  // no such options.
  void (*apply)(const config::ModelConfig& config, ModelSpec& spec) = nullptr;
  std::string (*describe)(const ModelSpec& spec); // in `vitrain models`
  // What decides the shapes and the meaning of the weights, beside the name and
  // the outputs: runs continue only checkpoints of the same text.
  std::string (*identity)(const ModelSpec& spec);
  // Counted from the numbers alone; in bf16 where `bf16` (autocast). Null: what
  // needs to know runs the network (networks/cost.h).
  ActivationBytes (*activations)(const ModelSpec& spec, bool bf16) = nullptr;
  // Starts of the names of the classifier's tensors: what weights of other
  // classes do not bring.
  std::vector<std::string> classifier{"head."};
  // The layers of its parameters, for layer decay: timm's; of a name the first
  // rule that matches counts, and names without one are of the last layer.
  // Empty: runs of twelve parameters.
  std::vector<LayerRule> layers{};
  // Places over the image, in rows and columns, that a tensor of positions has
  // (of a table of relative ones, its window's); null: squares.
  ImageSize (*grid)(const ModelSpec& spec, std::string_view tensor) = nullptr;
  // How timm's own loader brings its positions to another grid: what
  // model.pretrained_resampling: timm means; null: kTimm.
  Resampling (*resampling)(const ModelSpec& spec) = nullptr;
  // Whether it has a head for a teacher beside that of the classes; null: no.
  bool (*two_heads)(const ModelSpec& spec) = nullptr;
  // Its networks take images of other sizes than the spec's, too, with the same
  // weights, as long as `check` allows them: nothing depends on the size, or
  // positions are resampled on their way.
  bool any_image_size = false;
  bool takes_vectors = false; // beside images
  // It has no classifier and gives its own loss: train.loss: pixels.
  bool learns_pixels = false;
  bool channels_last = false; // the layout in which it wants images
  // Measured: resident memory over what its layers hold in training.
  double memory_overhead = 1.1;
};

// Every family.
std::span<const Family* const> families();

// What a name alone says: every number but the classes (1000). None when the
// name belongs to no family.
std::optional<ModelSpec> find_model(const std::string& name);

// The names that `vitrain models` lists.
std::vector<std::string> listed_names();

// A network whose name is one word, with what the name says of it.
template <typename Numbers>
struct NamedNetwork {
  const char* name;
  std::int64_t image_size; // side of a square
  std::int64_t channels;
  Numbers numbers;
};

// Family::list and Family::find of a family that is a table of them.
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

// The size that a recipe sets, or that of the name.
ImageSize image_size_of(
    const config::ModelConfig& config,
    const ModelSpec& named);

// Family::options of a family whose blocks can be dropped, and nothing else.
std::vector<std::string_view> drop_path_option(const ModelSpec& named);

// Requires that the sides of images are multiples of `multiple`, the patch
// size.
void check_multiple(
    const config::ModelConfig& config,
    const ModelSpec& named,
    std::int64_t multiple,
    config::Checker& checker);

// Family::check and Family::grid of a family whose numbers have a patch_size.
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

// Requires that images have at least so many pixels a side.
void check_least_side(
    const config::ModelConfig& config,
    const ModelSpec& named,
    std::int64_t least,
    config::Checker& checker);

// Family::check of a family whose images need at least so many.
template <std::int64_t least>
void check_least(
    const config::ModelConfig& config,
    const ModelSpec& named,
    config::Checker& checker) {
  check_least_side(config, named, least, checker);
}

// Family::describe of a family whose stages have widths and depths, or its
// beginning.
template <typename Numbers>
std::string describe_stages(const ModelSpec& spec) {
  const auto& net = spec.get<Numbers>();
  return fmt::format(
      "widths {}, depths {}",
      fmt::join(net.widths, "-"),
      fmt::join(net.depths, "-"));
}

// Family::identity of networks whose weights fit images of any size, and of
// those whose weights do not.
std::string channels_identity(const ModelSpec& spec);
std::string image_identity(const ModelSpec& spec);

// The digits of a positive number up to 4096, without sign or leading zero: a
// size in a name.
bool parse_size(std::string_view text, std::int64_t& value);

} // namespace vitrain::models
