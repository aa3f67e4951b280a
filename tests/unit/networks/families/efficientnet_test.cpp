#include "models/families/efficientnet.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::efficientnet_cases {
namespace {

using models::EfficientNetSpec;

constexpr const char* kPlain =
    "ds_r1_k3_s1_e1_c8_se0.25 ir_r2_k3_s2_e6_c16_se0.25 "
    "ir_r1_k5_s2_e6_c24_se0.25";
constexpr const char* kLite =
    "ds_r1_k3_s1_e1_c8 ir_r2_k5_s2_e6_c16 ir_r1_k3_s2_e6_c24";
constexpr const char* kV2 =
    "cn_r2_k3_s1_e1_c8_skip er_r2_k3_s2_e4_c16 ir_r2_k3_s2_e4_c24_se0.25";

constexpr const char* kMix =
    "ds_r1_k3_s1_e1_c8 ir_r1_k3.5.7_a1.1_p1.1_s2_e6_c16_se0.5_nsw "
    "ir_r2_k3.5.7.9_p1.1_s2_e3_c24_se0.25";

// Gives a network small stages and keeps its other numbers.
auto of(const char* stages) {
  return [=](models::ModelSpec& spec) {
    change_numbers<EfficientNetSpec>(spec, [=](EfficientNetSpec& net) {
      net.stages.clear();
      net.stem = 8;
      net.features = 24;
      net = models::scaled(
          {.stages = stages,
           .numbers = net,
           .squeeze = models::EfficientNetDesign::Squeeze::kOfInput});
    });
  };
}

INSTANTIATE_TEST_SUITE_P(
    EfficientNet,
    Families,
    family_cases(
        "efficientnet",
        {{"plain", "efficientnet_b0", 45, of(kPlain)},
         {"tf", "tf_efficientnet_b0", {46, 33}, of(kPlain)},
         {"lite", "efficientnet_lite0", {33, 64}, of(kLite)},
         {"tf_lite", "tf_efficientnet_lite0", 40, of(kLite)},
         {"v2", "efficientnetv2_s", 36, of(kV2)},
         {"tf_v2", "tf_efficientnetv2_s", 35, of(kV2)},
         {"edge",
          "efficientnet_es",
          44,
          of("er_r1_k3_s1_e4_c24_fc24_noskip er_r2_k3_s2_e4_gs16_c16 "
             "ir_r1_k5_s2_e8_c24")},
         {"v1", "mobilenetv1_100", 45, of("dsa_r1_k3_s1_c16 dsa_r2_k3_s2_c24")},
         {"mix", "mixnet_s", 45, of(kMix)},
         {"tf_mix", "tf_mixnet_s", {46, 33}, of(kMix)}}),
    case_name);

} // namespace
} // namespace vitrain::networks::efficientnet_cases
