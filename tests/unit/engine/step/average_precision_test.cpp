#include "engine/step/average_precision.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include <ATen/ATen.h>
#include <nlohmann/json.hpp>

#include "core/check.h"
#include "engine/eval/label_list_results.h"
#include "engine/inputs/multi_hot.h"
#include "engine/step/metrics.h"
#include "support/ranks.h"

namespace vitrain::engine {
namespace {

// tests/golden/engine/make_evaluations.py
const nlohmann::json& golden() {
  static const nlohmann::json json = [] {
    std::ifstream stream(VITRAIN_SOURCE_DIR
                         "/tests/golden/engine/evaluations.json");
    return nlohmann::json::parse(stream);
  }();
  return json;
}

at::Tensor matrix(const nlohmann::json& rows) {
  std::vector<at::Tensor> parts;
  for (const std::vector<double> row : rows) {
    parts.push_back(at::tensor(row));
  }
  return at::stack(parts).to(at::kFloat);
}

// Samples with lists of labels, and nothing else.
data::Index index_of(const std::vector<std::vector<int>>& lists, int classes) {
  data::Index::Contents contents;
  contents.options.kind = data::SourceKind::kShapes;
  contents.samples = std::ssize(lists);
  for (int i = 0; i < classes; ++i) {
    contents.classes.push_back(std::to_string(i));
  }
  for (const std::vector<int>& list : lists) {
    contents.set_starts.push_back(contents.set_labels.size());
    contents.set_labels.insert(
        contents.set_labels.end(), list.begin(), list.end());
  }
  contents.set_starts.push_back(contents.set_labels.size());
  return data::Index(std::move(contents));
}

std::vector<std::int64_t> count_to(std::int64_t count) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < count; ++i) {
    numbers.push_back(i);
  }
  return numbers;
}

TEST(RealLabels, AreThoseOfTimm) {
  const auto& real = golden().at("real");
  const at::Tensor logits = matrix(golden().at("logits"));
  const data::Index index =
      index_of(real.at("labels"), static_cast<int>(logits.size(1)));
  EvalCounts counts;
  counts.add_real(logits, index, count_to(logits.size(0)));
  EXPECT_EQ(counts.real_count, real.at("count"));
  // Counts are whole numbers: only the last division may differ.
  EXPECT_NEAR(counts.value(Metric::kRealTop1), real.at("top1"), 1e-12);
}

TEST(RealLabels, ANanIsNeverRight) {
  EvalCounts counts;
  counts.add_real(
      at::full({1, 2}, std::nan("")), index_of({{0, 1}}, 2), count_to(1));
  EXPECT_EQ(counts.real_count, 1);
  EXPECT_EQ(counts.real_correct, 0);
}

TEST(AveragePrecision, IsThatOfScikitLearnAndTorchmetrics) {
  const auto& lists = golden().at("lists");
  const at::Tensor scores = matrix(lists.at("scores"));
  const std::vector<std::vector<int>> labels = lists.at("labels");
  const std::int64_t classes = scores.size(1);
  const at::Tensor hot = multi_hot(
      index_of(labels, static_cast<int>(classes)),
      count_to(scores.size(0)),
      classes);
  for (std::int64_t c = 0; c < classes; ++c) {
    const at::Tensor column = scores.select(1, c).contiguous();
    std::vector<bool> positive;
    for (std::int64_t i = 0; i < scores.size(0); ++i) {
      positive.push_back(hot[i][c].item<float>() == 1.0F);
    }
    const double found = average_precision(
        {column.const_data_ptr<float>(),
         static_cast<std::size_t>(column.numel())},
        positive);
    // Sums of some dozen terms in double precision, in another order.
    EXPECT_NEAR(found, lists.at("each")[static_cast<std::size_t>(c)], 1e-12)
        << c;
  }
}

// The mean is the same by however many workers the samples are seen.
TEST(AveragePrecision, MeanDoesNotDependOnWorkers) {
  const auto& lists = golden().at("lists");
  const at::Tensor scores = matrix(lists.at("scores"));
  const data::Index index =
      index_of(lists.at("labels"), static_cast<int>(scores.size(1)));
  for (const int workers : {1, 2, 3}) {
    testing::run_ranks(workers, [&](testing::Rank& rank) {
      Scores own;
      for (std::int64_t i = scores.size(0) - 1; i >= 0; --i) {
        if (i % workers == rank.control().rank()) {
          const std::int64_t sample[] = {i};
          // A batch has rows beyond its samples.
          own.add(at::stack({scores[i], scores[0]}), sample);
        }
      }
      const double found = mean_average_precision(
          gather_scores(rank.control(), own), index, scores.size(1));
      EXPECT_NEAR(found, lists.at("macro"), 1e-12);
      EXPECT_NEAR(found, lists.at("torchmetrics"), 1e-6); // fp32 inside
    });
  }
}

TEST(LabelListResults, CountALabelThatIsListedTwiceOnce) {
  const data::Index index = index_of({{1, 1, 0}, {1}}, 2);
  const auto found = label_lists_of(
      {.samples = {0, 1}, .logits = {-1.0F, 2.0F, -1.0F, 2.0F}}, index);
  EXPECT_EQ(found.outcomes[0].labels, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(found.classes[1].count, 2);
  EXPECT_EQ(found.classes[1].correct, 2);
}

// timm selects columns; ours keeps all and sets the excluded ones to minus
// infinity.
TEST(Subset, IsThatOfTimm) {
  const auto& subset = golden().at("subset");
  const at::Tensor logits = matrix(golden().at("logits"));
  at::Tensor left_out = at::ones({logits.size(1)}, at::kBool);
  for (const std::int64_t one : subset.at("classes")) {
    left_out[one] = false;
  }
  const std::vector<std::int64_t> labels = subset.at("labels");
  EvalTally tally;
  tally.add(
      logits.masked_fill(left_out, -INFINITY),
      at::tensor(labels, at::kLong),
      logits.size(0));
  const EvalCounts counts = tally.counts();
  EXPECT_NEAR(counts.value(Metric::kTop1), subset.at("top1"), 1e-4); // of fp32
  EXPECT_NEAR(counts.value(Metric::kTop5), subset.at("top5"), 1e-4);
  EXPECT_NEAR(counts.value(Metric::kLoss), subset.at("loss"), 1e-6); // of fp32
}

TEST(MultiHot, HasAOneForEachLabel) {
  const std::int64_t samples[] = {2, 0, 1};
  EXPECT_TRUE(at::equal(
      multi_hot(index_of({{0, 2}, {}, {1}}, 3), samples, 4),
      at::tensor({0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0}, at::kFloat)
          .view({3, 4})));
}

} // namespace
} // namespace vitrain::engine
