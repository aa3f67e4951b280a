#include "config/later.h"

#include <algorithm>
#include <array>
#include <utility>

namespace vitrain::config {
namespace {

using Value = std::pair<std::string_view, std::string_view>;

constexpr auto kKeys = std::to_array<std::string_view>({
    "eval.weights",
    "optim.layer_decay",
});

constexpr auto kSections = std::to_array<std::string_view>({"train.ema"});

constexpr auto kValues = std::to_array<Value>({
    {"run.determinism", "bitwise"},
    {"run.determinism", "elastic"},
    {"train.precision", "fp16"},
    {"train.on_non_finite", "skip"},
    {"train.on_non_finite", "rollback"},
});

} // namespace

bool is_later_key(std::string_view path) {
  const auto below = [&](std::string_view section) {
    return path == section ||
        (path.starts_with(section) && path.size() > section.size() &&
         path[section.size()] == '.');
  };
  return std::ranges::find(kKeys, path) != kKeys.end() ||
      std::ranges::any_of(kSections, below);
}

bool is_later_value(std::string_view path, std::string_view value) {
  return std::ranges::find(kValues, Value(path, value)) != kValues.end();
}

} // namespace vitrain::config
