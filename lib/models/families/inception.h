#pragma once

#include "models/families/family.h"

namespace vitrain::models {

struct InceptionSpec {}; // all numbers are in the network

namespace inception {

// timm 1.0 (timm/models/inception_v3.py), torchvision 0.26
// (torchvision/models/googlenet.py).
inline constexpr auto kV3 =
    std::to_array<NamedNetwork<InceptionSpec>>({{"inception_v3", 299, 3, {}}});
inline constexpr auto kV1 =
    std::to_array<NamedNetwork<InceptionSpec>>({{"googlenet", 224, 3, {}}});

} // namespace inception

// Inception V3 (Szegedy et al., CVPR 2016) without its auxiliary classifier.
// Images and weights are in channels_last.
inline const Family kInception{
    .name = "inception",
    .list = names_in<inception::kV3>,
    .find = find_in<inception::kV3>,
    .check = check_least<75>,
    .describe = [](const ModelSpec&) -> std::string { return "11 blocks"; },
    .identity = channels_identity,
    .classifier = {"fc."},
    .layers =
        {{0, "Conv2d_[12]"},
         {1, "Conv2d_[34]"},
         {2, "Mixed_5b"},
         {3, "Mixed_5c"},
         {4, "Mixed_5d"},
         {5, "Mixed_6a"},
         {6, "Mixed_6b"},
         {7, "Mixed_6c"},
         {8, "Mixed_6d"},
         {9, "Mixed_6e"},
         {10, "Mixed_7a"},
         {11, "Mixed_7b"},
         {12, "Mixed_7c"}},
    .any_image_size = true,
    .channels_last = true};

// GoogLeNet (Szegedy et al., CVPR 2015) with BatchNorm, without its auxiliary
// classifiers and dropout.
inline const Family kGoogLeNet{
    .name = "googlenet",
    .list = names_in<inception::kV1>,
    .find = find_in<inception::kV1>,
    .check = check_least<32>,
    .describe = [](const ModelSpec&) -> std::string { return "9 blocks"; },
    .identity = channels_identity,
    .classifier = {"fc."},
    .any_image_size = true,
    .channels_last = true};

} // namespace vitrain::models
