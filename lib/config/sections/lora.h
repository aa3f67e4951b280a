#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/ranges.h>

namespace vitrain::config {

// Low-rank adapters (Hu et al., "LoRA: low-rank adaptation of large language
// models", ICLR 2022).
struct LoraConfig {
  std::optional<std::int64_t> rank;
  std::int64_t alpha = 8;
  double dropout = 0.0;
  std::vector<std::string> match{"*.attn.qkv", "*.attn.proj"};

  bool active() const { return rank.has_value(); }
  // Returns the end of the network's identity, "" without adapters: adapters
  // change what its checkpoints hold.
  std::string identity() const {
    return active()
        ? fmt::format(" lora {} {} {}", *rank, alpha, fmt::join(match, " "))
        : "";
  }

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
         "rank",
         rank,
         "Trains the classifier and low-rank adapters of linear layers, and "
         "freezes all other weights: a layer W becomes W + alpha / rank * B A "
         "with A of this number of rows (Hu et al., 2022; as peft). "
         "Checkpoints hold the adapters beside the weights; evaluation, "
         "predictions, exports and `weights convert` merge them. `null`: no "
         "adapters.")
        .in_range(1, 4096);
    const auto on = [this] { return active(); };
    v.field("alpha", alpha, "Factor of the adapters, times rank.")
        .in_range(1, 1 << 20)
        .needs("model.lora.rank", on);
    v.field(
         "dropout",
         dropout,
         "Dropout probability of the adapters' inputs in training.")
        .at_least(0.0)
        .less_than(1.0)
        .needs("model.lora.rank", on);
    v.field(
         "match",
         match,
         "Linear layers with adapters, by name, as in model.freeze.")
        .needs("model.lora.rank", on);
  }
};

} // namespace vitrain::config
