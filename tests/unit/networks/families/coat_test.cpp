#include "models/families/coat.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::coat_cases {
namespace {

void small_lite(models::ModelSpec& spec) {
  spec.numbers = models::CoatSpec{
      .widths = {8, 16, 24, 16},
      .depths = {2, 1, 1, 1},
      .mlp_ratios = {3, 3, 2, 2}};
}

void small(models::ModelSpec& spec) {
  spec.numbers = models::CoatSpec{
      .widths = {8, 16, 16, 16},
      .depths = {1, 1, 0, 1},
      .mlp_ratios = {3, 2, 2, 2},
      .parallel_depth = 2};
}

INSTANTIATE_TEST_SUITE_P(
    Coat,
    Families,
    family_cases(
        "coat",
        {{"coat_lite", "coat_lite_tiny", {52, 71}, small_lite},
         {"coat", "coat_tiny", {64, 96}, small}}),
    case_name);

} // namespace
} // namespace vitrain::networks::coat_cases
