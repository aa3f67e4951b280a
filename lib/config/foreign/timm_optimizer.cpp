// Translates timm's optimizers (timm/optim/_optim_factory.py) to sections
// optim.

#include "config/foreign/timm_translator.h"
#include "core/ascii.h"

namespace vitrain::config::foreign {
namespace {

struct TimmOptimizer {
  std::string_view name;
  OptimKind kind;
  bool nesterov = false;
  bool decoupled = false;
};

// Names without the prefix "lookahead_", and without the "c" of cautious
// optimizers.
constexpr auto kTimmOptimizers = std::to_array<TimmOptimizer>({
    {"sgd", OptimKind::kSgd, /*nesterov=*/true},
    {"nesterov", OptimKind::kSgd, true},
    {"momentum", OptimKind::kSgd},
    {"sgdw", OptimKind::kSgd, true, /*decoupled=*/true},
    {"nesterovw", OptimKind::kSgd, true, true},
    {"fusedsgd", OptimKind::kSgd, true},
    {"adam", OptimKind::kAdam},
    {"fusedadam", OptimKind::kAdam},
    {"adamw", OptimKind::kAdamW},
    {"adamwlegacy", OptimKind::kAdamW},
    {"fusedadamw", OptimKind::kAdamW},
    {"nadamw", OptimKind::kNAdamW},
    {"lamb", OptimKind::kLamb},
    {"fusedlamb", OptimKind::kLamb},
    {"lambw", OptimKind::kLamb, false, true},
    {"lars", OptimKind::kLars},
    {"nlars", OptimKind::kLars, true},
    {"lion", OptimKind::kLion},
    {"rmsprop", OptimKind::kRmsProp},
    {"rmsproptf", OptimKind::kRmsPropTf},
    {"rmsproptfw", OptimKind::kRmsPropTf, false, true},
    {"adagrad", OptimKind::kAdagrad},
    {"adan", OptimKind::kAdan},
    {"adafactorbv", OptimKind::kAdafactor},
    {"muon", OptimKind::kMuon},
    {"nmuon", OptimKind::kMuon, true},
});

const TimmOptimizer* find_optimizer(std::string_view name) {
  const auto* const found =
      std::ranges::find(kTimmOptimizers, name, &TimmOptimizer::name);
  return found == kTimmOptimizers.end() ? nullptr : found;
}

} // namespace

void TimmTranslator::translate_optimizer() {
  OptimConfig& optim = recipe_.optim;
  std::string name = ascii_lower(words_.text("opt"));
  optim.weight_decay = words_.number("weight_decay");
  constexpr std::string_view kLookahead = "lookahead_";
  if (name.starts_with(kLookahead)) {
    name.erase(0, kLookahead.size());
    optim.lookahead.every = 6;
  }
  const TimmOptimizer* found = find_optimizer(name);
  if (found == nullptr && name.starts_with('c')) {
    found = find_optimizer(name.substr(1));
    optim.cautious = found != nullptr && row_of(found->kind).cautious;
    found = optim.cautious ? found : nullptr;
  }
  if (found == nullptr) {
    std::vector<std::string> known;
    for (const TimmOptimizer& one : kTimmOptimizers) {
      known.emplace_back(one.name);
    }
    left_out(
        "opt",
        fmt::format(
            "there is {}; the recipe has adamw in its place",
            join(known, ", ")));
    optim.name = OptimKind::kAdamW;
  } else {
    optim.name = found->kind;
    optim.nesterov = found->nesterov;
    optim.decoupled = found->decoupled;
  }
  translate_optimizer_numbers();
  translate_clipping();
  if (words_.text("sched") == "none") {
    // In timm, the scheduler applies the layers' rates; without one they are
    // ignored.
    without_effect({"layer_decay"});
  } else if (words_.has("layer_decay") && words_.number("layer_decay") < 1.0) {
    optim.layer_decay = words_.number("layer_decay");
    optim.layer_decay_min = words_.number("layer_decay_min_scale");
  }
}

void TimmTranslator::translate_optimizer_numbers() {
  OptimConfig& optim = recipe_.optim;
  const OptimizerRow& row = optim.row();
  if (optim.name == OptimKind::kRmsProp) {
    optim.alpha = 0.9;
  }
  if (optim.name == OptimKind::kAdagrad) {
    optim.eps = 1e-8;
  }
  if (!row.eps) {
    without_effect({"opt_eps"});
  } else if (words_.has("opt_eps")) {
    optim.eps = words_.number("opt_eps");
  }
  if (row.betas.empty()) {
    without_effect({"opt_betas"});
  } else if (words_.has("opt_betas")) {
    const std::vector<double> betas = words_.numbers("opt_betas");
    if (betas.size() == row.betas.size()) {
      optim.betas = betas;
    } else {
      left_out(
          "opt_betas",
          fmt::format(
              "{} numbers go with {}", row.betas.size(), name_of(optim.name)));
    }
  }
}

void TimmTranslator::translate_clipping() {
  OptimConfig& optim = recipe_.optim;
  const double limit = words_.number("clip_grad");
  const std::string mode = words_.text("clip_mode");
  if (limit > 0.0) {
    (mode == "value"     ? optim.clip_value
         : mode == "agc" ? optim.clip_agc
                         : optim.clip_norm) = limit;
  }
  if (optim.name == OptimKind::kLamb) {
    // timm's LAMB clips gradients itself.
    optim.clip_norm = std::min(1.0, optim.clip_norm.value_or(1.0));
  }
}

} // namespace vitrain::config::foreign
