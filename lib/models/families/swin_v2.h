#pragma once

#include "models/families/swin.h"

namespace vitrain::models {

namespace swin {

inline constexpr Stages kWindow8{8, 8, 8, 8};
inline constexpr Stages kWindow16{16, 16, 16, 16};
inline constexpr Stages kWindow24{24, 24, 24, 24};
// Windows by stage of the pretraining with 192 pixels and window 12: the grid
// of the last stage has only 6 x 6 tokens.
inline constexpr Stages kBefore12{12, 12, 12, 6};

// Networks of timm 1.0 (timm/models/swin_transformer_v2.py).
inline constexpr auto kNetworksV2 = std::to_array<NamedNetwork<SwinSpec>>({
    {"swinv2_tiny_window8_256", 256, 3, {96, kShallow, kHeads3, kWindow8}},
    {"swinv2_tiny_window16_256", 256, 3, {96, kShallow, kHeads3, kWindow16}},
    {"swinv2_small_window8_256", 256, 3, {96, kDeep, kHeads3, kWindow8}},
    {"swinv2_small_window16_256", 256, 3, {96, kDeep, kHeads3, kWindow16}},
    {"swinv2_base_window8_256", 256, 3, {128, kDeep, kHeads4, kWindow8}},
    {"swinv2_base_window16_256", 256, 3, {128, kDeep, kHeads4, kWindow16}},
    {"swinv2_base_window12_192", 192, 3, {128, kDeep, kHeads4, kWindow12}},
    {"swinv2_base_window12to16_192to256",
     256,
     3,
     {128, kDeep, kHeads4, kWindow16, kBefore12}},
    {"swinv2_base_window12to24_192to384",
     384,
     3,
     {128, kDeep, kHeads4, kWindow24, kBefore12}},
    {"swinv2_large_window12_192", 192, 3, {192, kDeep, kHeads6, kWindow12}},
    {"swinv2_large_window12to16_192to256",
     256,
     3,
     {192, kDeep, kHeads6, kWindow16, kBefore12}},
    {"swinv2_large_window12to24_192to384",
     384,
     3,
     {192, kDeep, kHeads6, kWindow24, kBefore12}},
});

} // namespace swin

// Swin transformers V2 (Liu et al., "Swin transformer V2: scaling up capacity
// and resolution", CVPR 2022).
inline const Family kSwinV2{
    .name = "swin_v2",
    .list = names_in<swin::kNetworksV2>,
    .find = find_in<swin::kNetworksV2>,
    .options = drop_path_option,
    .check = swin::check,
    .describe = swin::describe,
    // No weight's shape depends on the image size, but their meaning does:
    // positions are scaled by the window, which is never larger than the grid.
    .identity = image_identity,
    .classifier = {"head.fc."},
    .layers = swin::layers()};

} // namespace vitrain::models
