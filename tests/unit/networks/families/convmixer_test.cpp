#include "models/families/convmixer.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::convmixer_cases {
namespace {

auto small(std::int64_t width, std::int64_t depth) {
  return [=](models::ModelSpec& spec) {
    change_numbers<models::ConvMixerSpec>(
        spec, [=](models::ConvMixerSpec& net) {
          net.width = width;
          net.depth = depth;
        });
  };
}

INSTANTIATE_TEST_SUITE_P(
    ConvMixer,
    Families,
    family_cases(
        "convmixer",
        {{"convmixer", "convmixer_1536_20", {44, 30}, small(16, 2)},
         {"convmixer_relu", "convmixer_768_32", 40, small(12, 1)}}),
    case_name);

} // namespace
} // namespace vitrain::networks::convmixer_cases
