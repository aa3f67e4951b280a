#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "optim/flat_state.h"

namespace vitrain::optim {

struct PruneOptions {
  double amount = 0.0; // fraction of the weights that is zero in the end
  // True: prunes the smallest of all weights; false: the same fraction of each
  // parameter.
  bool global = true;
  // True: prunes whole rows, that is all weights of an output (first
  // dimension), by their Euclidean norm, the same fraction of each parameter's;
  // `global` then has no effect.
  bool rows = false;
  std::vector<std::string> match{"*"}; // patterns of config::matches_name
  // First step with pruning; prune_share() is 0 there unless it equals `end`.
  std::int64_t start = 0;
  std::int64_t end = 0; // last step with pruning, >= `start`
  std::int64_t every = 1; // steps between prunings, from `start` on
};

// Returns true if weights are pruned after step `step` (from 1): at `start`,
// every `every` steps after it, and at `end`.
bool prune_due(const PruneOptions& options, std::int64_t step);

// Returns the fraction of weights that is zero after step `step`: 0 up to
// `start`, amount * (1 - (1 - (step - start) / (end - start))^3) up to `end`,
// and `amount` from `end` on, also if `end` is `start` (Zhu and Gupta, "To
// prune, or not to prune", 2017).
double prune_share(const PruneOptions& options, std::int64_t step);

// Returns true if one of the patterns `match` matches the parameter's name and
// it has at least two dimensions.
bool is_pruned(
    const std::vector<std::string>& match,
    const std::string& name,
    std::int64_t dimensions);

// Throws Error(kUsage) unless `some` is true, which means that is_pruned() is
// true for a trained parameter.
void check_pruned(const std::vector<std::string>& match, bool some);

// Magnitude pruning: chooses weights and keeps them at zero. Once pruned, a
// weight stays pruned. The choice equals torch.nn.utils.prune's
// l1_unstructured, global_unstructured or ln_structured (n=2, dim=0), and is a
// function of the weights: ranks with equal weights choose the same. Only
// parameters with two or more dimensions are pruned.
class Pruner {
 public:
  // Starts with nothing pruned. `parameters` must outlive it. Throws
  // Error(kUsage) if no parameter matches.
  Pruner(const FlatState& parameters, PruneOptions options);

  // Call after step `step` (from 1): if pruning is due, chooses weights and
  // sets them to zero. Returns true if any were chosen. Waits for the device.
  // After `end`, the first call of a resumed run catches up on pruning that was
  // missed.
  bool prune(std::int64_t step);

  // Set pruned positions to zero: in the weights, in the gradients, and in
  // buffers with the groups' layout (one per group).
  void clear_weights() const;
  void clear_gradients() const;
  void clear(const std::vector<at::Tensor>& buffers) const;

  // Returns the masks of the pruned positions, one per group in the group's
  // layout: bool, changed in place by prune().
  const std::vector<at::Tensor>& masks() const { return masks_; }

  // Return the number of weights in prunable parameters, and the number of
  // pruned ones.
  std::int64_t weights() const { return weights_; }
  std::int64_t pruned() const { return pruned_; }
  double sparsity() const {
    return static_cast<double>(pruned_) / static_cast<double>(weights_);
  }

  // Returns "prune.mask.<parameter>" -> bool with the parameter's shape, true
  // at pruned positions.
  std::map<std::string, at::Tensor> state() const;
  // Restores the result of state(); parameters without a mask of their shape
  // are not pruned.
  void load_state(const std::map<std::string, at::Tensor>& state);

 private:
  struct Target {
    std::string name;
    at::Tensor weights; // view, shaped as the parameter
    at::Tensor mask; // view of masks_, shaped as the parameter
  };

  // Both return the number of weights that they have newly pruned.
  std::int64_t prune_weights(
      const std::vector<const Target*>& targets,
      double share);
  std::int64_t prune_rows(const Target& target, double share);

  const FlatState& parameters_;
  PruneOptions options_;
  std::vector<at::Tensor> masks_; // bool, one per group
  std::vector<Target> targets_;
  std::int64_t weights_ = 0;
  std::int64_t pruned_ = 0;
  bool ended_ = false; // pruning at or after `end` is done
};

} // namespace vitrain::optim
