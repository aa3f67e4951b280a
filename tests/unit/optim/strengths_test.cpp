#include "optim/strengths.h"

#include <gtest/gtest.h>

#include "core/enum_names.h"
#include "golden.h"

namespace vitrain::optim {
namespace {

// torch's scheduler multiplies the last value by a factor each step: roundings
// that add up.
TEST(Strengths, OfWeightDecayAreTorchsCosine) {
  for (const auto& file : golden("strengths.json").at("weight_decay")) {
    const double start = file.at("start");
    const std::vector<double> expected = file.at("values");
    for (std::size_t step = 0; step < expected.size(); ++step) {
      EXPECT_NEAR(
          start *
              weight_decay_share(
                  start,
                  file.at("end"),
                  static_cast<std::int64_t>(step),
                  file.at("total_steps")),
          expected[step],
          1e-13)
          << step;
    }
  }
}

// linspace counts its second half from its end: one rounding.
TEST(Strengths, OfDropPathAreThoseOfThePapers) {
  for (const auto& file : golden("strengths.json").at("drop_path")) {
    const auto shape =
        value_of<config::DropPathShape>(file.at("shape").get<std::string>());
    ASSERT_TRUE(shape.has_value());
    const std::vector<double> expected = file.at("values");
    for (std::size_t step = 0; step < expected.size(); ++step) {
      EXPECT_NEAR(
          drop_path_share(
              *shape,
              file.at("cutoff"),
              static_cast<std::int64_t>(step),
              file.at("total_steps")),
          expected[step],
          1e-15)
          << file.at("shape") << " " << step;
    }
  }
}

// Strengths scale the initial decay of each group, not the current one.
TEST(Strengths, ScaleTheDecayOfEachGroup) {
  GoldenNet net(0.3);
  const auto decays = [&] {
    std::vector<double> of_groups;
    for (const FlatGroup& group : net.state().groups()) {
      of_groups.push_back(group.weight_decay);
    }
    return of_groups;
  };
  const std::vector<double> none{0.3, 0.0};
  ASSERT_EQ(decays(), none);
  for (const double share : {0.5, 2.0}) {
    net.state().scale_weight_decay(share);
    EXPECT_EQ(decays(), (std::vector<double>{0.3 * share, 0.0}));
  }
}

} // namespace
} // namespace vitrain::optim
