#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "options/device.h"

namespace vitrain::config {

// Devices to train on; each has one worker, which is a process unless dist.mode
// is `single_process`.
struct DevicesConfig {
  DeviceKind kind = DeviceKind::kAuto;
  std::int64_t count = -1;
  std::vector<std::string> ids;
  std::int64_t nodes = 1;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
        "kind",
        kind,
        "`auto`: CUDA devices when there are any or CUDA_VISIBLE_DEVICES names "
        "some, which then have to be there; else the CPU.");
    v.field(
         "count",
         count,
         "Number of workers; -1: every visible CUDA device; without any, two "
         "CPU workers if there is more than one core, or one if kind is "
         "`cpu`.")
        .one_of_or_at_least(-1, 1);
    v.field(
         "ids",
         ids,
         "CUDA devices to use, by index, UUID or MIG name, among the devices "
         "in CUDA_VISIBLE_DEVICES; empty: the first `count`. A device named "
         "twice is shared by two workers (needs dist.backend: gloo).")
        .not_empty();
    v.field(
         "nodes",
         nodes,
         "Machines of the run. More than one: the same command on each, with "
         "`-node_rank R -master HOST:PORT`; kind, count and ids are for each "
         "machine and may differ.")
        .in_range(1, 1 << 16);
  }
};

} // namespace vitrain::config
