#include "models/families/mixer.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::mixer_cases {
namespace {

auto small(std::int64_t width) {
  return [=](models::ModelSpec& spec) {
    change_numbers<models::MixerSpec>(spec, [=](models::MixerSpec& net) {
      net.patch_size = 8;
      net.depth = 2;
      net.embed_dim = width;
    });
  };
}

INSTANTIATE_TEST_SUITE_P(
    Mixer,
    Families,
    family_cases(
        "mixer",
        {{"mixer", "mixer_s16_224", 40, small(20)},
         {"gmixer", "gmixer_12_224", 40, small(24)},
         {"resmlp", "resmlp_12_224", 40, small(24)},
         {"gmlp", "gmlp_ti16_224", 40, small(24)}}),
    case_name);

} // namespace
} // namespace vitrain::networks::mixer_cases
