#include "models/families/swin.h"

#include "families/family_cases.h"

namespace vitrain::networks {
namespace {

void small(models::ModelSpec& spec) {
  spec.numbers = models::SwinSpec{
      .embed_dim = 8,
      .depths = {2, 2, 1, 2},
      .heads = {1, 2, 4, 4},
      .windows = {5, 5, 2, 7}};
}

INSTANTIATE_TEST_SUITE_P(
    Swin,
    Families,
    family_cases("swin", {{"swin", "swin_tiny_patch4_window7_224", 52, small}}),
    case_name);

} // namespace
} // namespace vitrain::networks
