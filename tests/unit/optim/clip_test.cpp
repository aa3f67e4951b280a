#include <cmath>
#include <limits>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "golden.h"
#include "optim/clip.h"

namespace vitrain::optim {
namespace {

// The norm of n = 62 squares in fp32: each addition and the two roots round by
// 2^-24 relative; the factor and the product by three more.
constexpr double kRelative = (62 + 5) * 0x1p-24;

TEST(ClipGradients, EqualsClipGradNorm) {
  const NamedValues gradients = golden("trajectories.json").at("gradients")[0];
  for (const auto& expected : golden("clip.json")) {
    const double max_norm = expected.at("max_norm");
    SCOPED_TRACE(max_norm);
    GoldenNet net(0.05);
    net.accumulate(gradients);
    const auto before = net.gradients();
    const double norm =
        clip_gradients(net.state(), {.norm = max_norm}).item<double>();
    EXPECT_NEAR(
        norm,
        expected.at("norm"),
        kRelative * expected.at("norm").get<double>());
    const NamedValues scaled = expected.at("gradients");
    for (const auto& [name, gradient] : net.gradients()) {
      EXPECT_TRUE(at::allclose(
          gradient, at::tensor(scaled.at(name), at::kDouble), kRelative, 0.0))
          << name;
      if (norm < max_norm) {
        EXPECT_TRUE(at::equal(gradient, before.at(name))) << name;
      }
    }
  }
}

TEST(ClipGradients, ByValueAndByOutputAsTorchAndTimm) {
  const nlohmann::json file = golden("optimizers.json");
  const nlohmann::json& value = file.at("clipping").at("value");
  const nlohmann::json& agc = file.at("clipping").at("agc");
  for (const auto& [clipping, expected] :
       {std::pair(Clipping{.value = value.at("limit")}, &value),
        {Clipping{.agc = agc.at("limit"), .agc_exempt = {"head."}}, &agc}}) {
    GoldenNet net("optimizers.json", decay_grouping(0.05, {"bias", "norm"}));
    net.accumulate(file.at("gradients")[0]);
    const double norm = clip_gradients(net.state(), {}).item<double>();
    EXPECT_EQ(clip_gradients(net.state(), clipping).item<double>(), norm);
    EXPECT_LT(clip_gradients(net.state(), {}).item<double>(), norm);
    const NamedValues gradients = expected->at("gradients");
    for (const auto& [name, gradient] : net.gradients()) {
      // The file has 8 digits.
      EXPECT_TRUE(at::allclose(
          gradient, at::tensor(gradients.at(name), at::kDouble), 1e-6, 1e-7))
          << name;
    }
  }
}

TEST(ClipGradients, OnlyMeasuresWithoutALimit) {
  for (const double max_norm : {0.0, -1.0}) {
    GoldenNet net(0.05);
    net.accumulate(golden("trajectories.json").at("gradients")[1]);
    const auto before = net.gradients();
    EXPECT_GT(
        clip_gradients(net.state(), {.norm = max_norm}).item<double>(), 1.0);
    for (const auto& [name, gradient] : net.gradients()) {
      EXPECT_TRUE(at::equal(gradient, before.at(name))) << name;
    }
  }
}

TEST(ClipGradients, ReturnsZeroForZeroGradients) {
  GoldenNet net(0.05);
  EXPECT_EQ(clip_gradients(net.state(), {.norm = 1.0}).item<double>(), 0.0);
  for (const auto& [name, gradient] : net.gradients()) {
    EXPECT_FALSE(gradient.any().item<bool>()) << name;
  }
}

// The step decides on the norm: it must show one bad value in any group.
TEST(ClipGradients, ReturnsANonFiniteNormForOneBadValue) {
  for (const float bad :
       {std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity(),
        std::numeric_limits<float>::quiet_NaN()}) {
    for (std::size_t group = 0; group < 2; ++group) {
      for (const double max_norm : {0.0, 1.0}) {
        GoldenNet net(0.05);
        net.state().groups()[group].gradients[2] = bad;
        const double norm =
            clip_gradients(net.state(), {.norm = max_norm}).item<double>();
        EXPECT_FALSE(std::isfinite(norm)) << bad << " in group " << group;
      }
    }
  }
}

} // namespace
} // namespace vitrain::optim
