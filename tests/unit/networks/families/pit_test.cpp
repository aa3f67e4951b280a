#include "models/families/pit.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::pit_cases {
namespace {

auto small(const std::array<std::int64_t, 3>& depths) {
  return [=](models::ModelSpec& spec) {
    change_numbers<models::PitSpec>(spec, [=](models::PitSpec& net) {
      net.depths = depths;
      net.heads = {1, 2, 4};
      net.head_width = 6;
      net.mlp_ratio = 2;
    });
  };
}

INSTANTIATE_TEST_SUITE_P(
    Pit,
    Families,
    family_cases(
        "pit",
        {{"pit", "pit_ti_224", {59, 46}, small({1, 2, 2})},
         {"pit_distilled", "pit_b_distilled_224", {41, 50}, small({2, 1, 1})}}),
    case_name);

} // namespace
} // namespace vitrain::networks::pit_cases
