#pragma once

#include "weights/names/convention.h"

// Names of MobileViT and MobileViT V2 used by their authors (CVNets) and by
// transformers: one table per program for both versions.
namespace vitrain::weights {

inline constexpr std::string_view kOriginalMobileVit[] = {
    "conv_1.block.conv.weight",
    "layer_#.#.global_rep.#.pre_norm_ffn.0.weight"};
inline constexpr NameRule kOriginalMobileVitRules[] = {
    {"conv_1.block.conv.*", "stem.conv.*"},
    {"conv_1.block.norm.*", "stem.bn.*"},
    {"layer_#.#.block.exp_1x1.block.conv.*", "stages.-.#.conv1_1x1.conv.*"},
    {"layer_#.#.block.exp_1x1.block.norm.*", "stages.-.#.conv1_1x1.bn.*"},
    {"layer_#.#.block.conv_3x3.block.conv.*", "stages.-.#.conv2_kxk.conv.*"},
    {"layer_#.#.block.conv_3x3.block.norm.*", "stages.-.#.conv2_kxk.bn.*"},
    {"layer_#.#.block.red_1x1.block.conv.*", "stages.-.#.conv3_1x1.conv.*"},
    {"layer_#.#.block.red_1x1.block.norm.*", "stages.-.#.conv3_1x1.bn.*"},
    {"layer_#.#.local_rep.conv_3x3.block.conv.*", "stages.-.#.conv_kxk.conv.*"},
    {"layer_#.#.local_rep.conv_3x3.block.norm.*", "stages.-.#.conv_kxk.bn.*"},
    {"layer_#.#.local_rep.conv_1x1.block.conv.*", "stages.-.#.conv_1x1.*"},
    {"layer_#.#.global_rep.#.pre_norm_mha.0.*",
     "stages.-.#.transformer.#.norm1.*"},
    {"layer_#.#.global_rep.#.pre_norm_mha.1.qkv_proj.*",
     "stages.-.#.transformer.#.attn.qkv.*"},
    {"layer_#.#.global_rep.#.pre_norm_mha.1.out_proj.*",
     "stages.-.#.transformer.#.attn.proj.*"},
    {"layer_#.#.global_rep.#.pre_norm_ffn.0.*",
     "stages.-.#.transformer.#.norm2.*"},
    {"layer_#.#.global_rep.#.pre_norm_ffn.1.*",
     "stages.-.#.transformer.#.mlp.fc1.*"},
    {"layer_#.#.global_rep.#.pre_norm_ffn.4.*",
     "stages.-.#.transformer.#.mlp.fc2.*"},
    // Names of MobileViTV2.
    {"layer_#.#.local_rep.0.block.conv.*", "stages.-.#.conv_kxk.conv.*"},
    {"layer_#.#.local_rep.0.block.norm.*", "stages.-.#.conv_kxk.bn.*"},
    {"layer_#.#.local_rep.1.block.conv.*", "stages.-.#.conv_1x1.*"},
    {"layer_#.#.global_rep.#.pre_norm_attn.0.*",
     "stages.-.#.transformer.#.norm1.*"},
    {"layer_#.#.global_rep.#.pre_norm_attn.1.qkv_proj.block.conv.*",
     "stages.-.#.transformer.#.attn.qkv_proj.*"},
    {"layer_#.#.global_rep.#.pre_norm_attn.1.out_proj.block.conv.*",
     "stages.-.#.transformer.#.attn.out_proj.*"},
    {"layer_#.#.global_rep.#.pre_norm_ffn.1.block.conv.*",
     "stages.-.#.transformer.#.mlp.fc1.*"},
    {"layer_#.#.global_rep.#.pre_norm_ffn.3.block.conv.*",
     "stages.-.#.transformer.#.mlp.fc2.*"},
    // Norm after the last block.
    {"layer_#.#.global_rep.#.*", "stages.-.#.norm!.*"},
    {"layer_#.#.conv_proj.block.conv.*", "stages.-.#.conv_proj.conv.*"},
    {"layer_#.#.conv_proj.block.norm.*", "stages.-.#.conv_proj.bn.*"},
    {"layer_#.#.fusion.block.conv.*", "stages.-.#.conv_fusion.conv.*"},
    {"layer_#.#.fusion.block.norm.*", "stages.-.#.conv_fusion.bn.*"},
    {"conv_1x1_exp.block.conv.*", "final_conv.conv.*"},
    {"conv_1x1_exp.block.norm.*", "final_conv.bn.*"},
    {"classifier.fc.*", "head.fc.*"},
    {"classifier.1.*", "head.fc.*"},
};

// Adds a note about BGR: CVNets read images with OpenCV (BGR) before version
// 0.2, the first with MobileViT V2, and a file does not contain its version.
inline void note_colours_of_cvnets(Archive& archive) {
  archive.notes.emplace_back(
      "colours are taken to be RGB; files of CVNets before 0.2 (MobileViT V1 "
      "as published) are for BGR");
}

inline constexpr std::string_view kTransformersMobileVitPrefixes[] = {
    "mobilevit.",
    "mobilevitv2."};
inline constexpr std::string_view kTransformersMobileVit[] = {
    "conv_stem.convolution.weight",
    "encoder.layer.#.downsampling_layer.expand_1x1.convolution.weight"};
inline constexpr NameRule kTransformersMobileVitRules[] = {
    {"conv_stem.convolution.*", "stem.conv.*", Layout::kOtherColours},
    {"conv_stem.normalization.*", "stem.bn.*"},
    {"encoder.layer.#.layer.#.expand_1x1.convolution.*",
     "stages.#.#.conv1_1x1.conv.*"},
    {"encoder.layer.#.layer.#.expand_1x1.normalization.*",
     "stages.#.#.conv1_1x1.bn.*"},
    {"encoder.layer.#.layer.#.conv_3x3.convolution.*",
     "stages.#.#.conv2_kxk.conv.*"},
    {"encoder.layer.#.layer.#.conv_3x3.normalization.*",
     "stages.#.#.conv2_kxk.bn.*"},
    {"encoder.layer.#.layer.#.reduce_1x1.convolution.*",
     "stages.#.#.conv3_1x1.conv.*"},
    {"encoder.layer.#.layer.#.reduce_1x1.normalization.*",
     "stages.#.#.conv3_1x1.bn.*"},
    {"encoder.layer.#.downsampling_layer.expand_1x1.convolution.*",
     "stages.#.0.conv1_1x1.conv.*"},
    {"encoder.layer.#.downsampling_layer.expand_1x1.normalization.*",
     "stages.#.0.conv1_1x1.bn.*"},
    {"encoder.layer.#.downsampling_layer.conv_3x3.convolution.*",
     "stages.#.0.conv2_kxk.conv.*"},
    {"encoder.layer.#.downsampling_layer.conv_3x3.normalization.*",
     "stages.#.0.conv2_kxk.bn.*"},
    {"encoder.layer.#.downsampling_layer.reduce_1x1.convolution.*",
     "stages.#.0.conv3_1x1.conv.*"},
    {"encoder.layer.#.downsampling_layer.reduce_1x1.normalization.*",
     "stages.#.0.conv3_1x1.bn.*"},
    {"encoder.layer.#.conv_kxk.convolution.*", "stages.#.1.conv_kxk.conv.*"},
    {"encoder.layer.#.conv_kxk.normalization.*", "stages.#.1.conv_kxk.bn.*"},
    {"encoder.layer.#.conv_1x1.convolution.*", "stages.#.1.conv_1x1.*"},
    {"encoder.layer.#.transformer.layer.#.layernorm_before.*",
     "stages.#.1.transformer.#.norm1.*"},
    {"encoder.layer.#.transformer.layer.#.attention.attention.@.*",
     "stages.#.1.transformer.#.attn.qkv.*"},
    {"encoder.layer.#.transformer.layer.#.attention.output.dense.*",
     "stages.#.1.transformer.#.attn.proj.*"},
    {"encoder.layer.#.transformer.layer.#.layernorm_after.*",
     "stages.#.1.transformer.#.norm2.*"},
    {"encoder.layer.#.transformer.layer.#.intermediate.dense.*",
     "stages.#.1.transformer.#.mlp.fc1.*"},
    {"encoder.layer.#.transformer.layer.#.output.dense.*",
     "stages.#.1.transformer.#.mlp.fc2.*"},
    // Names of MobileViTV2.
    {"encoder.layer.#.transformer.layer.#.attention.qkv_proj.convolution.*",
     "stages.#.1.transformer.#.attn.qkv_proj.*"},
    {"encoder.layer.#.transformer.layer.#.attention.out_proj.convolution.*",
     "stages.#.1.transformer.#.attn.out_proj.*"},
    {"encoder.layer.#.transformer.layer.#.ffn.conv1.convolution.*",
     "stages.#.1.transformer.#.mlp.fc1.*"},
    {"encoder.layer.#.transformer.layer.#.ffn.conv2.convolution.*",
     "stages.#.1.transformer.#.mlp.fc2.*"},
    {"encoder.layer.#.layernorm.*", "stages.#.1.norm.*"},
    {"encoder.layer.#.conv_projection.convolution.*",
     "stages.#.1.conv_proj.conv.*"},
    {"encoder.layer.#.conv_projection.normalization.*",
     "stages.#.1.conv_proj.bn.*"},
    {"encoder.layer.#.fusion.convolution.*", "stages.#.1.conv_fusion.conv.*"},
    {"encoder.layer.#.fusion.normalization.*", "stages.#.1.conv_fusion.bn.*"},
    {"conv_1x1_exp.convolution.*", "final_conv.conv.*"},
    {"conv_1x1_exp.normalization.*", "final_conv.bn.*"},
    {"classifier.*", "head.fc.*"},
};

// Adds a note that the first convolution is converted from BGR to RGB:
// transformers' image processor swaps red and blue by default.
inline void note_colours_of_transformers(Archive& archive) {
  archive.notes.emplace_back(
      "the first convolution is turned from BGR, which transformers gives to "
      "MobileViT (do_flip_channel_order), to RGB");
}

} // namespace vitrain::weights
