#include "results/calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "unit/results/golden.h"

namespace vitrain::results {
namespace {

TEST(Calibration, HasTheErrorOfTorchmetrics) {
  const Calibration calibration(golden_outcomes());
  // torchmetrics sums in fp32, which has about 7 digits.
  EXPECT_NEAR(calibration.error(), golden().at("calibration_error"), 1e-6);
  EXPECT_GT(calibration.confidence(), calibration.accuracy());
}

TEST(Calibration, UpperEdgesBelongToTheirBin) {
  std::vector<Outcome> outcomes;
  for (const float probability :
       {0.0F, 0.2F, std::nextafter(0.2F, 1.0F), 1.0F}) {
    outcomes.push_back({.prediction = 0, .probability = probability});
  }
  outcomes.push_back({.prediction = -1, .probability = 0.5F});
  const Calibration calibration(outcomes);
  EXPECT_EQ(calibration.count(), 4);
  EXPECT_EQ(calibration.bins()[0].count, 1);
  // fp32's 0.2 is a little above 3/15.
  EXPECT_EQ(calibration.bins()[2].count, 0);
  EXPECT_EQ(calibration.bins()[3].count, 2);
  EXPECT_EQ(calibration.bins()[14].count, 1);
  EXPECT_EQ(Calibration({}).error(), 0.0);
}

TEST(Calibration, EqualConfidenceIsNoUnderconfidence) {
  const auto tendency = [](double confidence_sum) {
    return std::string(Calibration::Bin{4, 3, confidence_sum}.tendency());
  };
  EXPECT_EQ(tendency(3.5), "overconfident");
  EXPECT_EQ(tendency(2.5), "underconfident");
  EXPECT_EQ(tendency(3.0), "confidence equals accuracy");
}

} // namespace
} // namespace vitrain::results
