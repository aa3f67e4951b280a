#include "engine/state/snapshot_memory.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace vitrain::engine {
namespace {

TEST(SnapshotMemory, CopiesDoNotFollowTrainingAndReuseTheirMemory) {
  SnapshotMemory memory(/*cuda=*/nullptr);
  const at::Tensor weights = at::arange(12, at::kFloat).view({3, 4});
  const at::Tensor average = weights.t(); // strided
  const at::Tensor steps = at::full({}, 7, at::kLong);
  const void* first = nullptr;
  for (int i = 0; i < 2; ++i) {
    states::Snapshot snapshot;
    snapshot.model["w"] = weights;
    snapshot.ema["w"] = average;
    snapshot.optimizer["steps"] = steps;
    memory.copy(snapshot);
    const at::Tensor before = weights.clone();
    weights.add_(1.0);
    steps.add_(1);
    EXPECT_TRUE(at::equal(snapshot.model.at("w"), before));
    EXPECT_TRUE(at::equal(snapshot.ema.at("w"), before.t()));
    EXPECT_TRUE(snapshot.ema.at("w").is_contiguous());
    EXPECT_EQ(snapshot.optimizer.at("steps").item<std::int64_t>(), 7 + i);
    const void* place = snapshot.model.at("w").data_ptr();
    EXPECT_TRUE(i == 0 || place == first);
    first = place;
  }
}

TEST(SnapshotMemory, KeepsWhatNobodyElseChanges) {
  SnapshotMemory memory(/*cuda=*/nullptr);
  states::Snapshot snapshot;
  snapshot.optimizer["own"] = at::ones({4});
  const at::Tensor buffer = at::ones({8});
  snapshot.optimizer["view"] = buffer.narrow(0, 0, 4);
  const void* own = snapshot.optimizer["own"].data_ptr();
  memory.copy(snapshot);
  EXPECT_EQ(snapshot.optimizer["own"].data_ptr(), own);
  EXPECT_NE(snapshot.optimizer["view"].data_ptr(), buffer.data_ptr());
}

} // namespace
} // namespace vitrain::engine
