#include "job/run/begun_epoch.h"

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

TEST(BegunEpoch, IsThatOfTheRecord) {
  data::SamplerOptions options;
  options.policy = SamplerPolicy::kShardThenShuffle;
  const data::BatchGeometry three{4, 3, 1};
  const data::BatchGeometry two{3, 2, 2};
  const data::Sampler first(203, options, three);
  const auto begun =
      begun_epoch(manifest_with({{"order", order_record(first, 7)}}), 2);
  ASSERT_TRUE(begun);
  EXPECT_EQ(begun->steps, 7);
  EXPECT_EQ(begun->geometry.world, 3);
  // Stopped again in the same epoch, it is still that of the first workers.
  const data::Sampler second(203, options, two, begun);
  EXPECT_EQ(order_record(second, 9), order_record(first, 7));
  const std::int64_t steps = second.steps_per_epoch();
  EXPECT_EQ(order_record(second, steps)["workers"], 2);
}

TEST(BegunEpoch, OfOlderCheckpointsIsThatOfTheirWorkers) {
  const auto begun = begun_epoch(manifest_with(Json::object()), 2);
  ASSERT_TRUE(begun);
  EXPECT_EQ(begun->geometry.world, 3);
  EXPECT_EQ(begun->geometry.per_device, 2);
  EXPECT_EQ(begun->geometry.accumulate, 2);
  EXPECT_FALSE(begun_epoch(manifest_with(Json::object()), 5));
}

TEST(BegunEpoch, RefusesRecordsThatCannotBe) {
  for (const Json& order :
       {Json(3),
        Json::object(),
        Json{{"workers", 0}, {"per_device", 4}, {"accumulate", 1}},
        Json{{"workers", "3"}, {"per_device", 4}, {"accumulate", 1}}}) {
    try {
      begun_epoch(manifest_with({{"order", order}}), 1);
      ADD_FAILURE() << order.dump();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kWeights);
    }
  }
}

} // namespace
} // namespace vitrain::job
