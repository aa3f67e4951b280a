#include "config/paddlevit/vit_families.h"

#include "config/sections/recipe.h"
#include "core/text.h"

namespace vitrain::config::paddlevit {
namespace {

double number_of(const Config& config, std::string_view key) {
  double value = 0.0;
  parse_double(config.own.find(key)->second, value);
  return value;
}

} // namespace

void translate_mae(const Config& config, Recipe& recipe) {
  if (config.own.find("MAE_PRETRAIN")->second != "true") {
    return;
  }
  const auto count = [&](std::string_view key) {
    return static_cast<std::int64_t>(number_of(config, key));
  };
  ModelConfig& model = recipe.model;
  model.num_classes.reset();
  model.drop_path = 0.0;
  model.decoder_embed_dim = count("TRANS.DECODER.EMBED_DIM");
  model.decoder_depth = count("TRANS.DECODER.DEPTH");
  model.decoder_num_heads = count("TRANS.DECODER.NUM_HEADS");
  model.mask_ratio = number_of(config, "TRANS.MASK_RATIO");
  model.norm_pix_loss = config.train.normalize_target;
  recipe.train.loss = LossKind::kPixels;
  recipe.train.label_smoothing = 0.0;
  recipe.data.augment.mix.mixup = 0.0;
  recipe.data.augment.mix.cutmix = 0.0;
  recipe.data.augment.mix.cutmix_minmax.reset();
  recipe.checkpoint.metric = Metric::kLoss;
}

} // namespace vitrain::config::paddlevit
