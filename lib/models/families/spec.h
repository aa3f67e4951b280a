#pragma once

#include <any>
#include <cstdint>
#include <string>
#include <vector>

#include "config/sections/lora.h"
#include "options/image_size.h"

namespace vitrain::models {

struct Family;

// Shape of the data that a network must fit.
struct DataShape {
  // Number of classes, or of regression targets of vectors; kNotKnown
  // (rules.h): not listed yet, also in `features`.
  std::int64_t outputs = 0;
  std::int64_t features = 0; // length of the vectors; 0: images
};

// Description of a network, with every number resolved.
struct ModelSpec {
  std::string name;
  const Family* family = nullptr; // families/family.h; not null once resolved
  std::int64_t num_classes = 0; // number of outputs
  ImageSize image_size; // size of the input; empty for vectors
  // Channels of images: 3 for colour, 1 for grey, or any other number.
  std::int64_t channels = 3;
  // Stochastic depth rate. In most families the rates of the blocks rise to it;
  // in other families all blocks have this rate.
  double drop_path = 0.0;
  double head_dropout = 0.0; // dropout rate of the classifier's input
  // Adapters of the network in training. Other uses load merged weights.
  config::LoraConfig lora;
  // In training, the outputs of two heads are concatenated, not averaged.
  bool heads_apart = false;
  // Length of vectors, which have no image_size; 0: images.
  std::int64_t features = 0;
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

} // namespace vitrain::models
