#include "models/families/levit.h"

#include "families/family_cases.h"

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

// The heads divide by the spread of three images' features, and every layer by
// that of a few pixels: roundings grow on their way, in timm too.
FamilyCase levit_case(
    const char* name,
    const char* model,
    const ImageSize& size,
    const models::LevitSpec::Stages& depths) {
  FamilyCase made{name, model, size, with_depths(depths)};
  made.tolerance = 1e-9;
  return made;
}

INSTANTIATE_TEST_SUITE_P(
    Levit,
    Families,
    family_cases(
        "levit",
        {levit_case("levit", "levit_128s", {112, 80}, {0, 1, 1}),
         levit_case("levit_conv_s8", "levit_conv_384_s8", {24, 40}, {1, 0, 0}),
         levit_case("levit_one_head", "levit_256d", 48, {0, 0, 1})}),
    case_name);

} // namespace
} // namespace vitrain::networks::levit_cases
