#include "dist/group/agreement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "dist/group/collectives.h"
#include "support/ranks.h"

namespace vitrain::dist {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Rank;
using testing::run_ranks;

using Facts = std::map<std::string, std::string>;

// Returns the message on every rank after `change` altered the facts; "" if all
// agree.
std::string disagreement(
    int size,
    const std::function<void(int rank, Facts& facts)>& change) {
  std::string message;
  run_ranks(size, [&](Rank& rank) {
    Facts facts{
        {"batch", "8 x 3 workers x 1 = 24"},
        {"optim.lr", "0.1"},
        {"training data, class 3", "deer"}};
    change(rank.rank(), facts);
    std::string own;
    try {
      check_agreement(rank.control(), facts);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
      own = error.what();
    }
    EXPECT_THAT(all_gather(rank.control(), own), Each(own));
    if (rank.rank() == 0) {
      message = own;
    }
  });
  return message;
}

TEST(Agreement, IsSilentWhenAllRanksHaveTheSame) {
  EXPECT_EQ(disagreement(3, [](int, Facts&) {}), "");
}

TEST(Agreement, NamesTheRanksWithBothValues) {
  EXPECT_THAT(
      disagreement(
          4,
          [](int rank, Facts& facts) {
            if (rank == 1 || rank == 3) {
              facts["optim.lr"] = "0.2";
            }
          }),
      AllOf(
          HasSubstr("optim.lr: 0.1 on rank 0, 2; 0.2 on rank 1, 3"),
          Not(HasSubstr("batch")),
          Not(HasSubstr("deer"))));
}

TEST(Agreement, NamesEverythingThatDiffers) {
  EXPECT_THAT(
      disagreement(
          3,
          [](int rank, Facts& facts) {
            if (rank == 0) {
              facts["training data, class 3"] = "dog";
            }
            if (rank == 2) {
              facts.erase("batch");
              facts["tensor \x1b gate"] = "Float [1]";
            }
          }),
      AllOf(
          HasSubstr("training data, class 3: dog on rank 0; deer on rank 1, 2"),
          HasSubstr(
              "batch: 8 x 3 workers x 1 = 24 on rank 0, 1; nothing on rank 2"),
          HasSubstr("gate: nothing on rank 0, 1; Float [1] on rank 2"),
          Not(HasSubstr("\x1b"))));
}

TEST(Agreement, EndsALongListInANumber) {
  EXPECT_THAT(
      disagreement(
          2,
          [](int rank, Facts& facts) {
            for (int i = 0; rank == 1 && i < 1000; ++i) {
              facts["class " + std::to_string(i)] = "x";
            }
          }),
      HasSubstr("and 980 more"));
}

TEST(Agreement, ValuesCannotImitateOtherFacts) {
  EXPECT_NE(
      disagreement(
          2,
          [](int rank, Facts& facts) {
            facts = rank == 0 ? Facts{{"a", "1"}, {"b", "2"}}
                              : Facts{{"a", "11:b1:2"}};
          }),
      "");
}

} // namespace
} // namespace vitrain::dist
