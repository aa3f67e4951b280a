// The invariants of docs/synchronisation.md, over real Gloo ranks.

#include "dist/sync/averaging.h"

#include <array>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "small_net.h"
#include "support/ranks.h"

namespace vitrain::dist {
namespace {

using testing::Rank;
using testing::run_ranks;

using Tensors = std::vector<at::Tensor>;
using MakeSync =
    std::function<std::unique_ptr<GradientSync>(Rank&, ReplicaBuffers)>;

constexpr double kLr = 0.05;
constexpr double kMomentum = 0.9;
constexpr std::int64_t kPerRank = 3;

// A rank that trains SmallNet with SGD: the part of the trainer that the modes
// see. Batch t of rank r is a function of (t, r).
class Replica {
 public:
  Replica(Rank& rank, const MakeSync& make, double momentum = 0.0)
      : rank_(rank), momentum_(momentum) {
    ReplicaBuffers buffers{
        .gradients = flatten_gradients(net_), .parameters = {}, .moments = {}};
    for (const at::Tensor& parameter : net_.parameters()) {
      parameters_.push_back(parameter.detach());
      moments_.push_back(at::zeros_like(parameter));
    }
    buffers.parameters = parameters_;
    buffers.moments = moments_;
    buffers.steps = updates_;
    gradients_ = buffers.gradients;
    sync_ = make(rank, buffers);
  }

  void step() {
    StepInfo info{.step = t_, .samples = {}};
    for (int rank = 0; rank < rank_.size(); ++rank) {
      info.samples.push_back(samples_of(rank));
    }
    const std::int64_t samples = sync_->begin_step(info);
    const std::int64_t own = samples_of(rank_.rank());
    zero(gradients_);
    sync_->begin_micro_batch(/*last=*/true, /*empty=*/own == 0);
    if (own > 0) {
      const std::int64_t seed = 100 * t_ + (same_batches_ ? 0 : rank_.rank());
      loss_of(net_, make_batch(own, static_cast<std::uint64_t>(seed)), samples)
          .backward();
    }
    if (sync_->finish()) {
      update();
    }
    before_ = weights();
    sync_->updated();
    sync_->predict([this] { update(); });
    ++t_;
  }

  void flush() {
    sync_->flush([this] { update(); });
  }

  // From now on all ranks see the batches of rank 0.
  void see_the_same() { same_batches_ = true; }
  // From now on the last rank has no samples.
  void leave_out_the_last() { last_is_empty_ = true; }

  // All parameters as one vector.
  at::Tensor weights() const {
    Tensors flat;
    for (const at::Tensor& parameter : parameters_) {
      flat.push_back(parameter.flatten());
    }
    return at::cat(flat).clone();
  }
  // The parameters of the last step before the ranks averaged.
  const at::Tensor& before() const { return before_; }
  // Moments as one vector.
  at::Tensor moments() const {
    Tensors flat;
    for (const at::Tensor& moment : moments_) {
      flat.push_back(moment.flatten());
    }
    return at::cat(flat).clone();
  }
  double updates() const { return updates_.item<double>(); }
  GradientSync& sync() { return *sync_; }

 private:
  std::int64_t samples_of(int rank) const {
    return last_is_empty_ && rank + 1 == rank_.size() ? 0 : kPerRank;
  }

  void update() {
    const at::NoGradGuard no_grad;
    updates_.add_(1);
    std::size_t i = 0;
    for (const at::Tensor& parameter : net_.parameters()) {
      moments_[i].mul_(momentum_).add_(parameter.grad());
      parameters_[i].sub_(moments_[i], kLr);
      ++i;
    }
  }

  Rank& rank_;
  double momentum_;
  SmallNet net_;
  Tensors parameters_;
  Tensors moments_;
  at::Tensor updates_ = at::zeros({});
  std::vector<GradientBuffer> gradients_;
  std::unique_ptr<GradientSync> sync_;
  at::Tensor before_;
  std::int64_t t_ = 0;
  bool same_batches_ = false;
  bool last_is_empty_ = false;
};

// Each rank's vector, seen by all.
Tensors everyone(Rank& rank, const at::Tensor& own) {
  return rank.control().all_gather(own);
}

bool equal_on(const Tensors& vectors, std::size_t first, std::size_t count) {
  for (std::size_t i = first + 1; i < first + count; ++i) {
    if (!at::equal(vectors[i], vectors[first])) {
      return false;
    }
  }
  return true;
}

bool all_equal(const Tensors& vectors) {
  return equal_on(vectors, 0, vectors.size());
}

at::Tensor mean_of(const Tensors& vectors) {
  return at::stack(vectors).to(at::kDouble).mean(0);
}

// Means of fp32 numbers of order 1: a few roundings.
void expect_close(const at::Tensor& a, const at::Tensor& b, double roundings) {
  const double difference =
      (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
  EXPECT_LE(difference, roundings * 0x1p-24);
}

MakeSync all_reduce() {
  return [](Rank& rank, ReplicaBuffers buffers) {
    return make_bucketed_all_reduce(rank.data(), buffers.gradients, {});
  };
}

MakeSync delayed(bool predict = false) {
  return [predict](Rank& rank, ReplicaBuffers buffers) {
    return make_delayed_all_reduce(rank.data(), buffers, {}, predict);
  };
}

MakeSync local(const LocalSgdOptions& options, int node = 0) {
  return [options, node](Rank& rank, ReplicaBuffers buffers) {
    LocalSgdOptions own = options;
    own.node = node == 0 ? nullptr : &rank.block(node);
    return make_averaging(rank.data(), buffers, {}, own);
  };
}

MakeSync hierarchical() {
  return [](Rank& rank, ReplicaBuffers buffers) {
    const AveragingLevels levels{
        {.period = 2, .group = &rank.block(2)},
        {.period = 6, .group = &rank.data()}};
    return make_averaging(rank.data(), buffers, {}, levels);
  };
}

MakeSync diloco(const DilocoOptions& options) {
  return [options](Rank& rank, ReplicaBuffers buffers) {
    return make_averaging(rank.data(), buffers, {}, options);
  };
}

MakeSync overlap(const OverlapOptions& options) {
  return [options](Rank& rank, ReplicaBuffers buffers) {
    return make_averaging(rank.data(), buffers, {}, options);
  };
}

TEST(DelayedAllReduce, RanksAreEqualAfterEveryStep) {
  run_ranks(3, [](Rank& rank) {
    Replica replica(rank, delayed(), kMomentum);
    const at::Tensor start = replica.weights();
    for (int t = 0; t < 5; ++t) {
      replica.step();
      EXPECT_TRUE(all_equal(everyone(rank, replica.weights()))) << t;
      EXPECT_EQ(at::equal(replica.weights(), start), t == 0);
    }
  });
}

// Weights and moments of SGD with momentum.
struct SerialState {
  Tensors parameters;
  Tensors moments;

  void apply(const Gradients& mean) {
    for (std::size_t i = 0; i < mean.size(); ++i) {
      moments[i].mul_(kMomentum).add_(mean[i]);
      parameters[i].sub_(moments[i], kLr);
    }
  }
  void take_over(const SerialState& other) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      parameters[i].copy_(other.parameters[i]);
      moments[i].copy_(other.moments[i]);
    }
  }
  SerialState copy() const {
    SerialState result;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      result.parameters.push_back(parameters[i].clone());
      result.moments.push_back(moments[i].clone());
    }
    return result;
  }
};

// In one process: gradient t of each of two ranks at the weights of then, or,
// with `predict`, at those to which the rank's gradient t - 1 has been applied
// in the place of the mean; the mean of both is applied a step later.
at::Tensor serial_delayed_weights(int steps, bool predict) {
  SmallNet net;
  SerialState state;
  for (const at::Tensor& parameter : net.parameters()) {
    state.parameters.push_back(parameter.detach());
    state.moments.push_back(at::zeros_like(parameter.detach()));
  }
  std::array<Gradients, 2> own;
  Gradients mean;
  for (int t = 0; t < steps; ++t) {
    Gradients sum;
    for (std::size_t rank = 0; rank < own.size(); ++rank) {
      const SerialState now = state.copy();
      if (predict) {
        const at::NoGradGuard no_grad;
        state.apply(own[rank]);
      }
      net.zero_grad();
      const auto seed = static_cast<std::uint64_t>(100 * t) + rank;
      loss_of(net, make_batch(kPerRank, seed), 2 * kPerRank).backward();
      const at::NoGradGuard no_grad;
      state.take_over(now);
      own[rank] = gradients_of(net);
      for (std::size_t i = 0; i < own[rank].size(); ++i) {
        sum.size() < own[rank].size() ? sum.push_back(own[rank][i].clone())
                                      : void(sum[i].add_(own[rank][i]));
        own[rank][i].mul_(2);
      }
    }
    const at::NoGradGuard no_grad;
    state.apply(mean);
    mean = sum;
  }
  const at::NoGradGuard no_grad;
  state.apply(mean);
  Tensors flat;
  for (const at::Tensor& parameter : state.parameters) {
    flat.push_back(parameter.flatten());
  }
  return at::cat(flat);
}

// A sum of two numbers has one order, so the bits must equal the reference.
TEST(DelayedAllReduce, EqualsASerialReferenceExactly) {
  for (const bool predict : {false, true}) {
    const at::Tensor expected = serial_delayed_weights(6, predict);
    run_ranks(2, [&](Rank& rank) {
      Replica replica(rank, delayed(predict), kMomentum);
      for (int t = 0; t < 6; ++t) {
        replica.step();
      }
      replica.flush();
      EXPECT_TRUE(at::equal(replica.weights(), expected)) << predict;
      replica.flush(); // nothing is left
      EXPECT_TRUE(at::equal(replica.weights(), expected)) << predict;
    });
  }
  EXPECT_FALSE(at::equal(
      serial_delayed_weights(6, true), serial_delayed_weights(6, false)));
}

// The mean of equal gradients is the gradient: then nothing is late. Exact up
// to four ranks, where sums of equal numbers are.
TEST(DelayedAllReduce, APredictionFromTheSameBatchesIsExact) {
  for (const int ranks : {1, 2, 4}) {
    run_ranks(ranks, [](Rank& rank) {
      Replica predicted(rank, delayed(/*predict=*/true), kMomentum);
      Replica reduced(rank, all_reduce(), kMomentum);
      predicted.see_the_same();
      reduced.see_the_same();
      for (int t = 0; t < 7; ++t) {
        predicted.step();
        reduced.step();
        EXPECT_TRUE(at::equal(predicted.weights(), reduced.weights())) << t;
      }
      predicted.flush();
      EXPECT_TRUE(at::equal(predicted.weights(), reduced.weights()));
      EXPECT_TRUE(at::equal(predicted.moments(), reduced.moments()));
    });
  }
}

// Weights, moments and the count of updates, also where a rank has no gradients
// from which it could predict.
TEST(DelayedAllReduce, AFlushTakesThePredictionBack) {
  run_ranks(3, [](Rank& rank) {
    Replica replica(rank, delayed(/*predict=*/true), kMomentum);
    int steps = 0;
    for (const int more : {1, 3, 2}) {
      for (int t = 0; t < more; ++t, ++steps) {
        replica.step();
        EXPECT_FALSE(all_equal(everyone(rank, replica.weights()))) << steps;
      }
      replica.flush();
      EXPECT_TRUE(all_equal(everyone(rank, replica.weights())));
      EXPECT_TRUE(all_equal(everyone(rank, replica.moments())));
      EXPECT_EQ(replica.updates(), steps);
      replica.leave_out_the_last();
    }
  });
}

// The transfer time of gradients counts in the step that receives them.
TEST(DelayedAllReduce, MeasuresWhatTravels) {
  run_ranks(2, [](Rank& rank) {
    Replica replica(rank, delayed());
    replica.step();
    EXPECT_GT(replica.sync().traffic().bytes, 0);
    EXPECT_EQ(replica.sync().traffic().busy_seconds, 0.0);
    replica.step();
    EXPECT_GT(replica.sync().traffic().busy_seconds, 0.0);
  });
}

TEST(LocalSgd, AveragesEveryPeriodAndKeepsTheMean) {
  run_ranks(3, [](Rank& rank) {
    Replica replica(rank, local({.start = 0, .period = 3}), kMomentum);
    for (int t = 1; t <= 7; ++t) {
      replica.step();
      const Tensors weights = everyone(rank, replica.weights());
      EXPECT_EQ(all_equal(weights), t % 3 == 0) << t;
      expect_close(
          mean_of(weights), mean_of(everyone(rank, replica.before())), 4);
    }
    EXPECT_FALSE(all_equal(everyone(rank, replica.moments())));
  });
}

TEST(LocalSgd, AveragesMomentsWhenAsked) {
  run_ranks(2, [](Rank& rank) {
    Replica replica(
        rank,
        local({.start = 0, .period = 2, .average_moments = true}),
        kMomentum);
    for (int t = 1; t <= 4; ++t) {
      replica.step();
      EXPECT_EQ(all_equal(everyone(rank, replica.moments())), t % 2 == 0);
    }
  });
}

TEST(LocalSgd, OfPeriodOneWithPlainSgdEqualsAllReduce) {
  run_ranks(2, [](Rank& rank) {
    Replica averaged(rank, local({.start = 0, .period = 1}));
    Replica reduced(rank, all_reduce());
    for (int t = 0; t < 10; ++t) {
      averaged.step();
      reduced.step();
    }
    expect_close(averaged.weights(), reduced.weights(), 100);
  });
}

// Also of post_local_sgd, whose groups play no part before `start`.
TEST(LocalSgd, EqualsAllReduceBeforeItsStart) {
  for (const int node : {0, 2}) {
    run_ranks(4, [&](Rank& rank) {
      Replica post(rank, local({.start = 4, .period = 3}, node), kMomentum);
      Replica reduced(rank, all_reduce(), kMomentum);
      for (int t = 1; t <= 7; ++t) {
        post.step();
        reduced.step();
        EXPECT_EQ(at::equal(post.weights(), reduced.weights()), t <= 4) << t;
      }
      EXPECT_TRUE(all_equal(everyone(rank, post.weights())));
    });
  }
}

TEST(PostLocalSgd, ANodeStaysEqualAndNodesMeetEveryPeriod) {
  run_ranks(4, [](Rank& rank) {
    Replica replica(rank, local({.start = 2, .period = 3}, 2), kMomentum);
    for (int t = 1; t <= 8; ++t) {
      replica.step();
      const Tensors weights = everyone(rank, replica.weights());
      EXPECT_TRUE(equal_on(weights, 0, 2)) << t;
      EXPECT_TRUE(equal_on(weights, 2, 2)) << t;
      EXPECT_EQ(all_equal(weights), t <= 2 || (t - 2) % 3 == 0) << t;
    }
  });
}

TEST(HierarchicalSgd, GroupsAreEqualAtTheirStepsOnly) {
  run_ranks(4, [](Rank& rank) {
    Replica replica(rank, hierarchical());
    for (int t = 1; t <= 12; ++t) {
      replica.step();
      const Tensors weights = everyone(rank, replica.weights());
      EXPECT_EQ(equal_on(weights, 0, 2), t % 2 == 0) << t;
      EXPECT_EQ(equal_on(weights, 2, 2), t % 2 == 0) << t;
      EXPECT_EQ(all_equal(weights), t % 6 == 0) << t;
      expect_close(
          mean_of(weights), mean_of(everyone(rank, replica.before())), 4);
    }
  });
}

TEST(Diloco, WithOuterRateOneAndNoMomentumIsLocalSgd) {
  run_ranks(3, [](Rank& rank) {
    Replica outer(
        rank,
        diloco({.period = 3, .outer_lr = 1.0, .outer_momentum = 0.0}),
        kMomentum);
    Replica plain(rank, local({.start = 0, .period = 3}), kMomentum);
    for (int t = 1; t <= 9; ++t) {
      outer.step();
      plain.step();
      if (t % 3 == 0) {
        EXPECT_TRUE(all_equal(everyone(rank, outer.weights()))) << t;
      }
    }
    expect_close(outer.weights(), plain.weights(), 100);
  });
}

// torch.optim.SGD(nesterov=True) on d = w - mean(w_i), in double precision.
TEST(Diloco, TheOuterStepIsNesterovMomentum) {
  run_ranks(2, [](Rank& rank) {
    const DilocoOptions options{
        .period = 2, .outer_lr = 0.7, .outer_momentum = 0.9};
    Replica replica(rank, diloco(options));
    at::Tensor common = replica.weights().to(at::kDouble);
    at::Tensor momentum = at::zeros_like(common);
    for (int t = 1; t <= 8; ++t) {
      replica.step();
      if (t % 2 != 0) {
        EXPECT_FALSE(all_equal(everyone(rank, replica.weights())));
        continue;
      }
      const at::Tensor gradient =
          common - mean_of(everyone(rank, replica.before()));
      momentum = momentum * 0.9 + gradient;
      common = common - (gradient + momentum * 0.9) * 0.7;
      expect_close(replica.weights(), common, 16.0 * t);
      std::vector<at::Tensor> state;
      for (const auto& [name, tensor] : replica.sync().state()) {
        state.push_back(tensor.flatten());
      }
      EXPECT_TRUE(all_equal(everyone(rank, at::cat(state))));
    }
  });
}

TEST(OverlapAverage, CorrectsByTheMeanOfThenAndKeepsTheMeanOfNow) {
  run_ranks(3, [](Rank& rank) {
    Replica replica(rank, overlap({.period = 4, .delay = 2}));
    at::Tensor correction;
    for (int t = 1; t <= 12; ++t) {
      replica.step();
      const Tensors weights = everyone(rank, replica.weights());
      expect_close(
          mean_of(weights), mean_of(everyone(rank, replica.before())), 8);
      EXPECT_FALSE(all_equal(weights));
      if (t % 4 == 0) {
        correction = mean_of(weights) - replica.weights();
      }
      if (t > 4 && t % 4 == 2) {
        expect_close(
            replica.weights(),
            replica.before().to(at::kDouble) + correction,
            8);
      } else {
        EXPECT_TRUE(at::equal(replica.weights(), replica.before())) << t;
      }
    }
  });
}

TEST(OverlapAverage, WithoutDelayIsLocalSgd) {
  run_ranks(2, [](Rank& rank) {
    Replica overlapped(rank, overlap({.period = 3, .delay = 0}), kMomentum);
    Replica plain(rank, local({.start = 0, .period = 3}), kMomentum);
    for (int t = 0; t < 9; ++t) {
      overlapped.step();
      plain.step();
    }
    expect_close(overlapped.weights(), plain.weights(), 100);
  });
}

// In every mode and at every step: weights and moments are equal after a flush,
// unchanged by a second one, and training continues.
TEST(Modes, AFlushBringsRanksTogether) {
  const std::vector<MakeSync> modes{
      all_reduce(),
      delayed(),
      local({.start = 0, .period = 5}),
      local({.start = 3, .period = 5}, 2),
      hierarchical(),
      diloco({.period = 5, .outer_lr = 0.7, .outer_momentum = 0.9}),
      overlap({.period = 5, .delay = 3})};
  run_ranks(4, [&](Rank& rank) {
    for (std::size_t mode = 0; mode < modes.size(); ++mode) {
      Replica replica(rank, modes[mode], kMomentum);
      for (int steps : {1, 6, 3}) {
        for (int t = 0; t < steps; ++t) {
          replica.step();
        }
        replica.flush();
        const at::Tensor weights = replica.weights();
        EXPECT_TRUE(all_equal(everyone(rank, weights))) << mode;
        EXPECT_TRUE(all_equal(everyone(rank, replica.moments()))) << mode;
        replica.flush();
        EXPECT_TRUE(at::equal(replica.weights(), weights)) << mode;
        for (const auto& [name, tensor] : replica.sync().state()) {
          EXPECT_TRUE(all_equal(everyone(rank, tensor))) << name;
        }
      }
    }
  });
}

// One worker alone trains as one process does.
TEST(Modes, AloneAllTrainAsOneProcessDoes) {
  run_ranks(1, [&](Rank& rank) {
    Replica reduced(rank, all_reduce(), kMomentum);
    Replica locally(rank, local({.start = 0, .period = 2}), kMomentum);
    Replica overlapped(rank, overlap({.period = 2, .delay = 0}), kMomentum);
    for (int t = 0; t < 5; ++t) {
      reduced.step();
      locally.step();
      overlapped.step();
    }
    EXPECT_TRUE(at::equal(reduced.weights(), locally.weights()));
    expect_close(reduced.weights(), overlapped.weights(), 20);
  });
}

} // namespace
} // namespace vitrain::dist
