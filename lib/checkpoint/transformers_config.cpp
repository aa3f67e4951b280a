#include "checkpoint/transformers_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "checkpoint/config_values.h"
#include "checkpoint/transformers_network.h"
#include "core/text.h"

#include <fmt/format.h>

namespace vitrain::checkpoint {
namespace {

// Defaults of a class of image processors (transformers 5.0) that differ from
// ViT's, which resizes images to a square without keeping their proportions.
struct Processor {
  std::string_view name;
  std::string_view filter = "bicubic";
  bool shortest = false; // a single number is the size of the shorter side
  bool crops = false; // crops the centre
};
constexpr auto kProcessors = std::to_array<Processor>({
    {"ViT", "bilinear"},
    {"DeiT", "bicubic", false, true},
    {"Beit"},
    {"ConvNext", "bicubic", true},
    {"Bit", "bicubic", true, true},
    {"CLIP", "bicubic", true, true},
    {"Levit", "bicubic", true, true},
    {"PoolFormer", "bicubic", true, true},
    {"MobileViT", "bicubic", true, true},
    {"MobileNetV1", "bilinear", true, true},
    {"MobileNetV2", "bilinear", true, true},
    {"EfficientNet"},
    {"Pvt"},
    {"Siglip"},
});

// Returns "ViT" for ViTImageProcessor, ViTImageProcessorFast or
// ViTFeatureExtractor.
std::string_view class_of(std::string_view name) {
  for (const std::string_view end :
       {"Fast", "Pil", "ImageProcessor", "FeatureExtractor"}) {
    if (name.ends_with(end)) {
      name.remove_suffix(end.size());
    }
  }
  return name;
}

class ImageProcessor {
 public:
  ImageProcessor(
      const Json& json,
      const std::string& source,
      PublishedConfig& published)
      : values_(json, source, published.notes),
        keys_(published.keys),
        notes_(published.notes) {
    std::string name = values_.text("image_processor_type");
    if (name.empty()) {
      name = values_.text("feature_extractor_type");
    }
    const auto known =
        std::ranges::find(kProcessors, class_of(name), &Processor::name);
    if (known != kProcessors.end()) {
      class_ = *known;
      known_ = true;
    }
  }

  void read() {
    read_filter();
    read_colours();
    read_size();
  }

 private:
  bool flag(const char* key, bool otherwise) const {
    return values_.flag(key).value_or(otherwise);
  }

  // Reads the filter, a number of Pillow's.
  void read_filter() {
    constexpr std::array<const char*, 6> kFilters{
        "nearest", "lanczos", "bilinear", "bicubic", "box", "hamming"};
    const Json* number = values_.find("resample");
    if (number == nullptr) {
      if (known_) {
        keys_["data.preprocess.interpolation"] = class_.filter;
      }
      return;
    }
    if (!number->is_number_integer() || *number < 0 ||
        *number >= std::ssize(kFilters)) {
      values_.refuse("resample", "a filter of Pillow's, 0 to 5");
      return;
    }
    keys_["data.preprocess.interpolation"] =
        kFilters.at(number->get<std::size_t>());
  }

  // Converts mean and standard deviation to those of values in [0, 1]. In the
  // file they apply to value * factor, or to value * factor - 1.
  void read_colours() {
    std::vector<double> mean{0.0, 0.0, 0.0};
    std::vector<double> std{1.0, 1.0, 1.0};
    // MobileViT's processor normalises only on request.
    if (flag("do_normalize", class_.name != "MobileViT")) {
      const auto own_mean = values_.colours("image_mean", /*positive=*/false);
      const auto own_std = values_.colours("image_std", /*positive=*/true);
      if (!own_mean || !own_std) {
        notes_.push_back(fmt::format(
            "warning: {}: does not say image_mean and image_std: the recipe's "
            "data.preprocess.mean and std stay",
            values_.source()));
        return;
      }
      mean = *own_mean;
      std = *own_std;
      if (class_.name == "EfficientNet" && flag("include_top", true)) {
        std::ranges::transform(
            std, std.begin(), [](double one) { return one * one; });
      }
    }
    constexpr double kLevels = 255.0;
    const double factor = flag("do_rescale", true)
        ? values_.number("rescale_factor", 1e6).value_or(1.0 / kLevels)
        : 1.0;
    const double offset = flag("rescale_offset", false) ? 1.0 : 0.0;
    const double scale = kLevels * factor;
    constexpr double kRounding = 1e-9;
    if (std::abs(scale - 1.0) > kRounding || offset > 0.0) {
      for (std::size_t i = 0; i < mean.size(); ++i) {
        mean[i] = (mean[i] + offset) / scale;
        std[i] /= scale;
      }
    }
    keys_["data.preprocess.mean"] = mean;
    keys_["data.preprocess.std"] = std;
  }

  // Size in pixels with equal height and width.
  struct Size {
    std::int64_t side = 0; // 0: a size of another form
    bool shortest = false; // `side` is the shorter side; proportions are kept
  };

  std::optional<Size> size(const char* key) const {
    const Json* value = values_.find(key);
    if (value == nullptr) {
      return std::nullopt;
    }
    if (is_side(*value)) {
      return Size{value->get<std::int64_t>(), class_.shortest};
    }
    if (value->is_object()) {
      const Json edge = value->value("shortest_edge", Json());
      const Json height = value->value("height", Json());
      if (is_side(edge) && value->value("longest_edge", Json()).is_null()) {
        return Size{edge.get<std::int64_t>(), true};
      }
      if (is_side(height) && height == value->value("width", Json())) {
        return Size{height.get<std::int64_t>(), false};
      }
    }
    values_.refuse(key, "the side of a square, or the shortest edge");
    return Size{};
  }

  void set(const char* mode, std::int64_t side, std::int64_t resized) {
    keys_["data.preprocess.crop_mode"] = mode;
    keys_["model.image_size"] = side;
    set_crop(side, resized, keys_);
  }

  void read_size() {
    if (!flag("do_resize", true)) {
      notes_.push_back(fmt::format(
          "warning: {}: do_resize is false: the recipe's size and crop stay",
          values_.source()));
      return;
    }
    const std::optional<Size> resized = size("size");
    const std::optional<Size> crop = size("crop_size");
    if (!resized || resized->side == 0 || (crop && crop->side == 0)) {
      return;
    }
    const std::int64_t side = resized->side;
    const bool crops =
        flag("do_center_crop", known_ ? class_.crops : crop.has_value());
    const std::int64_t cut = crops && crop ? crop->side : side;
    if (class_.name == "ConvNext" && resized->shortest) {
      read_convnext(side);
    } else if (class_.name == "PoolFormer" || class_.name == "Levit") {
      const double share = class_.name == "Levit"
          ? 224.0 / 256.0
          : values_.number("crop_pct", 1.0).value_or(0.9);
      set_checked(
          "center",
          cut,
          static_cast<std::int64_t>(static_cast<double>(side) / share));
    } else if (resized->shortest && !crops) {
      values_.refuse("size", "with do_center_crop: images of one size");
    } else {
      set_checked(resized->shortest ? "center" : "squash", cut, side);
    }
  }

  // Reads the resizing of ConvNeXt's processor: from 384 pixels on it squashes.
  void read_convnext(std::int64_t side) {
    constexpr std::int64_t kSquashed = 384;
    if (side >= kSquashed) {
      set("squash", side, side);
      return;
    }
    const double share = values_.number("crop_pct", 1.0).value_or(224.0 / 256);
    set("center",
        side,
        static_cast<std::int64_t>(static_cast<double>(side) / share));
  }

  void set_checked(const char* mode, std::int64_t side, std::int64_t resized) {
    if (side > resized) { // the image is smaller than the crop: black border
      keys_["data.preprocess.crop_mode"] = mode;
      keys_["model.image_size"] = side;
      keys_["data.preprocess.resize"] = resized;
      return;
    }
    set(mode, side, resized);
  }

  const ConfigValues values_;
  Json& keys_;
  std::vector<std::string>& notes_;
  Processor class_{.name = "", .filter = ""};
  bool known_ = false;
};

// Reads class names from id2label, ordered by number. Ignores "LABEL_0", ...,
// which transformers writes for classes without names.
void read_labels(
    const Json& config,
    const std::string& source,
    PublishedConfig& published) {
  const ConfigValues values(config, source, published.notes);
  const Json* labels = values.find("id2label");
  if (labels == nullptr) {
    return;
  }
  const std::int64_t count = labels->is_object() ? std::ssize(*labels) : 0;
  std::vector<std::string> names(static_cast<std::size_t>(count));
  bool right = count > 0;
  for (const auto& [key, name] : labels->items()) {
    std::int64_t number = -1;
    right = right && parse_int(key, number) && number >= 0 && number < count &&
        name.is_string();
    if (!right) {
      break;
    }
    names[static_cast<std::size_t>(number)] = name.get<std::string>();
  }
  if (!right) {
    values.refuse("id2label", "a name for each number from 0");
    return;
  }
  published.num_classes = count;
  if (names.front() != "LABEL_0") {
    published.classes = std::move(names);
  }
}

} // namespace

bool is_transformers_config(const Json& config) {
  if (!config.is_object()) {
    return false;
  }
  const auto type = config.find("model_type");
  const auto networks = config.find("architectures");
  return (type != config.end() && type->is_string()) ||
      (networks != config.end() && networks->is_array());
}

void read_transformers(
    const std::filesystem::path& folder,
    const Json& config,
    const Json& preprocessor,
    PublishedConfig& published) {
  const std::string config_path = printable((folder / kConfigFile).native());
  const std::string path = printable((folder / kPreprocessorFile).native());
  published.source = preprocessor.is_object() ? kPreprocessorFile : kConfigFile;
  if (preprocessor.is_object()) {
    ImageProcessor(preprocessor, path, published).read();
  } else {
    const ConfigValues values(config, config_path, published.notes);
    const Json* size = values.find("image_size");
    if (size != nullptr && is_side(*size)) {
      published.keys["model.image_size"] = *size;
    }
    published.notes.push_back(fmt::format(
        "warning: {}: no such file beside the weights of transformers: the "
        "recipe says how images are normalised and cropped",
        path));
  }
  if (config.is_object()) {
    published.architecture = transformers_network(config);
    read_labels(config, config_path, published);
  }
}

} // namespace vitrain::checkpoint
