#include "dist/sync/sync_batch_norm.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/variable.h>

#include "support/ranks.h"

namespace vitrain::dist {
namespace {

using testing::Rank;
using testing::run_ranks;

constexpr std::int64_t kChannels = 7;

// A layer, its batch and the gradient of its output, on one process or one
// rank.
struct Pass {
  at::Tensor x; // [N, C, H, W]
  at::Tensor upstream; // of y
  BatchNormLayer layer;
  at::Tensor y{};
};

at::Tensor leaf(const at::Tensor& values) {
  return values.clone(at::MemoryFormat::Preserve).requires_grad_();
}

// Equal arguments give equal values. The mean is large compared with the
// deviation, as after a ReLU, and differs between channels.
Pass make_pass(std::int64_t samples, at::ScalarType dtype = at::kFloat) {
  const at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(5);
  const std::vector<std::int64_t> shape{samples, kChannels, 4, 5};
  const at::Tensor shift =
      at::arange(kChannels, at::kFloat).view({1, kChannels, 1, 1});
  return {
      .x = (at::randn(shape, generator) * 2 + shift).to(dtype),
      .upstream = at::randn(shape, generator).to(dtype),
      .layer = {
          .weight = leaf(at::linspace(0.5, 1.5, kChannels)),
          .bias = leaf(at::linspace(-1, 1, kChannels)),
          .running_mean = at::full({kChannels}, 0.25),
          .running_var = at::full({kChannels}, 2.0)}};
}

Pass whole_batch(std::int64_t samples, at::ScalarType dtype = at::kFloat) {
  Pass pass = make_pass(samples, dtype);
  pass.x = leaf(pass.x);
  pass.y = at::batch_norm(
      pass.x,
      pass.layer.weight,
      pass.layer.bias,
      pass.layer.running_mean,
      pass.layer.running_var,
      /*training=*/true,
      pass.layer.momentum,
      pass.layer.eps,
      /*cudnn_enabled=*/false);
  (pass.y * pass.upstream).sum().backward();
  return pass;
}

// The part of the batch that begins at sample `begin`, over all ranks.
Pass part_of_batch(
    Rank& rank,
    std::int64_t samples,
    std::int64_t begin,
    std::int64_t count,
    at::MemoryFormat format = at::MemoryFormat::Contiguous,
    at::ScalarType dtype = at::kFloat) {
  Pass pass = make_pass(samples, dtype);
  pass.x = leaf(pass.x.narrow(0, begin, count).contiguous(format));
  pass.upstream = pass.upstream.narrow(0, begin, count);
  pass.y = sync_batch_norm(rank.data(), pass.x, pass.layer);
  (pass.y * pass.upstream).sum().backward();
  return pass;
}

std::int64_t sum_of(const std::vector<std::int64_t>& counts) {
  std::int64_t sum = 0;
  for (const std::int64_t count : counts) {
    sum += count;
  }
  return sum;
}

void expect_close(
    const at::Tensor& ours,
    const at::Tensor& theirs,
    double tolerance,
    const char* what) {
  ASSERT_EQ(ours.sizes(), theirs.sizes()) << what;
  if (theirs.numel() == 0) {
    return;
  }
  const double scale = std::max(1.0, theirs.abs().max().item<double>());
  const double error = (ours.to(at::kDouble) - theirs.to(at::kDouble))
                           .abs()
                           .max()
                           .item<double>();
  EXPECT_LE(error, tolerance * scale) << what;
}

// Sums over up to 200 values of a channel in another order: each addition
// rounds by 2^-24 of the partial sum.
constexpr double kTolerance = 200 * 0x1p-24;

void expect_whole_batch(
    const std::vector<std::int64_t>& counts,
    at::MemoryFormat format = at::MemoryFormat::Contiguous) {
  const std::int64_t samples = sum_of(counts);
  const Pass whole = whole_batch(samples);
  run_ranks(static_cast<int>(counts.size()), [&](Rank& rank) {
    std::int64_t begin = 0;
    for (int i = 0; i < rank.rank(); ++i) {
      begin += counts[static_cast<std::size_t>(i)];
    }
    const std::int64_t count = counts[static_cast<std::size_t>(rank.rank())];
    Pass part = part_of_batch(rank, samples, begin, count, format);
    expect_close(part.y, whole.y.narrow(0, begin, count), kTolerance, "output");
    expect_close(
        part.x.grad(),
        whole.x.grad().narrow(0, begin, count),
        kTolerance,
        "gradient of the input");
    // This rank's share: the exchange of gradients sums them.
    for (const auto& [own, all, name] :
         {std::tuple(part.layer.weight, whole.layer.weight, "weight"),
          std::tuple(part.layer.bias, whole.layer.bias, "bias")}) {
      at::Tensor sum = own.grad().clone();
      rank.control().all_reduce(sum);
      expect_close(sum, all.grad(), kTolerance, name);
    }
    expect_close(
        part.layer.running_mean,
        whole.layer.running_mean,
        kTolerance,
        "running mean");
    expect_close(
        part.layer.running_var,
        whole.layer.running_var,
        kTolerance,
        "running variance");
    for (const at::Tensor& running :
         {part.layer.running_mean, part.layer.running_var}) {
      for (const at::Tensor& other : rank.control().all_gather(running)) {
        EXPECT_TRUE(at::equal(other, running));
      }
    }
  });
}

TEST(SyncBatchNorm, EqualsBatchNormOfTheWholeBatch) {
  expect_whole_batch({5, 5});
  expect_whole_batch({3, 3, 3});
  expect_whole_batch({4, 4}, at::MemoryFormat::ChannelsLast);
}

TEST(SyncBatchNorm, WeighsUnequalAndEmptyBatchesByTheirValues) {
  expect_whole_batch({7, 1});
  expect_whole_batch({0, 6});
  expect_whole_batch({5, 0, 2});
  expect_whole_batch({0, 3, 0, 1});
}

TEST(SyncBatchNorm, DiffersFromLocalStatistics) {
  // The test above must be able to fail: the halves have other statistics.
  const Pass whole = whole_batch(8);
  Pass half = make_pass(8);
  const at::Tensor local = at::batch_norm(
      half.x.narrow(0, 0, 4),
      half.layer.weight,
      half.layer.bias,
      half.layer.running_mean,
      half.layer.running_var,
      /*training=*/true,
      half.layer.momentum,
      half.layer.eps,
      /*cudnn_enabled=*/false);
  EXPECT_GT((local - whole.y.narrow(0, 0, 4)).abs().max().item<double>(), 0.01);
}

TEST(SyncBatchNorm, KeepsRunningStatisticsWithoutAnySample) {
  run_ranks(2, [](Rank& rank) {
    const Pass pass = part_of_batch(rank, /*samples=*/2, /*begin=*/0, 0);
    EXPECT_TRUE(
        at::equal(pass.layer.running_mean, at::full({kChannels}, 0.25)));
    EXPECT_TRUE(at::equal(pass.layer.running_var, at::full({kChannels}, 2.0)));
    EXPECT_TRUE(at::equal(pass.layer.weight.grad(), at::zeros({kChannels})));
  });
}

TEST(SyncBatchNorm, KeepsFp32StatisticsOfBf16) {
  const Pass whole = whole_batch(8, at::kBFloat16);
  run_ranks(2, [&](Rank& rank) {
    const std::int64_t begin = 4 * rank.rank();
    const Pass part = part_of_batch(
        rank, 8, begin, 4, at::MemoryFormat::Contiguous, at::kBFloat16);
    EXPECT_EQ(part.y.scalar_type(), at::kBFloat16);
    EXPECT_EQ(part.x.grad().scalar_type(), at::kBFloat16);
    // Half a unit in the last place of bf16, once at either side.
    expect_close(part.y, whole.y.narrow(0, begin, 4), 0x1p-8, "output");
    expect_close(
        part.x.grad(),
        whole.x.grad().narrow(0, begin, 4),
        0x1p-8,
        "gradient of the input");
    expect_close(
        part.layer.running_mean,
        whole.layer.running_mean,
        kTolerance,
        "running mean");
  });
}

TEST(SyncBatchNorm, TakesTwoCollectives) {
  run_ranks(2, [](Rank& rank) {
    part_of_batch(rank, 4, 2 * rank.rank(), 2);
    EXPECT_EQ(rank.collectives(), 2);
    EXPECT_EQ(rank.elements(), (2 * kChannels + 1) + 2 * kChannels);
  });
}

TEST(SyncBatchNorm, IsBatchNormOfAGroupOfOne) {
  const Pass whole = whole_batch(5);
  Group alone;
  Pass pass = make_pass(5);
  pass.x = leaf(pass.x);
  pass.y = sync_batch_norm(alone, pass.x, pass.layer);
  (pass.y * pass.upstream).sum().backward();
  expect_close(pass.y, whole.y, kTolerance, "output");
  expect_close(pass.x.grad(), whole.x.grad(), kTolerance, "gradient");
}

} // namespace
} // namespace vitrain::dist
