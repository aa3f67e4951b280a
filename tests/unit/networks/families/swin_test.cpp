#include "models/families/swin.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::swin_cases {
namespace {

using Stages = models::swin::Stages;

auto small(const Stages& windows, const Stages& before = {}) {
  return [=](models::ModelSpec& spec) {
    spec.numbers = models::SwinSpec{
        .embed_dim = 8,
        .depths = {2, 2, 1, 2},
        .heads = {1, 2, 4, 4},
        .windows = windows,
        .windows_before = before};
  };
}

INSTANTIATE_TEST_SUITE_P(
    Swin,
    Families,
    family_cases(
        "swin",
        {{"swin", "swin_tiny_patch4_window7_224", 52, small({5, 5, 2, 7})},
         {"swin_wide",
          "swin_tiny_patch4_window7_224",
          {40, 76},
          small({5, 5, 2, 7})}}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    SwinV2,
    Families,
    family_cases(
        "swin_v2",
        {{"swin_v2", "swinv2_tiny_window8_256", {40, 76}, small({5, 5, 2, 7})},
         {"swin_v2_before",
          "swinv2_base_window12to16_192to256",
          32,
          small({4, 3, 2, 2}, {6, 2, 1, 0})}}),
    case_name);

} // namespace
} // namespace vitrain::networks::swin_cases
