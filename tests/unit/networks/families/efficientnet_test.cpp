#include "models/families/efficientnet.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::efficientnet_cases {
namespace {

using models::EfficientNetSpec;
using Stages = std::array<EfficientNetSpec::Stage, 7>;
using enum EfficientNetSpec::Block;

constexpr Stages kPlainStages{
    {{kSeparable, 1, 3, 1, 1, 8, true},
     {kInverted, 2, 3, 2, 6, 16, true},
     {kInverted, 1, 5, 2, 6, 24, true}}};
constexpr Stages kLiteStages{
    {{kSeparable, 1, 3, 1, 1, 8},
     {kInverted, 2, 5, 2, 6, 16},
     {kInverted, 1, 3, 2, 6, 24}}};
constexpr Stages kV2Stages{
    {{kPlain, 2, 3, 1, 1, 8},
     {kFused, 2, 3, 2, 4, 16},
     {kInverted, 2, 3, 2, 4, 24, true}}};

auto of(const Stages& stages) {
  return [=](models::ModelSpec& spec) {
    change_numbers<EfficientNetSpec>(spec, [=](EfficientNetSpec& net) {
      net.stages = stages;
      net.stem = 8;
      net.head = 24;
    });
  };
}

INSTANTIATE_TEST_SUITE_P(
    EfficientNet,
    Families,
    family_cases(
        "efficientnet",
        {{"plain", "efficientnet_b0", 45, of(kPlainStages)},
         {"tf", "tf_efficientnet_b0", {46, 33}, of(kPlainStages)},
         {"lite", "efficientnet_lite0", {33, 64}, of(kLiteStages)},
         {"tf_lite", "tf_efficientnet_lite0", 40, of(kLiteStages)},
         {"v2", "efficientnetv2_s", 36, of(kV2Stages)},
         {"tf_v2", "tf_efficientnetv2_s", 35, of(kV2Stages)}}),
    case_name);

} // namespace
} // namespace vitrain::networks::efficientnet_cases
