#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/order/draw.h"
#include "options/sampler_policy.h"

namespace vitrain::data {

struct SamplerOptions {
  SamplerPolicy policy = SamplerPolicy::kGlobal;
  bool shuffle = true;
  LastBatch last_batch = LastBatch::kDrop;
  std::uint64_t seed = 0;
  // kTorch, kShardThenShuffle: samples that do not make equal shares are
  // dropped (true) or the shares are filled from the first ones (false), before
  // there are batches; nothing: as last_batch does.
  std::optional<bool> drop_tail;
  bool drops_tail() const {
    return drop_tail.value_or(last_batch == LastBatch::kDrop);
  }
  // kRepeated: uses of a sample, at least 1; and the multiple to which the
  // samples of an epoch are rounded down if there are enough; 0: no rounding.
  double repeats = 3.0;
  std::int64_t round = 256;
  // kWeighted: one weight per sample, not negative, not all zero.
  std::vector<double> weights;
  // Key of the batch size, for messages.
  std::string batch_key = "data.batch_size";
};

// Global batch G = per_device * world * accumulate; all at least 1.
struct BatchGeometry {
  std::int64_t per_device = 1;
  int world = 1;
  int accumulate = 1;

  std::int64_t micro_batches() const {
    return static_cast<std::int64_t>(world) * accumulate;
  }
  std::int64_t global() const { return per_device * micro_batches(); }
};

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
// `shard_then_shuffle`. The definitions are in options/sampler_policy.h.
std::unique_ptr<const Order> make_own_order(
    std::int64_t samples,
    const SamplerOptions& options,
    const BatchGeometry& geometry);

// Returns the orders of other frameworks: `torch`, `paddle`, `repeated`. One
// lane per worker; the two epochs used last are cached, 8 bytes per position.
std::unique_ptr<const Order> make_reference_order(
    std::int64_t samples,
    const SamplerOptions& options,
    const BatchGeometry& geometry);

} // namespace vitrain::data
