#include "models/families/poolformer.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::poolformer_cases {
namespace {

auto small(const std::array<std::int64_t, 4>& widths) {
  return [=](models::ModelSpec& spec) {
    change_numbers<models::PoolFormerSpec>(
        spec, [=](models::PoolFormerSpec& net) {
          net.depths = {1, 2, 1, 1};
          net.widths = widths;
        });
  };
}

INSTANTIATE_TEST_SUITE_P(
    PoolFormer,
    Families,
    family_cases(
        "poolformer",
        {{"poolformer", "poolformer_s12", {70, 49}, small({8, 12, 12, 16})},
         {"poolformerv2",
          "poolformerv2_s12",
          {49, 66},
          small({8, 12, 20, 16})}}),
    case_name);

} // namespace
} // namespace vitrain::networks::poolformer_cases
