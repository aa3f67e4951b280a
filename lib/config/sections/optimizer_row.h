#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/enum_names.h"

namespace vitrain::config {

enum class OptimKind {
  kAdamW,
  kAdam,
  kNAdamW,
  kSgd,
  kLamb,
  kLars,
  kLion,
  kRmsProp,
  kRmsPropTf,
  kAdagrad,
  kAdan,
  kAdafactor,
  kMuon,
};
constexpr auto names_of(OptimKind) {
  using enum OptimKind;
  return enum_names<OptimKind>(
      {{kAdamW, "adamw"},
       {kAdam, "adam"},
       {kNAdamW, "nadamw"},
       {kSgd, "sgd"},
       {kLamb, "lamb"},
       {kLars, "lars"},
       {kLion, "lion"},
       {kRmsProp, "rmsprop"},
       {kRmsPropTf, "rmsprop_tf"},
       {kAdagrad, "adagrad"},
       {kAdan, "adan"},
       {kAdafactor, "adafactor"},
       {kMuon, "muon"}});
}

// Keys of `optim` that an optimizer supports, with their defaults; nullopt or
// empty: the update rule does not have this number. optim/rules/ implements the
// rules.
struct OptimizerRow {
  OptimKind kind = OptimKind::kAdamW;
  const char* help = "";
  // Defaults of optim.betas, one per beta of the rule.
  std::span<const double> betas{};
  std::optional<double> eps{};
  std::optional<double> momentum{};
  std::optional<double> alpha{};
  bool nesterov = false; // optim.nesterov applies
  bool decoupled = false; // weight decay is always decoupled
  bool decouples = false; // optim.decoupled applies
  bool cautious = false; // optim.cautious applies
  // True if updating an element needs the whole parameter; then dist.zero1
  // divides the work among the workers by whole parameters.
  bool whole_parameters = false;
  // True if each tensor of the state has one value per weight, so that each
  // part of a parameter has its own part of the state.
  bool state_per_weight = true;
};

namespace optimizers {

inline constexpr std::array kAdamBetas{0.9, 0.999};
inline constexpr std::array kLionBetas{0.9, 0.99};
inline constexpr std::array kAdanBetas{0.98, 0.92, 0.99};
inline constexpr std::array kMuonBetas{0.9, 0.95};

// Defaults of betas, eps and alpha come from torch 2.11 or, for rules that
// torch lacks, from timm 1.0.
inline constexpr auto kRows = std::to_array<OptimizerRow>({
    {.kind = OptimKind::kAdamW,
     .help = "decoupled weight decay",
     .betas = kAdamBetas,
     .eps = 1e-8,
     .decoupled = true,
     .cautious = true},
    {.kind = OptimKind::kAdam,
     .help = "the same with coupled L2",
     .betas = kAdamBetas,
     .eps = 1e-8},
    {.kind = OptimKind::kNAdamW,
     .help = "AdamW with Nesterov's momentum",
     .betas = kAdamBetas,
     .eps = 1e-8,
     .decoupled = true,
     .cautious = true},
    {.kind = OptimKind::kSgd,
     .help = "momentum and coupled L2",
     .momentum = 0.9,
     .nesterov = true,
     .decouples = true},
    {.kind = OptimKind::kLamb,
     .help = "Adam scaled by the norm of each parameter",
     .betas = kAdamBetas,
     .eps = 1e-6,
     .decouples = true,
     .cautious = true,
     .whole_parameters = true},
    {.kind = OptimKind::kLars,
     .help = "SGD scaled by the norm of each parameter",
     .eps = 1e-8,
     .momentum = 0.9,
     .nesterov = true,
     .whole_parameters = true},
    {.kind = OptimKind::kLion,
     .help = "the sign of a momentum",
     .betas = kLionBetas,
     .decoupled = true,
     .cautious = true},
    {.kind = OptimKind::kRmsProp,
     .help = "torch's",
     .eps = 1e-8,
     .momentum = 0.9,
     .alpha = 0.99},
    {.kind = OptimKind::kRmsPropTf,
     .help = "TensorFlow's: eps under the root, averages that begin with 1",
     .eps = 1e-10,
     .momentum = 0.9,
     .alpha = 0.9,
     .decouples = true,
     .cautious = true},
    {.kind = OptimKind::kAdagrad,
     .help = "gradients over the root of the sum of their squares",
     .eps = 1e-10},
    {.kind = OptimKind::kAdan,
     .help = "Nesterov's momentum from differences of gradients",
     .betas = kAdanBetas,
     .eps = 1e-8,
     .decoupled = true},
    {.kind = OptimKind::kAdafactor,
     .help = "second moments by row and column, as big_vision has it",
     .momentum = 0.9,
     .decoupled = true,
     .whole_parameters = true,
     .state_per_weight = false},
    {.kind = OptimKind::kMuon,
     .help = "orthogonal updates of matrices, and AdamW for the rest",
     .betas = kMuonBetas,
     .eps = 1e-7,
     .momentum = 0.95,
     .nesterov = true,
     .decoupled = true,
     .whole_parameters = true},
});

} // namespace optimizers

constexpr const OptimizerRow& row_of(OptimKind kind) {
  for (const OptimizerRow& row : optimizers::kRows) {
    if (row.kind == kind) {
      return row;
    }
  }
  return optimizers::kRows.front();
}

static_assert(
    [] {
      for (const auto& one : names_of(OptimKind{})) {
        if (row_of(one.value).kind != one.value) {
          return false;
        }
      }
      return true;
    }(),
    "each optim.name has its row");

// Returns the names of the optimizers for whose rows `has` is true: "adamw,
// nadamw or lion", with `last` before the last name.
template <typename Predicate>
std::string optimizers_with(const Predicate& has, const char* last = " or ") {
  std::vector<std::string> names;
  for (const OptimizerRow& row : optimizers::kRows) {
    if (has(row)) {
      names.push_back(name_of(row.kind));
    }
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? last : ", ") + names[i];
  }
  return text;
}

// Numbers of an optimizer, with defaults applied; 0 for numbers that it does
// not have.
struct OptimNumbers {
  std::array<double, 3> betas{};
  double eps = 0.0;
  double momentum = 0.0;
  double alpha = 0.0;
};

// Returns a text that describes every optimizer.
inline std::string help_of_all_optimizers() {
  std::string text;
  for (const OptimizerRow& row : optimizers::kRows) {
    text += (text.empty() ? "`" : "; `") + name_of(row.kind) + "`: " + row.help;
  }
  return text + ".";
}

inline std::string help_of_weight_decay() {
  return "Decoupled decay (weights are multiplied by 1 - lr x decay; adan "
         "divides them by 1 + lr x decay) of " +
      optimizers_with(
             [](const OptimizerRow& row) { return row.decoupled; }, " and ") +
      "; L2 factor for the other optimizers.";
}

} // namespace vitrain::config
