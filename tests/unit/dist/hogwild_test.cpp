// hogwild (docs/synchronisation.md) over real Gloo ranks.

#include <functional>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "dist/group/shared_memory.h"
#include "dist/sync/averaging.h"
#include "support/ranks.h"

namespace vitrain::dist {
namespace {

using testing::Rank;
using testing::run_ranks;

constexpr std::int64_t kSize = 12;

TEST(SharedMemory, IsOneForAllRanks) {
  run_ranks(3, [](Rank& rank) {
    const at::Tensor own = at::full({5}, 10.0 + rank.rank());
    const at::Tensor shared = share_memory(rank.control(), own);
    EXPECT_TRUE(at::equal(shared, at::full({5}, 10.0)));
    rank.control().barrier();
    shared[rank.rank()] = 1.0 + rank.rank();
    rank.control().barrier();
    EXPECT_TRUE(
        at::equal(shared, at::tensor({1.0F, 2.0F, 3.0F, 10.0F, 10.0F})));
    EXPECT_EQ(own[0].item<float>(), 10.0F + static_cast<float>(rank.rank()));
  });
}

// Least squares whose rows are dealt to the ranks: each sees a third of what
// determines the optimum.
class Worker {
 public:
  explicit Worker(Rank& rank)
      : rank_(rank),
        weights_(share_memory(rank.control(), at::zeros({kSize}))),
        gradients_(at::zeros({kSize})),
        moments_(at::full({kSize}, 1.0 + rank.rank())) {
    // An orthogonal matrix from a fixed, regular one.
    const at::Tensor grid = at::arange(kSize * kSize).view({kSize, kSize});
    const at::Tensor rows = std::get<0>(at::linalg_qr(
        grid.to(at::kDouble).sin() + at::eye(kSize, at::kDouble)));
    const std::int64_t share = kSize / rank.size();
    matrix_ = rows.narrow(0, rank.rank() * share, share).to(at::kFloat);
    sync_ = make_hogwild(
        rank.data(),
        {.gradients = {{.gradients = gradients_, .slots = {}}},
         .parameters = {weights_},
         .moments = {moments_}},
        /*lead=*/4,
        share_memory(rank.control(), at::zeros({1}, at::kLong)));
  }

  // `meanwhile` runs between the beginning of the step and its update.
  void step(
      std::int64_t samples = 1,
      const std::function<void()>& meanwhile = [] {}) {
    StepInfo info{.step = step_++, .samples = {}};
    info.samples.assign(static_cast<std::size_t>(rank_.size()), 1);
    info.samples[static_cast<std::size_t>(rank_.rank())] = samples;
    EXPECT_EQ(sync_->begin_step(info), 1);
    meanwhile();
    sync_->begin_micro_batch(/*last=*/true, /*empty=*/samples == 0);
    gradients_.copy_(matrix_.t().matmul(matrix_.matmul(weights_ - optimum())));
    if (sync_->finish()) {
      sync_->apply({}, [this] {
        weights_.sub_(gradients_, 0.5);
        ++updates_;
      });
    }
    sync_->updated();
  }

  void flush() {
    sync_->flush([] { FAIL() << "nothing is due"; });
  }

  static at::Tensor optimum() { return at::arange(kSize).to(at::kFloat); }
  Staleness staleness() const { return sync_->traffic().staleness; }
  const at::Tensor& weights() const { return weights_; }
  const at::Tensor& moments() const { return moments_; }
  std::int64_t updates() const { return updates_; }
  std::int64_t all_updates() const {
    at::Tensor sum = at::full({1}, updates_, at::kLong);
    rank_.control().all_reduce(sum);
    return sum.item<std::int64_t>();
  }

 private:
  Rank& rank_;
  at::Tensor weights_;
  at::Tensor gradients_;
  at::Tensor moments_;
  at::Tensor matrix_;
  std::unique_ptr<GradientSync> sync_;
  std::int64_t step_ = 0;
  std::int64_t updates_ = 0;
};

TEST(Hogwild, AConvexProblemReachesItsOptimum) {
  run_ranks(3, [](Rank& rank) {
    Worker worker(rank);
    const auto error = [&] {
      return (worker.weights() - Worker::optimum()).abs().max().item<double>();
    };
    EXPECT_GT(error(), 10.0);
    // Each step halves the values in a rank's rows.
    for (int t = 0; t < 60; ++t) {
      worker.step();
    }
    worker.flush();
    EXPECT_LT(error(), 1e-4); // a few roundings of values up to 11
    EXPECT_EQ(worker.all_updates(), 3 * 60);
  });
}

TEST(Hogwild, AFlushEndsUpdatesAndAveragesTheOptimizerState) {
  run_ranks(2, [](Rank& rank) {
    Worker worker(rank);
    for (int t = 0; t < 5; ++t) {
      worker.step();
    }
    worker.flush();
    const at::Tensor weights = worker.weights().clone();
    EXPECT_TRUE(at::equal(worker.moments(), at::full({kSize}, 1.5)));
    rank.control().barrier();
    EXPECT_TRUE(at::equal(worker.weights(), weights));
    rank.control().barrier();
    worker.step();
    worker.flush();
    EXPECT_EQ(worker.all_updates(), 2 * 6);
  });
}

// Rank 0 starts a step, the other ranks make two updates each, then rank 0
// finishes.
TEST(Hogwild, StalenessIsTheUpdatesOfOthersInBetween) {
  for (const int size : {1, 2, 3}) {
    run_ranks(size, [&](Rank& rank) {
      Worker worker(rank);
      worker.step(/*samples=*/0); // all have begun
      EXPECT_EQ(worker.staleness().updates, 0);
      rank.control().barrier();
      const auto meet = [&] { rank.control().barrier(); };
      if (rank.rank() == 0) {
        worker.step(1, [&] {
          meet();
          meet();
        });
        EXPECT_EQ(worker.staleness().updates, 1);
        EXPECT_EQ(worker.staleness().sum, 2 * (size - 1));
        EXPECT_EQ(worker.staleness().largest, 2 * (size - 1));
        worker.step();
        EXPECT_EQ(worker.staleness().sum, 0);
      } else {
        meet();
        worker.step();
        worker.step();
        // The updates of the other ranks except rank 0.
        EXPECT_LE(worker.staleness().sum, 2 * (size - 2));
        meet();
      }
      worker.flush();
    });
  }
}

TEST(Hogwild, ARankWithoutSamplesMakesNoUpdate) {
  run_ranks(2, [](Rank& rank) {
    Worker worker(rank);
    worker.step(/*samples=*/rank.rank());
    worker.flush();
    EXPECT_EQ(worker.updates(), rank.rank());
  });
}

} // namespace
} // namespace vitrain::dist
