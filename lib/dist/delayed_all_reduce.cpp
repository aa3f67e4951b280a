#include <ATen/ATen.h>

#include "core/clock.h"
#include "dist/averaging.h"

namespace vitrain::dist {
namespace {

class DelayedAllReduce final : public GradientSync {
 public:
  DelayedAllReduce(
      Group& group,
      ReplicaBuffers buffers,
      const BucketOptions& buckets)
      : group_(group),
        gradients_(buffers.gradients),
        local_(alone_, std::move(buffers.gradients), buckets) {
    for (const GradientBuffer& buffer : gradients_) {
      for (auto* stage : {&travelling_, &arrived_}) {
        stage->push_back(travel_buffer(buffer.gradients, buckets.compress));
      }
    }
    pending_.resize(gradients_.size());
  }

  std::int64_t begin_step(const StepInfo& step) override {
    return local_.begin_step(step); // of all ranks
  }

  void begin_micro_batch(bool last, bool empty) override {
    local_.begin_micro_batch(last, empty);
  }

  bool finish() override {
    local_.finish();
    const bool has_earlier = under_way_;
    traffic_ = {};
    wait();
    std::swap(travelling_, arrived_);
    for (std::size_t i = 0; i < gradients_.size(); ++i) {
      travelling_[i].copy_(gradients_[i].gradients);
      pending_[i] = group_.all_reduce_async(travelling_[i]);
      traffic_.bytes += bytes_of(group_, travelling_[i]);
      if (has_earlier) {
        gradients_[i].gradients.copy_(arrived_[i]);
      }
    }
    under_way_ = true;
    return has_earlier;
  }

  void flush(const std::function<void()>& update) override {
    if (!under_way_) {
      return;
    }
    wait();
    for (std::size_t i = 0; i < gradients_.size(); ++i) {
      gradients_[i].gradients.copy_(travelling_[i]);
    }
    update();
  }

  std::int64_t lead() const override { return 1; }
  Traffic traffic() const override { return traffic_; }

 private:
  void wait() {
    const Stopwatch watch;
    for (Pending& pending : pending_) {
      pending.wait();
    }
    under_way_ = false;
    traffic_.exposed_seconds += watch.seconds();
  }

  Group alone_;
  Group& group_;
  std::vector<GradientBuffer> gradients_;
  BucketedAllReduce local_; // sums micro-batches, exchanges nothing
  std::vector<at::Tensor> travelling_;
  std::vector<at::Tensor> arrived_;
  std::vector<Pending> pending_;
  bool under_way_ = false;
  Traffic traffic_;
};

} // namespace

std::unique_ptr<GradientSync> make_delayed_all_reduce(
    Group& group,
    ReplicaBuffers buffers,
    const BucketOptions& buckets) {
  return std::make_unique<DelayedAllReduce>(group, std::move(buffers), buckets);
}

} // namespace vitrain::dist
