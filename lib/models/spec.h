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

// What a network must fit: the shape of the data.
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
  std::int64_t channels =
      3; // of images: 3 for colour, 1 for grey, or another number
  double drop_path = 0.0; // rate of the last block
  bool heads_apart = false; // two heads with separate outputs in training
                            // (networks::of_two_heads)
  std::int64_t features =
      0; // length of vectors, which have no image_size; 0: images
  std::any numbers; // the family's own struct, such as VitSpec

  template <typename Numbers>
  const Numbers& get() const {
    return std::any_cast<const Numbers&>(numbers);
  }

  // Number of values of one input: channels * height * width, or features.
  std::int64_t input_numbers() const {
    return features > 0 ? features : channels * image_size.area();
  }
};

// Returns the network of a recipe for data of this shape. Throws Error(kUsage)
// for an unknown name (with similar and known names), for numbers that do not
// fit together, and for options that the family does not have.
ModelSpec resolve(const config::ModelConfig& config, const DataShape& data);

// Returns the number of image channels of a recipe's network; 3 for an unknown
// name.
std::int64_t channels_of(const config::ModelConfig& config);

// Returns `spec` with the image size of training, data.augment.image_size.
ModelSpec in_training(const config::AugmentConfig& augment, ModelSpec spec);

// Returns the recipe of the stage of data.augment.stages whose batches have the
// most pixels, without stages.
config::Recipe widest_stage(const config::Recipe& recipe);

// Returns true if the teacher of train.distill teaches only the distillation
// head.
bool learns_by_token(
    const config::DistillConfig& distill,
    const ModelSpec& spec);

} // namespace vitrain::models
