#include "models/families/levit.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::levit_cases {
namespace {

auto with_depths(const models::LevitSpec::Stages& depths) {
  return [depths](models::ModelSpec& spec) {
    change_numbers<models::LevitSpec>(spec, [&](models::LevitSpec& net) {
      net.widths = {16, 24, 20};
      net.depths = depths;
      net.heads = {2, 3, 2};
      net.key_width = 4;
    });
  };
}

INSTANTIATE_TEST_SUITE_P(
    Levit,
    Families,
    family_cases(
        "levit",
        {FamilyCase{"levit", "levit_128s", {112, 80}, with_depths({0, 1, 1})},
         FamilyCase{
             "levit_conv_s8",
             "levit_conv_384_s8",
             {24, 40},
             with_depths({1, 0, 0})},
         FamilyCase{
             "levit_one_head",
             "levit_256d",
             48,
             with_depths({0, 0, 1})}}),
    case_name);

} // namespace
} // namespace vitrain::networks::levit_cases
