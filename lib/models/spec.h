#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/model.h"

namespace vitrain::models {

enum class Family { kVit, kResNet, kConvNet, kMlp };

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

// Numbers of a small convolutional network: two convolutions, each with a
// pooling by 2, and two linear layers.
struct ConvNetSpec {
  std::array<std::int64_t, 2> widths{10, 20};
  std::int64_t kernel = 5;
  std::int64_t hidden = 50; // width of the first linear layer
  double dropout = 0.5;

  // Side of what is left of an image after both; below 1: it is too small.
  std::int64_t grid(std::int64_t image_size) const {
    return ((image_size - kernel + 1) / 2 - kernel + 1) / 2;
  }
  bool operator==(const ConvNetSpec&) const = default;
};

// Numbers of a multilayer perceptron; without hidden layers it is linear.
struct MlpSpec {
  std::int64_t hidden = 0; // layers, each followed by a ReLU
  std::int64_t width = 0; // of each

  bool operator==(const MlpSpec&) const = default;
};

// What the data ask of a network.
struct DataShape {
  std::int64_t outputs = 0; // classes, or targets of vectors
  std::int64_t features = 0; // of vectors; 0: images
};

// A network, every number resolved. Only the member of its family has meaning.
struct ModelSpec {
  std::string name;
  Family family = Family::kVit;
  std::int64_t num_classes = 0; // outputs
  std::int64_t image_size = 0; // side of the square input in pixels
  std::int64_t channels = 3; // of images: 3, or 1 for grey ones
  std::int64_t features = 0; // of vectors, which have no image_size; 0: images
  VitSpec vit;
  ResNetSpec resnet;
  ConvNetSpec convnet;
  MlpSpec mlp;

  // Numbers of one input: channels x image_size^2, or features.
  std::int64_t input_numbers() const {
    return features > 0 ? features : channels * image_size * image_size;
  }
  bool operator==(const ModelSpec&) const = default;
};

// A line of `vitrain models`.
struct ModelInfo {
  std::string name;
  std::string family; // "vit", "resnet", "convnet", "mlp"
  std::int64_t parameters = 0; // with 1000 classes
  std::int64_t image_size = 0;
  std::string description;
};

// The network that a recipe asks for, for such data. Throws Error(kUsage):
// unknown name (lists near and known ones), numbers that do not fit together,
// options that the family does not have.
ModelSpec resolve(const config::ModelConfig& config, const DataShape& data);

// Number of trainable values.
std::int64_t parameter_count(const ModelSpec& spec);

// Every listed model, small to large within a family. Names of the pattern
// vit_<size>_patch<P>_<S> are accepted beyond the list.
std::vector<ModelInfo> list_models();

} // namespace vitrain::models
