#include "data/augment/augment_tables.h"

#include <array>

// Tables of timm/data/auto_augment.py (1.0.31) and
// torchvision/transforms/autoaugment.py (0.26). tests/golden/image/policies.csv
// contains them as extracted from these files.
namespace vitrain::data {
namespace {

using Pair = std::array<TableStep, 2>;

// AutoAugment policy "ImageNet v0" of TensorFlow's EfficientNet.
constexpr std::array<Pair, 25> kV0{{
    {{{"Equalize", 0.8, 1}, {"ShearY", 0.8, 4}}},
    {{{"Color", 0.4, 9}, {"Equalize", 0.6, 3}}},
    {{{"Color", 0.4, 1}, {"Rotate", 0.6, 8}}},
    {{{"Solarize", 0.8, 3}, {"Equalize", 0.4, 7}}},
    {{{"Solarize", 0.4, 2}, {"Solarize", 0.6, 2}}},
    {{{"Color", 0.2, 0}, {"Equalize", 0.8, 8}}},
    {{{"Equalize", 0.4, 8}, {"SolarizeAdd", 0.8, 3}}},
    {{{"ShearX", 0.2, 9}, {"Rotate", 0.6, 8}}},
    {{{"Color", 0.6, 1}, {"Equalize", 1.0, 2}}},
    {{{"Invert", 0.4, 9}, {"Rotate", 0.6, 0}}},
    {{{"Equalize", 1.0, 9}, {"ShearY", 0.6, 3}}},
    {{{"Color", 0.4, 7}, {"Equalize", 0.6, 0}}},
    {{{"Posterize", 0.4, 6}, {"AutoContrast", 0.4, 7}}},
    {{{"Solarize", 0.6, 8}, {"Color", 0.6, 9}}},
    {{{"Solarize", 0.2, 4}, {"Rotate", 0.8, 9}}},
    {{{"Rotate", 1.0, 7}, {"TranslateYRel", 0.8, 9}}},
    {{{"ShearX", 0.0, 0}, {"Solarize", 0.8, 4}}},
    {{{"ShearY", 0.8, 0}, {"Color", 0.6, 4}}},
    {{{"Color", 1.0, 0}, {"Rotate", 0.6, 2}}},
    {{{"Equalize", 0.8, 4}, {"Equalize", 0.0, 8}}},
    {{{"Equalize", 1.0, 4}, {"AutoContrast", 0.6, 2}}},
    {{{"ShearY", 0.4, 7}, {"SolarizeAdd", 0.6, 7}}},
    {{{"Posterize", 0.8, 2}, {"Solarize", 0.6, 10}}},
    {{{"Solarize", 0.6, 8}, {"Equalize", 0.6, 1}}},
    {{{"Color", 0.8, 6}, {"Rotate", 0.4, 5}}},
}};

constexpr std::array<Pair, 25> kOriginal{{
    {{{"PosterizeOriginal", 0.4, 8}, {"Rotate", 0.6, 9}}},
    {{{"Solarize", 0.6, 5}, {"AutoContrast", 0.6, 5}}},
    {{{"Equalize", 0.8, 8}, {"Equalize", 0.6, 3}}},
    {{{"PosterizeOriginal", 0.6, 7}, {"PosterizeOriginal", 0.6, 6}}},
    {{{"Equalize", 0.4, 7}, {"Solarize", 0.2, 4}}},
    {{{"Equalize", 0.4, 4}, {"Rotate", 0.8, 8}}},
    {{{"Solarize", 0.6, 3}, {"Equalize", 0.6, 7}}},
    {{{"PosterizeOriginal", 0.8, 5}, {"Equalize", 1.0, 2}}},
    {{{"Rotate", 0.2, 3}, {"Solarize", 0.6, 8}}},
    {{{"Equalize", 0.6, 8}, {"PosterizeOriginal", 0.4, 6}}},
    {{{"Rotate", 0.8, 8}, {"Color", 0.4, 0}}},
    {{{"Rotate", 0.4, 9}, {"Equalize", 0.6, 2}}},
    {{{"Equalize", 0.0, 7}, {"Equalize", 0.8, 8}}},
    {{{"Invert", 0.6, 4}, {"Equalize", 1.0, 8}}},
    {{{"Color", 0.6, 4}, {"Contrast", 1.0, 8}}},
    {{{"Rotate", 0.8, 8}, {"Color", 1.0, 2}}},
    {{{"Color", 0.8, 8}, {"Solarize", 0.8, 7}}},
    {{{"Sharpness", 0.4, 7}, {"Invert", 0.6, 8}}},
    {{{"ShearX", 0.6, 5}, {"Equalize", 1.0, 9}}},
    {{{"Color", 0.4, 0}, {"Equalize", 0.6, 3}}},
    {{{"Equalize", 0.4, 7}, {"Solarize", 0.2, 4}}},
    {{{"Solarize", 0.6, 5}, {"AutoContrast", 0.6, 5}}},
    {{{"Invert", 0.6, 4}, {"Equalize", 1.0, 8}}},
    {{{"Color", 0.6, 4}, {"Contrast", 1.0, 8}}},
    {{{"Equalize", 0.8, 8}, {"Equalize", 0.6, 3}}},
}};

constexpr std::array<Pair, 25> kCifar10{{
    {{{"Invert", 0.1, 0}, {"Contrast", 0.2, 6}}},
    {{{"Rotate", 0.7, 2}, {"TranslateX", 0.3, 9}}},
    {{{"Sharpness", 0.8, 1}, {"Sharpness", 0.9, 3}}},
    {{{"ShearY", 0.5, 8}, {"TranslateY", 0.7, 9}}},
    {{{"AutoContrast", 0.5, 0}, {"Equalize", 0.9, 0}}},
    {{{"ShearY", 0.2, 7}, {"Posterize", 0.3, 7}}},
    {{{"Color", 0.4, 3}, {"Brightness", 0.6, 7}}},
    {{{"Sharpness", 0.3, 9}, {"Brightness", 0.7, 9}}},
    {{{"Equalize", 0.6, 0}, {"Equalize", 0.5, 0}}},
    {{{"Contrast", 0.6, 7}, {"Sharpness", 0.6, 5}}},
    {{{"Color", 0.7, 7}, {"TranslateX", 0.5, 8}}},
    {{{"Equalize", 0.3, 0}, {"AutoContrast", 0.4, 0}}},
    {{{"TranslateY", 0.4, 3}, {"Sharpness", 0.2, 6}}},
    {{{"Brightness", 0.9, 6}, {"Color", 0.2, 8}}},
    {{{"Solarize", 0.5, 2}, {"Invert", 0.0, 0}}},
    {{{"Equalize", 0.2, 0}, {"AutoContrast", 0.6, 0}}},
    {{{"Equalize", 0.2, 0}, {"Equalize", 0.6, 0}}},
    {{{"Color", 0.9, 9}, {"Equalize", 0.6, 0}}},
    {{{"AutoContrast", 0.8, 0}, {"Solarize", 0.2, 8}}},
    {{{"Brightness", 0.1, 3}, {"Color", 0.7, 0}}},
    {{{"Solarize", 0.4, 5}, {"AutoContrast", 0.9, 0}}},
    {{{"TranslateY", 0.9, 9}, {"TranslateY", 0.7, 9}}},
    {{{"AutoContrast", 0.9, 0}, {"Solarize", 0.8, 3}}},
    {{{"Equalize", 0.8, 0}, {"Invert", 0.1, 0}}},
    {{{"TranslateY", 0.7, 9}, {"AutoContrast", 0.9, 0}}},
}};

constexpr std::array<Pair, 25> kSvhn{{
    {{{"ShearX", 0.9, 4}, {"Invert", 0.2, 0}}},
    {{{"ShearY", 0.9, 8}, {"Invert", 0.7, 0}}},
    {{{"Equalize", 0.6, 0}, {"Solarize", 0.6, 6}}},
    {{{"Invert", 0.9, 0}, {"Equalize", 0.6, 0}}},
    {{{"Equalize", 0.6, 0}, {"Rotate", 0.9, 3}}},
    {{{"ShearX", 0.9, 4}, {"AutoContrast", 0.8, 0}}},
    {{{"ShearY", 0.9, 8}, {"Invert", 0.4, 0}}},
    {{{"ShearY", 0.9, 5}, {"Solarize", 0.2, 6}}},
    {{{"Invert", 0.9, 0}, {"AutoContrast", 0.8, 0}}},
    {{{"Equalize", 0.6, 0}, {"Rotate", 0.9, 3}}},
    {{{"ShearX", 0.9, 4}, {"Solarize", 0.3, 3}}},
    {{{"ShearY", 0.8, 8}, {"Invert", 0.7, 0}}},
    {{{"Equalize", 0.9, 0}, {"TranslateY", 0.6, 6}}},
    {{{"Invert", 0.9, 0}, {"Equalize", 0.6, 0}}},
    {{{"Contrast", 0.3, 3}, {"Rotate", 0.8, 4}}},
    {{{"Invert", 0.8, 0}, {"TranslateY", 0.0, 2}}},
    {{{"ShearY", 0.7, 6}, {"Solarize", 0.4, 8}}},
    {{{"Invert", 0.6, 0}, {"Rotate", 0.8, 4}}},
    {{{"ShearY", 0.3, 7}, {"TranslateX", 0.9, 3}}},
    {{{"ShearX", 0.1, 6}, {"Invert", 0.6, 0}}},
    {{{"Solarize", 0.7, 2}, {"TranslateY", 0.6, 7}}},
    {{{"ShearY", 0.8, 4}, {"Invert", 0.8, 0}}},
    {{{"ShearX", 0.7, 9}, {"TranslateY", 0.8, 3}}},
    {{{"ShearY", 0.8, 5}, {"AutoContrast", 0.7, 0}}},
    {{{"ShearX", 0.7, 2}, {"Invert", 0.1, 0}}},
}};

// Suffix of the operations whose effect grows with the magnitude.
constexpr std::string_view kIncreasing = "Increasing";

// timm's RandAugment, increasing variant. The other variant has the same names
// without the suffix.
constexpr std::array<std::string_view, 15> kRandIncreasing{
    "AutoContrast",
    "Equalize",
    "Invert",
    "Rotate",
    "PosterizeIncreasing",
    "SolarizeIncreasing",
    "SolarizeAdd",
    "ColorIncreasing",
    "ContrastIncreasing",
    "BrightnessIncreasing",
    "SharpnessIncreasing",
    "ShearX",
    "ShearY",
    "TranslateXRel",
    "TranslateYRel"};

constexpr std::array<WeightedName, 15> kWeights{
    {{"Rotate", 3},
     {"ShearX", 2},
     {"ShearY", 2},
     {"TranslateXRel", 1},
     {"TranslateYRel", 1},
     {"ColorIncreasing", 0.25},
     {"SharpnessIncreasing", 0.25},
     {"AutoContrast", 0.25},
     {"SolarizeIncreasing", 0.05},
     {"SolarizeAdd", 0.05},
     {"ContrastIncreasing", 0.05},
     {"BrightnessIncreasing", 0.05},
     {"Equalize", 0.05},
     {"PosterizeIncreasing", 0.05},
     {"Invert", 0.05}}};

constexpr std::array<WeightedName, 14> kWeights3a{
    {{"SolarizeIncreasing", 6},
     {"Desaturate", 6},
     {"GaussianBlur", 6},
     {"Rotate", 3},
     {"ShearX", 2},
     {"ShearY", 2},
     {"PosterizeIncreasing", 1},
     {"AutoContrast", 1},
     {"ColorIncreasing", 1},
     {"SharpnessIncreasing", 1},
     {"ContrastIncreasing", 1},
     {"BrightnessIncreasing", 1},
     {"Equalize", 1},
     {"Invert", 1}}};

constexpr std::array<std::string_view, 3> kRand3a{
    "SolarizeIncreasing",
    "Desaturate",
    "GaussianBlur"};

constexpr std::array<std::string_view, 13> kTimmMix{
    "AutoContrast",
    "ColorIncreasing",
    "ContrastIncreasing",
    "BrightnessIncreasing",
    "SharpnessIncreasing",
    "Equalize",
    "Rotate",
    "PosterizeIncreasing",
    "SolarizeIncreasing",
    "ShearX",
    "ShearY",
    "TranslateXRel",
    "TranslateYRel"};

constexpr std::array<std::string_view, 14> kTorchvision{
    "Identity",
    "ShearX",
    "ShearY",
    "TranslateX",
    "TranslateY",
    "Rotate",
    "Brightness",
    "Color",
    "Contrast",
    "Sharpness",
    "Posterize",
    "Solarize",
    "AutoContrast",
    "Equalize"};

// Operations of torchvision's AugMix; the last four only with its `all_ops`.
constexpr std::array<std::string_view, 13> kTorchvisionMix{
    "ShearX",
    "ShearY",
    "TranslateX",
    "TranslateY",
    "Rotate",
    "Posterize",
    "Solarize",
    "AutoContrast",
    "Equalize",
    "Brightness",
    "Color",
    "Contrast",
    "Sharpness"};

std::vector<TableChoice> choices_of(std::span<const Pair> table) {
  std::vector<TableChoice> choices;
  for (const Pair& pair : table) {
    choices.emplace_back(pair.begin(), pair.end());
  }
  return choices;
}

// Returns the table with operation `from` replaced by `to`.
std::vector<TableChoice> renamed(
    std::vector<TableChoice> choices,
    std::string_view from,
    std::string_view to) {
  for (TableChoice& choice : choices) {
    for (TableStep& step : choice) {
      step.name = step.name == from ? to : step.name;
    }
  }
  return choices;
}

bool has_magnitude(std::string_view name) {
  return name != "AutoContrast" && name != "Equalize" && name != "Invert";
}

// Returns torchvision's ImageNet policy: timm's "original" table with another
// name for Posterize, and 0 for magnitudes that are not used.
std::vector<TableChoice> torchvision_imagenet() {
  std::vector<TableChoice> choices =
      renamed(choices_of(kOriginal), "PosterizeOriginal", "Posterize");
  for (TableChoice& choice : choices) {
    for (TableStep& step : choice) {
      step.magnitude = has_magnitude(step.name) ? step.magnitude : 0;
    }
  }
  return choices;
}

template <typename Names>
std::vector<WeightedName> evenly(const Names& names) {
  std::vector<WeightedName> weighted;
  for (const std::string_view name : names) {
    weighted.push_back({name, 1});
  }
  return weighted;
}

} // namespace

std::vector<TableChoice> auto_augment_table(std::string_view name) {
  if (name == "v0") {
    return choices_of(kV0);
  }
  if (name == "v0r") {
    return renamed(choices_of(kV0), "Posterize", "PosterizeIncreasing");
  }
  if (name == "original") {
    return choices_of(kOriginal);
  }
  if (name == "originalr") {
    return renamed(
        choices_of(kOriginal), "PosterizeOriginal", "PosterizeIncreasing");
  }
  if (name == "3a") {
    return {
        {{"Solarize", 1.0, 5}},
        {{"Desaturate", 1.0, 10}},
        {{"GaussianBlurRand", 1.0, 10}}};
  }
  if (name == "imagenet") {
    return torchvision_imagenet();
  }
  if (name == "cifar10") {
    return choices_of(kCifar10);
  }
  if (name == "svhn") {
    return choices_of(kSvhn);
  }
  return {};
}

std::vector<WeightedName> timm_rand_operations(
    std::string_view set,
    bool increasing) {
  if (set == "weights") {
    return {kWeights.begin(), kWeights.end()};
  }
  if (set == "3aw") {
    return {kWeights3a.begin(), kWeights3a.end()};
  }
  if (set == "3a") {
    return evenly(kRand3a);
  }
  std::vector<WeightedName> all = evenly(kRandIncreasing);
  for (WeightedName& known : all) {
    if (!increasing && known.name.ends_with(kIncreasing)) {
      known.name.remove_suffix(kIncreasing.size());
    }
  }
  return all;
}

std::span<const std::string_view> timm_mix_operations() {
  return kTimmMix;
}

std::span<const std::string_view> torchvision_operations() {
  return kTorchvision;
}

std::span<const std::string_view> torchvision_mix_operations(bool all) {
  return std::span(kTorchvisionMix).first(all ? 13 : 9);
}

} // namespace vitrain::data
