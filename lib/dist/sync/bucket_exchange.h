#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dist/group/group.h"
#include "dist/group/traffic.h"
#include "options/compression.h"

namespace vitrain::dist {

// Options of Compress::kPowerSgd: dist.powersgd of the recipe.
struct PowerSgdOptions {
  std::int64_t rank = 4;
  std::int64_t start = 0; // optimizer steps before compression starts
  bool warm_start = true;
  double min_compression = 2.0;
};

// Options of Compress::kTopK: dist.topk of the recipe.
struct TopKOptions {
  double share = 0.01; // fraction of a gradient that is sent
  std::int64_t start = 0; // optimizer steps before compression starts
  std::int64_t warmup =
      0; // steps after `start` during which the fraction falls to `share`
  // That each rank gives its gradients; 0: none, which is the optimizer's.
  double momentum = 0.0;
  bool nesterov = false;
  bool momentum_masking = true; // clears the velocity of sent values
};

// The share of a gradient that is sent in step `step`, from 0: in a warm-up of
// four stages the fifth root of `share`, its square, ..., as Lin et al. have it
// for a thousandth (25 %, 6.25 %, ...).
double top_k_share(const TopKOptions& options, std::int64_t step);

// A gradient within a bucket.
struct BucketPart {
  std::string name; // of its parameter
  at::Tensor gradient; // view of the bucket, shaped as the parameter
  at::Tensor pruned{}; // bool, laid out so: GradientBuffer::pruned
};

// How the gradients of one bucket become their sums over the ranks of a group:
// in one round of collectives, or in two where the second needs the result of
// the first. Protocol of a step: begin(), launch(), advance(), complete(); all
// ranks call the same functions of the same buckets in the same order.
class BucketExchange {
 public:
  virtual ~BucketExchange() = default;

  virtual void begin(std::int64_t step) = 0;
  // All gradients have arrived. Starts the first round.
  virtual void launch(Group& group) = 0;
  // Starts the second round, waiting for the first.
  virtual void advance(Group& /*group*/) {}
  // Returns when the gradients are the sums.
  virtual void complete(Group& group) = 0;
  // Makes state() equal on all ranks.
  virtual void flush(Group& /*group*/) {}
  // State for a checkpoint; see GradientSync::state().
  virtual std::map<std::string, at::Tensor> state() const { return {}; }

  // Smallest and largest gradient that launch() rounded to a narrower range,
  // [2]; undefined if it did not round.
  virtual at::Tensor extremes() const { return {}; }

  // Bytes that this rank sent in collectives since begin().
  std::int64_t bytes() const { return bytes_; }
  // From the first collective since begin() to the end of the last one; absent
  // for a rank that is alone, and on a device, where span() says it.
  std::optional<Interval> interval() const;
  // On a device: from launch() to the end of complete().
  std::optional<DeviceSpan> span() const;

 protected:
  // Starts an all-reduce, counts its bytes and takes the time.
  Pending start(Group& group, const at::Tensor& tensor);
  // Starts an all-gather of `own` into `whole`.
  Pending
  start_gather(Group& group, const at::Tensor& whole, const at::Tensor& own);
  // Resets the state of a step.
  void reset();
  // The gradients are the sums.
  void completed();

 private:
  // A collective begins into which `tensor` is put.
  void begins(const Group& group, const at::Tensor& tensor);
  // Takes the time at its end.
  Pending watched(Pending pending) const;

  std::int64_t bytes_ = 0;
  c10::Device device_ = c10::kCPU;
  DeviceSpan span_;
  double started_ = 0.0;
  // Written by the thread that ends a collective.
  std::shared_ptr<std::atomic<double>> finished_ =
      std::make_shared<std::atomic<double>>(0.0);
};

// `gradients`: the bucket, flat fp32, gaps included.
std::unique_ptr<BucketExchange> make_bucket_exchange(
    const at::Tensor& gradients,
    std::vector<BucketPart> parts,
    Compress compress,
    const PowerSgdOptions& power_sgd,
    const TopKOptions& top_k);

// PowerSGD with error feedback (Vogels, Karimireddy, Jaggi, NeurIPS 2019): a
// gradient M [n, ...] is viewed as a matrix of n rows and sent as the product
// of two matrices with `rank` columns. The compression error stays on its rank
// and is added to the next M. Parameters of one dimension, and parameters that
// would not shrink by more than min_compression, are sent uncompressed. Equal
// to torch's powerSGD_hook.
std::unique_ptr<BucketExchange> make_power_sgd(
    const at::Tensor& gradients,
    std::vector<BucketPart> parts,
    const PowerSgdOptions& options);

// Deep Gradient Compression (Lin et al., ICLR 2018): each rank accumulates its
// gradients, sends the largest accumulated values of each parameter with their
// indices, and resets these. Received values are added in the order of the
// ranks. With `momentum`, velocities are accumulated in place of gradients
// (momentum correction), and the velocity of sent values is cleared (momentum
// factor masking). Parameters of one dimension, and parameters that would not
// shrink, are sent whole, without delay, and keep their velocity. Pruned values
// are neither sent nor accumulated.
std::unique_ptr<BucketExchange> make_top_k(
    const at::Tensor& gradients,
    const std::vector<BucketPart>& parts,
    const TopKOptions& options);

// The exchanges of a step.
using BucketExchanges = std::vector<std::unique_ptr<BucketExchange>>;

// Adds to `traffic` when they travelled.
void add_travel(Traffic& traffic, const BucketExchanges& exchanges);

// Bytes that a rank puts into a collective of `tensor`: none when it is alone.
std::int64_t bytes_of(const Group& group, const at::Tensor& tensor);

// Computes GradientSync::largest_sent() from extremes().
std::optional<double> largest_of(const std::vector<at::Tensor>& extremes);

// Returns extremes() of gradients rounded to this type: one pass over them if
// the range becomes narrower.
at::Tensor extremes_of(const at::Tensor& gradients, Compress compress);

// Where gradients like `gradients` travel: a tensor of their shape and the type
// that `compress` says.
at::Tensor travel_buffer(const at::Tensor& gradients, Compress compress);

} // namespace vitrain::dist
