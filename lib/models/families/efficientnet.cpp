#include "models/families/efficientnet.h"

// Networks of timm 1.0 (timm/models/efficientnet.py).
namespace vitrain::models {
namespace efficientnet {
namespace {

using Design = EfficientNetDesign;
using enum EfficientNetSpec::Activation;
using Head = EfficientNetSpec::Head;
using Stem = EfficientNetDesign::Stem;

const Design kB0{
    .stages = "ds_c16_se0.25 ir_r2_s2_e6_c24_se0.25 "
              "ir_r2_k5_s2_e6_c40_se0.25 ir_r3_s2_e6_c80_se0.25 "
              "ir_r3_k5_e6_c112_se0.25 ir_r4_k5_s2_e6_c192_se0.25 "
              "ir_e6_c320_se0.25",
    .wide_features = true};
const Design kLite{
    .stages = "ds_c16 ir_r2_s2_e6_c24 ir_r2_k5_s2_e6_c40 ir_r3_s2_e6_c80 "
              "ir_r3_k5_e6_c112 ir_r4_k5_s2_e6_c192 ir_e6_c320",
    .numbers = {.activation = kRelu6},
    .stem = Stem::kFixed,
    .fixed_ends = true};
const Design kEdge{
    .stages = "er_e4_c24_fc24_noskip er_r2_s2_e8_c32 er_r4_s2_e8_c48 "
              "ir_r5_k5_s2_e8_c96 ir_r4_k5_e8_c144 ir_r2_k5_s2_e8_c192",
    .numbers = {.activation = kRelu},
    .wide_features = true};
const Design kTiny{
    .stages = kB0.stages,
    .stem = Stem::kFixed,
    .nearest_depth = true};

const Design kV2Base{
    .stages = "cn_c16_skip er_r2_s2_e4_c32 er_r2_s2_e4_c48 "
              "ir_r3_s2_e4_c96_se0.25 ir_r5_e6_c112_se0.25 "
              "ir_r8_s2_e6_c192_se0.25",
    .wide_features = true,
    .least = 0.0};
const Design kV2Small{
    .stages = "cn_r2_c24_skip er_r4_s2_e4_c48 er_r4_s2_e4_c64 "
              "ir_r6_s2_e4_c128_se0.25 ir_r9_e6_c160_se0.25 "
              "ir_r15_s2_e6_c256_se0.25",
    .numbers = {.stem = 24}};
const Design kV2Medium{
    .stages = "cn_r3_c24_skip er_r5_s2_e4_c48 er_r5_s2_e4_c80 "
              "ir_r7_s2_e4_c160_se0.25 ir_r14_e6_c176_se0.25 "
              "ir_r18_s2_e6_c304_se0.25 ir_r5_e6_c512_se0.25",
    .numbers = {.stem = 24}};
const Design kV2Large{
    .stages = "cn_r4_c32_skip er_r7_s2_e4_c64 er_r7_s2_e4_c96 "
              "ir_r10_s2_e4_c192_se0.25 ir_r19_e6_c224_se0.25 "
              "ir_r25_s2_e6_c384_se0.25 ir_r7_e6_c640_se0.25"};
const Design kV2Huge{
    .stages = "cn_r4_c32_skip er_r8_s2_e4_c64 er_r8_s2_e4_c96 "
              "ir_r16_s2_e4_c192_se0.25 ir_r24_e6_c256_se0.25 "
              "ir_r32_s2_e6_c512_se0.25 ir_r8_e6_c640_se0.25"};
const Design kV2Tiny{
    .stages = kV2Small.stages,
    .numbers = {.stem = 24, .features = 1024}};
const Design kV2SmallRw{
    .stages = "er_r2_c24 er_r4_s2_e4_c48 er_r4_s2_e4_c64 "
              "ir_r6_s2_e4_c128_se0.25 ir_r9_e6_c160_se0.25 "
              "ir_r15_s2_e6_c272_se0.25",
    .numbers = {.stem = 24, .features = 1792}};
const Design kV2MediumRw{
    .stages = "er_r3_c24 er_r5_s2_e4_c48 er_r5_s2_e4_c64 "
              "ir_r8_s2_e4_c128_se0.25 ir_r15_e6_c160_se0.25 "
              "ir_r24_s2_e6_c272_se0.25",
    .numbers = {.stem = 24, .features = 1792},
    .wide_features = true};

const Design kMobileNetV1{
    .stages = "dsa_c64 dsa_r2_s2_c128 dsa_r2_s2_c256 dsa_r6_s2_c512 "
              "dsa_r2_s2_c1024",
    .numbers = {.head = Head::kNone, .activation = kRelu6}};
const Design kMobileNetV1Head{
    .stages = kMobileNetV1.stages,
    .numbers = {.features = 1024, .activation = kRelu6}};
const Design kMobileNetV2{
    .stages = "ds_c16 ir_r2_s2_e6_c24 ir_r3_s2_e6_c32 ir_r4_s2_e6_c64 "
              "ir_r3_e6_c96 ir_r3_s2_e6_c160 ir_e6_c320",
    .numbers = {.activation = kRelu6},
    .wide_features = true};
const Design kMobileNetV2Deep{
    .stages = kMobileNetV2.stages,
    .numbers = {.activation = kRelu6},
    .stem = Stem::kFixed,
    .fixed_ends = true};

const Design kMnasNet{
    .stages = "ds_c16_noskip ir_r3_s2_e3_c24 ir_r3_k5_s2_e3_c40 "
              "ir_r3_k5_s2_e6_c80 ir_r2_e6_c96 ir_r4_k5_s2_e6_c192 "
              "ir_e6_c320_noskip",
    .numbers = {.activation = kRelu}};
const Design kSeMnasNet{
    .stages = "ds_c16_noskip ir_r2_s2_e6_c24 ir_r3_k5_s2_e3_c40_se0.25 "
              "ir_r4_s2_e6_c80 ir_r2_e6_c112_se0.25 "
              "ir_r3_k5_s2_e6_c160_se0.25 ir_e6_c320",
    .numbers = {.activation = kRelu}};
const Design kMnasNetSmall{
    .stages = "ds_c8 ir_s2_e3_c16 ir_r2_s2_e6_c16 ir_r4_k5_s2_e6_c32_se0.25 "
              "ir_r3_e6_c32_se0.25 ir_r3_k5_s2_e6_c88_se0.25 ir_e6_c144",
    .numbers = {.stem = 8, .activation = kRelu}};
const Design kSinglePath{
    .stages = "ds_c16_noskip ir_r3_s2_e3_c24 ir_k5_s2_e6_c40,ir_r3_e3_c40 "
              "ir_k5_s2_e6_c80,ir_r3_e3_c80 ir_k5_e6_c96,ir_r3_k5_e3_c96 "
              "ir_r4_k5_s2_e6_c192 ir_e6_c320_noskip",
    .numbers = {.activation = kRelu}};

const Design kEdgeTpu{
    .stages = "cn_k1_c16 er_s2_e8_c32,er_r3_e4_c32 er_s2_e8_c48,er_r3_e4_c48 "
              "ir_s2_e8_c96,ir_r3_e4_c96 ir_e8_c96_noskip,ir_r3_e4_c96 "
              "ir_k5_s2_e8_c160,ir_r3_k5_e4_c160 ir_e8_c192",
    .numbers = {.activation = kRelu}};
const Design kEdgeTpuV2Xs{
    .stages = "cn_k1_c16 er_s2_e8_c32,er_e4_gs64_c32 "
              "er_s2_e8_c48,er_e4_gs64_c48,er_e4_c48,er_e4_gs64_c48 "
              "er_s2_e8_c96,ir_r3_e4_c96 ir_e8_c144,ir_r3_e4_c144 "
              "ir_s2_e8_c160,ir_r3_e4_c160 ir_e8_c192",
    .numbers = {.activation = kRelu}};
const Design kEdgeTpuV2S{
    .stages = "cn_k1_c24 er_s2_e8_c48,er_e4_gs64_c48 "
              "er_s2_e8_c64,er_e4_gs64_c64,er_e4_c64,er_e4_gs64_c64 "
              "er_s2_e8_c128,ir_r3_e4_c128 ir_e8_c160,ir_r3_e4_c160 "
              "ir_s2_e8_c192,ir_r3_e4_c192 ir_e8_c256",
    .numbers = {.stem = 64, .stem_kernel = 5, .activation = kRelu}};
const Design kEdgeTpuV2M{
    .stages = "cn_k1_c32 er_s2_e8_c64,er_e4_gs64_c64 "
              "er_s2_e8_c80,er_e4_gs64_c80,er_e4_c80,er_e4_gs64_c80 "
              "er_s2_e8_c160,ir_r3_e4_c160 ir_e8_c192,ir_r3_e4_c192 "
              "ir_s2_e8_c240,ir_r3_e4_c240 ir_e8_c320",
    .numbers =
        {.stem = 64, .stem_kernel = 5, .features = 1344, .activation = kRelu}};
const Design kEdgeTpuV2L{
    .stages = "cn_k1_c32 er_s2_e8_c64,er_e4_gs128_c64 "
              "er_s2_e8_c96,er_e4_gs128_c96,er_e4_c96,er_e4_gs128_c96 "
              "er_s2_e8_c192,ir_r3_e4_c192 ir_e8_c240,ir_r3_e4_c240 "
              "ir_s2_e8_c256,ir_r3_e4_c256 ir_e8_c384",
    .numbers =
        {.stem = 64, .stem_kernel = 7, .features = 1408, .activation = kRelu}};

const Design kMixSmall{
    .stages =
        "ds_c16 ir_a1.1_p1.1_s2_e6_c24,ir_a1.1_p1.1_e3_c24 "
        "ir_k3.5.7_s2_e6_c40_se0.5_nsw,ir_r3_k3.5_a1.1_p1.1_e6_c40_se0.5_nsw "
        "ir_k3.5.7_p1.1_s2_e6_c80_se0.25_nsw,"
        "ir_r2_k3.5_p1.1_e6_c80_se0.25_nsw "
        "ir_k3.5.7_a1.1_p1.1_e6_c120_se0.5_nsw,"
        "ir_r2_k3.5.7.9_a1.1_p1.1_e3_c120_se0.5_nsw "
        "ir_k3.5.7.9.11_s2_e6_c200_se0.5_nsw,"
        "ir_r2_k3.5.7.9_p1.1_e6_c200_se0.5_nsw",
    .numbers = {.stem = 16, .features = 1536, .activation = kRelu}};
const Design kMixMedium{
    .stages = "ds_c24 ir_k3.5.7_a1.1_p1.1_s2_e6_c32,ir_a1.1_p1.1_e3_c32 "
              "ir_k3.5.7.9_s2_e6_c40_se0.5_nsw,"
              "ir_r3_k3.5_a1.1_p1.1_e6_c40_se0.5_nsw "
              "ir_k3.5.7_s2_e6_c80_se0.25_nsw,"
              "ir_r3_k3.5.7.9_a1.1_p1.1_e6_c80_se0.25_nsw "
              "ir_e6_c120_se0.5_nsw,ir_r3_k3.5.7.9_a1.1_p1.1_e3_c120_se0.5_nsw "
              "ir_k3.5.7.9_s2_e6_c200_se0.5_nsw,"
              "ir_r3_k3.5.7.9_p1.1_e6_c200_se0.5_nsw",
    .numbers = {.stem = 24, .features = 1536, .activation = kRelu},
    .nearest_depth = true};

const std::vector<ScaledNetwork> kNetworks{
    {"efficientnet_b0", 224, &kB0, 1.0, 1.0},
    {"efficientnet_b1", 240, &kB0, 1.0, 1.1},
    {"efficientnet_b2", 256, &kB0, 1.1, 1.2},
    {"efficientnet_b3", 288, &kB0, 1.2, 1.4},
    {"efficientnet_b4", 320, &kB0, 1.4, 1.8},
    {"efficientnet_b5", 448, &kB0, 1.6, 2.2},
    {"efficientnet_b6", 528, &kB0, 1.8, 2.6},
    {"efficientnet_b7", 600, &kB0, 2.0, 3.1},
    {"efficientnet_b8", 672, &kB0, 2.2, 3.6},
    {"efficientnet_l2", 800, &kB0, 4.3, 5.3},
    {"tf_efficientnet_b0", 224, &kB0, 1.0, 1.0},
    {"tf_efficientnet_b1", 240, &kB0, 1.0, 1.1},
    {"tf_efficientnet_b2", 260, &kB0, 1.1, 1.2},
    {"tf_efficientnet_b3", 300, &kB0, 1.2, 1.4},
    {"tf_efficientnet_b4", 380, &kB0, 1.4, 1.8},
    {"tf_efficientnet_b5", 456, &kB0, 1.6, 2.2},
    {"tf_efficientnet_b6", 528, &kB0, 1.8, 2.6},
    {"tf_efficientnet_b7", 600, &kB0, 2.0, 3.1},
    {"tf_efficientnet_b8", 672, &kB0, 2.2, 3.6},
    {"tf_efficientnet_l2", 475, &kB0, 4.3, 5.3},
    {"efficientnet_lite0", 224, &kLite, 1.0, 1.0},
    {"efficientnet_lite1", 240, &kLite, 1.0, 1.1},
    {"efficientnet_lite2", 260, &kLite, 1.1, 1.2},
    {"efficientnet_lite3", 300, &kLite, 1.2, 1.4},
    {"efficientnet_lite4", 380, &kLite, 1.4, 1.8},
    {"tf_efficientnet_lite0", 224, &kLite, 1.0, 1.0},
    {"tf_efficientnet_lite1", 240, &kLite, 1.0, 1.1},
    {"tf_efficientnet_lite2", 260, &kLite, 1.1, 1.2},
    {"tf_efficientnet_lite3", 300, &kLite, 1.2, 1.4},
    {"tf_efficientnet_lite4", 380, &kLite, 1.4, 1.8},
    {"efficientnet_es", 224, &kEdge, 1.0, 1.0},
    {"efficientnet_es_pruned", 224, &kEdge, 1.0, 1.0},
    {"efficientnet_em", 240, &kEdge, 1.0, 1.1},
    {"efficientnet_el", 300, &kEdge, 1.2, 1.4},
    {"efficientnet_el_pruned", 300, &kEdge, 1.2, 1.4},
    {"tf_efficientnet_es", 224, &kEdge, 1.0, 1.0},
    {"tf_efficientnet_em", 240, &kEdge, 1.0, 1.1},
    {"tf_efficientnet_el", 300, &kEdge, 1.2, 1.4},
    {"tf_efficientnetv2_b0", 192, &kV2Base, 1.0, 1.0},
    {"tf_efficientnetv2_b1", 192, &kV2Base, 1.0, 1.1},
    {"tf_efficientnetv2_b2", 208, &kV2Base, 1.1, 1.2},
    {"tf_efficientnetv2_b3", 240, &kV2Base, 1.2, 1.4},
    {"efficientnetv2_s", 288, &kV2Small},
    {"efficientnetv2_m", 320, &kV2Medium},
    {"efficientnetv2_l", 384, &kV2Large},
    {"efficientnetv2_xl", 384, &kV2Huge},
    {"tf_efficientnetv2_s", 300, &kV2Small},
    {"tf_efficientnetv2_m", 384, &kV2Medium},
    {"tf_efficientnetv2_l", 384, &kV2Large},
    {"tf_efficientnetv2_xl", 384, &kV2Huge},
    {"efficientnetv2_rw_t", 224, &kV2Tiny, 0.8, 0.9},
    {"efficientnetv2_rw_s", 288, &kV2SmallRw},
    {"efficientnetv2_rw_m", 320, &kV2MediumRw, 1.2},
    {"tinynet_a", 192, &kTiny, 1.0, 1.2},
    {"tinynet_b", 188, &kTiny, 0.75, 1.1},
    {"tinynet_c", 184, &kTiny, 0.54, 0.85},
    {"tinynet_d", 152, &kTiny, 0.54, 0.695},
    {"tinynet_e", 106, &kTiny, 0.51, 0.6},
    {"mixnet_s", 224, &kMixSmall},
    {"mixnet_m", 224, &kMixMedium},
    {"mixnet_l", 224, &kMixMedium, 1.3},
    {"mixnet_xl", 224, &kMixMedium, 1.6, 1.2},
    {"mixnet_xxl", 224, &kMixMedium, 2.4, 1.3},
    {"tf_mixnet_s", 224, &kMixSmall},
    {"tf_mixnet_m", 224, &kMixMedium},
    {"tf_mixnet_l", 224, &kMixMedium, 1.3},
    {"mobilenetv1_100", 224, &kMobileNetV1},
    {"mobilenetv1_100h", 224, &kMobileNetV1Head},
    {"mobilenetv1_125", 224, &kMobileNetV1, 1.25},
    {"mobilenetv2_035", 224, &kMobileNetV2, 0.35},
    {"mobilenetv2_050", 224, &kMobileNetV2, 0.5},
    {"mobilenetv2_075", 224, &kMobileNetV2, 0.75},
    {"mobilenetv2_100", 224, &kMobileNetV2},
    {"mobilenetv2_140", 224, &kMobileNetV2, 1.4},
    {"mobilenetv2_110d", 224, &kMobileNetV2Deep, 1.1, 1.2},
    {"mobilenetv2_120d", 224, &kMobileNetV2Deep, 1.2, 1.4},
    {"mnasnet_050", 224, &kMnasNet, 0.5},
    {"mnasnet_075", 224, &kMnasNet, 0.75},
    {"mnasnet_100", 224, &kMnasNet},
    {"mnasnet_140", 224, &kMnasNet, 1.4},
    {"semnasnet_050", 224, &kSeMnasNet, 0.5},
    {"semnasnet_075", 224, &kSeMnasNet, 0.75},
    {"semnasnet_100", 224, &kSeMnasNet},
    {"semnasnet_140", 224, &kSeMnasNet, 1.4},
    {"mnasnet_small", 224, &kMnasNetSmall},
    {"spnasnet_100", 224, &kSinglePath},
    {"mobilenet_edgetpu_100", 224, &kEdgeTpu},
    {"mobilenet_edgetpu_v2_xs", 224, &kEdgeTpuV2Xs},
    {"mobilenet_edgetpu_v2_s", 224, &kEdgeTpuV2S},
    {"mobilenet_edgetpu_v2_m", 224, &kEdgeTpuV2M},
    {"mobilenet_edgetpu_v2_l", 224, &kEdgeTpuV2L},
};

} // namespace
} // namespace efficientnet

const Family kEfficientNet =
    scaled_family<efficientnet::kNetworks>("efficientnet", "conv_head|bn2");

} // namespace vitrain::models
