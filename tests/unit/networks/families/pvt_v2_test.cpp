#include "models/families/pvt_v2.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::pvt_v2_cases {
namespace {

using Stages = std::array<std::int64_t, 4>;

auto small(const Stages& depths, const Stages& reductions = {8, 4, 2, 1}) {
  return [=](models::ModelSpec& spec) {
    change_numbers<models::PvtV2Spec>(spec, [=](models::PvtV2Spec& net) {
      net.depths = depths;
      net.widths = {8, 12, 20, 16};
      net.heads = {1, 2, 5, 4};
      net.mlp_ratios = {2, 2, 1, 2};
      net.reductions = reductions;
    });
  };
}

INSTANTIATE_TEST_SUITE_P(
    PvtV2,
    Families,
    family_cases(
        "pvt_v2",
        {{"pvt_v2", "pvt_v2_b0", {78, 51}, small({1, 2, 1, 1}, {4, 4, 2, 1})},
         {"pvt_v2_li", "pvt_v2_b2_li", {74, 41}, small({1, 1, 1, 2})}}),
    case_name);

} // namespace
} // namespace vitrain::networks::pvt_v2_cases
