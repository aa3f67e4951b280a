#pragma once

#include <any>
#include <cstdint>
#include <string>
#include <vector>

#include "config/sections/data/augment.h"
#include "config/sections/model.h"
#include "options/image_size.h"

namespace vitrain::config {
struct DistillConfig;
struct Recipe;
} // namespace vitrain::config

namespace vitrain::models {

struct Family;

// What the data ask of a network.
struct DataShape {
  std::int64_t outputs = 0; // classes, or targets of vectors
  std::int64_t features = 0; // of vectors; 0: images
};

// A network, every number resolved.
struct ModelSpec {
  std::string name;
  const Family* family = nullptr; // families/family.h; not null once resolved
  std::int64_t num_classes = 0; // outputs
  ImageSize image_size; // of the input; 0: vectors
  std::int64_t channels = 3; // of images: 3, 1 for grey ones, or another number
  double drop_path = 0.0; // rate of the last block
  bool heads_apart = false; // of two, in training: networks::of_two_heads
  std::int64_t features = 0; // of vectors, which have no image_size; 0: images
  std::any numbers; // what only its family has, as VitSpec

  template <typename Numbers>
  const Numbers& get() const {
    return std::any_cast<const Numbers&>(numbers);
  }

  // Numbers of one input: channels x height x width, or features.
  std::int64_t input_numbers() const {
    return features > 0 ? features : channels * image_size.area();
  }
};

// The network that a recipe asks for, for such data. Throws Error(kUsage):
// unknown name (lists near and known ones), numbers that do not fit together,
// options that the family does not have.
ModelSpec resolve(const config::ModelConfig& config, const DataShape& data);

// Channels of the images that a recipe's network takes; 3 for an unknown name.
std::int64_t channels_of(const config::ModelConfig& config);

// The same network with the images that it is trained with:
// data.augment.image_size.
ModelSpec in_training(const config::AugmentConfig& augment, ModelSpec spec);

// The recipe as data.augment.stages has it where a batch has most pixels,
// without stages.
config::Recipe widest_stage(const config::Recipe& recipe);

// Whether the teacher of train.distill is for the second head alone.
bool learns_by_token(
    const config::DistillConfig& distill,
    const ModelSpec& spec);

} // namespace vitrain::models
