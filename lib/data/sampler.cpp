#include "data/sampler.h"

#include <algorithm>

#include "core/check.h"
#include "core/random.h"

namespace vitrain::data {
namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

} // namespace

Sampler::Sampler(
    std::int64_t samples,
    const SamplerOptions& options,
    const BatchGeometry& geometry)
    : samples_(samples), options_(options), geometry_(geometry) {
  VITRAIN_CHECK(
      geometry.per_device > 0 && geometry.world > 0 && geometry.accumulate > 0,
      ExitCode::kInternal,
      "batch, workers and accumulation must be positive");
  VITRAIN_CHECK(
      samples > 0, ExitCode::kData, "the training data has no samples");
  const std::int64_t global = geometry.global();
  steps_ = options.last_batch == LastBatch::kDrop ? samples / global
                                                  : divide_up(samples, global);
  VITRAIN_CHECK(
      steps_ > 0,
      ExitCode::kData,
      "the training data has {} samples, fewer than one global batch of {} ({} "
      "per device x {} workers x {} accumulated), and last_batch: drop leaves "
      "nothing; choose a smaller batch, or last_batch: keep or pad",
      samples,
      global,
      geometry.per_device,
      geometry.world,
      geometry.accumulate);
}

std::int64_t Sampler::samples_in_step(std::int64_t step_in_epoch) const {
  const std::int64_t global = geometry_.global();
  if (options_.last_batch != LastBatch::kKeep) {
    return global;
  }
  return std::min(global, samples_ - step_in_epoch * global);
}

std::vector<std::int64_t> Sampler::micro_batch(
    std::int64_t epoch,
    std::int64_t step_in_epoch,
    std::int64_t k) const {
  const std::int64_t first =
      step_in_epoch * geometry_.global() + k * geometry_.per_device;
  const std::int64_t in_step = samples_in_step(step_in_epoch);
  const std::int64_t count = std::clamp<std::int64_t>(
      in_step - k * geometry_.per_device, 0, geometry_.per_device);
  const bool shuffled =
      options_.shuffle && options_.policy == SamplerPolicy::kGlobal;
  const auto n = static_cast<std::uint64_t>(samples_);
  const KeyedPermutation order(
      n, options_.seed, static_cast<std::uint64_t>(epoch));
  std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const auto position = static_cast<std::uint64_t>(first + i) % n;
    indices[static_cast<std::size_t>(i)] =
        static_cast<std::int64_t>(shuffled ? order(position) : position);
  }
  return indices;
}

EpochCounts Sampler::counts() const {
  const std::int64_t used = steps_ * geometry_.global();
  EpochCounts counts;
  counts.distinct = std::min(used, samples_);
  counts.dropped = samples_ - counts.distinct;
  counts.padded = options_.last_batch == LastBatch::kPad ? used - samples_ : 0;
  return counts;
}

EvalSharding::EvalSharding(std::int64_t samples, std::int64_t batch, int world)
    : samples_(samples),
      batch_(batch),
      world_(world),
      batches_(divide_up(samples, std::max<std::int64_t>(batch, 1))) {
  VITRAIN_CHECK(
      batch > 0 && world > 0,
      ExitCode::kInternal,
      "batch and workers must be positive");
  VITRAIN_CHECK(
      samples > 0, ExitCode::kData, "the evaluation data has no samples");
}

std::int64_t EvalSharding::batches_of(int rank) const {
  return rank < batches_ ? divide_up(batches_ - rank, world_) : 0;
}

std::vector<std::int64_t> EvalSharding::samples_of(int rank, std::int64_t i)
    const {
  const std::int64_t first = (i * world_ + rank) * batch_;
  const std::int64_t last = std::min(first + batch_, samples_);
  std::vector<std::int64_t> indices;
  indices.reserve(
      static_cast<std::size_t>(std::max<std::int64_t>(last - first, 0)));
  for (std::int64_t sample = first; sample < last; ++sample) {
    indices.push_back(sample);
  }
  return indices;
}

} // namespace vitrain::data
