// The invariants of async_ps (docs/synchronisation.md), over real Gloo ranks.

#include "dist/sync/async_ps.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/system/clock.h"
#include "small_net.h"
#include "support/ranks.h"

namespace vitrain::dist {
namespace {

using testing::Rank;
using testing::run_ranks;

using Tensors = std::vector<at::Tensor>;

constexpr double kPsLr = 0.05;
constexpr double kPsMomentum = 0.9;
constexpr std::int64_t kPsPerRank = 3;

std::int64_t elements(const Tensors& tensors) {
  std::int64_t count = 0;
  for (const at::Tensor& tensor : tensors) {
    count += tensor.numel();
  }
  return count;
}

at::Tensor flat(const Tensors& tensors) {
  Tensors parts;
  for (const at::Tensor& tensor : tensors) {
    parts.push_back(tensor.detach().reshape({-1}));
  }
  return at::cat(parts);
}

// SGD with momentum on one flat buffer, used by the server and by the serial
// reference with the same kernels and shapes.
struct Sgd {
  at::Tensor parameters;
  at::Tensor gradients;
  at::Tensor moments;

  explicit Sgd(std::int64_t size)
      : parameters(at::zeros({size})),
        gradients(at::zeros({size})),
        moments(at::zeros({size})) {}

  void apply(double lr) {
    moments.mul_(kPsMomentum).add_(gradients);
    parameters.sub_(moments, lr);
  }
};

// The parameters of a SmallNet, cut into shards of consecutive ones.
std::vector<Tensors> shards_of(const Tensors& tensors, int count) {
  std::vector<Tensors> shards(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    shards[i * shards.size() / tensors.size()].push_back(tensors[i]);
  }
  return shards;
}

Tensors parameters_of(SmallNet& net) {
  Tensors parameters;
  for (const at::Tensor& parameter : net.parameters()) {
    parameters.push_back(parameter.detach());
  }
  return parameters;
}

struct Setting {
  std::int64_t max_staleness = 0;
  OnStale on_stale = OnStale::kWait;
  int servers = 1;
  bool predict = false;
};

// The record of one step of a worker.
struct Step {
  std::int64_t seed = 0; // of its batch
  std::int64_t version = 0; // of the weights that it read
  bool applied = false;
};

// A worker, and a server where the setting puts one.
class PsReplica {
 public:
  PsReplica(Rank& rank, const Setting& setting, const std::string& name = "")
      : rank_(rank), buffers_(flatten_gradients(net_)) {
    Tensors gradients;
    for (const at::Tensor& parameter : net_.parameters()) {
      gradients.push_back(parameter.grad());
      moments_.push_back(at::zeros_like(parameter.detach()));
    }
    const auto parameters = shards_of(parameters_of(net_), setting.servers);
    const auto grads = shards_of(gradients, setting.servers);
    const auto moments = shards_of(moments_, setting.servers);
    std::vector<ReplicaShard> shards;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      shards.push_back({parameters[i], grads[i], moments[i]});
    }
    std::optional<ServerShard> own;
    if (rank.rank() < setting.servers) {
      own = server(moments[static_cast<std::size_t>(rank.rank())]);
    }
    sync_ = std::make_unique<AsyncPs>(
        rank.data(),
        buffers_,
        shards,
        std::move(own),
        [&rank, name](int place, int places) {
          return rank.mailbox(name, place, places);
        },
        AsyncPsOptions{
            setting.max_staleness, setting.on_stale, setting.predict});
  }

  // Takes over weights and moments, as a resumed run does.
  void load(PsReplica& other) {
    const at::NoGradGuard no_grad;
    const Tensors from = parameters_of(other.net_);
    const Tensors to = parameters_of(net_);
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i].copy_(from[i]);
      moments_[i].copy_(other.moments_[i]);
    }
    t_ = other.t_;
  }

  // `after_read` runs when the weights have been read.
  void step(
      std::int64_t samples = kPsPerRank,
      bool finite = true,
      const std::function<void()>& after_read = [] {}) {
    StepInfo info{.step = t_, .samples = {}};
    info.samples.assign(static_cast<std::size_t>(rank_.size()), kPsPerRank);
    info.samples[static_cast<std::size_t>(rank_.rank())] = samples;
    const std::int64_t divisor = sync_->begin_step(info);
    after_read();
    learn_of_last();
    const std::int64_t seed = 100 * t_ + rank_.rank();
    zero(buffers_);
    sync_->begin_micro_batch(/*last=*/true, /*empty=*/samples == 0);
    if (samples > 0) {
      loss_of(
          net_, make_batch(samples, static_cast<std::uint64_t>(seed)), divisor)
          .backward();
    }
    if (sync_->finish()) {
      if (finite) {
        steps_.push_back({seed, sync_->counts().version});
      }
      sync_->apply({kPsLr, at::full({}, finite ? 0.0F : 1.0F)}, [] {
        FAIL() << "a server applies it";
      });
    }
    sync_->updated();
    ++t_;
  }

  void flush() {
    sync_->flush([] { FAIL() << "a server applies it"; });
    learn_of_last();
  }

  at::Tensor weights() { return flat(parameters_of(net_)); }
  at::Tensor moments() const { return flat(moments_); }
  const UpdateCounts& counts() const { return sync_->counts(); }
  AsyncPs& sync() { return *sync_; }
  // Complete after flush().
  const std::vector<Step>& steps() const { return steps_; }

 private:
  static ServerShard server(const Tensors& like) {
    const auto sgd = std::make_shared<Sgd>(elements(like));
    ServerShard shard{
        .parameters = sgd->parameters,
        .gradients = sgd->gradients,
        .state = {},
        .apply = [sgd](double lr) { sgd->apply(lr); }};
    std::int64_t offset = 0;
    for (const at::Tensor& tensor : like) {
      shard.state.push_back(
          sgd->moments.narrow(0, offset, tensor.numel()).view(tensor.sizes()));
      offset += tensor.numel();
    }
    return shard;
  }

  void learn_of_last() {
    if (!steps_.empty() && counts().applied > applied_) {
      steps_.back().applied = true;
      applied_ = counts().applied;
    }
  }

  Rank& rank_;
  SmallNet net_;
  std::vector<GradientBuffer> buffers_;
  Tensors moments_;
  std::unique_ptr<AsyncPs> sync_;
  std::vector<Step> steps_;
  std::int64_t applied_ = 0;
  std::int64_t t_ = 0;
};

// Updates in one process, each from the newest weights.
class Serial {
 public:
  explicit Serial(int servers) : gradients_(flatten_gradients(net_)) {
    parameters_ = shards_of(parameters_of(net_), servers);
    Tensors grads;
    for (const at::Tensor& parameter : net_.parameters()) {
      grads.push_back(parameter.grad());
    }
    grads_ = shards_of(grads, servers);
    for (const Tensors& shard : parameters_) {
      sgd_.emplace_back(elements(shard));
      sgd_.back().parameters.copy_(flat(shard));
    }
  }

  void update(std::int64_t seed) { apply(gradient(seed)); }

  // At the weights of now, by server.
  Tensors gradient(std::int64_t seed) {
    zero(gradients_);
    loss_of(
        net_,
        make_batch(kPsPerRank, static_cast<std::uint64_t>(seed)),
        kPsPerRank)
        .backward();
    Tensors shards;
    for (const Tensors& grads : grads_) {
      shards.push_back(flat(grads));
    }
    return shards;
  }

  void apply(const Tensors& gradient) {
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < sgd_.size(); ++i) {
      sgd_[i].gradients.copy_(gradient[i]);
      sgd_[i].apply(kPsLr);
      std::int64_t offset = 0;
      for (const at::Tensor& parameter : parameters_[i]) {
        parameter.copy_(sgd_[i]
                            .parameters.narrow(0, offset, parameter.numel())
                            .view(parameter.sizes()));
        offset += parameter.numel();
      }
    }
  }

  // As apply() would make them.
  at::Tensor predicted_weights(const Tensors& gradient, double lr) const {
    Tensors shards;
    for (std::size_t i = 0; i < sgd_.size(); ++i) {
      Sgd sgd = sgd_[i];
      sgd.parameters = sgd.parameters.clone();
      sgd.moments = sgd.moments.clone();
      sgd.gradients = gradient[i];
      sgd.apply(lr);
      shards.push_back(sgd.parameters);
    }
    return at::cat(shards);
  }

  at::Tensor weights() { return flat(parameters_of(net_)); }
  at::Tensor moments() const {
    Tensors all;
    for (const Sgd& sgd : sgd_) {
      all.push_back(sgd.moments);
    }
    return at::cat(all);
  }

 private:
  SmallNet net_;
  std::vector<GradientBuffer> gradients_;
  std::vector<Tensors> parameters_;
  std::vector<Tensors> grads_;
  std::vector<Sgd> sgd_;
};

Tensors everyones(Rank& rank, const at::Tensor& own) {
  return rank.control().all_gather(own);
}

std::int64_t sum(Rank& rank, std::int64_t own) {
  at::Tensor total = at::full({1}, own, at::kLong);
  rank.control().all_reduce(total);
  return total.item<std::int64_t>();
}

void expect_all_equal(Rank& rank, const at::Tensor& own) {
  for (const at::Tensor& other : everyones(rank, own)) {
    EXPECT_TRUE(at::equal(other, own));
  }
}

// The applied steps of all ranks, by the version that they read.
std::vector<Step> applied_steps(Rank& rank, const std::vector<Step>& own) {
  at::Tensor table =
      at::full({static_cast<std::int64_t>(own.size()), 3}, 0, at::kLong);
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    table[row][0] = own[i].seed;
    table[row][1] = own[i].version;
    table[row][2] = own[i].applied ? 1 : 0;
  }
  std::vector<Step> steps;
  for (const at::Tensor& rows : rank.control().all_gather(table)) {
    for (std::int64_t i = 0; i < rows.size(0); ++i) {
      if (rows[i][2].item<std::int64_t>() == 1) {
        steps.push_back(
            {rows[i][0].item<std::int64_t>(),
             rows[i][1].item<std::int64_t>(),
             true});
      }
    }
  }
  std::ranges::sort(steps, {}, &Step::version);
  return steps;
}

TEST(AsyncPs, OneWorkerIsSerialSgdExactly) {
  run_ranks(1, [](Rank& rank) {
    PsReplica replica(rank, {.max_staleness = 0});
    Serial serial(1);
    for (int t = 0; t < 8; ++t) {
      replica.step();
      serial.update(100 * t);
    }
    replica.flush();
    EXPECT_TRUE(at::equal(replica.weights(), serial.weights()));
    EXPECT_TRUE(at::equal(replica.moments(), serial.moments()));
    EXPECT_EQ(replica.counts().version, 8);
    EXPECT_EQ(replica.counts().applied, 8);
  });
}

// With staleness 0 every gradient that is applied comes from the newest
// weights: replayed by one process in the order of versions, the bits are the
// same, whatever the number of servers.
TEST(AsyncPs, OfStalenessZeroSerialisesTheWorkers) {
  for (const Setting& setting :
       {Setting{0, OnStale::kWait, 1},
        Setting{0, OnStale::kWait, 3},
        Setting{0, OnStale::kDrop, 1},
        Setting{0, OnStale::kDrop, 2}}) {
    run_ranks(3, [&](Rank& rank) {
      PsReplica replica(rank, setting);
      for (int t = 0; t < 6; ++t) {
        replica.step();
      }
      replica.flush();
      EXPECT_EQ(replica.counts().largest_staleness, 0);
      const std::vector<Step> order = applied_steps(rank, replica.steps());
      Serial serial(setting.servers);
      for (std::size_t i = 0; i < order.size(); ++i) {
        EXPECT_EQ(order[i].version, static_cast<std::int64_t>(i));
        serial.update(order[i].seed);
      }
      EXPECT_TRUE(at::equal(replica.weights(), serial.weights()));
      EXPECT_TRUE(at::equal(replica.moments(), serial.moments()));
      if (setting.on_stale == OnStale::kWait) {
        EXPECT_EQ(order.size(), 18u);
      }
    });
  }
}

// Rank 1 reads first and pushes last, after two updates of rank 0; then it
// continues alone with `then`. Rank 0, whose gradients are never late, always
// reads current weights: finally `two_updates`.
void let_rank_1_be_late(
    Rank& rank,
    PsReplica& replica,
    const at::Tensor& two_updates,
    const std::function<void()>& then) {
  const auto meet = [&] { rank.control().barrier(); };
  if (rank.rank() == 0) {
    replica.step(/*samples=*/0); // starts the server
    meet(); // rank 1 has read
    replica.step();
    replica.step();
    // A worker that reads the second update knows that it was applied.
    replica.step(kPsPerRank, /*finite=*/false, [&] {
      EXPECT_TRUE(at::equal(replica.weights(), two_updates));
      meet();
    });
  } else {
    replica.step(kPsPerRank, /*finite=*/true, [&] {
      meet();
      meet(); // rank 0 has made two updates
    });
    then();
  }
  replica.flush();
}

// The next read of rank 1 expects two updates again: one with the gradient that
// was applied last, its own, and twice the rate. After a step that is not
// finite nothing is expected.
TEST(AsyncPs, PredictsTheUpdatesThatAreInBetween) {
  for (const int servers : {1, 2}) {
    run_ranks(2, [&](Rank& rank) {
      PsReplica replica(
          rank, {.max_staleness = 2, .servers = servers, .predict = true});
      Serial serial(servers);
      const Tensors late = serial.gradient(1);
      serial.update(100);
      serial.update(200);
      const at::Tensor two_updates = serial.weights();
      serial.apply(late);
      const at::Tensor guess = serial.predicted_weights(late, 2 * kPsLr);
      let_rank_1_be_late(rank, replica, two_updates, [&] {
        replica.step(kPsPerRank, /*finite=*/false, [&] {
          EXPECT_EQ(replica.counts().version, 3);
          EXPECT_TRUE(at::equal(replica.weights(), guess));
          EXPECT_FALSE(at::equal(guess, serial.weights()));
        });
        replica.step(kPsPerRank, /*finite=*/true, [&] {
          EXPECT_TRUE(at::equal(replica.weights(), serial.weights()));
        });
      });
      serial.update(201);
      EXPECT_TRUE(at::equal(replica.weights(), serial.weights()));
      EXPECT_TRUE(at::equal(replica.moments(), serial.moments()));
      EXPECT_EQ(replica.counts().largest_staleness, rank.rank() == 0 ? 0 : 2);
      // A server after settle() behaves as a new one.
      if (rank.rank() == 1) {
        replica.step(kPsPerRank, /*finite=*/false, [&] {
          EXPECT_TRUE(at::equal(replica.weights(), serial.weights()));
        });
      }
      replica.flush();
    });
  }
}

// As a run records it: with the step in which a worker learns of it.
TEST(AsyncPs, StalenessOfAKnownOrderIsInTheTraffic) {
  run_ranks(2, [](Rank& rank) {
    PsReplica replica(rank, {.max_staleness = 2});
    Serial serial(1);
    serial.update(100);
    serial.update(200);
    const auto known = [&] { return replica.sync().traffic().staleness; };
    let_rank_1_be_late(rank, replica, serial.weights(), [&] {
      EXPECT_EQ(known().updates, 0);
      replica.step();
      EXPECT_EQ(known().updates, 1);
      EXPECT_EQ(known().sum, 2);
      EXPECT_EQ(known().largest, 2);
    });
    if (rank.rank() == 0) {
      // The staleness of its second update: no other updates came between.
      EXPECT_EQ(known().updates, 1);
      EXPECT_EQ(known().sum, 0);
      EXPECT_EQ(known().largest, 0);
    } else {
      // Counts from a flush belong to the next step.
      replica.step(/*samples=*/0);
      EXPECT_EQ(known().updates, 1);
      EXPECT_EQ(known().sum, 0);
    }
    replica.flush();
  });
}

// Then as many are expected as there may be, after the gradient of rank 0.
TEST(AsyncPs, PredictsForAWorkerWhoseGradientWasDropped) {
  run_ranks(2, [](Rank& rank) {
    PsReplica replica(
        rank,
        {.max_staleness = 1, .on_stale = OnStale::kDrop, .predict = true});
    Serial serial(1);
    serial.update(100);
    const Tensors second = serial.gradient(200);
    serial.apply(second);
    const at::Tensor guess = serial.predicted_weights(second, kPsLr);
    let_rank_1_be_late(rank, replica, serial.weights(), [&] {
      replica.step(kPsPerRank, /*finite=*/false, [&] {
        EXPECT_EQ(replica.counts().dropped, 1);
        EXPECT_TRUE(at::equal(replica.weights(), guess));
      });
    });
    EXPECT_TRUE(at::equal(replica.weights(), serial.weights()));
    EXPECT_TRUE(at::equal(replica.moments(), serial.moments()));
  });
}

TEST(AsyncPs, CountsAddUpAndStalenessIsBounded) {
  for (const Setting& setting :
       {Setting{1, OnStale::kWait, 1},
        Setting{5, OnStale::kWait, 2},
        Setting{1, OnStale::kDrop, 2},
        Setting{5, OnStale::kDrop, 1}}) {
    run_ranks(4, [&](Rank& rank) {
      PsReplica replica(rank, setting);
      std::int64_t version = 0;
      for (int t = 0; t < 10; ++t) {
        // Rank 0 is fast, rank 3 slow.
        std::this_thread::sleep_for(std::chrono::milliseconds(rank.rank()));
        replica.step();
        EXPECT_GE(replica.counts().version, version);
        version = replica.counts().version;
      }
      replica.flush();
      const UpdateCounts& counts = replica.counts();
      EXPECT_EQ(counts.pushed, 10);
      EXPECT_EQ(counts.applied, counts.pushed - counts.dropped);
      EXPECT_LE(counts.largest_staleness, setting.max_staleness);
      if (setting.on_stale == OnStale::kWait) {
        EXPECT_EQ(counts.dropped, 0);
      }
      EXPECT_EQ(counts.version, sum(rank, counts.applied));
    });
  }
}

// Two workers read the same weights: the second gradient is too old.
TEST(AsyncPs, DropsAGradientThatComesTooLate) {
  run_ranks(2, [](Rank& rank) {
    PsReplica replica(rank, {.max_staleness = 0, .on_stale = OnStale::kDrop});
    std::int64_t reported = 0;
    for (int t = 0; t < 6; ++t) {
      replica.step(
          kPsPerRank, /*finite=*/true, [&] { rank.control().barrier(); });
      reported += replica.sync().traffic().dropped;
      // The next read is of both.
      rank.control().barrier();
    }
    replica.flush();
    const UpdateCounts& counts = replica.counts();
    EXPECT_GE(sum(rank, counts.dropped), 1);
    EXPECT_LE(counts.dropped - reported, 1); // the drop of the last step
  });
}

TEST(AsyncPs, AFlushGivesEveryWorkerTheServersState) {
  for (const int servers : {1, 2, 3}) {
    run_ranks(3, [&](Rank& rank) {
      PsReplica replica(rank, {.max_staleness = 4, .servers = servers});
      const at::Tensor start = replica.weights();
      replica.flush(); // before the first step there is nothing to do
      EXPECT_TRUE(at::equal(replica.weights(), start));
      for (const int steps : {1, 4, 3}) {
        for (int t = 0; t < steps; ++t) {
          replica.step();
        }
        replica.flush();
        const at::Tensor weights = replica.weights();
        EXPECT_FALSE(at::equal(weights, start));
        expect_all_equal(rank, weights);
        expect_all_equal(rank, replica.moments());
        replica.flush();
        EXPECT_TRUE(at::equal(replica.weights(), weights));
      }
    });
  }
}

// New servers continue from the weights and moments of a flush.
TEST(AsyncPs, GoesOnFromWeightsAndOptimizerState) {
  run_ranks(1, [](Rank& rank) {
    PsReplica first(rank, {}, "first");
    PsReplica second(rank, {}, "second");
    Serial serial(1);
    for (int t = 0; t < 3; ++t) {
      first.step();
      serial.update(100 * t);
    }
    first.flush();
    second.load(first);
    for (int t = 3; t < 6; ++t) {
      second.step();
      serial.update(100 * t);
    }
    second.flush();
    EXPECT_TRUE(at::equal(second.weights(), serial.weights()));
    EXPECT_TRUE(at::equal(second.moments(), serial.moments()));
  });
}

TEST(AsyncPs, AWorkerWithoutSamplesOrWithBadGradientsPushesNothing) {
  run_ranks(2, [](Rank& rank) {
    PsReplica replica(rank, {.max_staleness = 0, .servers = 2});
    for (int t = 0; t < 6; ++t) {
      const bool odd = (t + rank.rank()) % 2 == 1;
      replica.step(/*samples=*/odd ? 0 : kPsPerRank, /*finite=*/t != 4);
    }
    replica.flush();
    expect_all_equal(rank, replica.weights());
    // Each rank makes three steps with samples; one step of rank 0 is bad.
    EXPECT_EQ(replica.counts().pushed, rank.rank() == 0 ? 2 : 3);
    EXPECT_EQ(replica.counts().version, 5);
  });
}

// If a worker or a server is lost, the other ranks fail at once instead of
// waiting.
TEST(AsyncPs, ALostRankEndsTheOthers) {
  for (const int lost : {0, 1, 2}) {
    const Stopwatch watch;
    run_ranks(3, [&](Rank& rank) {
      PsReplica replica(rank, {.max_staleness = 2, .servers = 2});
      const auto train = [&] {
        for (int t = 0; t < (rank.rank() == lost ? 3 : 1000); ++t) {
          replica.step();
        }
      };
      if (rank.rank() == lost) {
        train();
        return; // without a flush
      }
      try {
        train();
        FAIL() << "rank " << rank.rank() << " did not miss rank " << lost;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::kWorkerDied);
      }
    });
    EXPECT_LT(watch.seconds(), 30.0); // a Gloo time limit is 60
  }
}

} // namespace
} // namespace vitrain::dist
