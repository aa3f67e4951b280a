#include "checkpoint/published_config.h"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "checkpoint/config_values.h"
#include "checkpoint/transformers_config.h"
#include "core/check.h"
#include "core/error.h"
#include "core/json_reader.h"
#include "core/system/files.h"
#include "core/text.h"
#include "weights/torch_config.h"

#include <fmt/format.h>

namespace vitrain::checkpoint {
namespace {

namespace fs = std::filesystem;

// Parses a file in the folder. Returns null if it does not exist; null and a
// note if it cannot be read or is not a JSON object.
Json read_object(
    const fs::path& folder,
    const char* name,
    std::vector<std::string>& notes) {
  constexpr std::size_t kLongest = std::size_t{16} << 20;
  const fs::path path = folder / name;
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    return nullptr;
  }
  const std::string source = printable(path.native());
  try {
    Json json = parse_json(
        read_file(path, kLongest, ExitCode::kWeights),
        source,
        ExitCode::kWeights);
    VITRAIN_CHECK(
        json.is_object(),
        ExitCode::kWeights,
        "{}: is not a JSON object",
        source);
    return json;
  } catch (const Error& failure) {
    notes.push_back(fmt::format(
        "warning: what stands beside the weights is not used: {}",
        failure.what()));
    return nullptr;
  }
}

// Returns the network's entry, which timm has nested as "pretrained_cfg" since
// about version 0.9.
const Json& pretrained_cfg(const Json& config) {
  const auto found = config.find("pretrained_cfg");
  return found != config.end() && found->is_object() ? *found : config;
}

bool is_timms(const Json& config) {
  if (!config.is_object()) {
    return false;
  }
  const Json& entry = pretrained_cfg(config);
  if (&entry != &config) {
    return true;
  }
  const auto name = config.find("architecture");
  return name != config.end() && name->is_string() &&
      (config.contains("input_size") || config.contains("mean") ||
       config.contains("crop_pct") || config.contains("num_classes"));
}

// Reads [channels, height, width] as model.image_size.
void set_input_size(const ConfigValues& values, const char* key, Json& keys) {
  const Json* size = values.find(key);
  if (size == nullptr) {
    return;
  }
  constexpr std::size_t kNumbers = 3;
  if (!size->is_array() || size->size() != kNumbers || !is_side(size->at(1)) ||
      !is_side(size->at(2))) {
    values.refuse(key, "[channels, height, width] of 1 to 4096 pixels");
    return;
  }
  const Json& height = size->at(1);
  const Json& width = size->at(2);
  keys["model.image_size"] =
      height == width ? height : Json::array({height, width});
}

// Reads a config.json as timm's _parse_model_cfg() and resolve_data_config()
// do.
void read_timm(
    const Json& config,
    const std::string& path,
    WeightsUse use,
    PublishedConfig& published) {
  const Json& entry = pretrained_cfg(config);
  const ConfigValues whole(config, path, published.notes);
  const ConfigValues values(entry, path, published.notes);
  const bool tests = use == WeightsUse::kEvaluation;
  const std::string architecture = whole.text("architecture");
  published.architecture = architecture.substr(0, architecture.find('.'));
  Json& keys = published.keys;
  if (const auto mean = values.colours("mean", /*positive=*/false)) {
    keys["data.preprocess.mean"] = *mean;
  }
  if (const auto std = values.colours("std", /*positive=*/true)) {
    keys["data.preprocess.std"] = *std;
  }
  if (const auto filter = values.word(
          "interpolation",
          {"nearest", "box", "bilinear", "hamming", "bicubic", "lanczos"})) {
    keys["data.preprocess.interpolation"] = *filter;
  }
  if (const auto mode =
          values.word("crop_mode", {"center", "squash", "border"})) {
    keys["data.preprocess.crop_mode"] = *mode;
  }
  const bool test_crop = tests && values.has("test_crop_pct");
  if (const auto crop =
          values.number(test_crop ? "test_crop_pct" : "crop_pct", 1.0)) {
    keys["data.preprocess.crop_pct"] = *crop;
  }
  const bool test_size = tests && values.has("test_input_size");
  set_input_size(values, test_size ? "test_input_size" : "input_size", keys);
  const ConfigValues& counted = whole.has("num_classes") ? whole : values;
  published.num_classes = counted.count("num_classes").value_or(0);
  for (const ConfigValues* place : {&whole, &values}) {
    for (const char* key : {"label_names", "labels"}) {
      if (published.classes.empty() && place->has(key)) {
        published.classes = place->texts(key, published.num_classes);
      }
    }
  }
  if (!published.classes.empty()) {
    published.num_classes = std::ssize(published.classes);
  }
}

} // namespace

Json timm_config(
    const PublishedConfig& published,
    std::int64_t channels,
    bool fixed_size) {
  const auto value = [&](const std::string& key) {
    return published.keys.value("data.preprocess." + key, Json());
  };
  const Json size = published.keys.at("model.image_size");
  const Json height = size.is_array() ? size.at(0) : size;
  const Json width = size.is_array() ? size.at(1) : size;
  Json cfg{
      {"num_classes", published.num_classes},
      {"input_size", {channels, height, width}},
      {"fixed_input_size", fixed_size},
      {"crop_pct", value("crop_pct")}};
  for (const char* key : {"mean", "std", "interpolation", "crop_mode"}) {
    cfg[key] = value(key);
  }
  if (const Json resize = value("resize"); resize.is_number()) {
    Json keys;
    set_crop(
        std::min(height.get<std::int64_t>(), width.get<std::int64_t>()),
        resize.get<std::int64_t>(),
        keys);
    cfg["crop_pct"] = keys.front();
  }
  Json config{
      {"architecture", published.architecture},
      {"num_classes", published.num_classes},
      {"pretrained_cfg", std::move(cfg)}};
  if (!published.classes.empty()) {
    config["label_names"] = published.classes;
  }
  return config;
}

void set_crop(std::int64_t side, std::int64_t resized, Json& keys) {
  const auto result = [&](double share) {
    return static_cast<std::int64_t>(
        std::floor(static_cast<double>(side) / share));
  };
  double share = static_cast<double>(side) / static_cast<double>(resized);
  while (result(share) < resized) { // the quotient was rounded up
    share = std::nextafter(share, 0.0);
  }
  keys["data.preprocess.crop_pct"] = share;
}

std::optional<PublishedConfig> read_published_config(
    const fs::path& weights,
    WeightsUse use) {
  const fs::path folder = weights.parent_path();
  PublishedConfig published;
  const Json config = read_object(folder, kConfigFile, published.notes);
  if (is_timms(config)) {
    const std::string path = printable((folder / kConfigFile).native());
    read_timm(config, path, use, published);
    published.source = kConfigFile;
    return published;
  }
  const Json preprocessor =
      read_object(folder, kPreprocessorFile, published.notes);
  if (is_transformers_config(config) || preprocessor.is_object()) {
    read_transformers(folder, config, preprocessor, published);
    return published;
  }
  const Json own = weights::read_torch_config(weights);
  if (own.is_object()) {
    read_timm(own, printable(weights.native()), use, published);
    return published;
  }
  return published.notes.empty() ? std::nullopt : std::optional(published);
}

} // namespace vitrain::checkpoint
