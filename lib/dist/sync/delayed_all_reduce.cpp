#include <algorithm>
#include <iterator>
#include <optional>

#include <ATen/ATen.h>

#include "dist/sync/averaging.h"
#include "dist/sync/weight_prediction.h"

namespace vitrain::dist {
namespace {

class DelayedAllReduce final : public GradientSync {
 public:
  DelayedAllReduce(
      Group& group,
      ReplicaBuffers buffers,
      const BucketOptions& buckets,
      bool predict)
      : group_(group),
        compress_(buckets.compress),
        gradients_(buffers.gradients),
        local_(alone_, std::move(buffers.gradients), buckets) {
    if (predict) {
      std::vector<at::Tensor> state = std::move(buffers.parameters);
      std::ranges::move(buffers.moments, std::back_inserter(state));
      state.push_back(buffers.steps);
      prediction_.emplace(std::move(state));
      for (const GradientBuffer& buffer : gradients_) {
        own_.push_back(at::empty_like(buffer.gradients));
      }
    }
    for (const GradientBuffer& buffer : gradients_) {
      for (Stage* stage : {&travelling_, &arrived_}) {
        const at::Tensor tensor = travel_buffer(buffer.gradients, compress_);
        stage->tensors.push_back(tensor);
        stage->extremes.emplace_back();
        stage->exchanges.push_back(make_bucket_exchange(
            tensor,
            /*parts=*/{},
            Compress::kNone,
            /*power_sgd=*/{},
            /*top_k=*/{}));
      }
    }
  }

  std::int64_t begin_step(const StepInfo& step) override {
    // Samples of all ranks.
    const std::int64_t samples = local_.begin_step(step);
    const std::int64_t own =
        step.samples[static_cast<std::size_t>(group_.rank())];
    own_to_mean_ = own == 0
        ? 0.0
        : static_cast<double>(samples) / static_cast<double>(own);
    return samples;
  }

  void begin_micro_batch(bool last, bool empty) override {
    local_.begin_micro_batch(last, empty);
  }

  bool finish() override {
    local_.finish();
    if (prediction_) {
      prediction_->take_back();
      for (std::size_t i = 0; i < gradients_.size(); ++i) {
        own_[i].copy_(gradients_[i].gradients);
      }
    }
    const bool has_earlier = under_way_;
    traffic_ = {};
    wait();
    std::swap(travelling_, arrived_);
    for (std::size_t i = 0; i < gradients_.size(); ++i) {
      travelling_.extremes[i] = extremes_of(gradients_[i].gradients, compress_);
      travelling_.tensors[i].copy_(gradients_[i].gradients);
      travelling_.exchanges[i]->begin(/*step=*/0);
      travelling_.exchanges[i]->launch(group_);
      traffic_.bytes += travelling_.exchanges[i]->bytes();
      if (has_earlier) {
        gradients_[i].gradients.copy_(arrived_.tensors[i]);
      }
    }
    under_way_ = true;
    return has_earlier;
  }

  bool one_step_late() const override { return true; }

  // The mean gradient is still in flight, so this rank's own gradient stands in
  // for it (Xu et al., "OD-SGD: one-step delay stochastic gradient descent for
  // distributed training", 2020).
  void predict(const std::function<void()>& update) override {
    if (!prediction_ || own_to_mean_ == 0.0) {
      return;
    }
    for (std::size_t i = 0; i < gradients_.size(); ++i) {
      gradients_[i].gradients.copy_(own_[i]).mul_(own_to_mean_);
    }
    prediction_->make(update);
  }

  void flush(const std::function<void()>& update) override {
    if (prediction_) {
      prediction_->take_back();
    }
    if (!under_way_) {
      return;
    }
    wait();
    for (std::size_t i = 0; i < gradients_.size(); ++i) {
      gradients_[i].gradients.copy_(travelling_.tensors[i]);
    }
    update();
  }

  std::int64_t lead() const override { return 1; }
  std::optional<double> largest_sent() const override {
    return largest_of(arrived_.extremes);
  }
  Traffic traffic() const override { return traffic_; }

 private:
  // A copy of all gradients, and its exchange.
  struct Stage {
    std::vector<at::Tensor> tensors;
    BucketExchanges exchanges;
    std::vector<at::Tensor> extremes; // of the gradients before rounding
  };

  // Waits for the exchange in flight. The wait counts as traffic of the step
  // that receives the result.
  void wait() {
    if (!under_way_) {
      return;
    }
    const c10::Device device = travelling_.tensors.front().device();
    traffic_.add_exposed(timed(device, [&] {
      for (const auto& exchange : travelling_.exchanges) {
        exchange->complete(group_);
      }
    }));
    under_way_ = false;
    add_travel(traffic_, travelling_.exchanges);
  }

  Group alone_;
  Group& group_;
  Compress compress_ = Compress::kNone;
  std::vector<GradientBuffer> gradients_;
  BucketedAllReduce local_; // sums micro-batches, exchanges nothing
  Stage travelling_;
  Stage arrived_;
  bool under_way_ = false;
  std::optional<WeightPrediction> prediction_; // set if weights are predicted
  std::vector<at::Tensor> own_; // this rank's gradients of the last step
  // Samples of all ranks / own samples; 0: no own samples.
  double own_to_mean_ = 0.0;
  Traffic traffic_;
};

} // namespace

std::unique_ptr<GradientSync> make_delayed_all_reduce(
    Group& group,
    ReplicaBuffers buffers,
    const BucketOptions& buckets,
    bool predict) {
  return std::make_unique<DelayedAllReduce>(
      group, std::move(buffers), buckets, predict);
}

} // namespace vitrain::dist
