#include "engine/inputs/train_inputs.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "config/sections/augment.h"
#include "config/sections/strengths.h"
#include "job/run/job.h"
#include "networks/model.h"
#include "unit/engine/fixtures.h"

namespace vitrain::engine {
namespace {

// A worker that trains on eight samples of a batch, which it has as bytes.
struct Inputs : LoneWorker {
  Inputs() {
    session.spec = tiny_vit();
    session.model = networks::make_model(session.spec, 3);
    session.plan.device_batch = 8;
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      pixels[i] = static_cast<std::uint8_t>(i * 37 % 251);
    }
    for (std::int64_t i = 0; i < 8; ++i) {
      labels.push_back(i % 6);
      draws.push_back({.epoch = 2, .sample = i});
    }
  }

  // Returns the inputs of rows [first, first + count).
  MicroBatch make(std::int64_t step, std::size_t first, std::size_t count) {
    return TrainInputs(session).make(
        {.count = static_cast<std::int64_t>(count),
         .rows = std::span(pixels).subspan(first * kRow, count * kRow),
         .labels = std::span(labels).subspan(first, count),
         .draws = std::span(draws).subspan(first, count)},
        step,
        /*k=*/0);
  }
  config::AugmentConfig& augment() { return job.recipe.data.augment; }

  static constexpr std::size_t kRow = 16 * 16 * 3;
  std::vector<std::uint8_t> pixels = std::vector<std::uint8_t>(8 * kRow);
  std::vector<std::int64_t> labels;
  std::vector<data::Draw> draws;
};

TEST(TrainInputs, AreNormalisedAndNothingElseUnlessAskedFor) {
  Inputs worker;
  const MicroBatch made = worker.make(0, 0, 8);
  const Normalizer normalizer({}, tiny_vit(), c10::kCPU);
  EXPECT_TRUE(at::equal(
      made.inputs, normalizer.inputs({.count = 8, .rows = worker.pixels}, 8)));
  EXPECT_EQ(made.targets[7].item<std::int64_t>(), 1);
  EXPECT_FALSE(made.shares.defined());
  EXPECT_FALSE(made.dropout.defined());
}

// The erased area depends on the sample, not on its batch.
TEST(TrainInputs, AreErasedByTheDrawOfEachSample) {
  Inputs worker;
  const at::Tensor plain = worker.make(0, 0, 8).inputs;
  worker.augment().erase.erasing = 1.0;
  worker.augment().erase.erasing_mode = config::EraseMode::kConst;
  const at::Tensor erased = worker.make(0, 0, 8).inputs;
  for (std::int64_t i = 0; i < 8; ++i) {
    EXPECT_FALSE(at::equal(erased[i], plain[i])) << i;
  }
  EXPECT_TRUE(at::equal(worker.make(9, 3, 5).inputs, erased.narrow(0, 3, 5)));
}

TEST(TrainInputs, AreMixedUntilTheEpochThatEndsIt) {
  Inputs worker;
  const at::Tensor plain = worker.make(0, 0, 8).inputs;
  worker.augment().mix.mixup = 0.8;
  const MicroBatch mixed = worker.make(0, 0, 8);
  EXPECT_FALSE(at::equal(mixed.inputs, plain));
  EXPECT_EQ(mixed.shares.sizes(), (at::IntArrayRef{8, 6}));
  EXPECT_FALSE(at::equal(worker.make(1, 0, 8).inputs, mixed.inputs));
  worker.augment().mix.mix_off_epoch = 3; // the draws are of 2
  EXPECT_TRUE(at::equal(worker.make(0, 0, 8).inputs, mixed.inputs));
  worker.augment().mix.mix_off_epoch = 2;
  EXPECT_TRUE(at::equal(worker.make(0, 0, 8).inputs, plain));
}

// A sample counts by the weight of its class, and a mixed one by both weights,
// shared out as the labels are.
TEST(TrainInputs, HaveTheWeightsOfTheirClasses) {
  Inputs worker;
  EXPECT_FALSE(worker.make(0, 0, 8).weights.defined());
  config::TrainConfig& train = worker.job.recipe.train;
  train.class_weights = {0.5, 2.0, 1.0, 0.25, 1.5, 8.0};
  const at::Tensor of_classes =
      at::tensor(train.class_weights, at::kDouble).to(at::kFloat);
  EXPECT_TRUE(at::equal(
      worker.make(0, 0, 8).weights,
      of_classes.index_select(0, at::tensor(worker.labels))));
  EXPECT_EQ(worker.make(0, 0, 0).weights.size(0), 0);
  worker.augment().mix.mixup = 0.8;
  train.label_smoothing = 0.1;
  const MicroBatch mixed = worker.make(0, 0, 8);
  // Shares without smoothing are what mixing makes of single labels.
  train.label_smoothing = 0.0;
  const at::Tensor shares = worker.make(0, 0, 8).shares;
  EXPECT_FALSE(at::equal(mixed.shares, shares));
  // At most two roundings of numbers up to 8.
  EXPECT_TRUE(at::allclose(
      mixed.weights, at::mv(shares, of_classes), /*rtol=*/0x1p-22, 0x1p-22));
  train.class_weighting = config::ClassWeighting::kTerms;
  EXPECT_FALSE(worker.make(0, 0, 8).weights.defined());
}

// A batch that has each of four samples in two versions, one after the other.
TEST(TrainInputs, OfSeveralVersionsHaveTheFirstOnesFirst) {
  Inputs worker;
  const at::Tensor plain = worker.make(0, 0, 8).inputs;
  config::TrainConfig& train = worker.job.recipe.train;
  train.loss = config::LossKind::kJensenShannon;
  train.jsd_splits = 2;
  const auto make = [&] {
    return TrainInputs(worker.session)
        .make(
            {.count = 4,
             .rows = worker.pixels,
             .labels = std::span(worker.labels).first(4),
             .draws = std::span(worker.draws).first(4)},
            /*step=*/0,
            /*k=*/0);
  };
  const MicroBatch made = make();
  ASSERT_EQ(made.inputs.size(0), 8);
  EXPECT_EQ(made.targets.size(0), 4);
  for (std::int64_t i = 0; i < 8; ++i) {
    EXPECT_TRUE(at::equal(made.inputs[i % 2 * 4 + i / 2], plain[i])) << i;
  }
  const TrainInputs inputs(worker.session);
  const Normalizer normalizer({}, tiny_vit(), c10::kCPU);
  EXPECT_TRUE(at::equal(
      inputs.pictures(made, 6), normalizer.bytes(plain.narrow(0, 0, 6))));
  worker.augment().erase.erasing = 1.0;
  worker.augment().erase.erasing_mode = config::EraseMode::kConst;
  const at::Tensor all = make().inputs;
  worker.augment().erase.erasing_clean = false;
  const at::Tensor others = make().inputs;
  EXPECT_TRUE(at::equal(others.narrow(0, 0, 4), made.inputs.narrow(0, 0, 4)));
  EXPECT_TRUE(at::equal(others.narrow(0, 4, 4), all.narrow(0, 4, 4)));
  for (std::int64_t i = 0; i < 4; ++i) {
    EXPECT_FALSE(at::equal(all[i], made.inputs[i])) << i;
    // Each version in its own way.
    EXPECT_FALSE(
        at::equal(all[i].ne(made.inputs[i]), all[4 + i].ne(made.inputs[4 + i])))
        << i;
  }
}

// The dropped blocks of a sample do not depend on earlier samples of its
// worker.
TEST(TrainInputs, DropsOfVersionsAreOfTheSamplesPlaceInTheGlobalBatch) {
  Inputs worker;
  worker.session.spec.drop_path = 0.5;
  worker.session.model = networks::make_model(worker.session.spec, 3);
  config::TrainConfig& train = worker.job.recipe.train;
  train.loss = config::LossKind::kJensenShannon;
  train.jsd_splits = 2;
  const auto drop = [&](std::int64_t k, std::int64_t batch) {
    worker.session.plan.device_batch = batch;
    return TrainInputs(worker.session)
        .make(
            {.count = batch,
             .rows = worker.pixels,
             .labels = std::span(worker.labels)
                           .first(static_cast<std::size_t>(batch)),
             .draws = std::span(worker.draws)
                          .first(static_cast<std::size_t>(batch))},
            /*step=*/0,
            k)
        .drop;
  };
  const at::Tensor whole = drop(0, 4);
  ASSERT_EQ(whole.size(1), 8);
  const at::Tensor second = drop(1, 2); // samples 2 and 3
  EXPECT_TRUE(at::equal(second.narrow(1, 0, 2), whole.narrow(1, 2, 2)));
  EXPECT_TRUE(at::equal(second.narrow(1, 2, 2), whole.narrow(1, 6, 2)));
}

TEST(TrainInputs, DropAsMuchAsTheScheduleSays) {
  Inputs worker;
  worker.session.spec.drop_path = 0.5;
  worker.session.model = networks::make_model(worker.session.spec, 3);
  worker.job.recipe.schedule.drop_path.shape = config::DropPathShape::kLate;
  worker.session.plan.drop_path_cutoff = 2;
  worker.session.plan.schedule_steps = 4;
  const auto drop = [&](std::int64_t step) {
    return TrainInputs(worker.session)
        .make(
            {.count = 4,
             .rows = worker.pixels,
             .labels = worker.labels,
             .draws = worker.draws},
            step,
            /*k=*/0)
        .drop;
  };
  EXPECT_TRUE(drop(1).eq(1.0).all().item<bool>());
  const at::Tensor late = drop(2);
  worker.job.recipe.schedule.drop_path.shape = config::DropPathShape::kConstant;
  EXPECT_TRUE(at::equal(late, drop(2)));
  EXPECT_FALSE(drop(1).eq(1.0).all().item<bool>());
}

// Each replica of a worker has masks of its own, as each worker would.
TEST(TrainInputs, MasksAreOfAShareOfTheGlobalBatch) {
  Inputs worker;
  worker.job.recipe.model.dropout = 0.5;
  worker.session.plan.replicas = 2;
  const TrainInputs inputs(worker.session);
  const auto drawn = [&](std::int64_t k, std::int64_t replica) {
    return at::rand({8}, inputs.masks(c10::kCPU, /*step=*/4, k, replica));
  };
  EXPECT_TRUE(at::equal(drawn(1, 0), drawn(1, 0)));
  EXPECT_FALSE(at::equal(drawn(1, 0), drawn(1, 1)));
  const at::Tensor of_two = drawn(1, 1);
  worker.session.plan.replicas = 1;
  EXPECT_TRUE(at::equal(drawn(3, 0), of_two));
}

} // namespace
} // namespace vitrain::engine
