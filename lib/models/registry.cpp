#include "models/registry.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "core/text.h"

namespace vitrain::models {
namespace {

constexpr std::int64_t kImageNetClasses = 1000;

struct VitSize {
  const char* name;
  std::int64_t embed_dim;
  std::int64_t depth;
  std::int64_t num_heads;
};

// Tiny and small: Touvron et al., "Training data-efficient image transformers",
// ICML 2021; the others: Dosovitskiy et al., ICLR 2021.
constexpr std::array kVitSizes{
    VitSize{"tiny", 192, 12, 3},
    VitSize{"small", 384, 12, 6},
    VitSize{"base", 768, 12, 12},
    VitSize{"large", 1024, 24, 16},
    VitSize{"huge", 1280, 32, 16},
};
constexpr std::array<std::int64_t, 4> kVitPatches{8, 14, 16, 32};
constexpr std::array<std::int64_t, 2> kVitImages{224, 384};
constexpr std::int64_t kMlpRatio = 4;

struct ResNetSize {
  const char* name;
  std::array<std::int64_t, 4> blocks;
  bool bottleneck;
};

constexpr std::array kResNets{
    ResNetSize{"resnet18", {2, 2, 2, 2}, false},
    ResNetSize{"resnet50", {3, 4, 6, 3}, true},
};
constexpr std::int64_t kResNetImage = 224;

constexpr const char* kConvNet = "mnist_convnet";
constexpr std::int64_t kConvNetImage = 28;

struct MlpSize {
  const char* name;
  std::int64_t hidden;
  std::int64_t width;
};

constexpr std::array kMlps{MlpSize{"linear", 0, 0}, MlpSize{"mlp", 1, 256}};
constexpr std::int64_t kMlpImage = 28;

// The digits of a positive number without sign or leading zero.
bool parse_size(std::string_view text, std::int64_t& value) {
  return !text.empty() && text.front() >= '1' && text.front() <= '9' &&
      parse_int(text, value) && value <= 4096;
}

std::optional<ModelSpec> find_vit(const std::string& name) {
  const auto parts = split(name, '_');
  constexpr std::string_view kPatch = "patch";
  std::int64_t patch = 0;
  std::int64_t image = 0;
  if (parts.size() != 4 || parts[0] != "vit" || !parts[2].starts_with(kPatch) ||
      !parse_size(std::string_view(parts[2]).substr(kPatch.size()), patch) ||
      !parse_size(parts[3], image)) {
    return std::nullopt;
  }
  for (const VitSize& size : kVitSizes) {
    if (parts[1] == size.name) {
      ModelSpec spec;
      spec.name = name;
      spec.family = Family::kVit;
      spec.num_classes = kImageNetClasses;
      spec.image_size = image;
      spec.vit = {
          .patch_size = patch,
          .embed_dim = size.embed_dim,
          .depth = size.depth,
          .num_heads = size.num_heads,
          .mlp_dim = kMlpRatio * size.embed_dim};
      return spec;
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<ModelSpec> find_model(const std::string& name) {
  for (const ResNetSize& size : kResNets) {
    if (name == size.name) {
      ModelSpec spec;
      spec.name = name;
      spec.family = Family::kResNet;
      spec.num_classes = kImageNetClasses;
      spec.image_size = kResNetImage;
      spec.resnet = {.blocks = size.blocks, .bottleneck = size.bottleneck};
      return spec;
    }
  }
  if (name == kConvNet) {
    ModelSpec spec;
    spec.name = name;
    spec.family = Family::kConvNet;
    spec.num_classes = kImageNetClasses;
    spec.image_size = kConvNetImage;
    spec.channels = 1;
    return spec;
  }
  for (const MlpSize& size : kMlps) {
    if (name == size.name) {
      ModelSpec spec;
      spec.name = name;
      spec.family = Family::kMlp;
      spec.num_classes = kImageNetClasses;
      spec.image_size = kMlpImage;
      spec.mlp = {.hidden = size.hidden, .width = size.width};
      return spec;
    }
  }
  return find_vit(name);
}

std::vector<std::string> listed_names() {
  std::vector<std::string> names;
  for (const VitSize& size : kVitSizes) {
    for (const std::int64_t patch : kVitPatches) {
      for (const std::int64_t image : kVitImages) {
        if (image % patch == 0) {
          names.push_back(
              fmt::format("vit_{}_patch{}_{}", size.name, patch, image));
        }
      }
    }
  }
  for (const ResNetSize& size : kResNets) {
    names.emplace_back(size.name);
  }
  names.emplace_back(kConvNet);
  for (const MlpSize& size : kMlps) {
    names.emplace_back(size.name);
  }
  return names;
}

const char* family_name(Family family) {
  switch (family) {
    case Family::kVit:
      return "vit";
    case Family::kResNet:
      return "resnet";
    case Family::kConvNet:
      return "convnet";
    case Family::kMlp:
      return "mlp";
  }
  return "";
}

} // namespace vitrain::models
