#include "engine/train/divergence.h"

#include <limits>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "support/errors.h"
#include "support/messages.h"
#include "support/ranks.h"

namespace vitrain::engine {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::Rank;
using testing::run_ranks;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const Moment kMoment{
    .step = 7,
    .epoch = 2,
    .lr = 1e-9,
    .last_checkpoint = "the last checkpoint is of step 5"};

at::Tensor with(double value, std::int64_t at) {
  at::Tensor tensor = at::linspace(-1, 1, 5 * 33).view({5, 33});
  tensor.view({-1})[at] = value;
  return tensor;
}

TEST(Divergence, FindsEveryTensorThatIsNotFinite) {
  EXPECT_THAT(non_finite_names({}), IsEmpty());
  EXPECT_THAT(
      non_finite_names(
          {{"huge", at::tensor({3e38F, -3e38F})},
           {"empty", at::empty({0})},
           {"count", at::full({}, 9, at::kLong)}}),
      IsEmpty());
  EXPECT_THAT(
      non_finite_names(
          {{"a", with(kNaN, 0)},
           {"b", with(kInfinity, 164)},
           {"c", with(0.5, 3)},
           {"d", with(-kInfinity, 77).t()},
           {"e", with(kNaN, 9).to(at::kBFloat16)}}),
      ElementsAre("a", "b", "d", "e"));
}

TEST(Divergence, OneBadRankEndsAll) {
  run_ranks(3, [](Rank& rank) {
    std::map<std::string, at::Tensor> state{{"w", with(1.0, 0)}};
    EXPECT_NO_THROW(
        check_weights(rank.control(), state, [] { return kMoment; }));
    if (rank.rank() == 1) {
      state["running_var"] = with(kInfinity, 0);
    }
    expect_message(
        error_of(
            ExitCode::kNonFinite,
            [&] {
              check_weights(rank.control(), state, [] { return kMoment; });
            }),
        {"running_var", "1", "7", "2", "09", "5"});
  });
}

std::string message(const BadNorm& bad) {
  try {
    fail_gradient(bad, kMoment);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kNonFinite);
    return error.what();
  }
}

TEST(Divergence, NamesCompressionWhereItIsTheCause) {
  const std::string lost = message(
      {.norm = kInfinity, .compress = Compress::kFp16, .sent = {9.0, 70000.0}});
  EXPECT_THAT(
      lost,
      AllOf(
          HasSubstr("dist.compress: fp16"),
          HasSubstr("70000"),
          HasSubstr("lr 1e-09"),
          HasSubstr("bf16"),
          Not(HasSubstr("optim.lr"))));
  for (const BadNorm& diverged :
       {BadNorm{.norm = kNaN, .compress = Compress::kFp16, .sent = {9.0, kNaN}},
        BadNorm{.norm = kNaN, .compress = Compress::kFp16, .sent = {}},
        BadNorm{.norm = kNaN, .compress = Compress::kNone, .sent = {}}}) {
    expect_message(message(diverged), {"optim.lr"});
  }
}

TEST(Divergence, OfALossScaleNamesScaleStepAndRemedy) {
  expect_message(
      error_of(
          ExitCode::kNonFinite, [] { fail_loss_scale(6.25e-05, kMoment); }),
      {"6.25e-05", "7", "09", "optim.lr"});
}

} // namespace
} // namespace vitrain::engine
