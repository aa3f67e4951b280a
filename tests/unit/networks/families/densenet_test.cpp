#include "models/families/densenet.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::densenet_cases {
namespace {

void small(models::ModelSpec& spec) {
  change_numbers<models::DenseNetSpec>(spec, [](models::DenseNetSpec& net) {
    net.growth = 8;
    net.depths = {2, 3, 1, 2};
  });
}

INSTANTIATE_TEST_SUITE_P(
    DenseNet,
    Families,
    family_cases(
        "densenet",
        {{"plain", "densenet121", {64, 70}, small},
         {"deep", "densenet264d", 64, small}}),
    case_name);

} // namespace
} // namespace vitrain::networks::densenet_cases
