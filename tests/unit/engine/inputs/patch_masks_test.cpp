#include "engine/inputs/patch_masks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <ATen/ATen.h>

namespace vitrain::engine {
namespace {

TEST(PatchMasks, AreUndefinedWithoutPatches) {
  EXPECT_FALSE(patch_masks(0, 0, 0, 0, 8).defined());
  EXPECT_FALSE(eval_patch_masks(0, std::vector<std::int64_t>{1}, 8).defined());
}

TEST(PatchMasks, DependOnThePlaceInTheGlobalBatchOnly) {
  const at::Tensor whole = patch_masks(9, 7, 12, 0, 12);
  // Twelve samples on three workers of four equal twelve samples on one.
  for (std::int64_t rank = 0; rank < 3; ++rank) {
    EXPECT_TRUE(at::equal(
        whole.narrow(1, rank * 4, 4), patch_masks(9, 7, 12, rank * 4, 4)));
  }
  EXPECT_FALSE(at::equal(whole, patch_masks(9, 8, 12, 0, 12)));
  EXPECT_FALSE(at::equal(whole, patch_masks(9, 7, 13, 0, 12)));
  EXPECT_FALSE(at::equal(whole.select(1, 0), whole.select(1, 1)));
}

// Each patch is among the first quarter as often as any other.
TEST(PatchMasks, HideEveryPatchEquallyOften) {
  constexpr std::int64_t kSamples = 20000;
  constexpr std::int64_t kPatches = 16;
  const at::Tensor places = patch_masks(kPatches, 3, 1, 0, kSamples)
                                .argsort(std::int64_t{0})
                                .argsort(std::int64_t{0});
  const at::Tensor seen =
      places.lt(kPatches / 4).to(at::kDouble).mean(1, /*keepdim=*/false);
  // Five standard errors of a Bernoulli mean.
  const double error = 5 * std::sqrt(0.25 * 0.75 / kSamples);
  EXPECT_LT((seen - 0.25).abs().max().item<double>(), error);
}

TEST(PatchMasks, OfAnEvaluationBelongToTheSamples) {
  const std::vector<std::int64_t> samples{4, 0, 9};
  const at::Tensor masks = eval_patch_masks(6, samples, 5);
  EXPECT_EQ(masks.sizes(), (std::vector<std::int64_t>{6, 5}));
  EXPECT_TRUE(at::equal(masks.narrow(1, 3, 2), at::zeros({6, 2})));
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::vector<std::int64_t> one{samples[static_cast<std::size_t>(i)]};
    EXPECT_TRUE(at::equal(masks.narrow(1, i, 1), eval_patch_masks(6, one, 1)));
  }
  EXPECT_FALSE(at::equal(masks.select(1, 0), masks.select(1, 1)));
}

} // namespace
} // namespace vitrain::engine
