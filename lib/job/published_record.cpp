#include "job/published_record.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "checkpoint/published_config.h"
#include "config/foreign/published_weights.h"
#include "config/foreign/timm_defaults.h"
#include "config/load/preprocess_values.h"
#include "core/text.h"
#include "models/published_name.h"

namespace vitrain::job {
namespace {

namespace fs = std::filesystem;

using config::foreign::find_published;
using config::foreign::PublishedImages;
using config::foreign::PublishedWeights;

// Finds published weights by the name of a file, of its folder, or of its
// repository in the Hugging Face cache; nullopt if none of these is known.
std::optional<PublishedWeights> find_by_path(const fs::path& file) {
  if (auto found = find_published(file.filename().native())) {
    return found;
  }
  std::vector<std::string> names{file.stem().native()};
  fs::path folder = file.parent_path();
  names.push_back(folder.filename().native());
  folder = folder.parent_path().parent_path(); // of REPOSITORY/snapshots/COMMIT
  const std::string repository = folder.filename().native();
  names.push_back(without_prefix(repository, "models--timm--"));
  for (const std::string& name : names) {
    if (auto found = find_published(name); found && found->name == name) {
      return found;
    }
  }
  return std::nullopt;
}

// Appends class numbers as names until `classes` has `count` elements.
void add_numbers(std::int64_t count, std::vector<std::string>& classes) {
  for (std::int64_t i = std::ssize(classes); i < count; ++i) {
    classes.push_back(std::to_string(i));
  }
}

// Returns the values of recipe keys for images of published weights.
// `evaluates`: with the size and crop for tests, if they differ.
Json published_keys(const PublishedImages& images, bool evaluates) {
  const bool other_size = evaluates && images.test_size > 0;
  const bool other_crop = evaluates && images.test_crop_pct > 0;
  Json keys{
      {"data.preprocess.mean", images.mean},
      {"data.preprocess.std", images.std},
      {"data.preprocess.interpolation", images.interpolation},
      {"data.preprocess.crop_mode", images.crop_mode},
      {"model.image_size", other_size ? images.test_size : images.size}};
  const double crop = other_crop ? images.test_crop_pct : images.crop_pct;
  if (crop <= 1.0) { // VOLO has a larger crop_pct and pads images
    keys["data.preprocess.crop_pct"] = crop;
  }
  return keys;
}

std::optional<PreprocessRecord> record_of_table(
    const fs::path& weights,
    bool evaluates) {
  const auto found = find_by_path(weights);
  if (!found) {
    return std::nullopt;
  }
  PreprocessRecord record{
      .source = fmt::format(
          "{} (by its name, {})", printable(weights.native()), found->name),
      .values = published_keys(*found->images, evaluates),
      .published = true,
      .architecture = found->network};
  add_numbers(
      found->is_torchvision()
          ? config::foreign::TimmDefaults{}.outputs
          : config::foreign::timm_defaults(found->name).outputs,
      record.classes);
  return record;
}

// Completes the settings that a training program stored in its checkpoint:
// missing values are taken from the first published weights of the network,
// whose name becomes vitrain's ("" if unknown).
void add_defaults(bool evaluates, checkpoint::PublishedConfig& published) {
  published.architecture =
      models::read_published_name(published.architecture).network;
  const std::vector<PublishedWeights> all =
      config::foreign::published_weights(published.architecture);
  if (!all.empty()) {
    Json keys = published_keys(*all.front().images, evaluates);
    keys.update(published.keys);
    published.keys = std::move(keys);
  }
}

// Returns "mean [...], std [...], ..." of recipe values.
std::string described(const Json& keys) {
  std::string text;
  for (const auto& [key, value] : keys.items()) {
    text += fmt::format(
        "{}{} {}",
        text.empty() ? "" : ", ",
        key.substr(key.rfind('.') + 1),
        value.is_string() ? value.get<std::string>() : to_line(value));
  }
  return text;
}

// Returns the preprocessing of a network's published weights as far as it
// differs from `own`: each distinct set of differences once, with the name of
// the first weights that have it.
std::vector<std::pair<Json, std::string>> other_images(
    const std::string& network,
    const Json& own) {
  std::vector<std::pair<Json, std::string>> groups;
  for (const PublishedWeights& one :
       config::foreign::published_weights(network)) {
    const Json keys = published_keys(*one.images, /*evaluates=*/true);
    Json other = Json::object();
    for (const auto& [key, value] : keys.items()) {
      // Skips an unset image size, which the network's name contains.
      if (!own.value(key, Json()).is_null() && own.at(key) != value) {
        other[key] = value;
      }
    }
    if (std::ranges::find(
            groups, other, &std::pair<Json, std::string>::first) ==
        groups.end()) {
      groups.emplace_back(std::move(other), one.name);
    }
  }
  return groups;
}

} // namespace

std::optional<PreprocessRecord> published_record(
    const fs::path& weights,
    bool evaluates) {
  using enum checkpoint::WeightsUse;
  auto published = checkpoint::read_published_config(
      weights, evaluates ? kEvaluation : kTraining);
  if (!published) {
    return record_of_table(weights, evaluates);
  }
  if (published->source.empty() && published->notes.empty()) {
    add_defaults(evaluates, *published);
    if (published->architecture.empty() && published->keys.empty()) {
      return record_of_table(weights, evaluates);
    }
  }
  std::vector<std::string> classes = std::move(published->classes);
  add_numbers(published->num_classes, classes);
  return PreprocessRecord{
      .source = fmt::format(
          "{} (by its {})",
          printable(weights.native()),
          published->source.empty() ? "own settings" : published->source),
      .values = std::move(published->keys),
      .classes = std::move(classes),
      .published = true,
      .architecture = std::move(published->architecture),
      .notes = std::move(published->notes)};
}

std::string unknown_images_note(
    const std::string& weights,
    const config::Recipe& recipe,
    const config::Origins& origins) {
  Json own = config::preprocess_values(recipe);
  for (const auto& [key, position] : origins) {
    if (position.origin != config::Origin::kDefault) {
      own.erase(key);
    }
  }
  const auto groups = other_images(recipe.model.name, own);
  Json used = Json::object();
  for (const auto& [values, names] : groups) {
    for (const auto& [key, value] : values.items()) {
      used[key] = own.at(key);
    }
  }
  if (used.empty()) {
    return "";
  }
  std::string others;
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < std::min(groups.size(), kShown); ++i) {
    const auto& [values, name] = groups[i];
    others += fmt::format(
        "{}{} {}",
        others.empty() ? "" : "; ",
        name,
        values.empty() ? "the same" : described(values));
  }
  return fmt::format(
      "{} does not say how its images are prepared: {} are used; published "
      "weights of {} take other images: {}{} (`vitrain models {}` lists them)",
      printable(weights),
      described(used),
      recipe.model.name,
      others,
      groups.size() > kShown ? "; ..." : "",
      recipe.model.name);
}

} // namespace vitrain::job
