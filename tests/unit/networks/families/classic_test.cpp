#include "models/families/alexnet.h"
#include "models/families/shufflenet.h"
#include "unit/networks/family_cases.h"

// Networks of torchvision that timm does not have, and Inception V3.
namespace vitrain::networks::classic_cases {
namespace {

void unchanged(models::ModelSpec& /*spec*/) {}

void narrow_alexnet(models::ModelSpec& spec) {
  spec.numbers = models::AlexNetSpec{.hidden = 16};
}

void small_shufflenet(models::ModelSpec& spec) {
  spec.numbers = models::ShuffleNetSpec{
      .depths = {2, 1, 2}, .widths = {16, 24, 32}, .features = 40};
}

INSTANTIATE_TEST_SUITE_P(
    Classic,
    Families,
    family_cases(
        "classic",
        {{"alexnet", "alexnet", {100, 96}, narrow_alexnet},
         {"squeezenet1_0", "squeezenet1_0", {60, 50}, unchanged},
         {"squeezenet1_1", "squeezenet1_1", 47, unchanged},
         {"shufflenet", "shufflenet_v2_x1_0", {64, 45}, small_shufflenet},
         {"googlenet", "googlenet", 160, unchanged},
         // With 94 convolutions; timm's own error is 0.15 to 0.28.
         {"inception_v3", "inception_v3", 208, unchanged, 0.3}}),
    case_name);

} // namespace
} // namespace vitrain::networks::classic_cases
