#include "models/families/crossvit.h"

#include "families/family_cases.h"

namespace vitrain::networks {
namespace {

auto small(std::int64_t stages, const std::array<std::int64_t, 2>& depths) {
  return [=](models::ModelSpec& spec) {
    change_numbers<models::CrossVitSpec>(spec, [=](models::CrossVitSpec& net) {
      net.widths = {8, 12};
      net.heads = {2, 3};
      net.mlp_ratios = {2, 1};
      net.depths = depths;
      net.stages = stages;
      net.to_side = 2;
      net.from_side = 3;
    });
  };
}

INSTANTIATE_TEST_SUITE_P(
    CrossVit,
    Families,
    family_cases(
        "crossvit",
        {{"crossvit", "crossvit_9_240", {48, 24}, small(2, {1, 2})},
         {"crossvit_dagger",
          "crossvit_9_dagger_240",
          {48, 72},
          small(1, {2, 2})}}),
    case_name);

} // namespace
} // namespace vitrain::networks
