#include "config/rules/unsupported_keys.h"

#include <algorithm>
#include <array>
#include <utility>

namespace vitrain::config {
namespace {

using Refusal = std::pair<std::string_view, std::string_view>;

constexpr auto kKeys = std::to_array<std::string_view>({"eval.weights"});

constexpr std::string_view kUnused =
    "a parameter that a step does not use would keep other values on other "
    "devices, or cost a search of the graph in every step. A trained "
    "parameter without a gradient is an error that names it; take it out of "
    "the model, or freeze it";
constexpr std::string_view kBuckets =
    "gradients are always views of the buffers in which they travel";
constexpr std::string_view kBuffers = "write dist.batchnorm: broadcast";

constexpr auto kRefusals = std::to_array<Refusal>({
    {"find_unused", kUnused},
    {"find_unused_parameters", kUnused},
    {"gradient_as_bucket_view", kBuckets},
    {"broadcast_buffers", kBuffers},
});

} // namespace

bool is_later_key(std::string_view path) {
  return std::ranges::find(kKeys, path) != kKeys.end();
}

std::string_view refusal_of(std::string_view name) {
  // Ignores the section of the key.
  const std::string_view leaf = name.substr(name.rfind('.') + 1);
  const auto found = std::ranges::find(kRefusals, leaf, &Refusal::first);
  return found == kRefusals.end() ? std::string_view{} : found->second;
}

} // namespace vitrain::config
