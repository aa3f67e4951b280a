#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/enum_names.h"

namespace vitrain::config {

enum class OptimKind { kAdamW, kSgd };
constexpr auto names_of(OptimKind) {
  using enum OptimKind;
  return enum_names<OptimKind>({{kAdamW, "adamw"}, {kSgd, "sgd"}});
}

// The optimizer.
struct OptimConfig {
  OptimKind name = OptimKind::kAdamW;
  double lr = 1e-3;
  double weight_decay = 0.05;
  std::array<double, 2> betas{0.9, 0.999};
  double eps = 1e-8;
  double momentum = 0.9;
  bool nesterov = false;
  std::vector<std::string> no_decay{
      "bias",
      "norm",
      "cls_token",
      "dist_token",
      "reg_token",
      "pos_embed"};
  std::optional<double> clip_norm;

  // "adamw", "sgd without momentum": what a saved state can be loaded into.
  std::string identity() const {
    const bool plain = name == OptimKind::kSgd && momentum == 0.0;
    return name_of(name) + (plain ? " without momentum" : "");
  }

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
        "name", name, "`adamw`: decoupled weight decay; `sgd`: coupled L2.");
    v.field("lr", lr, "Peak learning rate, before schedule.scale.")
        .at_least(0.0);
    v.field(
         "weight_decay",
         weight_decay,
         "AdamW's decoupled decay, or SGD's L2 factor.")
        .at_least(0.0);
    v.field("betas", betas, "AdamW: decay of the two moments.")
        .each_at_least(0.0)
        .each_less_than(1.0)
        .needs("optim.name", name, OptimKind::kAdamW);
    v.field("eps", eps, "AdamW: added to the denominator.")
        .more_than(0.0)
        .needs("optim.name", name, OptimKind::kAdamW);
    v.field("momentum", momentum, "SGD: momentum.")
        .at_least(0.0)
        .less_than(1.0)
        .needs("optim.name", name, OptimKind::kSgd);
    v.field("nesterov", nesterov, "SGD: Nesterov's momentum.")
        .needs("optim.name", name, OptimKind::kSgd);
    v.field(
        "no_decay",
        no_decay,
        "Parameters without weight decay: `bias` (every bias), `norm` (every "
        "one-dimensional weight), or the end of a parameter's name.");
    v.field(
         "clip_norm",
         clip_norm,
         "Gradients are scaled down to this global norm; null: not at all.")
        .more_than(0.0);
  }
};

} // namespace vitrain::config
