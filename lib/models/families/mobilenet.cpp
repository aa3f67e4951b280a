#include "models/families/efficientnet.h"

// Networks of timm 1.0 (timm/models/mobilenetv3.py, hardcorenas.py).
namespace vitrain::models {
namespace mobilenet {
namespace {

using Design = EfficientNetDesign;
using Activation = EfficientNetSpec::Activation;
using Head = EfficientNetSpec::Head;
using Stem = EfficientNetDesign::Stem;
using Squeeze = EfficientNetDesign::Squeeze;

// MobileNet V3 with hard swish and squeeze-excitation.
Design v3(const char* stages, std::int64_t features, std::int64_t stem = 16) {
  return {
      .stages = stages,
      .numbers =
          {.stem = stem,
           .features = features,
           .head = Head::kMeanFirstBias,
           .activation = Activation::kHardSwish,
           .hard_gate = true,
           .relu_squeeze = true},
      .stem = Stem::kNeverNarrower,
      .squeeze = Squeeze::kOfHiddenBy8};
}

// MobileNet V3 with ReLU alone.
Design minimal(const char* stages, std::int64_t features) {
  Design design = v3(stages, features);
  design.numbers.activation = Activation::kRelu;
  return design;
}

const Design kSmall =
    v3("ds_s2_c16_se0.25_nre ir_s2_e4.5_c24_nre,ir_e3.67_c24_nre "
       "ir_k5_s2_e4_c40_se0.25,ir_r2_k5_e6_c40_se0.25 ir_r2_k5_e3_c48_se0.25 "
       "ir_r3_k5_s2_e6_c96_se0.25 cn_k1_c576",
       1024);
const Design kSmallMinimal = minimal(
    "ds_s2_c16 ir_s2_e4.5_c24,ir_e3.67_c24 ir_s2_e4_c40,ir_r2_e6_c40 "
    "ir_r2_e3_c48 ir_r3_s2_e6_c96 cn_k1_c576",
    1024);
const Design kLarge =
    v3("ds_c16_nre ir_s2_e4_c24_nre,ir_e3_c24_nre "
       "ir_r3_k5_s2_e3_c40_se0.25_nre ir_s2_e6_c80,ir_e2.5_c80,ir_r2_e2.3_c80 "
       "ir_r2_e6_c112_se0.25 ir_r3_k5_s2_e6_c160_se0.25 cn_k1_c960",
       1280);
const Design kLargeMinimal = minimal(
    "ds_c16 ir_s2_e4_c24,ir_e3_c24 ir_r3_s2_e3_c40 "
    "ir_s2_e6_c80,ir_e2.5_c80,ir_r2_e2.3_c80 ir_r2_e6_c112 ir_r3_s2_e6_c160 "
    "cn_k1_c960",
    1280);
const Design kRw{
    .stages = "ds_c16_nre_noskip ir_s2_e4_c24_nre,ir_e3_c24_nre "
              "ir_r3_k5_s2_e3_c40_se0.25_nre "
              "ir_s2_e6_c80,ir_e2.5_c80,ir_r2_e2.3_c80 ir_r2_e6_c112_se0.25 "
              "ir_r3_k5_s2_e6_c160_se0.25 cn_k1_c960",
    .numbers =
        {.stem = 16,
         .head = Head::kMeanFirst,
         .activation = Activation::kHardSwish,
         .hard_gate = true,
         .norm_eps = 1e-3},
    .squeeze = Squeeze::kOfHidden};

const Design kLcNet{
    .stages = "dsa_c32 dsa_r2_s2_c64 dsa_r2_s2_c128 dsa_s2_c256,dsa_k5_c256 "
              "dsa_r4_k5_c256 dsa_r2_k5_s2_c512_se0.25",
    .numbers =
        {.stem = 16,
         .head = Head::kMeanFirstBias,
         .activation = Activation::kHardSwish,
         .hard_gate = true,
         .relu_squeeze = true},
    .squeeze = Squeeze::kOfHidden};

Design fbnetv3(const char* stages, std::int64_t stem) {
  return {
      .stages = stages,
      .numbers =
          {.stem = stem,
           .features = 1984,
           .head = Head::kMeanFirst,
           .activation = Activation::kHardSwish,
           .hard_gate = true},
      .squeeze = Squeeze::kOfInputBy8,
      .least = 0.95};
}

const Design kFbNetB = fbnetv3(
    "ds_r2_c16 ir_k5_s2_e4_c24,ir_r3_k5_e2_c24 "
    "ir_k5_s2_e5_c40_se0.25,ir_r4_k5_e3_c40_se0.25 "
    "ir_k5_s2_e5_c72,ir_r4_e3_c72 "
    "ir_e5_c120_se0.25,ir_r5_k5_e3_c120_se0.25 "
    "ir_s2_e6_c184_se0.25,ir_r5_k5_e4_c184_se0.25,ir_k5_e6_c224_se0.25 "
    "cn_k1_c1344",
    16);
const Design kFbNetD = fbnetv3(
    "ds_r2_c16 ir_s2_e5_c24,ir_r5_e2_c24 "
    "ir_k5_s2_e4_c40_se0.25,ir_r4_e3_c40_se0.25 ir_s2_e5_c72,ir_r4_e3_c72 "
    "ir_e5_c128_se0.25,ir_r6_k5_e3_c128_se0.25 "
    "ir_s2_e6_c208_se0.25,ir_r5_k5_e5_c208_se0.25,ir_k5_e6_c240_se0.25 "
    "cn_k1_c1440",
    24);
const Design kFbNetG = fbnetv3(
    "ds_r3_c24 ir_k5_s2_e4_c40,ir_r4_k5_e2_c40 "
    "ir_k5_s2_e4_c56_se0.25,ir_r4_k5_e3_c56_se0.25 "
    "ir_k5_s2_e5_c104,ir_r4_e3_c104 ir_e5_c160_se0.25,ir_r8_k5_e3_c160_se0.25 "
    "ir_s2_e6_c264_se0.25,ir_r6_k5_e5_c264_se0.25,ir_r2_k5_e6_c288_se0.25 "
    "cn_k1_c1728",
    32);

const Design kHardCoreA =
    v3("ds_c16_nre ir_k5_s2_e3_c24_nre,ir_k5_e3_c24_nre_se0.25 "
       "ir_k5_s2_e3_c40_nre,ir_k5_e6_c40_nre_se0.25 ir_r2_k5_s2_e6_c80_se0.25 "
       "ir_r2_k5_e6_c112_se0.25 ir_r2_k5_s2_e6_c192_se0.25 cn_k1_c960",
       1280,
       32);
const Design kHardCoreB =
    v3("ds_c16_nre ir_k5_s2_e3_c24_nre,ir_k5_e3_c24_nre_se0.25,ir_e3_c24_nre "
       "ir_r3_k5_s2_e3_c40_nre ir_r2_k5_s2_e3_c80,ir_r2_e3_c80 "
       "ir_k5_e3_c112,ir_r3_e3_c112 "
       "ir_r2_k5_s2_e6_c192_se0.25,ir_e3_c192_se0.25 cn_k1_c960",
       1280,
       32);
const Design kHardCoreC = v3(
    "ds_c16_nre ir_k5_s2_e3_c24_nre,ir_k5_e3_c24_nre_se0.25 "
    "ir_r4_k5_s2_e3_c40_nre ir_k5_s2_e4_c80,ir_k5_e6_c80_se0.25,ir_r2_e3_c80 "
    "ir_k5_e6_c112_se0.25,ir_r3_e3_c112 "
    "ir_r2_k5_s2_e6_c192_se0.25,ir_e3_c192_se0.25 cn_k1_c960",
    1280,
    32);
const Design kHardCoreD =
    v3("ds_c16_nre ir_r2_k5_s2_e3_c24_nre_se0.25 "
       "ir_k5_s2_e3_c40_nre_se0.25,ir_k5_e4_c40_nre_se0.25,"
       "ir_e3_c40_nre_se0.25 ir_k5_s2_e4_c80_se0.25,ir_r3_e3_c80_se0.25 "
       "ir_e4_c112_se0.25,ir_k5_e4_c112_se0.25,ir_e3_c112_se0.25,"
       "ir_k5_e3_c112_se0.25 ir_r3_k5_s2_e6_c192_se0.25,ir_e6_c192_se0.25 "
       "cn_k1_c960",
       1280,
       32);
const Design kHardCoreE =
    v3("ds_c16_nre ir_r2_k5_s2_e3_c24_nre_se0.25 "
       "ir_k5_s2_e6_c40_nre_se0.25,ir_r2_k5_e4_c40_nre_se0.25,"
       "ir_e3_c40_nre_se0.25 ir_k5_s2_e4_c80_se0.25,ir_e6_c80_se0.25 "
       "ir_r3_k5_e6_c112_se0.25,ir_k5_e3_c112_se0.25 "
       "ir_r3_k5_s2_e6_c192_se0.25,ir_e6_c192_se0.25 cn_k1_c960",
       1280,
       32);
const Design kHardCoreF =
    v3("ds_c16_nre ir_r2_k5_s2_e3_c24_nre_se0.25 ir_r2_k5_s2_e6_c40_nre_se0.25 "
       "ir_r2_k5_s2_e6_c80_se0.25,ir_r2_e3_c80_se0.25 "
       "ir_e6_c112_se0.25,ir_r2_k5_e6_c112_se0.25,ir_e3_c112_se0.25 "
       "ir_r2_k5_s2_e6_c192_se0.25,ir_r2_e6_c192_se0.25 cn_k1_c960",
       1280,
       32);

Design v4(
    const char* stages,
    std::int64_t stem,
    double layer_scale = 0.0,
    Activation activation = Activation::kRelu) {
  return {
      .stages = stages,
      .numbers =
          {.stem = stem,
           .head = Head::kMeanFirstNorm,
           .activation = activation,
           .layer_scale = layer_scale},
      .stem = Stem::kNeverNarrower};
}

Design with_average(Design design) {
  design.numbers.average_down = true;
  return design;
}

const Design kV4Small =
    v4("cn_s2_c32,cn_k1_c32 cn_s2_c96,cn_k1_c64 "
       "uir_a5_k5_s2_e3_c96,uir_r4_e2_c96,uir_a3_k0_e4_c96 "
       "uir_a3_s2_e6_c128,uir_a5_k5_e4_c128,uir_k5_e4_c128,uir_k5_e3_c128,"
       "uir_r2_e4_c128 cn_k1_c960",
       32);
const Design kV4Medium =
    v4("er_s2_e4_c48 uir_a3_k5_s2_e4_c80,uir_a3_e2_c80 "
       "uir_a3_k5_s2_e6_c160,uir_r2_a3_e4_c160,uir_a3_k5_e4_c160,"
       "uir_a3_e4_c160,uir_a3_k0_e4_c160,uir_k0_e2_c160,uir_a3_k0_e4_c160 "
       "uir_a5_k5_s2_e6_c256,uir_a5_k5_e4_c256,uir_r2_a3_k5_e4_c256,"
       "uir_k0_e4_c256,uir_a3_k0_e4_c256,uir_a3_k5_e2_c256,uir_a5_k5_e4_c256,"
       "uir_r2_k0_e4_c256,uir_a5_k0_e2_c256 cn_k1_c960",
       32);
const Design kV4Large =
    v4("er_s2_e4_c48 uir_a3_k5_s2_e4_c96,uir_a3_e4_c96 "
       "uir_a3_k5_s2_e4_c192,uir_r3_a3_e4_c192,uir_a3_k5_e4_c192,"
       "uir_r5_a5_e4_c192,uir_a3_k0_e4_c192 "
       "uir_r4_a5_k5_s2_e4_c512,uir_a5_k0_e4_c512,uir_a5_e4_c512,"
       "uir_r2_a5_k0_e4_c512,uir_a5_e4_c512,uir_a5_k5_e4_c512,"
       "uir_r3_a5_k0_e4_c512 cn_k1_c960",
       24);
const Design kV4MediumAverage = with_average(kV4Medium);
const Design kV4LargeAverage = with_average(kV4Large);
const Design kV4HybridMedium =
    v4("er_s2_e4_c48 uir_a3_k5_s2_e4_c80,uir_a3_e2_c80 "
       "uir_a3_k5_s2_e6_c160,uir_k0_e2_c160,uir_a3_e4_c160,uir_a3_k5_e4_c160,"
       "mqa_h4_v2_d64_c160,uir_a3_e4_c160,mqa_h4_v2_d64_c160,"
       "uir_a3_k0_e4_c160,mqa_h4_v2_d64_c160,uir_a3_e4_c160,"
       "mqa_h4_v2_d64_c160,uir_a3_k0_e4_c160 "
       "uir_a5_k5_s2_e6_c256,uir_a5_k5_e4_c256,uir_r2_a3_k5_e4_c256,"
       "uir_k0_e2_c256,uir_a3_k5_e2_c256,uir_k0_e2_c256,uir_k0_e4_c256,"
       "mqa_h4_d64_c256,uir_a3_k0_e4_c256,mqa_h4_d64_c256,uir_a5_k5_e4_c256,"
       "mqa_h4_d64_c256,uir_a5_k0_e4_c256,mqa_h4_d64_c256,uir_a5_k0_e4_c256 "
       "cn_k1_c960",
       32,
       1e-5);
const Design kV4HybridLarge =
    v4("er_s2_e4_c48 uir_a3_k5_s2_e4_c96,uir_a3_e4_c96 "
       "uir_a3_k5_s2_e4_c192,uir_r3_a3_e4_c192,uir_a3_k5_e4_c192,"
       "uir_r2_a5_e4_c192,mqa_h8_v2_d48_c192,uir_a5_e4_c192,"
       "mqa_h8_v2_d48_c192,uir_a5_e4_c192,mqa_h8_v2_d48_c192,uir_a5_e4_c192,"
       "mqa_h8_v2_d48_c192,uir_a3_k0_e4_c192 "
       "uir_r4_a5_k5_s2_e4_c512,uir_a5_k0_e4_c512,uir_a5_e4_c512,"
       "uir_r2_a5_k0_e4_c512,uir_a5_e4_c512,uir_a5_k5_e4_c512,"
       "mqa_h8_d64_c512,uir_a5_k0_e4_c512,mqa_h8_d64_c512,uir_a5_k0_e4_c512,"
       "mqa_h8_d64_c512,uir_a5_k0_e4_c512,mqa_h8_d64_c512,uir_a5_k0_e4_c512 "
       "cn_k1_c960",
       24,
       1e-5,
       Activation::kGelu);

const std::vector<ScaledNetwork> kNetworks{
    {"mobilenetv3_large_075", 224, &kLarge, 0.75},
    {"mobilenetv3_large_100", 224, &kLarge},
    {"mobilenetv3_large_150d", 256, &kLarge, 1.5, 1.2},
    {"mobilenetv3_small_050", 224, &kSmall, 0.5},
    {"mobilenetv3_small_075", 224, &kSmall, 0.75},
    {"mobilenetv3_small_100", 224, &kSmall},
    {"mobilenetv3_rw", 224, &kRw},
    {"tf_mobilenetv3_large_075", 224, &kLarge, 0.75},
    {"tf_mobilenetv3_large_100", 224, &kLarge},
    {"tf_mobilenetv3_large_minimal_100", 224, &kLargeMinimal},
    {"tf_mobilenetv3_small_075", 224, &kSmall, 0.75},
    {"tf_mobilenetv3_small_100", 224, &kSmall},
    {"tf_mobilenetv3_small_minimal_100", 224, &kSmallMinimal},
    {"fbnetv3_b", 224, &kFbNetB},
    {"fbnetv3_d", 224, &kFbNetD},
    {"fbnetv3_g", 240, &kFbNetG},
    {"lcnet_035", 224, &kLcNet, 0.35},
    {"lcnet_050", 224, &kLcNet, 0.5},
    {"lcnet_075", 224, &kLcNet, 0.75},
    {"lcnet_100", 224, &kLcNet},
    {"lcnet_150", 224, &kLcNet, 1.5},
    {"hardcorenas_a", 224, &kHardCoreA},
    {"hardcorenas_b", 224, &kHardCoreB},
    {"hardcorenas_c", 224, &kHardCoreC},
    {"hardcorenas_d", 224, &kHardCoreD},
    {"hardcorenas_e", 224, &kHardCoreE},
    {"hardcorenas_f", 224, &kHardCoreF},
    {"mobilenetv4_conv_small_035", 224, &kV4Small, 0.35},
    {"mobilenetv4_conv_small_050", 224, &kV4Small, 0.5},
    {"mobilenetv4_conv_small", 224, &kV4Small},
    {"mobilenetv4_conv_medium", 256, &kV4Medium},
    {"mobilenetv4_conv_large", 384, &kV4Large},
    {"mobilenetv4_conv_aa_medium", 256, &kV4MediumAverage},
    {"mobilenetv4_conv_aa_large", 448, &kV4LargeAverage},
    {"mobilenetv4_hybrid_medium_075", 224, &kV4HybridMedium, 0.75},
    {"mobilenetv4_hybrid_medium", 256, &kV4HybridMedium},
    {"mobilenetv4_hybrid_large_075", 256, &kV4HybridLarge, 0.75},
    {"mobilenetv4_hybrid_large", 384, &kV4HybridLarge},
};

} // namespace
} // namespace mobilenet

const Family kMobileNet =
    scaled_family<mobilenet::kNetworks>("mobilenet", nullptr);

} // namespace vitrain::models
