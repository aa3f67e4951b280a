#include "engine/inputs/normalizer.h"
#include "config/sections/preprocess.h"
#include "data/load/loader.h"
#include "models/families/vit.h"

#include <cstring>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace vitrain::engine {
namespace {

TEST(Normalizer, ImagesOfOneChannel) {
  models::ModelSpec spec;
  spec.family = &models::kVit;
  spec.image_size = 2;
  spec.channels = 1;
  config::PreprocessConfig preprocess;
  preprocess.mean = {0.5, 0.5, 0.5};
  preprocess.std = {0.25, 0.25, 0.25};
  const Normalizer normalizer(preprocess, spec, c10::kCPU);
  const std::vector<std::uint8_t> pixels{0, 51, 102, 255, 0, 0, 0, 0};
  const std::vector<std::int64_t> labels{7};
  const data::Batch batch{.count = 1, .rows = pixels, .labels = labels};
  const at::Tensor images = normalizer.inputs(batch, 2);
  EXPECT_EQ(images.sizes(), (at::IntArrayRef{2, 1, 2, 2}));
  EXPECT_TRUE(at::allclose(
      images[0].flatten(), at::tensor({-2.0F, -1.2F, -0.4F, 2.0F})));
  EXPECT_TRUE(at::equal(labels_of(batch), at::tensor({7}, at::kLong)));
}

TEST(Normalizer, PicturesAreTheBytesAgain) {
  models::ModelSpec spec;
  spec.family = &models::kVit;
  spec.image_size = ImageSize(1, 2);
  spec.channels = 3;
  const Normalizer normalizer({}, spec, c10::kCPU);
  const std::vector<std::uint8_t> pixels{0, 51, 102, 255, 7, 128};
  const data::Batch batch{.count = 1, .rows = pixels};
  at::Tensor inputs = normalizer.inputs(batch, 1);
  EXPECT_TRUE(at::equal(
      normalizer.bytes(inputs).flatten(), at::tensor(pixels, at::kByte)));
  inputs.mul_(100.0); // noise that no byte can be
  EXPECT_TRUE(at::equal(
      normalizer.bytes(inputs).flatten(),
      at::tensor({0, 0, 0, 255, 0, 255}, at::kByte)));
}

// The loader's memory is used again for later batches.
TEST(Normalizer, VectorsAreCopiedAndKeepTheirNumbers) {
  models::ModelSpec spec;
  spec.family = &models::kVit;
  spec.features = 3;
  spec.num_classes = 1;
  const Normalizer normalizer({}, spec, c10::kCPU);
  const std::vector<float> numbers{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::uint8_t> bytes(numbers.size() * sizeof(float));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  const data::Batch batch{.count = 1, .rows = bytes};
  const at::Tensor inputs = normalizer.inputs(batch, 2);
  const at::Tensor one = normalizer.inputs(batch, 1);
  const at::Tensor targets = normalizer.targets(
      at::from_blob(
          bytes.data(), {static_cast<std::int64_t>(bytes.size())}, at::kByte),
      batch.count);
  std::memset(bytes.data(), 0, bytes.size());
  EXPECT_TRUE(at::equal(
      inputs, at::tensor({1.0F, 2.0F, 3.0F, 5.0F, 6.0F, 7.0F}).view({2, 3})));
  EXPECT_TRUE(at::equal(one, at::tensor({1.0F, 2.0F, 3.0F}).view({1, 3})));
  EXPECT_TRUE(at::equal(targets, at::tensor({4.0F}).view({1, 1})));
}

} // namespace
} // namespace vitrain::engine
