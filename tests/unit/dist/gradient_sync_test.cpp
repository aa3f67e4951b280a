#include "dist/sync/gradient_sync.h"

#include <malloc.h>

#include <cmath>
#include <limits>
#include <tuple>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/variable.h>

#include "core/error.h"
#include "small_net.h"
#include "support/errors.h"
#include "support/ranks.h"

namespace vitrain::dist {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Rank;
using testing::run_ranks;

constexpr std::int64_t kParameters = 8;

// From one parameter per bucket to all in one.
const std::vector<BucketOptions> kBucketSizes{
    {.first_bytes = 1, .bytes = 1},
    {.first_bytes = 16, .bytes = 600},
    {.first_bytes = 600, .bytes = 16},
    {.first_bytes = 1 << 20, .bytes = 25 << 20}};

// A gradient is a sum of at most samples x 36 positions of the convolution;
// each addition rounds by at most 2^-24 of the partial sum, which is taken to
// be no larger than the largest gradient of the tensor.
void expect_close(
    const Gradients& gradients,
    const Gradients& exact,
    std::int64_t samples) {
  const double relative = static_cast<double>(samples * 36) * 0x1p-24;
  ASSERT_EQ(gradients.size(), exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double error =
        (gradients[i].to(at::kDouble) - exact[i]).abs().max().item<double>();
    const double largest = exact[i].abs().max().item<double>();
    EXPECT_GT(largest, 0.0) << "parameter " << i << " teaches nothing";
    EXPECT_LE(error, relative * largest) << "parameter " << i;
  }
}

void expect_same_bits(const Gradients& one, const Gradients& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_TRUE(at::equal(one[i], other[i])) << "parameter " << i;
  }
}

void expect_same_bits_on_all_ranks(Rank& rank, const Gradients& gradients) {
  Gradients flat;
  for (const at::Tensor& gradient : gradients) {
    flat.push_back(gradient.flatten());
  }
  const at::Tensor own = at::cat(flat);
  for (const at::Tensor& other : rank.control().all_gather(own)) {
    EXPECT_TRUE(at::equal(other, own));
  }
}

// A step in which rank r takes parts[m][r] samples of micro-batch m, in order.
using Parts = std::vector<std::vector<std::int64_t>>;

std::int64_t total(const Parts& parts) {
  std::int64_t sum = 0;
  for (const auto& micro_batch : parts) {
    for (const std::int64_t count : micro_batch) {
      sum += count;
    }
  }
  return sum;
}

void run_step(
    Rank& rank,
    SmallNet& net,
    GradientSync& sync,
    const Batch& batch,
    const Parts& parts) {
  std::int64_t begin = 0;
  for (std::size_t m = 0; m < parts.size(); ++m) {
    for (int other = 0; other < rank.size(); ++other) {
      const std::int64_t count = parts[m][static_cast<std::size_t>(other)];
      if (other == rank.rank()) {
        sync.begin_micro_batch(m + 1 == parts.size(), /*empty=*/count == 0);
        if (count > 0) {
          loss_of(net, batch.part(begin, count), batch.size()).backward();
        }
      }
      begin += count;
    }
  }
  sync.finish();
}

// Every division of a step's samples gives the big batch's gradients, with
// equal bits on all ranks, for every bucket size.
void expect_big_batch(const Parts& parts) {
  const int size = static_cast<int>(parts.front().size());
  const Batch batch = make_batch(total(parts), /*seed=*/17);
  const Gradients exact = exact_gradients(batch);
  const std::vector<std::vector<std::size_t>> splits{{0}, {3, 0}};
  run_ranks(size, [&](Rank& rank) {
    for (const BucketOptions& options : kBucketSizes) {
      for (const auto& split : splits) {
        SmallNet net;
        const auto buffers = flatten_gradients(net, split);
        const auto sync =
            make_bucketed_all_reduce(rank.data(), buffers, options);
        run_step(rank, net, *sync, batch, parts);
        const Gradients gradients = gradients_of(net);
        expect_close(gradients, exact, batch.size());
        expect_same_bits_on_all_ranks(rank, gradients);
      }
    }
  });
}

TEST(GradientSync, EqualsTheBigBatch) {
  expect_big_batch({{6, 6}});
  expect_big_batch({{4, 4, 4}});
}

TEST(GradientSync, EqualsTheBigBatchWithAccumulation) {
  expect_big_batch({{2, 2}, {2, 2}, {2, 2}});
  expect_big_batch({{2, 2, 2}, {2, 2, 2}});
}

TEST(GradientSync, WeighsUnequalAndEmptyBatchesBySamples) {
  expect_big_batch({{7, 1}});
  expect_big_batch({{0, 5}});
  expect_big_batch({{5, 0, 2}});
  expect_big_batch({{3, 1, 0}, {2, 0, 4}});
  // A rank that has nothing in the whole step.
  expect_big_batch({{3, 0, 2}, {1, 0, 4}});
}

TEST(GradientSync, HasTheSameBitsForEveryBucketSizeOnTwoRanks) {
  // a + b is the same in any order, so buckets cannot change it.
  const Batch batch = make_batch(8, /*seed=*/2);
  Gradients first;
  for (const BucketOptions& options : kBucketSizes) {
    run_ranks(2, [&](Rank& rank) {
      SmallNet net;
      const auto sync = make_bucketed_all_reduce(
          rank.data(), flatten_gradients(net), options);
      run_step(rank, net, *sync, batch, {{4, 4}});
      if (rank.rank() == 0) {
        const Gradients gradients = gradients_of(net);
        first = first.empty() ? gradients : first;
        expect_same_bits(gradients, first);
      }
    });
  }
}

// Half the bytes; what each rank rounds, and the sum, are off by half a unit in
// the last place of the sum's size: 2^-9 in bf16, 2^-12 in fp16.
TEST(GradientSync, CompressedGradientsAreRoundedAndHalfTheBytes) {
  const Batch batch = make_batch(8, /*seed=*/23);
  const Gradients exact = exact_gradients(batch);
  const auto run_with = [&](Compress compress, std::int64_t& bytes) {
    Gradients result;
    run_ranks(2, [&](Rank& rank) {
      SmallNet net;
      const auto sync = make_bucketed_all_reduce(
          rank.data(),
          flatten_gradients(net),
          {.first_bytes = 600, .bytes = 1000, .compress = compress});
      for (int step = 0; step < 2; ++step) {
        net.zero_grad(/*set_to_none=*/false);
        run_step(rank, net, *sync, batch, {{4, 4}});
      }
      const Gradients gradients = gradients_of(net);
      expect_same_bits_on_all_ranks(rank, gradients);
      if (rank.rank() == 0) {
        result = gradients;
        bytes = sync->traffic().bytes;
      }
    });
    return result;
  };
  std::int64_t plain_bytes = 0;
  run_with(Compress::kNone, plain_bytes);
  for (const auto& [compress, rounding] :
       {std::pair(Compress::kBf16, 0x1p-9), {Compress::kFp16, 0x1p-12}}) {
    std::int64_t bytes = 0;
    const Gradients gradients = run_with(compress, bytes);
    EXPECT_EQ(2 * bytes, plain_bytes);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const double largest = exact[i].abs().max().item<double>();
      const double error =
          (gradients[i].to(at::kDouble) - exact[i]).abs().max().item<double>();
      // Two parts, which may be larger than their sum, and the sum.
      EXPECT_LE(error, 8 * rounding * largest) << i;
      EXPECT_GT(error, 0.0) << i;
    }
  }
}

// An overflow in transit is distinguished from gradients that were bad before.
TEST(GradientSync, KnowsTheLargestNumberThatHadToTravelInFp16) {
  const Batch batch = make_batch(4, /*seed=*/31);
  const auto step = [&](Rank& rank, Compress compress, double scale) {
    SmallNet net;
    const auto sync = make_bucketed_all_reduce(
        rank.data(),
        flatten_gradients(net),
        {.first_bytes = 600, .bytes = 1000, .compress = compress});
    sync->begin_micro_batch(/*last=*/true, /*empty=*/false);
    (loss_of(net, batch.part(2 * rank.rank(), 2), 4) * scale).backward();
    double largest = 0.0;
    for (const at::Tensor& gradient : gradients_of(net)) {
      largest = std::max(largest, gradient.abs().max().item<double>());
    }
    sync->finish();
    bool finite = true;
    for (const at::Tensor& gradient : gradients_of(net)) {
      finite = finite && gradient.isfinite().all().item<bool>();
    }
    return std::tuple(sync->largest_sent(), largest, finite);
  };
  run_ranks(2, [&](Rank& rank) {
    for (const double scale : {1.0, 1e7}) {
      const auto [sent, largest, finite] = step(rank, Compress::kFp16, scale);
      EXPECT_EQ(sent, largest);
      EXPECT_EQ(finite, scale == 1.0);
      EXPECT_EQ(largest > 65504.0, scale > 1.0);
    }
    const auto [nan, ignored, finite] =
        step(rank, Compress::kFp16, std::numeric_limits<double>::quiet_NaN());
    EXPECT_TRUE(nan && std::isnan(*nan));
    EXPECT_FALSE(finite);
    EXPECT_EQ(std::get<0>(step(rank, Compress::kBf16, 1.0)), std::nullopt);
    EXPECT_EQ(std::get<0>(step(rank, Compress::kNone, 1.0)), std::nullopt);
  });
}

TEST(GradientSync, CommunicatesOnlyDuringTheLastMicroBatch) {
  const Batch batch = make_batch(12, /*seed=*/5);
  run_ranks(2, [&](Rank& rank) {
    SmallNet net;
    const auto sync = make_bucketed_all_reduce(
        rank.data(), flatten_gradients(net), {.first_bytes = 1, .bytes = 1});
    for (int step = 0; step < 3; ++step) {
      const std::int64_t before = rank.collectives();
      for (int m = 0; m < 3; ++m) {
        sync->begin_micro_batch(/*last=*/m == 2, /*empty=*/false);
        EXPECT_EQ(rank.collectives(), before);
        const Batch part = batch.part((2 * m + rank.rank()) * 2, 2);
        loss_of(net, part, 12).backward();
      }
      // All of them left before finish(): they overlap with backward.
      EXPECT_EQ(rank.collectives(), before + kParameters);
      sync->finish();
      EXPECT_EQ(rank.collectives(), before + kParameters);
      EXPECT_GE(sync->traffic().exposed_seconds, 0.0);
    }
  });
}

TEST(GradientSync, CutsBuffersIntoBucketsOfTheGivenSizes) {
  // In order: head.bias 5, head.weight 20, hidden.bias 4, hidden.weight 576,
  // norm.bias 144, norm.weight 144, conv.bias 4, conv.weight 108; each + 1
  // element of gap, 4 bytes each.
  struct Case {
    BucketOptions options;
    std::vector<std::size_t> split;
    std::int64_t collectives;
  };
  const std::vector<Case> cases{
      {{.first_bytes = 1, .bytes = 1}, {0}, 8},
      {{.first_bytes = 1 << 20, .bytes = 25 << 20}, {0}, 1},
      // 24 | 84 + 20 + 2308 | 580 + 580 | 20 + 436
      {{.first_bytes = 24, .bytes = 1000}, {0}, 4},
      // 24 + 84 | 20 + 2308 | 580 + 580 | 20 + 436
      {{.first_bytes = 25, .bytes = 1000}, {0}, 4},
      // Buffers of 3 and 5 parameters: 24 | 84 + 20 || 2308 | 580 + 580 | ...
      {{.first_bytes = 24, .bytes = 1000}, {3, 0}, 5},
      {{.first_bytes = 1 << 20, .bytes = 1}, {3, 0}, 2}};
  for (const Case& expected : cases) {
    run_ranks(2, [&](Rank& rank) {
      SmallNet net;
      const auto buffers = flatten_gradients(net, expected.split);
      const auto sync =
          make_bucketed_all_reduce(rank.data(), buffers, expected.options);
      run_step(rank, net, *sync, make_batch(2, 1), {{1, 1}});
      EXPECT_EQ(rank.collectives(), expected.collectives);
      std::int64_t elements = 0;
      for (const GradientBuffer& buffer : buffers) {
        elements += buffer.gradients.numel();
      }
      EXPECT_EQ(rank.elements(), elements) << "each element travels once";
    });
  }
}

// Ranks may finish backward in different orders; the exchange may not.
TEST(GradientSync, KeepsOneOrderWhateverTheOrderOfArrival) {
  run_ranks(3, [](Rank& rank) {
    torch::nn::Module module;
    const at::Tensor a = module.register_parameter("a", at::full({3}, 2.0));
    const at::Tensor b = module.register_parameter("b", at::full({50}, 3.0));
    const auto sync = make_bucketed_all_reduce(
        rank.data(), flatten_gradients(module), {.first_bytes = 1, .bytes = 1});
    const double scale = rank.rank() + 1;
    for (int step = 0; step < 3; ++step) {
      module.zero_grad(/*set_to_none=*/false);
      sync->begin_micro_batch(/*last=*/true, /*empty=*/false);
      // Backward first visits the last computed node.
      at::Tensor one = (rank.rank() == 1 ? a : b).sum();
      at::Tensor two = (rank.rank() == 1 ? b : a).sum();
      (one * scale + two * scale).backward();
      sync->finish();
      EXPECT_TRUE(at::equal(a.grad(), at::full({3}, 6.0)));
      EXPECT_TRUE(at::equal(b.grad(), at::full({50}, 6.0)));
    }
  });
}

TEST(GradientSync, SumsOverMicroBatchesInAGroupOfOne) {
  Group alone;
  SmallNet net;
  const Batch batch = make_batch(6, /*seed=*/9);
  const auto sync = make_bucketed_all_reduce(alone, flatten_gradients(net), {});
  for (int m = 0; m < 3; ++m) {
    sync->begin_micro_batch(/*last=*/m == 2, /*empty=*/false);
    loss_of(net, batch.part(2 * m, 2), 6).backward();
  }
  sync->finish();
  expect_close(gradients_of(net), exact_gradients(batch), batch.size());
}

// Message of the Error that `call` throws; empty when it throws none.
template <typename Call>
std::string refusal(Call&& call) {
  return error_of(ExitCode::kInternal, [&] { call(); });
}

TEST(GradientSync, NamesParametersWithoutGradient) {
  run_ranks(2, [](Rank& rank) {
    SmallNet net;
    net.register_parameter("spare", at::zeros({3}));
    net.register_parameter("unused", at::zeros({2, 2}));
    for (const BucketOptions& options : kBucketSizes) {
      const auto sync = make_bucketed_all_reduce(
          rank.data(), flatten_gradients(net), options);
      sync->begin_micro_batch(/*last=*/true, /*empty=*/false);
      loss_of(net, make_batch(2, 1), 4).backward();
      const std::string message = refusal([&] { sync->finish(); });
      EXPECT_THAT(message, HasSubstr("2 parameters (unused, spare)"));
      EXPECT_THAT(message, Not(HasSubstr("conv.weight")));
    }
  });
}

// Only one rank lacks a gradient: its error is reported, and its peers do not
// wait for ever.
TEST(GradientSync, EndsAllRanksWhenOneLacksAGradient) {
  const std::string message = refusal([] {
    run_ranks(3, [](Rank& rank) {
      SmallNet net;
      const at::Tensor gate = net.register_parameter("gate", at::ones({1}));
      const auto sync =
          make_bucketed_all_reduce(rank.data(), flatten_gradients(net), {});
      sync->begin_micro_batch(/*last=*/true, /*empty=*/false);
      at::Tensor loss = loss_of(net, make_batch(2, 1), 6);
      if (rank.rank() != 1) {
        loss = loss + gate.sum();
      }
      loss.backward();
      sync->finish();
    });
  });
  EXPECT_THAT(message, HasSubstr("(gate)"));
}

TEST(GradientSync, RefusesASecondBackwardInAMicroBatch) {
  Group alone;
  SmallNet net;
  const auto sync = make_bucketed_all_reduce(alone, flatten_gradients(net), {});
  const Batch batch = make_batch(2, /*seed=*/1);
  EXPECT_THAT(
      refusal([&] { loss_of(net, batch, 2).backward(); }),
      HasSubstr("outside the one backward pass"));
  sync->begin_micro_batch(/*last=*/true, /*empty=*/false);
  loss_of(net, batch, 2).backward();
  EXPECT_THAT(
      refusal([&] { loss_of(net, batch, 2).backward(); }),
      HasSubstr("head.bias"));
}

TEST(GradientSync, LeavesNoHooksBehind) {
  run_ranks(2, [](Rank& rank) {
    SmallNet net;
    const auto buffers = flatten_gradients(net);
    const Batch batch = make_batch(4, /*seed=*/1);
    for (int repeat = 0; repeat < 2; ++repeat) {
      const auto sync = make_bucketed_all_reduce(
          rank.data(), buffers, {.first_bytes = 1, .bytes = 1});
      const std::int64_t before = rank.collectives();
      run_step(rank, net, *sync, batch, {{2, 2}});
      EXPECT_EQ(rank.collectives(), before + kParameters);
    }
    const std::int64_t before = rank.collectives();
    zero(buffers);
    loss_of(net, batch, batch.size()).backward();
    EXPECT_EQ(rank.collectives(), before);
    for (const at::Tensor& parameter : net.parameters()) {
      EXPECT_TRUE(torch::autograd::impl::grad_accumulator(parameter)
                      ->post_hooks()
                      .empty());
    }
    expect_close(gradients_of(net), exact_gradients(batch), batch.size());
  });
}

// Bytes that the process has allocated from the heap.
std::size_t heap() {
  return ::mallinfo2().uordblks;
}

// c10d::Reducer would gain an entry per parameter and step here.
TEST(GradientSync, DoesNotGrowOver200Steps) {
  Group alone;
  SmallNet net;
  const auto sync = make_bucketed_all_reduce(
      alone, flatten_gradients(net), {.first_bytes = 1, .bytes = 600});
  const Batch batch = make_batch(2, /*seed=*/1);
  std::size_t after_warm_up = 0;
  for (int step = 0; step < 250; ++step) {
    sync->begin_micro_batch(/*last=*/true, /*empty=*/false);
    loss_of(net, batch, 2).backward();
    sync->finish();
    if (step == 50) {
      after_warm_up = heap();
    }
  }
  // One pointer per parameter and step would be 12,800 bytes; half of that is
  // left to the allocator's own caches.
  EXPECT_LT(heap(), after_warm_up + 6400);
}

TEST(GradientSync, RepeatsAndReleasesCollectivesOver200Steps) {
  run_ranks(2, [](Rank& rank) {
    SmallNet net;
    const auto buffers = flatten_gradients(net);
    const auto sync = make_bucketed_all_reduce(
        rank.data(), buffers, {.first_bytes = 1, .bytes = 600});
    const Batch batch = make_batch(4, /*seed=*/1);
    const auto quiet_heap = [&] {
      // Both ranks are idle while one reads the heap of the process.
      rank.control().barrier();
      const std::size_t used = heap();
      rank.control().barrier();
      return used;
    };
    run_step(rank, net, *sync, batch, {{2, 2}});
    const Gradients first = gradients_of(net);
    const std::int64_t per_step = rank.collectives();
    std::size_t after_warm_up = 0;
    for (int step = 1; step <= 250; ++step) {
      zero(buffers);
      run_step(rank, net, *sync, batch, {{2, 2}});
      if (step == 50) {
        after_warm_up = quiet_heap();
      }
    }
    EXPECT_EQ(rank.collectives(), 251 * per_step);
    expect_same_bits(gradients_of(net), first);
    // A Work that is kept would be more than 64 bytes per collective; c10d's
    // flight recorder, a ring that is still filling, takes a few.
    const auto collectives = static_cast<std::size_t>(2 * 200 * per_step);
    EXPECT_LT(quiet_heap(), after_warm_up + 64 * collectives);
  });
}

} // namespace
} // namespace vitrain::dist
