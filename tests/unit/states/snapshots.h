#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "states/store.h"
#include "support/files.h"

namespace vitrain::states {

// A small snapshot whose content depends on step and `content`.
inline Snapshot make_snapshot(
    std::int64_t step,
    std::optional<double> metric = {},
    double content = 0.0) {
  Snapshot snapshot;
  snapshot.step = step;
  snapshot.epoch = step / 10;
  snapshot.world_size = 2;
  snapshot.config_hash = "0123456789abcdef";
  snapshot.metric = metric;
  snapshot.preprocess = {{"classes", {"cat", "n\u00e9"}}, {"pct", 0.1 + 0.2}};
  const double value = static_cast<double>(step) + content;
  snapshot.model["head.weight"] = at::full({3, 5}, value);
  snapshot.model["norm.num_batches_tracked"] = at::full({}, step, at::kLong);
  snapshot.optimizer["head.weight.exp_avg"] = at::full({3, 5}, -value);
  snapshot.optimizer["step"] = at::full({}, step, at::kLong);
  snapshot.state = {{"step", step}, {"best", {{"value", 0.1}, {"step", -1}}}};
  return snapshot;
}

inline void expect_same(
    const std::map<std::string, at::Tensor>& a,
    const std::map<std::string, at::Tensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : a) {
    ASSERT_TRUE(b.contains(name)) << name;
    EXPECT_TRUE(at::equal(tensor, b.at(name))) << name;
  }
}

inline void expect_same(const Snapshot& a, const Snapshot& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.epoch, b.epoch);
  EXPECT_EQ(a.world_size, b.world_size);
  EXPECT_EQ(a.config_hash, b.config_hash);
  EXPECT_EQ(a.metric, b.metric);
  EXPECT_EQ(a.state, b.state);
  EXPECT_EQ(a.preprocess, b.preprocess);
  expect_same(a.model, b.model);
  expect_same(a.ema, b.ema);
  expect_same(a.optimizer, b.optimizer);
}

// Names in a folder, sorted.
inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace vitrain::states
