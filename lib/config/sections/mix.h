#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "options/mix_mode.h"

namespace vitrain::config {

// Mixup (Zhang et al., "mixup: Beyond empirical risk minimization", ICLR 2018)
// and CutMix (Yun et al., "CutMix: Regularization strategy to train strong
// classifiers with localizable features", ICCV 2019) as timm's Mixup combines
// them; part of data.augment.
struct MixConfig {
  double mixup = 0.0;
  double cutmix = 0.0;
  std::optional<std::array<double, 2>> cutmix_minmax;
  double mix_prob = 1.0;
  double mix_switch_prob = 0.5;
  MixMode mix_mode = MixMode::kBatch;
  std::optional<std::int64_t> mix_off_epoch;

  // Returns true if mixup or CutMix is requested.
  bool wanted() const { return mixup > 0.0 || cutmix > 0.0 || cutmix_minmax; }
  // Returns true if some batch can be mixed.
  bool active() const {
    return wanted() && mix_prob > 0.0 && mix_off_epoch != 0;
  }

  template <typename Visitor>
  void visit(Visitor& v) {
    // wanted() instead of active(): mix_prob: 0, with which active() is false,
    // is not a key without effect.
    const auto mixes = [this] { return wanted(); };
    v.field(
         "mixup",
         mixup,
         "Images and targets are mixed with a partner's, with a share drawn "
         "from Beta(mixup, mixup); 0: no mixup. The partner is the sample at "
         "the same place of the micro-batch in reverse order.")
        .at_least(0.0);
    v.field(
         "cutmix",
         cutmix,
         "A box of the partner's image is pasted in, with a share of the area "
         "of Beta(cutmix, cutmix) left; 0: no CutMix.")
        .at_least(0.0);
    v.field(
         "cutmix_minmax",
         cutmix_minmax,
         "CutMix with boxes whose sides are uniform between these shares of "
         "the image's instead; takes `cutmix` as 1.")
        .each_more_than(0.0)
        .each_at_most(1.0)
        .ascending();
    v.field(
         "mix_prob",
         mix_prob,
         "Probability that a micro-batch, or with another mix_mode a pair or "
         "sample, is mixed.")
        .in_range(0.0, 1.0)
        .needs("data.augment.mixup or cutmix", mixes);
    v.field(
         "mix_switch_prob",
         mix_switch_prob,
         "With both mixup and CutMix: probability of CutMix.")
        .in_range(0.0, 1.0)
        .needs("data.augment.mixup or cutmix", mixes);
    v.field(
         "mix_mode",
         mix_mode,
         "What is drawn once for: the micro-batch (`batch`), each pair of "
         "partners (`pair`) or each sample (`elem`).")
        .needs("data.augment.mixup or cutmix", mixes);
    v.field(
         "mix_off_epoch",
         mix_off_epoch,
         "Epochs after which nothing is mixed; `null`: always.")
        .at_least(0.0);
  }
};

} // namespace vitrain::config
