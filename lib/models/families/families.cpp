#include "models/families/family.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/check.h"
#include "core/text.h"
#include "models/families/add_family.h"
#include "models/families/all.h"

namespace vitrain::models {
namespace {

constexpr std::int64_t kImageNetClasses = 1000;

// Families of this library, then families added by the program.
std::vector<const Family*>& table() {
  static std::vector<const Family*> families(
      kFamilies.begin(), kFamilies.end());
  return families;
}

} // namespace

std::span<const Family* const> families() {
  return table();
}

void add_family(const Family& family) {
  VITRAIN_CHECK(
      std::ranges::none_of(
          table(),
          [&](const Family* known) {
            return std::string_view(known->name) == family.name;
          }),
      ExitCode::kInternal,
      "there is a family of models called '{}': name yours otherwise",
      printable(family.name));
  table().push_back(&family);
}

std::optional<ModelSpec> find_model(const std::string& name) {
  for (const Family* family : families()) {
    if (std::optional<ModelSpec> spec = family->find(name)) {
      spec->name = name;
      spec->family = family;
      spec->num_classes = kImageNetClasses;
      return spec;
    }
  }
  return std::nullopt;
}

bool classifies(const Family& family, std::string_view name) {
  return std::ranges::any_of(family.classifier, [&](const std::string& prefix) {
    return name.starts_with(prefix);
  });
}

bool classifies(const std::string& network, std::string_view name) {
  const std::optional<ModelSpec> named = find_model(network);
  return named && classifies(*named->family, name);
}

std::vector<std::string> listed_names() {
  std::vector<std::string> names;
  for (const Family* family : families()) {
    for (std::string& name : family->list()) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

ImageSize image_size_of(
    const config::ModelConfig& config,
    const ModelSpec& named) {
  return config.image_size.value_or(named.image_size);
}

std::vector<std::string_view> drop_path_option(const ModelSpec& /*named*/) {
  return {"drop_path"};
}

void check_multiple(
    const config::ModelConfig& config,
    const ModelSpec& named,
    std::int64_t multiple,
    config::Checker& checker) {
  const ImageSize size = image_size_of(config, named);
  checker.require(
      size.height % multiple == 0 && size.width % multiple == 0,
      "model.image_size",
      fmt::format(
          "image_size {} is not a multiple of {}, the patch size of {}",
          size.text(),
          multiple,
          named.name),
      {"model.name"});
}

void check_least_side(
    const config::ModelConfig& config,
    const ModelSpec& named,
    std::int64_t least,
    config::Checker& checker) {
  const ImageSize size = image_size_of(config, named);
  checker.require(
      std::min(size.height, size.width) >= least,
      "model.image_size",
      fmt::format(
          "image_size {} is too small for {}, which needs at least {} pixels",
          size.text(),
          named.name,
          least),
      {"model.name"});
}

std::string channels_identity(const ModelSpec& spec) {
  return fmt::format("{} channels", spec.channels);
}

std::string image_identity(const ModelSpec& spec) {
  return fmt::format(
      "image {}, {} channels", spec.image_size.text(), spec.channels);
}

bool parse_size(std::string_view text, std::int64_t& value) {
  return !text.empty() && text.front() >= '1' && text.front() <= '9' &&
      parse_int(text, value) && value <= 4096;
}

} // namespace vitrain::models
