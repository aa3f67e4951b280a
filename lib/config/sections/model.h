#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/sections/freezing.h"
#include "config/sections/lora.h"
#include "config/sections/model_kinds.h"
#include "options/image_size.h"
#include "options/resampling.h"

namespace vitrain::config {

// Network and its initial weights.
struct ModelConfig {
  std::string name = "vit_small_patch16_224";
  std::optional<std::int64_t> num_classes;
  std::optional<ImageSize> image_size;
  std::optional<std::int64_t> in_chans;
  std::optional<std::int64_t> patch_size;
  std::optional<std::int64_t> embed_dim;
  std::optional<std::int64_t> depth;
  std::optional<std::int64_t> num_heads;
  std::optional<double> mlp_ratio;
  double drop_path = 0.0;
  double dropout = 0.0;
  double attention_dropout = 0.0;
  double head_dropout = 0.0;
  GlobalPool global_pool = GlobalPool::kAuto;
  std::optional<std::int64_t> decoder_embed_dim;
  std::optional<std::int64_t> decoder_depth;
  std::optional<std::int64_t> decoder_num_heads;
  double mask_ratio = 0.75;
  bool norm_pix_loss = true;
  std::optional<std::string> pretrained;
  std::string pretrained_part;
  std::string pretrained_names = "auto";
  Resampling pretrained_resampling = Resampling::kTimm;
  HeadInit head_init = HeadInit::kAuto;
  std::vector<std::string> freeze;
  bool freeze_batchnorm = true;
  LoraConfig lora;

  // Returns true if some parameters are not trained.
  bool freezes() const { return !freeze.empty() || lora.active(); }

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field("name", name, "Model name as in timm; `vitrain models` lists them.")
        .not_empty();
    v.field(
         "num_classes",
         num_classes,
         "Outputs of the head; `auto`: the number of classes of the data, or "
         "of "
         "their targets.")
        .auto_value()
        .in_range(1, 1 << 20);
    v.field(
         "image_size",
         image_size,
         "Input in pixels: the side of a square, or `[height, width]`; `auto`: "
         "the size in the model's name (224 when it has none).")
        .auto_value()
        .in_range(1, 4096);
    v.field(
         "in_chans",
         in_chans,
         "Channels of the images: 3 for colours, 1 for grey, or as many as "
         "TIFF "
         "files (any number) or PNG files (4 with alpha, grey 2) have; `auto`: "
         "from the name.")
        .auto_value()
        .in_range(1, 1024);
    v.field(
         "patch_size",
         patch_size,
         "Side of a ViT's patches in pixels; `auto`: from the name.")
        .auto_value()
        .in_range(1, 1024);
    v.field(
         "embed_dim",
         embed_dim,
         "Width of a ViT, or of the hidden layers of `mlp`; `auto`: from the "
         "name.")
        .auto_value()
        .in_range(1, 16384);
    v.field(
         "depth",
         depth,
         "Blocks of a ViT, or hidden layers of `mlp`; `auto`: from the name.")
        .auto_value()
        .in_range(1, 1024);
    v.field(
         "num_heads",
         num_heads,
         "Attention heads of a ViT; `auto`: from the name.")
        .auto_value()
        .in_range(1, 1024);
    v.field(
         "mlp_ratio",
         mlp_ratio,
         "Hidden width of a ViT's MLP over `embed_dim`; `auto`: from the name.")
        .auto_value()
        .more_than(0.0);
    v.field(
         "drop_path",
         drop_path,
         "Stochastic depth: rate of the last block, rising linearly from 0 at "
         "the first.")
        .at_least(0.0)
        .less_than(1.0);
    v.field(
         "dropout",
         dropout,
         "Dropout probability of a ViT after the position embedding, "
         "attention's projection and both layers of the MLP.")
        .at_least(0.0)
        .less_than(1.0);
    v.field(
         "attention_dropout",
         attention_dropout,
         "The same for the weights of attention.")
        .at_least(0.0)
        .less_than(1.0);
    v.field(
         "head_dropout",
         head_dropout,
         "Dropout probability of the classifier's input, for every network "
         "with a classifier (timm's `--drop`).")
        .at_least(0.0)
        .less_than(1.0);
    v.field(
        "global_pool",
        global_pool,
        "Input of a ViT's classifier: the class `token`, or the mean of the "
        "patches, followed by the last norm (`avg`), as MAE is fine-tuned; "
        "`auto`: from the name.");
    visit_mae(v);
    v.field(
        "pretrained",
        pretrained,
        "Weights to start from: a file (safetensors, PyTorch, NumPy's .npz, "
        "PaddlePaddle), its path without extension, a checkpoint, a run, or "
        "`timm:NAME` from the local Hugging Face cache.");
    v.field(
        "pretrained_part",
        pretrained_part,
        "Which dictionary of a checkpoint file has the weights, as `model` or "
        "`outer.inner`, or of a checkpoint of vitrain `model` or `ema`; empty: "
        "averaged weights first, then the usual names.");
    v.field(
        "pretrained_names",
        pretrained_names,
        "Whose tensor names the file has: `timm`, `torchvision`, "
        "`transformers`, `mmpretrain`, `original` (a network's authors), "
        "`big_vision`, `paddlevit`, `efficientnet_pytorch`, or `auto`: as the "
        "names say.");
    v.field(
        "pretrained_resampling",
        pretrained_resampling,
        "How positions of `pretrained` come to another grid: as `timm` does it "
        "(bicubic with antialias), `deit` and `paddlevit` (bicubic), "
        "`timm_npz` (bilinear) or `big_vision` (bilinear, corners in place).");
    v.field(
        "head_init",
        head_init,
        "Head of `pretrained`: `load` it, make a `fresh` one, or `auto`: load "
        "it when the number of classes agrees.");
    visit_freezing(v, freeze, freeze_batchnorm);
    v.section("lora", lora, "Low-rank adapters.");
  }

 private:
  // Keys of masked autoencoders.
  template <typename Visitor>
  void visit_mae(Visitor& v) {
    v.field(
         "decoder_embed_dim",
         decoder_embed_dim,
         "Width of the decoder of a masked autoencoder; `auto`: from the name.")
        .auto_value()
        .in_range(1, 16384);
    v.field(
         "decoder_depth", decoder_depth, "Its blocks; `auto`: from the name.")
        .auto_value()
        .in_range(1, 1024);
    v.field(
         "decoder_num_heads",
         decoder_num_heads,
         "Its attention heads; `auto`: from the name.")
        .auto_value()
        .in_range(1, 1024);
    v.field(
         "mask_ratio",
         mask_ratio,
         "Share of the patches that a masked autoencoder does not see.")
        .more_than(0.0)
        .less_than(1.0);
    v.field(
        "norm_pix_loss",
        norm_pix_loss,
        "Whether the pixels that it has to give are normalised in each patch.");
  }
};

} // namespace vitrain::config
