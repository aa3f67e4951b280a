#include "dist/group/group.h"

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

TEST(Group, OfOneIsARealObjectThatDoesNothing) {
  Group alone;
  EXPECT_EQ(alone.rank(), 0);
  EXPECT_EQ(alone.size(), 1);
  const at::Tensor values = at::arange(5, at::kFloat);
  alone.all_reduce(values);
  alone.all_reduce_async(values).wait();
  alone.all_reduce_max_async(values).wait();
  alone.broadcast(values);
  alone.barrier();
  EXPECT_TRUE(at::equal(values, at::arange(5, at::kFloat)));

  const std::vector<at::Tensor> all = alone.all_gather(values);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(at::equal(all[0], values));
  EXPECT_NE(all[0].data_ptr(), values.data_ptr()) << "must be a copy";
  alone.shutdown();
  alone.barrier();
}

TEST(Group, ReducesBroadcastsAndGathers) {
  for (const int size : {2, 3, 4}) {
    run_ranks(size, [&](Rank& rank) {
      Group& group = rank.data();
      EXPECT_EQ(group.rank(), rank.rank());
      EXPECT_EQ(group.size(), size);

      const at::Tensor sum = at::full({3, 5}, rank.rank() + 1);
      group.all_reduce(sum);
      EXPECT_TRUE(at::equal(sum, at::full({3, 5}, size * (size + 1) / 2)));

      const at::Tensor largest =
          at::tensor({-rank.rank(), rank.rank()}, at::kFloat);
      group.all_reduce_max_async(largest).wait();
      EXPECT_TRUE(at::equal(largest, at::tensor({0, size - 1}, at::kFloat)));

      const at::Tensor sent = at::full({7}, rank.rank() + 3, at::kLong);
      group.broadcast(sent);
      EXPECT_TRUE(at::equal(sent, at::full({7}, 3, at::kLong)));

      // A view with gaps: gathered dense.
      const at::Tensor own =
          at::full({2, 4}, rank.rank(), at::kDouble).slice(1, 0, 4, 2);
      const std::vector<at::Tensor> all = group.all_gather(own);
      ASSERT_EQ(std::ssize(all), size);
      for (int other = 0; other < size; ++other) {
        EXPECT_TRUE(at::equal(
            all[static_cast<std::size_t>(other)],
            at::full({2, 2}, other, at::kDouble)));
      }
      group.barrier();
    });
  }
}

TEST(Group, KeepsSeveralCollectivesUnderWayApart) {
  run_ranks(3, [](Rank& rank) {
    std::vector<at::Tensor> tensors;
    std::vector<Pending> pending;
    for (int i = 0; i < 20; ++i) {
      tensors.push_back(at::full({1 + i * 37}, rank.rank() + i, at::kDouble));
      pending.push_back(rank.data().all_reduce_async(tensors.back()));
    }
    for (int i = 19; i >= 0; --i) {
      pending[static_cast<std::size_t>(i)].wait();
      const at::Tensor& sum = tensors[static_cast<std::size_t>(i)];
      EXPECT_TRUE(at::equal(sum, at::full_like(sum, 3 + 3 * i)));
    }
    pending.front().wait(); // a second wait is harmless
  });
}

TEST(Group, ReportsAVanishedPeerAsADeadWorker) {
  std::string message;
  run_ranks(2, [&](Rank& rank) {
    rank.data().barrier();
    if (rank.rank() == 1) {
      rank.leave();
      return;
    }
    try {
      rank.data().barrier();
      ADD_FAILURE() << "a barrier without the other rank returned";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kWorkerDied);
      message = error.what();
    }
  });
  EXPECT_THAT(message, HasSubstr("another worker"));
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(Group, RefusesCollectivesAfterShutdown) {
  run_ranks(2, [](Rank& rank) {
    rank.control().barrier(); // a peer may still be connecting
    rank.control().shutdown();
    rank.control().shutdown();
    EXPECT_THAT(
        error_of(ExitCode::kInternal, [&] { rank.control().barrier(); }),
        HasSubstr("shut down"));
  });
}

TEST(RunRanks, RethrowsWhatTheFirstFailingRankThrew) {
  EXPECT_THROW(
      run_ranks(
          3,
          [](Rank& rank) {
            if (rank.rank() == 2) {
              throw std::domain_error("mine");
            }
            rank.data().barrier();
          }),
      std::domain_error);
}

} // namespace
} // namespace vitrain::dist
