#pragma once

#include <array>

#include "config/paddlevit/paddle_family.h"

// PaddleViT's families without networks in vitrain: their files are refused
// with a one-line message.
namespace vitrain::config::paddlevit {

inline constexpr auto kUnavailable = std::to_array<PaddleFamily>({
    {.name = "BoTNet",
     .types = "botnet",
     .available = false,
     .why = "PaddleViT's BoTNet-50 is none of timm's networks"},
    {.name = "MobileViT",
     .types = "mobilevit",
     .available = false,
     .why = "PaddleViT's blocks have a BatchNorm and an activation more than "
            "timm's, and its XXS expands fourfold instead of twofold"},
    {.name = "CSwin", .types = "cswin", .available = false},
    {.name = "CvT", .types = "cvt", .available = false},
    {.name = "CycleMLP", .types = "cyclemlp", .available = false},
    {.name = "ConvMLP", .types = "convmlp", .available = false},
    {.name = "Focal Transformer", .types = "focal", .available = false},
    {.name = "FF_Only", .types = "ff_only ffonly", .available = false},
    {.name = "MobileFormer", .types = "mobileformer", .available = false},
    {.name = "RepLKNet", .types = "replknet", .available = false},
    {.name = "RepMLP", .types = "repmlp", .available = false},
    {.name = "ResT", .types = "rest rest_v2", .available = false},
    {.name = "Shuffle Transformer",
     .types = "shuffle shuffle_transformer",
     .available = false},
    {.name = "T2T-ViT", .types = "t2t-vit t2t_vit", .available = false},
    {.name = "TopFormer", .types = "topformer", .available = false},
    {.name = "ViP", .types = "vip", .available = false},
});

} // namespace vitrain::config::paddlevit
