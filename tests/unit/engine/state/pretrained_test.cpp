#include "engine/state/pretrained.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.h"
#include "models/families/family.h"
#include "models/resolve.h"
#include "states/safetensors.h"

namespace vitrain::engine {
namespace {

std::string golden(const char* name) {
  return std::string(VITRAIN_SOURCE_DIR "/tests/golden/weights/") + name;
}

// FlexiViT's positions are resampled differently from all other families'
// (make_flexivit_files.py).
TEST(Pretrained, PositionsAreResampledAsTimmsLoaderDoesOfTheFamily) {
  const auto expected =
      states::read_safetensors(golden("flexivit_positions.safetensors"));
  EXPECT_EQ(expected.tensors.size(), 2U);
  for (const auto& [size, positions] : expected.tensors) {
    const auto sides = split(size, 'x');
    config::ModelConfig config;
    config.name = "flexivit_small";
    config.image_size = ImageSize(std::stoi(sides[0]), std::stoi(sides[1]));
    config.patch_size = 8;
    config.embed_dim = 6;
    config.depth = 1;
    config.num_heads = 1;
    config.pretrained = golden("flexivit.safetensors");
    const auto spec = models::resolve(config, {.outputs = 7});
    const auto load = [&] {
      auto model = networks::make_model(spec, /*seed=*/0);
      load_pretrained(*model, spec, config, PretrainedUse::kTrain);
      return model->named_parameters()["pos_embed"].detach();
    };
    // Same kernels; vectors of other widths may sum in another order.
    EXPECT_TRUE(at::allclose(load(), positions, /*rtol=*/0, /*atol=*/1e-6))
        << size;
    // The recipe overrides the family's method.
    config.pretrained_resampling = Resampling::kDeit;
    EXPECT_FALSE(at::allclose(load(), positions, 0, 1e-3)) << size;
  }
}

} // namespace
} // namespace vitrain::engine
