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

// Of Compress::kPowerSgd; dist.powersgd of the recipe.
struct PowerSgdOptions {
  std::int64_t rank = 4;
  std::int64_t start = 0; // optimizer steps during which nothing is compressed
  bool warm_start = true;
  double min_compression = 2.0;
};

// Of Compress::kTopK; dist.topk of the recipe.
struct TopKOptions {
  double share = 0.01; // of a gradient, that is sent
  std::int64_t start = 0; // optimizer steps during which all is sent
  std::int64_t warmup = 0; // those after them during which more is
  // That each rank gives its gradients; 0: none, which is the optimizer's.
  double momentum = 0.0;
  bool nesterov = false;
  bool momentum_masking = true; // forgets the velocity of what is sent
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
  // What goes into a checkpoint, as GradientSync::state().
  virtual std::map<std::string, at::Tensor> state() const { return {}; }

  // The smallest and the largest of the gradients that launch() has rounded to
  // a narrower range, [2]; undefined where it has not.
  virtual at::Tensor extremes() const { return {}; }

  // That this rank put into collectives since begin().
  std::int64_t bytes() const { return bytes_; }
  // From the first collective since begin() to the end of the last one; absent
  // for a rank that is alone, and on a device, where span() says it.
  std::optional<Interval> interval() const;
  // On a device: from launch() to the end of complete().
  std::optional<DeviceSpan> span() const;

 protected:
  // Starts an all-reduce, counts its bytes and takes the time.
  Pending start(Group& group, const at::Tensor& tensor);
  // The same with an all-gather of `own` into `whole`.
  Pending
  start_gather(Group& group, const at::Tensor& whole, const at::Tensor& own);
  // A step begins.
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

// Vogels, Karimireddy, Jaggi, "PowerSGD", NeurIPS 2019, with error feedback: a
// gradient M with dimensions [n, ...] is taken as a matrix of n rows and
// travels as the product of two with `rank` columns; what that leaves out stays
// on its rank and is added to the next M. Parameters of one dimension, and
// those that would not become smaller by more than min_compression, travel as
// they are. torch's powerSGD_hook gives the same gradients.
std::unique_ptr<BucketExchange> make_power_sgd(
    const at::Tensor& gradients,
    std::vector<BucketPart> parts,
    const PowerSgdOptions& options);

// Lin et al., "Deep Gradient Compression", ICLR 2018: each rank adds its
// gradients up, sends the largest entries of the sum, by parameter, with their
// indices, and begins those anew; what all have sent is added up in the order
// of the ranks. With `momentum` velocities are added up in place of gradients
// (momentum correction), and those of what is sent begin anew (momentum factor
// masking). Parameters of one dimension, and what would not become smaller so,
// travel as they are; nothing of them is late, and their velocity goes on. What
// is pruned takes no place in a message and leaves nothing behind.
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

// What GradientSync::largest_sent() says of such extremes().
std::optional<double> largest_of(const std::vector<at::Tensor>& extremes);

// The extremes() of gradients that are rounded so; one pass over them where the
// range becomes narrower.
at::Tensor extremes_of(const at::Tensor& gradients, Compress compress);

// Where gradients like `gradients` travel: a tensor of their shape and the type
// that `compress` says.
at::Tensor travel_buffer(const at::Tensor& gradients, Compress compress);

} // namespace vitrain::dist
