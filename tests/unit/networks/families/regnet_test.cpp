#include "models/families/regnet.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::regnet_cases {
namespace {

void make_small(models::ModelSpec& spec) {
  change_numbers<models::RegNetSpec>(spec, [](models::RegNetSpec& net) {
    net.depths = {1, 1, 2, 1};
    net.widths = {8, 16, 24, 48};
    net.group_widths = {8, 8, 8, 8};
    net.stem = 10;
  });
}

INSTANTIATE_TEST_SUITE_P(
    RegNet,
    Families,
    family_cases(
        "regnet",
        {{"x", "regnetx_002", 45, make_small},
         {"y", "regnety_002", {66, 35}, make_small}}),
    case_name);

} // namespace
} // namespace vitrain::networks::regnet_cases
