// Several versions of each image in a batch, in the real binary.

#include <gtest/gtest.h>

#include "program.h"

namespace vitrain::e2e {
namespace {

const Options kSplits{
    .set = {
        "train.loss=jensen_shannon",
        "train.jsd_splits=3",
        "train.label_smoothing=0.1",
        "data.augment.color_jitter=0.4",
        "data.augment.erasing=0.5",
        "data.augment.erasing_clean=false",
        "model.drop_path=0.1",
        "run.max_steps=12"}};

// Also after a resume.
TEST(Splits, TwoWorkersEqualOne) {
  const TempFolder folder;
  const auto one = train(
      folder / "one",
      kSplits.with({.devices = "cpu:1", .set = {"train.accumulate=2"}}));
  const Options options = kSplits.with(
      {.devices = "cpu:2",
       .set = {"checkpoint.every=5st", "checkpoint.keep_last=20"}});
  const auto two = train(folder / "two", options);
  // Sums of gradients in another order, over 12 steps.
  expect_same_training(one, two, 1e-4);
  const auto part = resume_copy(two, folder / "part", options, 5);
  expect_same_training(two, part);
  expect_same_checkpoint(two, part, 12);
}

} // namespace
} // namespace vitrain::e2e
