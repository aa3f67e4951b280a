#include "config/paddlevit/paddlevit_idle.h"

namespace vitrain::config::paddlevit {

std::string_view idle_beside_others(
    const Config& config,
    std::string_view key) {
  const Train& train = config.train;
  if (key.starts_with("TRAIN.RAND_AUGMENT_") && !train.rand_augment) {
    return "belongs to RAND_AUGMENT, which is False";
  }
  if (key == "TRAIN.AUTO_AUGMENT" && train.auto_augment && train.rand_augment) {
    return "RAND_AUGMENT is True too, and wins";
  }
  if (key == "TRAIN.COLOR_JITTER" && train.color_jitter > 0.0 &&
      (train.auto_augment || train.rand_augment)) {
    return "AUTO_AUGMENT or RAND_AUGMENT takes its place";
  }
  if (key == "TRAIN.MODEL_EMA_DECAY" && !train.model_ema) {
    return "belongs to MODEL_EMA, which is False";
  }
  return "";
}

} // namespace vitrain::config::paddlevit
