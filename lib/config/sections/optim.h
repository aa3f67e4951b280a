#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/schema/group_rule.h"
#include "config/sections/clipping.h"
#include "config/sections/lookahead.h"
#include "config/sections/optimizer_row.h"

namespace vitrain::config {

// Optimizer and its numbers.
struct OptimConfig {
  OptimKind name = OptimKind::kAdamW;
  double lr = 1e-3;
  double weight_decay = 0.05;
  std::optional<std::vector<double>> betas;
  std::optional<double> eps;
  std::optional<double> momentum;
  std::optional<double> alpha;
  bool nesterov = false;
  bool decoupled = false;
  bool cautious = false;
  double trust_coefficient = 1e-3;
  LookaheadConfig lookahead;
  std::optional<double> sam;
  std::vector<std::string> no_decay{
      "bias",
      "norm",
      "cls_token",
      "dist_token",
      "reg_token",
      "pos_embed"};
  std::optional<double> layer_decay;
  double layer_decay_min = 0.0;
  std::vector<std::string> groups;
  std::optional<double> clip_norm;
  std::optional<double> clip_value;
  std::optional<double> clip_agc;

  const OptimizerRow& row() const { return row_of(name); }

  // Returns the optimizer's numbers: those that the recipe sets, else their
  // defaults.
  OptimNumbers numbers() const {
    OptimNumbers numbers{
        .eps = eps.value_or(row().eps.value_or(0.0)),
        .momentum = momentum.value_or(row().momentum.value_or(0.0)),
        .alpha = alpha.value_or(row().alpha.value_or(0.0))};
    for (std::size_t i = 0; i < row().betas.size(); ++i) {
      numbers.betas[i] =
          betas && i < betas->size() ? (*betas)[i] : row().betas[i];
    }
    return numbers;
  }

  // Returns "adamw", "sgd without momentum", ...: a saved state can be loaded
  // into an optimizer of equal identity.
  std::string identity() const {
    const bool plain = row().momentum && numbers().momentum == 0.0;
    return name_of(name) + (plain ? " without momentum" : "") +
        lookahead.identity();
  }

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field("name", name, ("The rule. " + help_of_all_optimizers()).c_str());
    v.field("lr", lr, "Peak learning rate, before schedule.scale.")
        .at_least(0.0);
    v.field("weight_decay", weight_decay, help_of_weight_decay().c_str())
        .at_least(0.0);
    visit_numbers(v);
    visit_options(v);
    visit_groups(v);
    visit_clipping(v, clip_norm, clip_value, clip_agc);
  }

 private:
  // Declares that the field of `rules` has an effect only if `has` is true for
  // the row of optim.name.
  template <typename Rules, typename Predicate>
  void need(Rules rules, Predicate has) const {
    rules.needs("optim.name: " + optimizers_with(has), [this, has] {
      return has(row());
    });
  }

  template <typename Visitor>
  void visit_numbers(Visitor& v) {
    need(
        v.field(
             "betas",
             betas,
             "Decay of the moments; `auto`: [0.9, 0.999], [0.9, 0.99] of lion, "
             "[0.98, 0.92, 0.99] of adan, [0.9, 0.95] of muon.")
            .auto_value()
            .each_at_least(0.0)
            .each_less_than(1.0),
        [](const OptimizerRow& row) { return !row.betas.empty(); });
    need(
        v.field(
             "eps",
             eps,
             "Added to the denominator; `auto`: 1e-8, 1e-6 of lamb, 1e-7 of "
             "muon, 1e-10 of rmsprop_tf and adagrad.")
            .auto_value()
            .more_than(0.0),
        [](const OptimizerRow& row) { return row.eps.has_value(); });
    need(
        v.field("momentum", momentum, "`auto`: 0.9, 0.95 of muon.")
            .auto_value()
            .at_least(0.0)
            .less_than(1.0),
        [](const OptimizerRow& row) { return row.momentum.has_value(); });
    need(
        v.field(
             "alpha",
             alpha,
             "Decay of the mean of squares; `auto`: 0.99, 0.9 of rmsprop_tf.")
            .auto_value()
            .at_least(0.0)
            .less_than(1.0),
        [](const OptimizerRow& row) { return row.alpha.has_value(); });
  }

  template <typename Visitor>
  void visit_options(Visitor& v) {
    need(
        v.field("nesterov", nesterov, "Nesterov's momentum."),
        [](const OptimizerRow& row) { return row.nesterov; });
    need(
        v.field(
            "decoupled",
            decoupled,
            "Weight decay is decoupled instead of L2 (SGDW)."),
        [](const OptimizerRow& row) { return row.decouples; });
    need(
        v.field(
            "cautious",
            cautious,
            "Weights move only where the gradient agrees with the update "
            "(Liang et al., \"Cautious optimizers\", 2024)."),
        [](const OptimizerRow& row) { return row.cautious; });
    v.field(
         "trust_coefficient",
         trust_coefficient,
         "Share of a parameter's norm by which an update may move it.")
        .more_than(0.0)
        .needs("optim.name", name, OptimKind::kLars);
    v.section(
        "lookahead",
        lookahead,
        "Slow weights that follow the optimizer's (Zhang et al., 2019).");
    v.field(
         "sam",
         sam,
         "Sharpness-aware minimisation (Foret et al., 2021): gradients are "
         "those at weights that are moved so far up the gradient of the same "
         "micro-batch on this device; twice the time. null: no.")
        .more_than(0.0);
  }

  template <typename Visitor>
  void visit_groups(Visitor& v) {
    v.field(
        "no_decay",
        no_decay,
        "Parameters without weight decay: `bias` (every bias), `norm` (every "
        "one-dimensional weight), or the end of a parameter's name.");
    v.field(
         "layer_decay",
         layer_decay,
         "The learning rate of each layer is the next layer's times this; "
         "layers as in timm. null: one learning rate.")
        .more_than(0.0)
        .at_most(1.0);
    v.field(
         "layer_decay_min",
         layer_decay_min,
         "No layer's learning rate is multiplied by less.")
        .in_range(0.0, 1.0)
        .needs("optim.layer_decay", [this] { return layer_decay.has_value(); });
    v.field(
         "groups",
         groups,
         "Factors for parameters by name, the first that matches: `[{match: "
         "\"blocks.*.attn\", lr: 0.5, weight_decay: 0}]`. `*` is any text; a "
         "pattern stands for all names that begin with it and a dot, too. They "
         "are trained in the epochs `from_epoch` to `until_epoch`.")
        .written_as(kGroupRuleForm, validate_group_rule)
        .as_maps();
  }
};

} // namespace vitrain::config
