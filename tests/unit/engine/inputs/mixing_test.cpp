#include "engine/inputs/mixing.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <vector>

#include <ATen/ATen.h>

#include "core/json.h"
#include "engine/step/loss.h"

namespace vitrain::engine {
namespace {

at::Tensor stay(const at::Tensor& tensor) {
  return tensor;
}

constexpr std::int64_t kClasses = 5;
// The shape in the first cases of make_mixup.py: [N, C, H, W].
const std::vector<std::int64_t> kShape{4, 2, 7, 6};

Json golden() {
  return Json::parse(
      std::ifstream(VITRAIN_SOURCE_DIR "/tests/golden/engine/mixup.json"));
}

at::Tensor tensor(const Json& values) {
  return at::tensor(values.get<std::vector<double>>()).to(at::kFloat);
}

// Returns the images of make_mixup.py.
at::Tensor images(const std::vector<std::int64_t>& shape = kShape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    count *= size;
  }
  return at::arange(count)
      .mul(37)
      .remainder(101)
      .to(at::kFloat)
      .div(64)
      .sub(0.75)
      .view(shape);
}

at::Tensor labels(std::int64_t count = 4) {
  return at::tensor({3, 0, 3, 1, 4, 2}, at::kLong).narrow(0, 0, count);
}

data::Mix mix_of(
    const Json& draw,
    const Json& integers,
    bool minmax,
    int height,
    int width,
    int& at) {
  const double keep = draw.at("lam");
  if (keep == 1.0) {
    return {};
  }
  if (!draw.at("cut").get<bool>()) {
    return {.pixels = keep, .box = {}, .label = keep};
  }
  const auto next = [&] { return integers.at(at++).get<int>(); };
  image::Rect box;
  if (minmax) {
    box.height = next();
    box.width = next();
    box.top = next();
    box.left = next();
  } else {
    const int y = next();
    const int x = next();
    box = data::cutmix_box(height, width, keep, y, x);
  }
  return data::cut(box, height, width);
}

std::vector<data::Mix> mixes_of(const Json& test) {
  int at = 0;
  std::vector<data::Mix> drawn;
  const Json& shape = test.at("shape");
  for (const Json& draw : test.at("draws")) {
    drawn.push_back(mix_of(
        draw, test.at("integers"), test.at("minmax"), shape[2], shape[3], at));
  }
  if (test.at("mode") == "batch") {
    drawn.resize(shape[0], drawn.front());
  } else if (test.at("mode") == "pair") {
    const std::vector<data::Mix> half = drawn;
    drawn.insert(drawn.end(), half.rbegin(), half.rend());
  }
  return drawn;
}

TEST(Mixing, ImagesAndTargetsAreTimms) {
  const Json cases = golden().at("cases");
  int larger = 0; // 32 pixels and odd sizes
  for (const Json& test : cases) {
    SCOPED_TRACE(test.at("mode").dump() + test.at("draws").dump());
    const auto shape = test.at("shape").get<std::vector<std::int64_t>>();
    const MixTable table(mixes_of(test), /*group=*/shape[0], stay);
    const at::Tensor mixed = table.images(images(shape)).contiguous();
    if (test.contains("images")) {
      EXPECT_TRUE(at::equal(mixed.flatten(), tensor(test.at("images"))));
    } else {
      EXPECT_EQ(
          crc32(
              0,
              static_cast<const Bytef*>(mixed.const_data_ptr()),
              static_cast<uInt>(mixed.nbytes())),
          test.at("crc32").get<uLong>());
      ++larger;
    }
    const at::Tensor shares = table.shares(
        class_shares(labels(shape[0]), kClasses, test.at("smoothing")));
    // For pairs and samples timm rounds the share of the area to fp32 before
    // subtracting it from 1.
    EXPECT_TRUE(at::allclose(
        shares.flatten(), tensor(test.at("targets")), /*rtol=*/0, 6e-8));
  }
  EXPECT_EQ(larger, 18);
}

TEST(Mixing, PartnersAreOfTheSameMicroBatch) {
  const std::vector<data::Mix> mixes(
      5, data::Mix{.pixels = 0.0, .box = {}, .label = 0.25});
  const MixTable table(mixes, /*group=*/3, stay);
  const at::Tensor rows = at::arange(5, at::kFloat).view({5, 1, 1, 1});
  EXPECT_TRUE(at::equal(
      table.images(rows).flatten(), at::tensor({2.F, 1.F, 0.F, 4.F, 3.F})));
  EXPECT_TRUE(at::equal(
      table.labels(at::arange(5)), at::tensor({2, 1, 0, 4, 3}, at::kLong)));
}

TEST(Mixing, TheLargerShareNamesTheLabel) {
  const std::vector<data::Mix> mixes{
      {.label = 0.5}, {.label = 0.4}, {.label = 0.6}, {.label = 0.1}};
  const MixTable table(mixes, 4, stay);
  EXPECT_TRUE(at::equal(
      table.labels(at::tensor({7, 8, 9, 6}, at::kLong)),
      at::tensor({7, 9, 9, 7}, at::kLong)));
}

TEST(Mixing, SoftLossesAreTimms) {
  const Json test = golden();
  const Json& expected = test.at("losses");
  const at::Tensor outputs =
      images().flatten().narrow(0, 0, 20).view({4, kClasses}) * 3;
  const at::Tensor soft =
      tensor(test.at("cases")[0].at("targets")).view({4, kClasses});
  const auto mean = [&](const LossOptions& options, const at::Tensor& shares) {
    return loss_sum(options, outputs, labels(), shares).item<double>() / 4;
  };
  const LossOptions cross{};
  LossOptions binary{.kind = config::LossKind::kBinaryCrossEntropy};
  // A few roundings of fp32 sums.
  EXPECT_NEAR(mean(cross, soft), expected.at("soft"), 1e-6);
  EXPECT_NEAR(mean(binary, soft), expected.at("binary_soft"), 1e-6);
  binary.threshold = 0.2;
  EXPECT_NEAR(mean(binary, soft), expected.at("binary_soft_threshold"), 1e-6);
  binary.threshold.reset();
  binary.label_smoothing = 0.1;
  EXPECT_NEAR(mean(binary, {}), expected.at("binary_hard"), 1e-6);
  binary.sum_classes = true;
  EXPECT_NEAR(mean(binary, {}), expected.at("binary_hard_sum"), 1e-5);
}

// Unmixed, soft targets are smoothed labels.
TEST(Mixing, SharesOfOneLabelGiveTheSmoothedLoss) {
  const at::Tensor outputs =
      images().flatten().narrow(0, 0, 20).view({4, kClasses}) * 3;
  const LossOptions options{.label_smoothing = 0.1};
  EXPECT_TRUE(at::allclose(
      sample_losses(options, outputs, labels()),
      sample_losses(
          options, outputs, labels(), class_shares(labels(), kClasses, 0.1))));
}

} // namespace
} // namespace vitrain::engine
