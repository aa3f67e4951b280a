#pragma once

#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include "config/sections/model.h"
#include "core/text.h"

// Definitions shared by tests/golden/models/make_fixtures.py and the tests that
// use its results.
namespace vitrain::networks {

inline std::string fixture(const char* name) {
  return std::string(VITRAIN_SOURCE_DIR "/tests/golden/models/") + name;
}

inline config::ModelConfig named(const std::string& name) {
  config::ModelConfig config;
  config.name = name;
  return config;
}

// Rows of a CSV file without quotes, after its header.
inline std::vector<std::vector<std::string>> read_csv(const char* name) {
  std::ifstream file(fixture(name));
  EXPECT_TRUE(file) << fixture(name);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    rows.push_back(split(line, ','));
  }
  return rows;
}

// Values in [-1, 1], the same as the script's.
inline at::Tensor pattern(std::int64_t count, std::int64_t number) {
  at::Tensor values = at::empty({count}, at::kDouble);
  auto* out = values.data_ptr<double>();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t mixed = i * 7919 + number * 104729 + (i * i % 1009) * 31;
    out[i] = static_cast<double>(mixed % 2003) / 1001.0 - 1.0;
  }
  return values;
}

inline void set_parameters(torch::nn::Module& module) {
  const at::NoGradGuard no_grad;
  std::map<std::string, at::Tensor> parameters;
  for (const auto& item : module.named_parameters()) {
    parameters[item.key()] = item.value();
  }
  std::int64_t number = 0;
  for (auto& [name, value] : parameters) {
    at::Tensor values = pattern(value.numel(), number).view(value.sizes());
    if (value.dim() > 1 && value.size(0) > 1) {
      values = values *
          std::sqrt(
                   3.0 * static_cast<double>(value.size(0)) /
                   static_cast<double>(value.numel()));
    } else if (name.ends_with("weight") && value.dim() == 1) {
      values = 1.0 + 0.3 * values;
    } else {
      values = 0.5 * values;
    }
    value.copy_(values);
    ++number;
  }
}

// Sets running statistics to values that differ from a new network's.
inline void set_buffers(torch::nn::Module& module) {
  const at::NoGradGuard no_grad;
  std::map<std::string, at::Tensor> buffers;
  for (const auto& item : module.named_buffers()) {
    buffers[item.key()] = item.value();
  }
  std::int64_t number = 0;
  for (auto& [name, value] : buffers) {
    if (name.ends_with("running_mean") || name.ends_with("running_var")) {
      value.copy_(
          0.5 * pattern(value.numel(), 500 + number) +
          (name.ends_with("var") ? 1.0 : 0.0));
    }
    ++number;
  }
}

} // namespace vitrain::networks
