#pragma once

#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <nlohmann/json.hpp>

#include "optim/flat_state.h"

namespace vitrain::optim {

// A file that a script of tests/golden/optim wrote.
nlohmann::json golden(const std::string& file);

// Values by parameter name, flattened, fp64.
using NamedValues = std::map<std::string, std::vector<double>>;

// The parameters of trajectories.json, or of `file`, with their start values;
// one-dimensional ones go without weight decay.
class GoldenNet {
 public:
  explicit GoldenNet(double weight_decay);
  GoldenNet(
      const std::string& file,
      const Grouping& grouping,
      const Share& share = {});

  FlatState& state() { return state_; }
  // Adds `values` to the gradients, as backward does.
  void accumulate(const NamedValues& values);
  // Flattened copies, fp64.
  std::map<std::string, at::Tensor> weights() const;
  std::map<std::string, at::Tensor> gradients() const;

 private:
  torch::nn::Module module_;
  FlatState state_;
};

} // namespace vitrain::optim
