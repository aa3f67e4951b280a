#include "models/families/resnet.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::resnet_cases {
namespace {

using models::ResNetSpec;

// Returns a network with few channels; `stem` is the stem's output channels, 64
// for a single convolution.
auto small(
    const std::array<std::int64_t, 4>& blocks,
    std::int64_t stem = 64,
    std::int64_t groups = 1,
    std::int64_t group_width = 64) {
  return [=](models::ModelSpec& spec) {
    change_numbers<ResNetSpec>(spec, [=](ResNetSpec& net) {
      net.blocks = blocks;
      net.widths = {4, 8, 12, 16};
      net.stem_width = stem;
      net.groups = groups;
      net.group_width = group_width;
    });
  };
}

INSTANTIATE_TEST_SUITE_P(
    ResNet,
    Families,
    family_cases(
        "resnet",
        {{"plain", "resnet18", 45, small({1, 2, 1, 1})},
         {"bottleneck", "resnet50", {34, 65}, small({1, 1, 2, 1})},
         {"d", "resnet18d", 70, small({2, 1, 1, 1}, 16)},
         {"tiered", "resnet50t", {66, 37}, small({1, 1, 1, 1}, 16)},
         {"groups", "resnet50c", 40, small({1, 1, 1, 1}, 16, 2, 48)}}),
    case_name);

} // namespace
} // namespace vitrain::networks::resnet_cases
