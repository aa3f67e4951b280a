#include "models/families/beit.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::beit_cases {
namespace {

void small(models::ModelSpec& spec) {
  change_numbers<models::BeitSpec>(spec, [](models::BeitSpec& net) {
    net.embed_dim = 16;
    net.depth = 2;
    net.heads = 2;
    net.patch_size = 8;
  });
}

INSTANTIATE_TEST_SUITE_P(
    Beit,
    Families,
    family_cases(
        "beit",
        {{"beit", "beit_base_patch16_224", {24, 40}, small},
         {"beit_v2", "beitv2_large_patch16_224", 32, small}}),
    case_name);

} // namespace
} // namespace vitrain::networks::beit_cases
