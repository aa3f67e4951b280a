#include "models/families/ghostnet.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::ghostnet_cases {
namespace {

void narrow(models::ModelSpec& spec) {
  change_numbers<models::GhostNetSpec>(
      spec, [](models::GhostNetSpec& net) { net.width = 0.2; });
}

INSTANTIATE_TEST_SUITE_P(
    GhostNet,
    Families,
    family_cases("ghostnet", {{"v1", "ghostnet_100", 45, narrow}}),
    case_name);

} // namespace
} // namespace vitrain::networks::ghostnet_cases
