#include <algorithm>
#include <array>
#include <iterator>

#include "weights/names/convention.h"
#include "weights/names/levit_layers.h"
#include "weights/names/mobilevit_rules.h"
#include "weights/names/shared_rules.h"
#include "weights/names/transformers_convnets.h"
#include "weights/names/transformers_swins.h"
#include "weights/names/transformers_vits.h"

namespace vitrain::weights {
namespace {

// Since version 5, modules of ViT, BEiT and Swin have new names, which
// torch.save(model.state_dict()) writes; save_pretrained() still writes the old
// ones.
constexpr std::string_view kTransformersVitPrefixes[] = {"vit.", "deit."};
constexpr std::string_view kTransformersVit[] = {
    "embeddings.patch_embeddings.projection.weight",
    "encoder.layer.#.attention.attention.query.weight"};
constexpr std::string_view kTransformersVitModules[] = {
    "embeddings.patch_embeddings.projection.weight",
    "layers.#.attention.q_proj.weight"};
constexpr NameRule kTransformersVitRules[] = {
    {"embeddings.cls_token", "cls_token"},
    {"embeddings.distillation_token", "dist_token"},
    {"embeddings.mask_token", ""},
    {"embeddings.position_embeddings", "pos_embed"},
    {"embeddings.patch_embeddings.projection.*", "patch_embed.proj.*"},
    {"encoder.layer.#.layernorm_before.*", "blocks.#.norm1.*"},
    {"encoder.layer.#.layernorm_after.*", "blocks.#.norm2.*"},
    {"encoder.layer.#.attention.attention.@.*", "blocks.#.attn.qkv.*"},
    {"encoder.layer.#.attention.output.dense.*", "blocks.#.attn.proj.*"},
    {"encoder.layer.#.intermediate.dense.*", "blocks.#.mlp.fc1.*"},
    {"encoder.layer.#.output.dense.*", "blocks.#.mlp.fc2.*"},
    {"layers.#.layernorm_before.*", "blocks.#.norm1.*"},
    {"layers.#.layernorm_after.*", "blocks.#.norm2.*"},
    {"layers.#.attention.@_proj.*", "blocks.#.attn.qkv.*"},
    {"layers.#.attention.o_proj.*", "blocks.#.attn.proj.*"},
    {"layers.#.mlp.fc1.*", "blocks.#.mlp.fc1.*"},
    {"layers.#.mlp.fc2.*", "blocks.#.mlp.fc2.*"},
    {"layernorm.*", "norm.*"},
    {"pooler.dense.*", ""},
    // Names of masked autoencoders.
    {"decoder.mask_token", "mask_token"},
    {"decoder.decoder_pos_embed", "decoder_pos_embed"},
    {"decoder.decoder_embed.*", "decoder_embed.*"},
    {"decoder.decoder_norm.*", "decoder_norm.*"},
    {"decoder.decoder_pred.*", "decoder_pred.*"},
    {"decoder.decoder_layers.#.layernorm_before.*", "decoder_blocks.#.norm1.*"},
    {"decoder.decoder_layers.#.layernorm_after.*", "decoder_blocks.#.norm2.*"},
    {"decoder.decoder_layers.#.attention.attention.@.*",
     "decoder_blocks.#.attn.qkv.*"},
    {"decoder.decoder_layers.#.attention.output.dense.*",
     "decoder_blocks.#.attn.proj.*"},
    {"decoder.decoder_layers.#.intermediate.dense.*",
     "decoder_blocks.#.mlp.fc1.*"},
    {"decoder.decoder_layers.#.output.dense.*", "decoder_blocks.#.mlp.fc2.*"},
    // Names of version 5: of its modules, and in its saved files.
    {"decoder.decoder_layers.#.attention.@_proj.*",
     "decoder_blocks.#.attn.qkv.*"},
    {"decoder.decoder_layers.#.attention.o_proj.*",
     "decoder_blocks.#.attn.proj.*"},
    {"decoder.decoder_layers.#.mlp.fc1.*", "decoder_blocks.#.mlp.fc1.*"},
    {"decoder.decoder_layers.#.mlp.fc2.*", "decoder_blocks.#.mlp.fc2.*"},
    {"decoder.decoder_encoder.layer.#.layernorm_before.*",
     "decoder_blocks.#.norm1.*"},
    {"decoder.decoder_encoder.layer.#.layernorm_after.*",
     "decoder_blocks.#.norm2.*"},
    {"decoder.decoder_encoder.layer.#.attention.attention.@.*",
     "decoder_blocks.#.attn.qkv.*"},
    {"decoder.decoder_encoder.layer.#.attention.output.dense.*",
     "decoder_blocks.#.attn.proj.*"},
    {"decoder.decoder_encoder.layer.#.intermediate.dense.*",
     "decoder_blocks.#.mlp.fc1.*"},
    {"decoder.decoder_encoder.layer.#.output.dense.*",
     "decoder_blocks.#.mlp.fc2.*"},
    {"classifier.*", "head.*"},
    {"cls_classifier.*", "head.*"},
    {"distillation_classifier.*", "head_dist.*"},
};

constexpr std::string_view kTransformersBeitPrefixes[] = {"beit."};
constexpr std::string_view kTransformersBeit[] = {
    "embeddings.patch_embeddings.projection.weight",
    "encoder.layer.#.lambda_1"};
constexpr std::string_view kTransformersBeitModules[] = {
    "embeddings.patch_embeddings.projection.weight",
    "layers.#.lambda_1"};
constexpr NameRule kTransformersBeitRules[] = {
    {"embeddings.cls_token", "cls_token"},
    {"embeddings.mask_token", ""},
    {"embeddings.position_embeddings", "pos_embed"},
    {"embeddings.patch_embeddings.projection.*", "patch_embed.proj.*"},
    {"encoder.layer.#.layernorm_before.*", "blocks.#.norm1.*"},
    {"encoder.layer.#.layernorm_after.*", "blocks.#.norm2.*"},
    {"encoder.layer.#.attention.attention.@.weight",
     "blocks.#.attn.qkv.weight"},
    {"encoder.layer.#.attention.attention.query.bias", "blocks.#.attn.q_bias"},
    {"encoder.layer.#.attention.attention.value.bias", "blocks.#.attn.v_bias"},
    {"encoder.layer.#.attention.attention.relative_position_bias.*",
     "blocks.#.attn.*"},
    {"encoder.layer.#.attention.output.dense.*", "blocks.#.attn.proj.*"},
    {"encoder.layer.#.intermediate.dense.*", "blocks.#.mlp.fc1.*"},
    {"encoder.layer.#.output.dense.*", "blocks.#.mlp.fc2.*"},
    {"encoder.layer.#.lambda_1", "blocks.#.gamma_1"},
    {"encoder.layer.#.lambda_2", "blocks.#.gamma_2"},
    {"layers.#.layernorm_before.*", "blocks.#.norm1.*"},
    {"layers.#.layernorm_after.*", "blocks.#.norm2.*"},
    {"layers.#.attention.@_proj.weight", "blocks.#.attn.qkv.weight"},
    {"layers.#.attention.q_proj.bias", "blocks.#.attn.q_bias"},
    {"layers.#.attention.v_proj.bias", "blocks.#.attn.v_bias"},
    {"layers.#.relative_position_bias.*", "blocks.#.attn.*"},
    {"layers.#.attention.o_proj.*", "blocks.#.attn.proj.*"},
    {"layers.#.mlp.fc1.*", "blocks.#.mlp.fc1.*"},
    {"layers.#.mlp.fc2.*", "blocks.#.mlp.fc2.*"},
    {"layers.#.lambda_1", "blocks.#.gamma_1"},
    {"layers.#.lambda_2", "blocks.#.gamma_2"},
    {"pooler.layernorm.*", "fc_norm.*"},
    {"classifier.*", "head.*"},
};

constexpr std::string_view kTransformersConvnextPrefixes[] = {
    "convnext.",
    "convnextv2."};
constexpr std::string_view kTransformersConvnext[] = {
    "embeddings.patch_embeddings.weight",
    "encoder.stages.#.layers.#.dwconv.weight"};
constexpr NameRule kTransformersConvnextRules[] = {
    {"embeddings.patch_embeddings.*", "stem.0.*"},
    {"embeddings.layernorm.*", "stem.1.*"},
    {"encoder.stages.#.downsampling_layer.#.*", "stages.#.downsample.#.*"},
    {"encoder.stages.#.layers.#.layer_scale_parameter",
     "stages.#.blocks.#.gamma"},
    {"encoder.stages.#.layers.#.dwconv.*", "stages.#.blocks.#.conv_dw.*"},
    {"encoder.stages.#.layers.#.layernorm.*", "stages.#.blocks.#.norm.*"},
    {"encoder.stages.#.layers.#.pwconv1.*", "stages.#.blocks.#.mlp.fc1.*"},
    {"encoder.stages.#.layers.#.grn.*",
     "stages.#.blocks.#.mlp.grn.*",
     Layout::kFlat},
    {"encoder.stages.#.layers.#.pwconv2.*", "stages.#.blocks.#.mlp.fc2.*"},
    {"layernorm.*", "head.norm.*"},
    {"classifier.*", "head.fc.*"},
};

constexpr std::string_view kTransformersResnetPrefixes[] = {"resnet."};
constexpr std::string_view kTransformersResnet[] = {
    "embedder.embedder.convolution.weight"};
constexpr NameRule kTransformersResnetRules[] = {
    {"embedder.embedder.convolution.*", "conv1.*"},
    {"embedder.embedder.normalization.*", "bn1.*"},
    {"encoder.stages.#.layers.#.layer.#.convolution.*", "layer+.#.conv+.*"},
    {"encoder.stages.#.layers.#.layer.#.normalization.*", "layer+.#.bn+.*"},
    {"encoder.stages.#.layers.#.shortcut.convolution.*",
     "layer+.#.downsample.0.*"},
    {"encoder.stages.#.layers.#.shortcut.normalization.*",
     "layer+.#.downsample.1.*"},
    {"classifier.1.*", "fc.*"},
};

constexpr std::string_view kTransformersPvtV2Prefixes[] = {"pvt_v2."};
constexpr std::string_view kTransformersPvtV2[] = {
    "encoder.layers.0.patch_embedding.proj.weight",
    "encoder.layers.#.blocks.#.mlp.dwconv.dwconv.weight"};
constexpr NameRule kTransformersPvtV2Rules[] = {
    {"encoder.layers.0.patch_embedding.proj.*", "patch_embed.proj.*"},
    {"encoder.layers.0.patch_embedding.layer_norm.*", "patch_embed.norm.*"},
    {"encoder.layers.#.patch_embedding.proj.*", "stages.#.downsample.proj.*"},
    {"encoder.layers.#.patch_embedding.layer_norm.*",
     "stages.#.downsample.norm.*"},
    {"encoder.layers.#.blocks.#.layer_norm_1.*", "stages.#.blocks.#.norm1.*"},
    {"encoder.layers.#.blocks.#.attention.query.*",
     "stages.#.blocks.#.attn.q.*"},
    // Keys and values.
    {"encoder.layers.#.blocks.#.attention.@.*", "stages.#.blocks.#.attn.kv.*"},
    {"encoder.layers.#.blocks.#.attention.proj.*",
     "stages.#.blocks.#.attn.proj.*"},
    {"encoder.layers.#.blocks.#.attention.spatial_reduction.*",
     "stages.#.blocks.#.attn.sr.*"},
    {"encoder.layers.#.blocks.#.attention.layer_norm.*",
     "stages.#.blocks.#.attn.norm.*"},
    {"encoder.layers.#.blocks.#.layer_norm_2.*", "stages.#.blocks.#.norm2.*"},
    {"encoder.layers.#.blocks.#.mlp.dense1.*", "stages.#.blocks.#.mlp.fc1.*"},
    {"encoder.layers.#.blocks.#.mlp.dwconv.dwconv.*",
     "stages.#.blocks.#.mlp.dwconv.*"},
    {"encoder.layers.#.blocks.#.mlp.dense2.*", "stages.#.blocks.#.mlp.fc2.*"},
    {"encoder.layers.#.layer_norm.*", "stages.#.norm.*"},
    {"classifier.*", "head.*"},
};

constexpr std::string_view kTransformersPoolformerPrefixes[] = {"poolformer."};
constexpr std::string_view kTransformersPoolformer[] = {
    "encoder.patch_embeddings.0.projection.weight",
    "encoder.block.#.#.before_norm.weight"};
constexpr NameRule kTransformersPoolformerRules[] = {
    {"encoder.patch_embeddings.0.projection.*", "stem.conv.*"},
    {"encoder.patch_embeddings.#.projection.*", "stages.#.downsample.conv.*"},
    {"encoder.block.#.#.before_norm.*", "stages.#.blocks.#.norm1.*"},
    {"encoder.block.#.#.layer_scale_1", "stages.#.blocks.#.layer_scale1.scale"},
    {"encoder.block.#.#.after_norm.*", "stages.#.blocks.#.norm2.*"},
    {"encoder.block.#.#.output.conv1.*", "stages.#.blocks.#.mlp.fc1.*"},
    {"encoder.block.#.#.output.conv2.*", "stages.#.blocks.#.mlp.fc2.*"},
    {"encoder.block.#.#.layer_scale_2", "stages.#.blocks.#.layer_scale2.scale"},
    {"norm.*", "head.norm.*"},
    {"classifier.*", "head.fc.*"},
};

constexpr std::string_view kTransformersLevitPrefixes[] = {"levit."};
constexpr std::string_view kTransformersLevit[] = {
    "patch_embeddings.embedding_layer_#.convolution.weight",
    "encoder.stages.#.layers.#.keys_values.linear.weight"};
constexpr NameRule kTransformersLevitRules[] = {
    {"patch_embeddings.embedding_layer_#.convolution.*", "stem.conv#.linear.*"},
    {"patch_embeddings.embedding_layer_#.batch_norm.*", "stem.conv#.bn.*"},
    {"stages.#.blocks.#.module.queries_keys_values.linear.*",
     "stages.#.blocks.#.attn.qkv.linear.*"},
    {"stages.#.blocks.#.module.queries_keys_values.batch_norm.*",
     "stages.#.blocks.#.attn.qkv.bn.*"},
    {"stages.#.blocks.#.module.projection.linear.*",
     "stages.#.blocks.#.attn.proj.ln.linear.*"},
    {"stages.#.blocks.#.module.projection.batch_norm.*",
     "stages.#.blocks.#.attn.proj.ln.bn.*"},
    {"stages.#.blocks.#.module.linear_up.linear.*",
     "stages.#.blocks.#.mlp.ln1.linear.*"},
    {"stages.#.blocks.#.module.linear_up.batch_norm.*",
     "stages.#.blocks.#.mlp.ln1.bn.*"},
    {"stages.#.blocks.#.module.linear_down.linear.*",
     "stages.#.blocks.#.mlp.ln2.linear.*"},
    {"stages.#.blocks.#.module.linear_down.batch_norm.*",
     "stages.#.blocks.#.mlp.ln2.bn.*"},
    {"stages.#.blocks.#.module.attention_biases",
     "stages.#.blocks.#.attn.attention_biases"},
    {"stages.#.downsample.keys_values.linear.*",
     "stages.#.downsample.attn_downsample.kv.linear.*"},
    {"stages.#.downsample.keys_values.batch_norm.*",
     "stages.#.downsample.attn_downsample.kv.bn.*"},
    {"stages.#.downsample.queries.linear.*",
     "stages.#.downsample.attn_downsample.q.ln.linear.*"},
    {"stages.#.downsample.queries.batch_norm.*",
     "stages.#.downsample.attn_downsample.q.ln.bn.*"},
    {"stages.#.downsample.projection.linear.*",
     "stages.#.downsample.attn_downsample.proj.ln.linear.*"},
    {"stages.#.downsample.projection.batch_norm.*",
     "stages.#.downsample.attn_downsample.proj.ln.bn.*"},
    {"stages.#.downsample.module.linear_up.linear.*",
     "stages.#.downsample.mlp.ln1.linear.*"},
    {"stages.#.downsample.module.linear_up.batch_norm.*",
     "stages.#.downsample.mlp.ln1.bn.*"},
    {"stages.#.downsample.module.linear_down.linear.*",
     "stages.#.downsample.mlp.ln2.linear.*"},
    {"stages.#.downsample.module.linear_down.batch_norm.*",
     "stages.#.downsample.mlp.ln2.bn.*"},
    {"stages.#.downsample.attention_biases",
     "stages.#.downsample.attn_downsample.attention_biases"},
    {"classifier.batch_norm.*", "head.bn.*"},
    {"classifier.linear.*", "head.linear.*"},
    {"classifier_distill.batch_norm.*", "head_dist.bn.*"},
    {"classifier_distill.linear.*", "head_dist.linear.*"},
};

constexpr auto kTransformers = std::to_array<Convention>({
    // Before ViT: BEiT without prefix matches ViT's signature, too.
    {"transformers",
     "BEiT",
     kTransformersBeitPrefixes,
     kTransformersBeit,
     kTransformersBeitRules},
    {"transformers",
     "BEiT",
     kTransformersBeitPrefixes,
     kTransformersBeitModules,
     kTransformersBeitRules},
    {"transformers",
     "DINOv2",
     kTransformersDinoPrefixes,
     kTransformersDino,
     kTransformersDinoRules,
     prepare_transformers_dino},
    {"transformers",
     "ViT",
     kTransformersVitPrefixes,
     kTransformersVit,
     kTransformersVitRules},
    {"transformers",
     "ViT",
     kTransformersVitPrefixes,
     kTransformersVitModules,
     kTransformersVitRules},
    // Before Swin: Swin V2 matches its signature, too.
    {"transformers",
     "Swin V2",
     kTransformersSwinV2Prefixes,
     kTransformersSwinV2,
     kTransformersSwinV2Rules},
    {"transformers",
     "Swin",
     kTransformersSwinPrefixes,
     kTransformersSwin,
     kTransformersSwinRules},
    {"transformers",
     "Swin",
     kTransformersSwinPrefixes,
     kTransformersSwinModules,
     kTransformersSwinRules},
    {"transformers",
     "ConvNeXt",
     kTransformersConvnextPrefixes,
     kTransformersConvnext,
     kTransformersConvnextRules},
    // Before ResNet: RegNet matches its signature, too.
    {"transformers",
     "RegNet",
     kTransformersRegNetPrefixes,
     kTransformersRegNet,
     kTransformersRegNetRules},
    {"transformers",
     "RegNet",
     kTransformersRegNetPrefixes,
     kTransformersRegNetY,
     kTransformersRegNetRules},
    {"transformers",
     "ResNet",
     kTransformersResnetPrefixes,
     kTransformersResnet,
     kTransformersResnetRules},
    {"transformers",
     "PVT v2",
     kTransformersPvtV2Prefixes,
     kTransformersPvtV2,
     kTransformersPvtV2Rules},
    {"transformers",
     "PoolFormer",
     kTransformersPoolformerPrefixes,
     kTransformersPoolformer,
     kTransformersPoolformerRules,
     note_order_of_pooling},
    {"transformers",
     "LeViT",
     kTransformersLevitPrefixes,
     kTransformersLevit,
     kTransformersLevitRules,
     number_transformers_levit},
    {"transformers",
     "MobileViT",
     kTransformersMobileVitPrefixes,
     kTransformersMobileVit,
     kTransformersMobileVitRules,
     note_colours_of_transformers},
    {.program = "transformers",
     .family = "SigLIP",
     .prefixes = kTransformersSiglipPrefixes,
     .signature = kTransformersSiglip,
     .rules = kTransformersSiglipRules,
     .prepare = prepare_transformers_siglip,
     .without = kNotSiglip},
});

constexpr auto kAll = [] {
  std::array<
      Convention,
      std::size(kTransformers) + std::size(kTransformersEfficientNets)>
      all{};
  std::ranges::copy(
      kTransformersEfficientNets,
      std::ranges::copy(kTransformers, all.begin()).out);
  return all;
}();

} // namespace

std::span<const Convention> transformers_conventions() {
  return kAll;
}

} // namespace vitrain::weights
