#include "engine/inputs/dropout.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace vitrain::engine {
namespace {

at::Tensor draw(std::uint64_t seed, std::int64_t step, std::int64_t k) {
  config::ModelConfig model;
  model.dropout = 0.1;
  return at::empty({64}).uniform_(
      0, 1, dropout_masks(at::kCPU, model, seed, step, k));
}

TEST(DropoutMasks, AreAFunctionOfSeedStepAndMicroBatch) {
  const at::Tensor first = draw(1, 2, 3);
  at::rand({100}); // the process's own generator has no part in it
  EXPECT_TRUE(at::equal(draw(1, 2, 3), first));
  EXPECT_FALSE(at::equal(draw(2, 2, 3), first));
  EXPECT_FALSE(at::equal(draw(1, 3, 3), first));
  EXPECT_FALSE(at::equal(draw(1, 2, 4), first));
}

TEST(DropoutMasks, LeaveTheProcesssGeneratorAlone) {
  at::manual_seed(5);
  const at::Tensor expected = at::rand({8});
  at::manual_seed(5);
  draw(1, 2, 3);
  EXPECT_TRUE(at::equal(at::rand({8}), expected));
}

TEST(DropoutMasks, AreUndefinedForAModelThatDropsNothing) {
  config::ModelConfig model;
  EXPECT_FALSE(dropout_masks(at::kCPU, model, 1, 2, 3).defined());
  model.attention_dropout = 0.1;
  EXPECT_TRUE(dropout_masks(at::kCPU, model, 1, 2, 3).defined());
}

} // namespace
} // namespace vitrain::engine
