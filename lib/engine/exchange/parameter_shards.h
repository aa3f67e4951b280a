#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/sections/optim/optim.h"
#include "dist/sync/async_ps.h"
#include "optim/optimizer.h"
#include "optim/weights/flat_state.h"

namespace vitrain::engine {

// Divides a replica among servers: each gets a contiguous range of every
// parameter group, about equal in size; a parameter is never cut.
class ParameterShards {
 public:
  // `parameters` and `optimizer` must outlive it. Throws Error(kUsage) when a
  // server would get nothing.
  ParameterShards(
      const optim::FlatState& parameters,
      const optim::Optimizer& optimizer,
      int servers);

  // Views of the replica, by server.
  std::vector<dist::ReplicaShard> replica() const;
  // Buffers of its own for a server, and an optimizer over them.
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
  std::vector<std::vector<Range>> ranges_; // by server
};

} // namespace vitrain::engine
