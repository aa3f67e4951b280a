#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "config/paddlevit/paddle_family.h"
#include "config/paddlevit/paddlevit_train.h"

// PaddleViT's configs as plain values under PaddleViT's names, with the
// defaults of its ViT. paddlevit_keys.cpp has their meaning in vitrain;
// PaddleFamily::keys are the keys that only other families have.
namespace vitrain::config::paddlevit {

struct Data {
  std::int64_t batch_size = 256;
  std::optional<std::int64_t> batch_size_eval;
  std::string data_path = "/dataset/imagenet/";
  std::string dataset = "imagenet2012";
  std::int64_t image_size = 224;
  std::int64_t image_channels = 3;
  // Keys of BEiT's pretraining and of BoTNet; without effect.
  std::optional<std::int64_t> second_image_size;
  std::optional<std::array<std::int64_t, 2>> fmap_size;
  double crop_pct = 0.875;
  std::optional<std::int64_t> num_workers;
  std::array<double, 3> mean{0.5, 0.5, 0.5};
  std::array<double, 3> std{0.5, 0.5, 0.5};

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field("BATCH_SIZE", batch_size, "").in_range(1, 1 << 20);
    v.field("BATCH_SIZE_EVAL", batch_size_eval, "").in_range(1, 1 << 20);
    v.field("DATA_PATH", data_path, "").not_empty();
    v.field("DATASET", dataset, "").each_of({"imagenet2012"});
    v.field("IMAGE_SIZE", image_size, "").in_range(1, 4096);
    v.field("IMAGE_CHANNELS", image_channels, "").in_range(1, 4096);
    v.field("SECOND_IMAGE_SIZE", second_image_size, "").in_range(1, 4096);
    v.field("FMAP_SIZE", fmap_size, "").in_range(1, 4096);
    v.field("CROP_PCT", crop_pct, "").more_than(0.0).at_most(2.0);
    v.field("NUM_WORKERS", num_workers, "").in_range(0, 1024);
    v.field("IMAGENET_MEAN", mean, "");
    v.field("IMAGENET_STD", std, "").each_more_than(0.0);
  }
};

struct PaddleModel {
  std::string type = "vit";
  std::string name = "vit";
  std::optional<std::string> resume;
  std::optional<std::string> pretrained;
  std::int64_t num_classes = 1000;
  double dropout = 0.0;
  double attention_dropout = 0.0;
  double droppath = 0.0;
  // The keys below belong to families with PaddleFamily::vit_numbers; keys of
  // other families are in Config::own.
  bool vit_numbers = true;
  std::int64_t patch_size = 16;
  std::int64_t embed_dim = 768;
  std::int64_t num_heads = 12;
  std::optional<std::int64_t> attn_head_size;
  std::int64_t depth = 12;
  double mlp_ratio = 4.0;
  bool qkv_bias = true;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field("TYPE", type, "").not_empty();
    v.field("NAME", name, "").not_empty();
    v.field("RESUME", resume, "");
    v.field("PRETRAINED", pretrained, "");
    v.field("NUM_CLASSES", num_classes, "").in_range(1, 1 << 20);
    v.field("DROPOUT", dropout, "").at_least(0.0).less_than(1.0);
    v.field("ATTENTION_DROPOUT", attention_dropout, "")
        .at_least(0.0)
        .less_than(1.0);
    v.field("DROPPATH", droppath, "").at_least(0.0).less_than(1.0);
    if (!vit_numbers) {
      return;
    }
    v.field("PATCH_SIZE", patch_size, "").in_range(1, 1024);
    v.field("EMBED_DIM", embed_dim, "").in_range(1, 16384);
    v.field("NUM_HEADS", num_heads, "").in_range(1, 1024);
    v.field("ATTN_HEAD_SIZE", attn_head_size, "").in_range(1, 16384);
    v.field("DEPTH", depth, "").in_range(1, 1024);
    v.field("MLP_RATIO", mlp_ratio, "").more_than(0.0);
    v.field("QKV_BIAS", qkv_bias, "");
  }
};

struct Config {
  Data data;
  PaddleModel model;
  Train train;
  std::string save = "./output";
  std::int64_t save_freq = 10;
  std::int64_t report_freq = 20;
  std::int64_t validate_freq = 1;
  std::int64_t seed = 0;
  bool eval = false;
  bool amp = false;
  std::int64_t ngpus = -1;
  std::string tag = "default";
  std::int64_t local_rank = 0;

  const PaddleFamily* family = nullptr; // of model.type; null: as ViT
  OwnValues own; // values of the family's own keys

  // Returns true if the network has a second head, for distillation.
  bool two_heads() const {
    return family != nullptr && family->two_heads &&
        train.distillation_type != "none";
  }
  // Returns the network that `own` describes; null if there is none, or if the
  // family has vit_numbers.
  const Network* network() const {
    return family == nullptr
        ? nullptr
        : find_network(*family, own, data.image_size, two_heads());
  }

  template <typename Visitor>
  void visit(Visitor& v) {
    v.section("DATA", data, "");
    v.section("MODEL", model, "");
    v.section("TRAIN", train, "");
    v.field("SAVE", save, "").not_empty();
    v.field("SAVE_FREQ", save_freq, "").in_range(1, 1000000);
    v.field("REPORT_FREQ", report_freq, "").in_range(1, 1000000000);
    v.field("VALIDATE_FREQ", validate_freq, "").in_range(1, 1000000);
    v.field("SEED", seed, "").at_least(0);
    v.field("EVAL", eval, "");
    v.field("AMP", amp, "");
    v.field("NGPUS", ngpus, "").one_of_or_at_least(-1, 1);
    v.field("TAG", tag, "");
    v.field("LOCAL_RANK", local_rank, "");
  }
};

} // namespace vitrain::config::paddlevit
