// Our gradient exchange against the engine of torch's own data parallelism.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "small_net.h"
#include "support/ranks.h"

namespace vitrain::dist {
namespace {

using testing::Rank;
using testing::run_ranks;

// Gradients that c10d::Reducer leaves after a backward pass over the mean loss
// of this rank's part.
Gradients reducer_gradients(Rank& rank, const Batch& part) {
  SmallNet net;
  const std::vector<at::Tensor> parameters = net.parameters();
  std::vector<std::vector<std::size_t>> buckets;
  std::unordered_map<std::size_t, std::string> names;
  for (std::size_t i = parameters.size(); i-- > 0;) {
    buckets.push_back({i});
    names[i] = net.named_parameters().pairs()[i].first;
  }
  const auto reducer = std::make_shared<c10d::Reducer>(
      parameters,
      buckets,
      rank.process_group(),
      /*expect_sparse_gradients=*/std::vector<bool>(parameters.size(), false),
      /*bucket_bytes_cap=*/25 << 20,
      /*find_unused_parameters=*/false,
      /*gradient_as_bucket_view=*/false,
      names,
      /*first_bucket_bytes_cap=*/1 << 20,
      /*skip_all_reduce_unused_params=*/false,
      /*use_python_reducer=*/false,
      /*bucket_bytes_cap_list=*/std::vector<std::int64_t>{});
  reducer->prepare_for_forward();
  const at::Tensor loss = loss_of(net, part, part.size());
  reducer->prepare_for_backward({});
  loss.backward();
  return gradients_of(net);
}

Gradients
own_gradients(Rank& rank, const Batch& part, const BucketOptions& options) {
  SmallNet net;
  const auto sync = make_bucketed_all_reduce(
      rank.data(), flatten_gradients(net, {3, 0}), options);
  sync->begin_micro_batch(/*last=*/true, /*empty=*/false);
  loss_of(net, part, part.size() * rank.size()).backward();
  sync->finish();
  return gradients_of(net);
}

// Two ranks with four samples each: every scaling is by a power of two and
// a + b has one value, so nothing may differ.
TEST(GradientSync, EqualsReducerBitForBitOnTwoRanks) {
  for (const std::int64_t bytes : {1, 600, 1 << 20}) {
    const Batch batch = make_batch(8, /*seed=*/23);
    run_ranks(2, [&](Rank& rank) {
      const Batch part = batch.part(4 * rank.rank(), 4);
      const Gradients theirs = reducer_gradients(rank, part);
      const Gradients ours =
          own_gradients(rank, part, {.first_bytes = bytes, .bytes = bytes});
      ASSERT_EQ(ours.size(), theirs.size());
      for (std::size_t i = 0; i < ours.size(); ++i) {
        EXPECT_TRUE(at::equal(ours[i], theirs[i])) << "parameter " << i;
        EXPECT_TRUE(ours[i].any().item<bool>()) << "parameter " << i;
      }
    });
  }
}

// Three ranks: division by 3 before (theirs) or within (ours) the loss and the
// order of the sums round differently. Backward multiplies the loss's factor
// through at most 5 operations, then two additions follow: 8 roundings, each of
// at most 2^-24 of values that are no larger than the largest local gradient.
TEST(GradientSync, EqualsReducerUpToRoundingOnThreeRanks) {
  const Batch batch = make_batch(12, /*seed=*/29);
  run_ranks(3, [&](Rank& rank) {
    const Batch part = batch.part(4 * rank.rank(), 4);
    const Gradients theirs = reducer_gradients(rank, part);
    const Gradients ours =
        own_gradients(rank, part, {.first_bytes = 1, .bytes = 600});
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      SmallNet net;
      loss_of(net, part, part.size()).backward();
      at::Tensor largest = gradients_of(net)[i].abs().max().view({1});
      rank.control().all_reduce_max_async(largest).wait();
      const double error = (ours[i] - theirs[i]).abs().max().item<double>();
      EXPECT_LE(error, 8 * 0x1p-24 * largest.item<double>()) << i;
    }
  });
}

} // namespace
} // namespace vitrain::dist
