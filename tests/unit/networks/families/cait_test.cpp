#include "models/families/cait.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::cait_cases {
namespace {

void wide(models::ModelSpec& spec) {
  change_numbers<models::CaitSpec>(spec, [](models::CaitSpec& net) {
    net.embed_dim = 24;
    net.depth = 2;
    net.heads = 3;
    net.patch_size = 8;
  });
}

void shallow(models::ModelSpec& spec) {
  change_numbers<models::CaitSpec>(spec, [](models::CaitSpec& net) {
    net.embed_dim = 16;
    net.depth = 1;
    net.heads = 2;
    net.class_depth = 1;
  });
}

INSTANTIATE_TEST_SUITE_P(
    Cait,
    Families,
    family_cases(
        "cait",
        {{"cait", "cait_xxs24_224", {24, 40}, wide},
         {"cait_deep", "cait_m36_384", 32, shallow}}),
    case_name);

} // namespace
} // namespace vitrain::networks::cait_cases
