#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/model.h"

namespace vitrain::models {

enum class Family { kVit, kResNet };

// Numbers of a vision transformer (Dosovitskiy et al., "An image is worth 16x16
// words", ICLR 2021).
struct VitSpec {
  std::int64_t patch_size = 16;
  std::int64_t embed_dim = 768;
  std::int64_t depth = 12;
  std::int64_t num_heads = 12;
  std::int64_t mlp_dim = 3072; // hidden width of the MLP
  double drop_path = 0.0; // rate of the last block
  double dropout = 0.0; // of activations
  double attention_dropout = 0.0; // of attention's weights

  bool operator==(const VitSpec&) const = default;
};

// Numbers of a residual network (He et al., "Deep residual learning", CVPR
// 2016), with the stride in the 3x3 convolution.
struct ResNetSpec {
  std::array<std::int64_t, 4> blocks{}; // per stage
  bool bottleneck = false; // blocks of three convolutions

  bool operator==(const ResNetSpec&) const = default;
};

// A network, every number resolved. Only the member of its family has meaning.
struct ModelSpec {
  std::string name;
  Family family = Family::kVit;
  std::int64_t num_classes = 0;
  std::int64_t image_size = 0; // side of the square input in pixels
  VitSpec vit;
  ResNetSpec resnet;

  bool operator==(const ModelSpec&) const = default;
};

// A line of `vitrain models`.
struct ModelInfo {
  std::string name;
  std::string family; // "vit", "resnet"
  std::int64_t parameters = 0; // with 1000 classes
  std::int64_t image_size = 0;
  std::string description;
};

// The network that a recipe asks for; `data_classes` is the number of classes
// of the data. Throws Error(kUsage): unknown name (lists near and known ones),
// numbers that do not fit together, options that the family does not have.
ModelSpec resolve(const config::ModelConfig& config, std::int64_t data_classes);

// Number of trainable values.
std::int64_t parameter_count(const ModelSpec& spec);

// Every listed model, small to large within a family. Names of the pattern
// vit_<size>_patch<P>_<S> are accepted beyond the list.
std::vector<ModelInfo> list_models();

} // namespace vitrain::models
