#include "dist/group/replicas.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "support/errors.h"
#include "support/ranks.h"

namespace vitrain::dist {
namespace {

using ::testing::HasSubstr;
using testing::Rank;
using testing::run_ranks;

at::Tensor counted(at::IntArrayRef sizes, double start) {
  std::int64_t numel = 1;
  for (const std::int64_t size : sizes) {
    numel *= size;
  }
  return (at::arange(numel, at::kFloat) + start).view(sizes);
}

NamedTensors state_of(int rank) {
  const double start = 1000.0 * rank + 0.25;
  return {
      {"conv.weight",
       counted({4, 3, 2, 2}, start).contiguous(at::MemoryFormat::ChannelsLast)},
      {"head.weight", counted({5, 7}, start)},
      {"transposed", counted({7, 5}, start).t()},
      {"strided", counted({6, 6}, start).slice(1, 0, 6, 2)},
      {"double", counted({3}, start).to(at::kDouble).add_(1e-12)},
      {"bf16", counted({3}, start).to(at::kBFloat16)},
      {"bytes", counted({3}, rank).to(at::kByte)},
      {"scalar", at::scalar_tensor(start)},
      {"steps", at::scalar_tensor(100 + rank, at::kLong)},
      {"empty", at::zeros({0, 4})},
      {"\xff not utf-8", counted({1}, start)}};
}

// Message of the Error that `call` throws; empty when it throws none.
template <typename Call>
std::string refusal(Call&& call) {
  return error_of(ExitCode::kInternal, [&] { call(); });
}

TEST(BroadcastState, GivesEveryRankTheTensorsOfRankZero) {
  for (const int size : {2, 3}) {
    run_ranks(size, [](Rank& rank) {
      const NamedTensors state = state_of(rank.rank());
      std::map<std::string, void*> places;
      for (const auto& [name, tensor] : state) {
        places[name] = tensor.data_ptr();
      }
      broadcast_state(rank.control(), rank.data(), state);
      for (const auto& [name, expected] : state_of(0)) {
        EXPECT_TRUE(at::equal(state.at(name), expected)) << name;
        EXPECT_EQ(state.at(name).strides(), expected.strides()) << name;
        EXPECT_EQ(state.at(name).data_ptr(), places.at(name)) << name;
      }
    });
  }
}

TEST(BroadcastState, WritesNothingBetweenTheElementsOfAView) {
  run_ranks(2, [](Rank& rank) {
    const at::Tensor whole = at::full({4, 6}, rank.rank());
    const NamedTensors state{{"view", whole.slice(1, 0, 6, 2)}};
    broadcast_state(rank.control(), rank.data(), state);
    EXPECT_TRUE(at::equal(whole.slice(1, 0, 6, 2), at::zeros({4, 3})));
    EXPECT_TRUE(
        at::equal(whole.slice(1, 1, 6, 2), at::full({4, 3}, rank.rank())));
  });
}

TEST(BroadcastState, AcceptsParametersThatRequireGradients) {
  run_ranks(2, [](Rank& rank) {
    const at::Tensor leaf = counted({3}, rank.rank()).requires_grad_();
    broadcast_state(rank.control(), rank.data(), {{"leaf", leaf}});
    EXPECT_TRUE(leaf.is_leaf());
    EXPECT_TRUE(leaf.requires_grad());
    EXPECT_TRUE(at::equal(leaf.detach(), counted({3}, 0)));
  });
}

// The change of the odd rank's state, and the message that every rank must get.
struct Mismatch {
  const char* what;
  std::function<void(NamedTensors&)> change;
  const char* message;
};

TEST(BroadcastState, RefusesDifferingTensorsOnEveryRank) {
  const std::vector<Mismatch> mismatches{
      {"missing",
       [](NamedTensors& state) { state.erase("head.weight"); },
       "rank 1 does not have the tensor 'head.weight' that rank 0 has"},
      {"extra",
       [](NamedTensors& state) { state["gate"] = at::zeros({1}); },
       "rank 1 has a tensor 'gate' that rank 0 does not have"},
      {"shape",
       [](NamedTensors& state) {
         state["head.weight"] = at::zeros({7, 5});
       },
       "tensor 'head.weight' is Float [5, 7] on rank 0 and Float [7, 5] on "
       "rank 1"},
      {"dtype",
       [](NamedTensors& state) {
         state["double"] = state["double"].to(at::kFloat);
       },
       "tensor 'double' is Double [3] on rank 0 and Float [3] on rank 1"},
      {"scalar against one element",
       [](NamedTensors& state) { state["steps"] = at::zeros({1}, at::kLong); },
       "tensor 'steps' is Long [] on rank 0 and Long [1] on rank 1"}};
  run_ranks(3, [&](Rank& rank) {
    for (const Mismatch& mismatch : mismatches) {
      SCOPED_TRACE(mismatch.what);
      NamedTensors state = state_of(rank.rank());
      if (rank.rank() == 1) {
        mismatch.change(state);
      }
      const at::Tensor before = state.at("scalar").clone();
      const std::string message =
          refusal([&] { broadcast_state(rank.control(), rank.data(), state); });
      EXPECT_THAT(message, HasSubstr(mismatch.message));
      EXPECT_TRUE(at::equal(state.at("scalar"), before)) << "was written to";
    }
    // The groups have no unread messages.
    const NamedTensors state = state_of(rank.rank());
    broadcast_state(rank.control(), rank.data(), state);
    EXPECT_TRUE(at::equal(state.at("scalar"), state_of(0).at("scalar")));
  });
}

TEST(BroadcastState, DoesNothingInAGroupOfOne) {
  Group alone;
  const NamedTensors state = state_of(2);
  broadcast_state(alone, alone, state);
  for (const auto& [name, expected] : state_of(2)) {
    EXPECT_TRUE(at::equal(state.at(name), expected)) << name;
  }
}

TEST(AverageBuffers, ReplacesFloatingTensorsByTheirMeans) {
  for (const int size : {2, 3, 4}) {
    run_ranks(size, [&](Rank& rank) {
      NamedTensors state = state_of(rank.rank());
      state.erase("bf16"); // 1000 + 0.25 has no exact bf16
      average_buffers(rank.data(), state);
      // The mean of 1000 r over the ranks; all values are exact in fp32.
      const double offset = 1000.0 * (size - 1) / 2.0;
      for (const auto& [name, first] : state_of(0)) {
        if (name == "bf16") {
          continue;
        }
        const at::Tensor& tensor = state.at(name);
        EXPECT_EQ(tensor.strides(), first.strides()) << name;
        if (!tensor.is_floating_point()) {
          EXPECT_TRUE(at::equal(tensor, state_of(rank.rank()).at(name)))
              << name << " is an integer tensor and must not change";
        } else if (name == "double") {
          EXPECT_TRUE(at::allclose(tensor, first + offset, 0.0, 1e-12));
        } else {
          EXPECT_TRUE(at::equal(tensor, first + offset)) << name;
        }
      }
      EXPECT_EQ(rank.collectives(), 1);
    });
  }
}

TEST(AverageBuffers, IssuesNothingForIntegersOnlyOrAGroupOfOne) {
  run_ranks(2, [](Rank& rank) {
    average_buffers(rank.data(), {});
    average_buffers(rank.data(), {{"steps", at::ones({2}, at::kLong)}});
    EXPECT_EQ(rank.collectives(), 0);
  });
  Group alone;
  const at::Tensor mean = at::full({2}, 0.1);
  average_buffers(alone, {{"mean", mean}});
  EXPECT_TRUE(at::equal(mean, at::full({2}, 0.1)));
}

TEST(CheckEqual, NamesTheRanksThatDifferByABit) {
  run_ranks(4, [](Rank& rank) {
    const at::Tensor a = counted({5, 7}, 0.5);
    const at::Tensor b = counted({1000}, -3);
    EXPECT_EQ(refusal([&] { check_equal(rank.control(), {a, b}, "now"); }), "");
    const auto differ = [&](const std::vector<int>& ranks) {
      at::Tensor own = b.clone();
      if (std::ranges::count(ranks, rank.rank()) > 0) {
        own.view(at::kInt)[517] += 1; // the last bit of one value
      }
      // A run is started again after such an error.
      return error_of(ExitCode::kWorkerDied, [&] {
        check_equal(rank.control(), {a, own}, "after step 7");
      });
    };
    EXPECT_THAT(
        differ({1, 3}),
        HasSubstr("after step 7 the parameters of rank 1, 3 differ"));
    EXPECT_THAT(differ({0}), HasSubstr("rank 0 differ from those of rank 1"));
  });
}

} // namespace
} // namespace vitrain::dist
