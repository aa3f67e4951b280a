#include "dist/sync/bucket_exchange.h"

#include <ATen/ATen.h>

#include "core/system/clock.h"

namespace vitrain::dist {
namespace {

// Exchange by one all-reduce, of the gradients or of a rounded copy.
class OneRound final : public BucketExchange {
 public:
  OneRound(at::Tensor gradients, Compress compress)
      : gradients_(std::move(gradients)), compress_(compress) {}

  void begin(std::int64_t /*step*/) override {
    reset();
    extremes_.reset();
  }

  at::Tensor extremes() const override { return extremes_; }

  void launch(Group& group) override {
    if (compress_ == Compress::kNone || group.size() == 1) {
      pending_ = start(group, gradients_);
      return;
    }
    if (!packed_.defined()) {
      packed_ = travel_buffer(gradients_, compress_);
    }
    extremes_ = extremes_of(gradients_, compress_);
    packed_.copy_(gradients_);
    pending_ = start(group, packed_);
  }

  void complete(Group& group) override {
    pending_.wait();
    if (packed_.defined() && group.size() > 1) {
      gradients_.copy_(packed_);
    }
    completed();
  }

 private:
  at::Tensor gradients_;
  Compress compress_;
  at::Tensor packed_; // rounded copy that is sent
  at::Tensor extremes_;
  Pending pending_;
};

} // namespace

std::optional<TimeSpan> BucketExchange::interval() const {
  const double end = *finished_;
  return end > 0.0 && device_.is_cpu() ? std::optional(TimeSpan{started_, end})
                                       : std::nullopt;
}

std::optional<DeviceSpan> BucketExchange::span() const {
  return span_.end.exists() ? std::optional(span_) : std::nullopt;
}

Pending BucketExchange::start(Group& group, const at::Tensor& tensor) {
  if (group.size() == 1) {
    // The rank already has the sum, to which other replicas in this process may
    // still add (on GPUs).
    return {};
  }
  begins(group, tensor);
  return watched(group.all_reduce_async(tensor));
}

Pending BucketExchange::start_gather(
    Group& group,
    const at::Tensor& whole,
    const at::Tensor& own) {
  begins(group, own);
  return watched(group.all_gather_into_async(whole, own));
}

void BucketExchange::begins(const Group& group, const at::Tensor& tensor) {
  if (bytes_ == 0) {
    started_ = monotonic_seconds();
    device_ = tensor.device();
    span_.begin = DeviceMark(device_);
  }
  bytes_ += bytes_of(group, tensor);
}

Pending BucketExchange::watched(Pending pending) const {
  if (device_.is_cpu()) {
    pending.when_finished(
        [finished = finished_] { *finished = monotonic_seconds(); });
  }
  return pending;
}

void BucketExchange::reset() {
  bytes_ = 0;
  *finished_ = 0.0;
  span_ = {};
}

void BucketExchange::completed() {
  if (bytes_ > 0) {
    span_.end = DeviceMark(device_);
  }
}

std::unique_ptr<BucketExchange> make_bucket_exchange(
    const at::Tensor& gradients,
    std::vector<BucketPart> parts,
    Compress compress,
    const PowerSgdOptions& power_sgd,
    const TopKOptions& top_k) {
  if (compress == Compress::kTopK) {
    return make_top_k(gradients, parts, top_k);
  }
  if (compress == Compress::kPowerSgd) {
    return make_power_sgd(gradients, std::move(parts), power_sgd);
  }
  return std::make_unique<OneRound>(gradients, compress);
}

void add_travel(Traffic& traffic, const BucketExchanges& exchanges) {
  std::vector<TimeSpan> intervals;
  std::vector<DeviceSpan> spans;
  for (const auto& exchange : exchanges) {
    if (const auto span = exchange->span()) {
      spans.push_back(*span);
    }
    if (const auto interval = exchange->interval()) {
      intervals.push_back(*interval);
      traffic.travels.push_back({exchange->bytes(), *interval});
    }
  }
  traffic.busy_seconds += covered_seconds(std::move(intervals));
  if (!spans.empty()) {
    traffic.buckets.push_back(std::move(spans));
  }
}

std::int64_t bytes_of(const Group& group, const at::Tensor& tensor) {
  return group.size() == 1 ? 0 : static_cast<std::int64_t>(tensor.nbytes());
}

std::optional<double> largest_of(const std::vector<at::Tensor>& extremes) {
  std::vector<at::Tensor> known;
  for (const at::Tensor& pair : extremes) {
    if (pair.defined()) {
      known.push_back(pair);
    }
  }
  if (known.empty()) {
    return std::nullopt;
  }
  return at::cat(known).abs().max().item<double>();
}

at::Tensor extremes_of(const at::Tensor& gradients, Compress compress) {
  if (compress != Compress::kFp16 || gradients.numel() == 0) {
    return {};
  }
  const auto [smallest, largest] = at::aminmax(gradients);
  return at::stack({smallest, largest});
}

at::Tensor travel_buffer(const at::Tensor& gradients, Compress compress) {
  switch (compress) {
    case Compress::kNone:
    case Compress::kPowerSgd: // never send whole buffers
    case Compress::kTopK:
      return at::empty_like(gradients);
    case Compress::kBf16:
      return at::empty_like(gradients, at::kBFloat16);
    case Compress::kFp16:
      return at::empty_like(gradients, at::kHalf);
  }
  return {};
}

} // namespace vitrain::dist
