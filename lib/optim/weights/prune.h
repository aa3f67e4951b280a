#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "optim/weights/flat_state.h"

namespace vitrain::optim {

struct PruneOptions {
  double amount = 0.0; // share of the weights that are zero in the end
  bool global = true; // the smallest of all; else the same share of each
  // All that an output is computed from (the first dimension) at once, by its
  // Euclidean norm. Not global.
  bool rows = false;
  std::vector<std::string> match{"*"}; // config::matches_name
  std::int64_t start = 0; // steps
  std::int64_t end = 0; // at least start
  std::int64_t every = 1;
};

// Whether weights are pruned after step `step` (from 1): at `start`, every
// `every` steps from there, and at `end`.
bool prune_due(const PruneOptions& options, std::int64_t step);

// The share that is zero then: amount x (1 - (1 - (step - start) / (end -
// start))^3), and `amount` from `end` on (Zhu and Gupta, "To prune, or not to
// prune", 2017). With an `every` that does not divide them, too.
double prune_share(const PruneOptions& options, std::int64_t step);

// Whether such patterns mean a parameter, by its name and its number of
// dimensions.
bool is_pruned(
    const std::vector<std::string>& match,
    const std::string& name,
    std::int64_t dimensions);

// Throws Error(kUsage) unless they mean `some` that is trained.
void check_pruned(const std::vector<std::string>& match, bool some);

// Magnitude pruning: which weights are zero, and keeps them so. Once pruned, a
// weight stays pruned. What is chosen equals torch.nn.utils.prune's
// l1_unstructured, global_unstructured or ln_structured (n=2, dim=0), and is a
// function of the weights: ranks with equal ones choose the same. Only
// parameters with two or more dimensions are pruned.
class Pruner {
 public:
  // Starts with nothing pruned. `parameters` must outlive it. Throws
  // Error(kUsage) if no parameter matches.
  Pruner(const FlatState& parameters, PruneOptions options);

  // Call after step `step` (from 1): if pruning is due, chooses weights and
  // sets them to zero. Returns true if any were chosen. Waits for the device. A
  // resumed run past `end` catches up on pruning that was not done.
  bool prune(std::int64_t step);

  // Sets pruned positions to zero in weights, in gradients, and in buffers with
  // the groups' layout, one per group.
  void clear_weights() const;
  void clear_gradients() const;
  void clear(const std::vector<at::Tensor>& buffers) const;

  // Masks of the pruned positions with each group's layout: bool, changed in
  // place.
  const std::vector<at::Tensor>& masks() const { return masks_; }

  // Number of weights in prunable parameters, and number of pruned ones.
  std::int64_t weights() const { return weights_; }
  std::int64_t pruned() const { return pruned_; }
  double sparsity() const {
    return static_cast<double>(pruned_) / static_cast<double>(weights_);
  }

  // Returns "prune.mask.<parameter>" -> bool with the parameter's shape, true
  // at pruned positions.
  std::map<std::string, at::Tensor> state() const;
  // Restores the result of state(); parameters without a mask are not pruned.
  void load_state(const std::map<std::string, at::Tensor>& state);

 private:
  struct Target {
    std::string name;
    at::Tensor weights; // view, shaped as the parameter
    at::Tensor mask; // the same of masks_
  };

  // Both return the weights that they have chosen.
  std::int64_t prune_weights(
      const std::vector<const Target*>& targets,
      double share);
  std::int64_t prune_rows(const Target& target, double share);

  const FlatState& parameters_;
  PruneOptions options_;
  std::vector<at::Tensor> masks_; // bool, of each group
  std::vector<Target> targets_;
  std::int64_t weights_ = 0;
  std::int64_t pruned_ = 0;
  bool ended_ = false; // `amount` is reached
};

} // namespace vitrain::optim
