#include "models/families/resnet.h"

#include <array>
#include <cstdint>

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

void wide_small(models::ModelSpec& spec) {
  change_numbers<ResNetSpec>(spec, [](ResNetSpec& net) {
    net.blocks = {1, 1, 1, 1};
    net.widths = {32, 32, 64, 32}; // multiples of the groups of GroupNorm
  });
}

constexpr std::array<std::int64_t, 4> kOne{1, 1, 1, 1};

INSTANTIATE_TEST_SUITE_P(
    ResNet,
    Families,
    family_cases(
        "resnet",
        {{"plain", "resnet18", 45, small({1, 2, 1, 1})},
         {"bottleneck", "resnet50", {34, 65}, small({1, 1, 2, 1})},
         {"d", "resnet18d", 70, small({2, 1, 1, 1}, 16)},
         {"tiered", "resnet50t", {66, 37}, small(kOne, 16)},
         {"groups", "resnet50c", 40, small(kOne, 16, 2, 48)}}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    ResNetPlus,
    Families,
    family_cases(
        "resnet_plus",
        {{"gate", "seresnet18", 45, small({1, 2, 1, 1})},
         {"eca", "ecaresnet50t", {66, 37}, small(kOne, 16)},
         {"senet", "senet154", 45, small(kOne, 16, 2, 64)},
         {"blur", "resnetblur18", {50, 37}, small(kOne)},
         {"average", "seresnetaa50d", 64, small(kOne, 16)},
         {"rs", "resnetrs50", 45, small(kOne, 16)},
         {"norm", "resnet50_gn", 34, wide_small},
         {"selective", "skresnet18", 45, small({1, 2, 1, 1})},
         {"kernels", "skresnext50_32x4d", 40, small(kOne, 64, 2, 48)},
         {"split", "resnest50d", 45, small(kOne, 16)},
         // BatchNorm of the means of three images magnifies roundings.
         {"first", "resnest50d_4s2x40d", 50, small(kOne, 16, 2, 64), 0.2},
         {"single", "resnest50d_1s4x24d", 34, small(kOne, 16, 2, 48)},
         {"scales", "res2net50_26w_4s", 45, small({1, 2, 1, 1}, 64, 1, 32)}}),
    case_name);

} // namespace
} // namespace vitrain::networks::resnet_cases
