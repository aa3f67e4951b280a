#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "data/order/draw.h"
#include "data/order/sampler_options.h"

namespace vitrain::data {

inline std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// The order of one epoch: `lanes` lists of `length` draws, all of
// them different. One lane is
// dealt to all workers step by step; with a lane per worker, worker r works
// through lane r. Thread-safe; every value is a pure function of the options
// and the arguments.
class Order {
 public:
  Order(std::int64_t lanes, std::int64_t length)
      : lanes_(lanes), length_(length) {}
  virtual ~Order() = default;

  std::int64_t lanes() const { return lanes_; }
  std::int64_t length() const { return length_; }

  // Writes positions [first, first + into.size()) of a lane; first +
  // into.size() <= length().
  virtual void take(
      std::int64_t epoch,
      std::int64_t lane,
      std::int64_t first,
      std::span<Draw> into) const = 0;

 private:
  std::int64_t lanes_;
  std::int64_t length_;
};

// vitrain's own: `global`, `sequential`, `weighted` (one lane), and
// `shard_then_shuffle`. The definitions are in sampler_options.h.
std::unique_ptr<const Order> make_own_order(
    std::int64_t samples,
    const SamplerOptions& options,
    const BatchGeometry& geometry);

// Those of other frameworks: `torch`, `paddle`, `repeated`. A lane per worker;
// the two epochs that were asked for last are kept, 8 bytes a position.
std::unique_ptr<const Order> make_reference_order(
    std::int64_t samples,
    const SamplerOptions& options,
    const BatchGeometry& geometry);

} // namespace vitrain::data
