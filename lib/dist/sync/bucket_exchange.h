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
  std::int64_t rank = 4; // columns of the two matrices that are sent
  std::int64_t start = 0; // optimizer steps before compression starts
  bool warm_start = true; // false: new random matrices in every step
  // Gradients that would not shrink by more than this factor are sent whole.
  double min_compression = 2.0;
};

// Options of Compress::kTopK: dist.topk of the recipe.
struct TopKOptions {
  double share = 0.01; // fraction of a gradient that is sent
  std::int64_t start = 0; // optimizer steps before compression starts
  // Steps after `start` during which the fraction falls to `share`.
  std::int64_t warmup = 0;
  // Momentum that each rank applies to its gradients before they are sent; 0:
  // none, and the optimizer applies momentum.
  double momentum = 0.0;
  bool nesterov = false;
  bool momentum_masking = true; // clears the velocity of sent values
};

// Returns the fraction of a gradient that is sent in step `step`, from 0: 1
// before `start`; then a warm-up of four equal stages with share^(1/5),
// share^(2/5), ... (25 %, 6.25 %, ... for a share of 0.001, as Lin et al.);
// then `share`.
double top_k_share(const TopKOptions& options, std::int64_t step);

// A gradient within a bucket.
struct BucketPart {
  std::string name; // parameter name
  at::Tensor gradient; // view of the bucket, shaped as the parameter
  // Bool, same layout: true at pruned weights; undefined: none.
  at::Tensor pruned{};
};

// Sums the gradients of one bucket over the ranks of a group: in one round of
// collectives, or in two if the second needs the result of the first. Protocol
// of a step: begin(), launch(), advance(), complete(); all ranks call the same
// functions of the same buckets in the same order.
class BucketExchange {
 public:
  virtual ~BucketExchange() = default;

  // Begins step `step`, from 0.
  virtual void begin(std::int64_t step) = 0;
  // Starts the first round. Called when all gradients of the bucket are
  // complete.
  virtual void launch(Group& group) = 0;
  // If the step has a second round: waits for the first and starts the second.
  // Waits as Pending::wait().
  virtual void advance(Group& /*group*/) {}
  // Makes the current stream (NCCL) or the host (Gloo) wait until the bucket
  // holds the sums.
  virtual void complete(Group& group) = 0;
  // Makes state() equal on all ranks.
  virtual void flush(Group& /*group*/) {}
  // Returns the state for a checkpoint, by name; loading it changes these
  // tensors in place.
  virtual std::map<std::string, at::Tensor> state() const { return {}; }

  // Returns the smallest and the largest gradient before launch() rounded them
  // to a narrower range, [2]; undefined if it did not round.
  virtual at::Tensor extremes() const { return {}; }

  // Bytes that this rank sent in collectives since begin().
  std::int64_t bytes() const { return bytes_; }
  // Call after complete(). Returns the time from the first collective since
  // begin() to the end of the last one; nullopt in a group of one rank, and on
  // a device (see span()).
  std::optional<TimeSpan> interval() const;
  // Returns the time from the first collective to the end of complete() on a
  // device; nullopt on the CPU and in a group of one rank.
  std::optional<DeviceSpan> span() const;

 protected:
  // Starts an all-reduce, counts its bytes and records its begin and end.
  Pending start(Group& group, const at::Tensor& tensor);
  // Starts an all-gather of `own` into `whole`.
  Pending
  start_gather(Group& group, const at::Tensor& whole, const at::Tensor& own);
  // Resets the state of a step.
  void reset();
  // Marks the end of the exchange; complete() calls it last.
  void completed();

 private:
  // Counts the bytes of a collective that is about to send `tensor`; records
  // the begin if it is the first one.
  void begins(const Group& group, const at::Tensor& tensor);
  // Makes `pending` record the time when it finishes (CPU only).
  Pending watched(Pending pending) const;

  std::int64_t bytes_ = 0;
  c10::Device device_ = c10::kCPU;
  DeviceSpan span_;
  double started_ = 0.0;
  // Written by the thread that ends a collective.
  std::shared_ptr<std::atomic<double>> finished_ =
      std::make_shared<std::atomic<double>>(0.0);
};

// Returns the exchange for `compress`. `gradients`: the bucket, flat fp32, with
// alignment gaps.
std::unique_ptr<BucketExchange> make_bucket_exchange(
    const at::Tensor& gradients,
    std::vector<BucketPart> parts,
    Compress compress,
    const PowerSgdOptions& power_sgd,
    const TopKOptions& top_k);

// Returns an exchange by PowerSGD with error feedback (Vogels, Karimireddy,
// Jaggi, NeurIPS 2019): a gradient M [n, ...] is viewed as a matrix of n rows
// and sent as the product of two matrices with `rank` columns. The compression
// error stays on its rank and is added to the next M. Parameters of one
// dimension, and parameters that would not shrink by more than min_compression,
// are sent uncompressed. Equal to torch's powerSGD_hook.
std::unique_ptr<BucketExchange> make_power_sgd(
    const at::Tensor& gradients,
    std::vector<BucketPart> parts,
    const PowerSgdOptions& options);

// Returns an exchange by Deep Gradient Compression (Lin et al., ICLR 2018):
// each rank accumulates its gradients, sends the largest accumulated values of
// each parameter with their indices, and sets the accumulated values that it
// has sent to zero. Received values are added in the order of the ranks. With
// `momentum`, velocities are accumulated in place of gradients (momentum
// correction), and with `momentum_masking` the velocity of sent values is
// cleared. Parameters of one dimension, parameters that would not shrink, and
// those of 2^31 elements or more are sent whole, without delay, and keep their
// velocity. Pruned values are neither sent nor accumulated.
std::unique_ptr<BucketExchange> make_top_k(
    const at::Tensor& gradients,
    const std::vector<BucketPart>& parts,
    const TopKOptions& options);

// One exchange per bucket.
using BucketExchanges = std::vector<std::unique_ptr<BucketExchange>>;

// Adds the times and bytes of `exchanges` to `traffic`.
void add_travel(Traffic& traffic, const BucketExchanges& exchanges);

// Returns the bytes that a rank sends in a collective of `tensor`; 0 in a group
// of one rank.
std::int64_t bytes_of(const Group& group, const at::Tensor& tensor);

// Returns the largest magnitude in the results of extremes(); nullopt if all
// are undefined. See GradientSync::largest_sent().
std::optional<double> largest_of(const std::vector<at::Tensor>& extremes);

// Returns the smallest and the largest gradient, [2], if `compress` narrows the
// range (kFp16); otherwise undefined.
at::Tensor extremes_of(const at::Tensor& gradients, Compress compress);

// Returns an uninitialised send buffer with the shape of `gradients` and the
// dtype of `compress`.
at::Tensor travel_buffer(const at::Tensor& gradients, Compress compress);

} // namespace vitrain::dist
