#include "job/run/partial_epoch.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace vitrain::job {
namespace {

checkpoint::Manifest manifest_with(Json state) {
  checkpoint::Manifest manifest;
  manifest.step = 7;
  manifest.world_size = 3;
  state["identity"] = {{"global_batch", 12}};
  manifest.state = std::move(state);
  return manifest;
}

const config::Timeline kFiveSteps({{0, 5}});

data::Samplers samplers_of(
    const data::SamplerOptions& options,
    const data::BatchGeometry& geometry,
    const std::optional<data::PartialEpoch>& begun = {}) {
  std::vector<data::Samplers::Stage> stages;
  stages.push_back(
      {0,
       std::make_unique<const data::Sampler>(203, options, geometry, begun)});
  return data::Samplers(std::move(stages));
}

TEST(PartialEpoch, IsThatOfTheRecord) {
  data::SamplerOptions options;
  options.policy = SamplerPolicy::kShardThenShuffle;
  const data::BatchGeometry three{4, 3, 1};
  const data::BatchGeometry two{3, 2, 2};
  const data::Samplers first = samplers_of(options, three);
  const auto begun = partial_epoch(
      manifest_with({{"order", order_record(first, kFiveSteps, 7)}}),
      kFiveSteps,
      2);
  ASSERT_TRUE(begun);
  EXPECT_EQ(begun->epoch, 1);
  EXPECT_EQ(begun->steps, 2);
  EXPECT_EQ(begun->geometry.world, 3);
  // Stopped again in the same epoch, the order is still that for the first
  // workers.
  const data::Samplers second = samplers_of(options, two, begun);
  EXPECT_EQ(
      order_record(second, kFiveSteps, 7), order_record(first, kFiveSteps, 7));
  EXPECT_EQ(order_record(second, kFiveSteps, 10)["workers"], 2);
}

TEST(PartialEpoch, IsThatOfItsStage) {
  checkpoint::Manifest manifest = manifest_with(Json::object());
  manifest.epoch = 3; // after epochs of 2, 2 and 1 step
  const config::Timeline stages({{0, 2}, {2, 1}, {3, 4}});
  const auto begun = partial_epoch(manifest, stages, 1);
  ASSERT_TRUE(begun);
  EXPECT_EQ(begun->epoch, 3);
  EXPECT_EQ(begun->steps, 2);
  manifest.epoch = 2; // its workers made other steps of them
  EXPECT_THROW(partial_epoch(manifest, stages, 1), Error);
  // Epoch 3 again, with the order recorded at another step.
  manifest.epoch = 3;
  manifest.state["order"] = {
      {"workers", 1}, {"per_device", 4}, {"accumulate", 1}, {"step", 2}};
  EXPECT_EQ(partial_epoch(manifest, stages, 1)->steps, 2);
  manifest.state["order"]["step"] = 1;
  EXPECT_THROW(partial_epoch(manifest, stages, 1), Error);
}

TEST(PartialEpoch, OfOlderCheckpointsIsThatOfTheirWorkers) {
  const auto begun =
      partial_epoch(manifest_with(Json::object()), kFiveSteps, 2);
  ASSERT_TRUE(begun);
  EXPECT_EQ(begun->geometry.world, 3);
  EXPECT_EQ(begun->geometry.per_device, 2);
  EXPECT_EQ(begun->geometry.accumulate, 2);
  EXPECT_FALSE(partial_epoch(manifest_with(Json::object()), kFiveSteps, 5));
}

TEST(PartialEpoch, RefusesRecordsThatCannotBe) {
  for (const Json& order :
       {Json(3),
        Json::object(),
        Json{{"workers", 0}, {"per_device", 4}, {"accumulate", 1}},
        Json{{"workers", "3"}, {"per_device", 4}, {"accumulate", 1}}}) {
    try {
      partial_epoch(manifest_with({{"order", order}}), kFiveSteps, 1);
      ADD_FAILURE() << order.dump();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kWeights);
    }
  }
}

} // namespace
} // namespace vitrain::job
