#include "models/families/volo.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::volo_cases {
namespace {

void small(models::ModelSpec& spec) {
  spec.numbers = models::VoloSpec{
      .depths = {2, 1, 0, 1},
      .outlook_width = 8,
      .outlook_heads = 2,
      .width = 12,
      .heads = 3,
      .stem_width = 4};
}

INSTANTIATE_TEST_SUITE_P(
    Volo,
    Families,
    family_cases("volo", {{"volo", "volo_d1_224", {40, 48}, small}}),
    case_name);

} // namespace
} // namespace vitrain::networks::volo_cases
