#include "models/families/xcit.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::xcit_cases {
namespace {

auto small(std::int64_t width) {
  return [=](models::ModelSpec& spec) {
    change_numbers<models::XcitSpec>(spec, [=](models::XcitSpec& net) {
      net.embed_dim = width;
      net.depth = 2;
      net.heads = 2;
    });
  };
}

INSTANTIATE_TEST_SUITE_P(
    Xcit,
    Families,
    family_cases(
        "xcit",
        {{"xcit", "xcit_tiny_12_p8_224", {24, 40}, small(16)},
         {"xcit_nano", "xcit_nano_12_p16_224", 64, small(24)}}),
    case_name);

} // namespace
} // namespace vitrain::networks::xcit_cases
