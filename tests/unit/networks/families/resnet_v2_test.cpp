#include "models/families/resnet_v2.h"

#include <array>
#include <cstdint>

#include "unit/networks/family_cases.h"

namespace vitrain::networks::resnet_v2_cases {
namespace {

using models::ResNetV2Spec;

auto small(
    const std::array<std::int64_t, 4>& blocks,
    const std::array<std::int64_t, 4>& widths,
    std::int64_t norm_groups = 0) {
  return [=](models::ModelSpec& spec) {
    change_numbers<ResNetV2Spec>(spec, [=](ResNetV2Spec& net) {
      net.blocks = blocks;
      net.widths = widths;
      net.stem_width = 16;
      net.norm_groups = norm_groups;
    });
  };
}

INSTANTIATE_TEST_SUITE_P(
    ResNetV2,
    Families,
    family_cases(
        "resnetv2",
        {{"basic", "resnetv2_18", 45, small({1, 2, 1, 1}, {16, 8, 16, 24})},
         {"d", "resnetv2_50d", 70, small({1, 1, 1, 1}, {8, 16, 48, 64})},
         {"tiered",
          "resnetv2_50t",
          {66, 37},
          small({1, 1, 2, 1}, {16, 32, 32, 64}, 2)},
         {"bit",
          "resnetv2_50x1_bit",
          45,
          small({1, 2, 1, 1}, {16, 32, 32, 64}, 4)}}),
    case_name);

} // namespace
} // namespace vitrain::networks::resnet_v2_cases
