#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vitrain::config {

enum class DeviceKind { kAuto, kCuda, kCpu };

// Which devices train: one worker process each.
struct DevicesConfig {
  DeviceKind kind = DeviceKind::kAuto;
  std::int64_t count = -1;
  std::vector<std::string> ids;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
        "kind", kind, "`auto`: CUDA devices when there are any, else the CPU.");
    v.field(
         "count",
         count,
         "Number of workers; -1: every visible CUDA device, or one CPU worker.")
        .one_of_or_at_least(-1, 1);
    v.field(
         "ids",
         ids,
         "CUDA devices to use, by index, UUID or MIG name, among those that "
         "CUDA_VISIBLE_DEVICES shows; empty: the first `count`. A device named "
         "twice is shared by two workers (needs dist.backend: gloo).")
        .not_empty();
  }
};

} // namespace vitrain::config
