#include "models/families/vgg.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::vgg_cases {
namespace {

void small(models::ModelSpec& spec) {
  change_numbers<models::VggSpec>(spec, [](models::VggSpec& net) {
    net.widths = {8, 0, 16, 16, 0, 24, 0};
    net.hidden = 8;
  });
}

INSTANTIATE_TEST_SUITE_P(
    Vgg,
    Families,
    family_cases(
        "vgg",
        {{"plain", "vgg11", {48, 60}, small},
         {"norm", "vgg11_bn", {72, 64}, small}}),
    case_name);

} // namespace
} // namespace vitrain::networks::vgg_cases
