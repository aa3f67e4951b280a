#include "models/families/convnext.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::convnext_cases {
namespace {

using Stages = std::array<std::int64_t, 4>;

auto stages(const Stages& depths, const Stages& widths = {8, 12, 16, 20}) {
  return [=](models::ModelSpec& spec) {
    change_numbers<models::ConvNeXtSpec>(spec, [=](models::ConvNeXtSpec& net) {
      net.depths = depths;
      net.widths = widths;
      net.head_hidden = net.head_hidden > 0 ? 10 : 0;
    });
  };
}

INSTANTIATE_TEST_SUITE_P(
    ConvNeXt,
    Families,
    family_cases(
        "convnext",
        {{"convnext", "convnext_tiny", 71, stages({1, 2, 1, 1})},
         {"convnext_conv",
          "convnext_atto_ols",
          66,
          stages({1, 1, 2, 1}, {24, 12, 16, 20})},
         {"convnext_head", "convnext_large_mlp", 64, stages({1, 1, 1, 1})},
         {"convnext_norm_first", "convnext_tiny_hnf", 64, stages({1, 1, 1, 1})},
         {"convnextv2", "convnextv2_nano", 64, stages({1, 1, 2, 1})}}),
    case_name);

} // namespace
} // namespace vitrain::networks::convnext_cases
