#include "models/families/efficientnet.h"

#include "unit/networks/family_cases.h"

namespace vitrain::networks::mobilenet_cases {
namespace {

using models::EfficientNetSpec;
using Squeeze = models::EfficientNetDesign::Squeeze;

auto of(
    const char* stages,
    Squeeze squeeze = Squeeze::kOfHidden,
    double depth = 1.0) {
  return [=](models::ModelSpec& spec) {
    change_numbers<EfficientNetSpec>(spec, [=](EfficientNetSpec& net) {
      net.stages.clear();
      net.stem = 8;
      net.features = 24;
      net = models::scaled(
          {.stages = stages, .numbers = net, .squeeze = squeeze}, 1.0, depth);
    });
  };
}

constexpr const char* kV3 =
    "ds_r1_k3_s2_e1_c16_se0.25_nre ir_r1_k3_s2_e4.5_c24_nre,ir_r1_k3_s1_e3.67_"
    "c24_nre ir_r2_k5_s2_e4_c40_se0.25 cn_r1_k1_s1_c48";

INSTANTIATE_TEST_SUITE_P(
    MobileNet,
    Families,
    family_cases(
        "mobilenet",
        {{"v3", "mobilenetv3_small_100", 61, of(kV3, Squeeze::kOfHiddenBy8)},
         {"tf_v3",
          "tf_mobilenetv3_small_100",
          {46, 61},
          of(kV3, Squeeze::kOfHiddenBy8)},
         {"deep",
          "mobilenetv3_large_150d",
          48,
          of(kV3, Squeeze::kOfHiddenBy8, 1.4)},
         {"rw", "mobilenetv3_rw", 64, of(kV3)},
         {"lcnet",
          "lcnet_100",
          50,
          of("dsa_r1_k3_s1_c16 dsa_r2_k5_s2_c32_se0.25")},
         {"v4",
          "mobilenetv4_conv_small",
          63,
          of("cn_r1_k3_s2_e1_c16,cn_r1_k1_s1_e1_c16 "
             "uir_r1_a5_k5_s2_e3_c24,uir_r2_a0_k3_s1_e2_c24,"
             "uir_r1_a3_k0_s1_e4_c24,uir_r1_a0_k0_s1_e2_c24")},
         {"v4_average",
          "mobilenetv4_conv_aa_medium",
          66,
          of("er_r1_k3_s2_e4_c16 uir_r1_a5_k5_s2_e3_c24,uir_r1_a3_k0_s1_e4_"
             "c24")},
         {"v4_hybrid",
          "mobilenetv4_hybrid_large",
          {60, 68},
          of("er_r1_k3_s2_e4_c16 uir_r1_a3_k5_s2_e3_c24,mqa_r1_k3_h3_s1_v2_"
             "d8_c24,mqa_r1_k3_h2_s1_d16_c24,uir_r1_a3_k0_s1_e4_c24")}}),
    case_name);

} // namespace
} // namespace vitrain::networks::mobilenet_cases
