#include "engine/state/similar_networks.h"

#include <algorithm>
#include <chrono>
#include <string_view>

#include "core/text.h"
#include "models/families/family.h"
#include "networks/tensors.h"

namespace vitrain::engine {
namespace {

using networks::TensorInfo;

bool is_counter(std::string_view name) {
  return name.ends_with("num_batches_tracked");
}

bool classifies(const models::ModelSpec& spec, std::string_view name) {
  return std::ranges::any_of(
      spec.family->classifier,
      [&](const std::string& start) { return name.starts_with(start); });
}

// Returns true for tensors with a row per position, whose size depends on the
// image size.
bool has_positions(std::string_view name) {
  return name.find("pos_embed") != name.npos ||
      name.find("relative_position_bias_table") != name.npos;
}

enum class Fit { kNone, kResized, kExact };

Fit fit_of(const models::ModelSpec& spec, const weights::Layouts& given) {
  Fit fit = Fit::kExact;
  std::size_t shared = 0;
  for (const TensorInfo& own : networks::tensors_of(spec)) {
    const auto found = given.find(own.name);
    if (classifies(spec, own.name) || is_counter(own.name)) {
      continue;
    }
    if (found == given.end()) {
      return Fit::kNone;
    }
    ++shared;
    if (!weights::same_values(found->second.shape, own.shape)) {
      if (!has_positions(own.name)) {
        return Fit::kNone;
      }
      fit = Fit::kResized;
    }
  }
  const auto rest = std::ranges::count_if(given, [&](const auto& tensor) {
    return !classifies(spec, tensor.first) && !is_counter(tensor.first);
  });
  return shared > 0 && std::cmp_equal(rest, shared) ? fit : Fit::kNone;
}

} // namespace

std::vector<std::string> similar_networks(const weights::Layouts& given) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kLongest(10);
  const auto start = Clock::now();
  std::vector<std::string> exact;
  std::vector<std::string> resized;
  for (const std::string& name : models::listed_names()) {
    if (Clock::now() - start > kLongest) {
      break;
    }
    const auto spec = models::find_model(name);
    if (!spec || spec->features > 0 || spec->family->learns_pixels) {
      continue;
    }
    const Fit fit = fit_of(*spec, given);
    if (fit != Fit::kNone) {
      (fit == Fit::kExact ? exact : resized).push_back(name);
    }
  }
  return exact.empty() ? resized : exact;
}

std::string similar_networks_text(
    const weights::Layouts& given,
    const std::string& own,
    const std::string& source) {
  std::vector<std::string> names = similar_networks(given);
  if (names.empty() || std::ranges::find(names, own) != names.end()) {
    return "";
  }
  constexpr std::size_t kShown = 4;
  const std::string first = names.front();
  const std::size_t count = names.size();
  names.resize(std::min(count, kShown));
  return fmt::format(
      "{}: these look like weights of {}{}: set model.name={}",
      source,
      join(names, " or "),
      count > kShown ? " or another of that size" : "",
      first);
}

} // namespace vitrain::engine
