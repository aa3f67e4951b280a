#include "weights/names/levit_layers.h"

#include <charconv>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace vitrain::weights {
namespace {

struct Layer {
  std::int64_t number = 0;
  std::string_view rest; // rest of the name
};

// Parses a name "<start>NUMBER.REST"; nullopt for any other name.
std::optional<Layer> layer_in(std::string_view name, std::string_view start) {
  if (!name.starts_with(start)) {
    return std::nullopt;
  }
  name.remove_prefix(start.size());
  Layer layer;
  const auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), layer.number);
  const auto digits = static_cast<std::size_t>(end - name.data());
  if (error != std::errc() || layer.number < 0 || digits >= name.size() ||
      name[digits] != '.') {
    return std::nullopt;
  }
  layer.rest = name.substr(digits + 1);
  return layer;
}

void rename(
    Archive& archive,
    const std::function<std::string(std::string_view)>& new_name) {
  std::map<std::string, StoredTensor> tensors;
  for (auto& [name, tensor] : archive.tensors) {
    tensors.emplace(new_name(name), std::move(tensor));
  }
  archive.tensors = std::move(tensors);
}

struct StageLayer {
  std::int64_t stage = 0;
  Layer layer;
};

std::optional<StageLayer> transformers_layer(std::string_view name) {
  if (name.starts_with("levit.")) {
    name.remove_prefix(std::string_view("levit.").size());
  }
  const auto stage = layer_in(name, "encoder.stages.");
  if (!stage) {
    return std::nullopt;
  }
  const auto layer = layer_in(stage->rest, "layers.");
  return layer ? std::optional(StageLayer{stage->number, *layer})
               : std::nullopt;
}

} // namespace

void number_paddlevit_levit(Archive& archive) {
  std::set<std::int64_t> smaller; // numbers of the downsampling layers
  for (const auto& [name, tensor] : archive.tensors) {
    const auto layer = layer_in(name, "blocks.");
    if (layer && layer->rest.starts_with("attn.kv.")) {
      smaller.insert(layer->number);
    }
  }
  rename(archive, [&](std::string_view name) {
    const auto layer = layer_in(name, "blocks.");
    if (!layer) {
      return std::string(name);
    }
    const auto next = smaller.lower_bound(layer->number);
    const auto stage = std::distance(smaller.begin(), next);
    if (next != smaller.end() && *next == layer->number) {
      return fmt::format("stages.{}.downsample.{}", stage + 1, layer->rest);
    }
    const std::int64_t first = stage == 0 ? 0 : *std::prev(next) + 1;
    return fmt::format(
        "stages.{}.blocks.{}.{}", stage, layer->number - first, layer->rest);
  });
}

void number_transformers_levit(Archive& archive) {
  // Stage -> number of its last attention, which makes the grid smaller.
  std::map<std::int64_t, std::int64_t> smaller;
  for (const auto& [name, tensor] : archive.tensors) {
    const auto found = transformers_layer(name);
    if (found && found->layer.rest.starts_with("keys_values.")) {
      smaller[found->stage] = found->layer.number;
    }
  }
  rename(archive, [&](std::string_view name) {
    const auto found = transformers_layer(name);
    if (!found) {
      return std::string(name);
    }
    const auto& [stage, layer] = *found;
    const auto last = smaller.find(stage);
    if (last != smaller.end() && layer.number >= last->second) {
      return fmt::format("stages.{}.downsample.{}", stage + 1, layer.rest);
    }
    return fmt::format(
        "stages.{}.blocks.{}.{}", stage, layer.number / 2, layer.rest);
  });
}

} // namespace vitrain::weights
