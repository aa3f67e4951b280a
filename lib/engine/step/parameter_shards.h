#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/sections/optim.h"
#include "dist/sync/async_ps.h"
#include "optim/flat_state.h"
#include "optim/optimizer.h"

namespace vitrain::engine {

// Divides a replica among parameter servers: each server gets a contiguous
// range of every parameter group, of about equal size; a parameter is never
// divided, so that a range may be empty.
class ParameterShards {
 public:
  // `parameters` and `optimizer` must outlive it. Throws Error(kUsage) if a
  // server would get no parameter.
  ParameterShards(
      const optim::FlatState& parameters,
      const optim::Optimizer& optimizer,
      int servers);

  // Returns views of the replica's tensors, one element per server.
  std::vector<dist::ReplicaShard> replica() const;
  // Returns separate buffers of zeros on the CPU for server `index`, with an
  // optimizer over them.
  dist::ServerShard server(int index, const config::OptimConfig& optim) const;

 private:
  // Segments [first, last) of a group.
  struct Range {
    std::size_t group = 0;
    std::size_t first = 0;
    std::size_t last = 0;
    std::int64_t offset = 0; // elements
    std::int64_t size = 0;
  };

  const optim::FlatState& parameters_;
  const optim::Optimizer& optimizer_;
  std::vector<std::vector<Range>> ranges_; // one list per server
};

} // namespace vitrain::engine
