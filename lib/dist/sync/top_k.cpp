#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/ATen.h>

#include "core/largest.h"
#include "dist/sync/bucket_exchange.h"
#include "threads/zero_where.h"

namespace vitrain::dist {
namespace {

// A parameter's gradient and its state between steps.
struct Summand {
  std::string name;
  at::Tensor gradient; // [n], view of the bucket in memory order
  // Unsent residual and velocity, with the gradient's shape and layout;
  // checkpoints store them in the order of the dimensions. `residual` is
  // undefined if the gradient is always sent whole, `velocity` without
  // momentum.
  at::Tensor residual;
  at::Tensor velocity;
  at::Tensor pruned; // bool, same layout; undefined: nothing is pruned

  // Returns a view [n] in memory order.
  static at::Tensor flat(const at::Tensor& tensor) {
    return tensor.as_strided({tensor.numel()}, {1});
  }
  std::int64_t numel() const { return gradient.numel(); }
};

// Values of a summand that are sent in this step, and their offset in the
// message: first the indices, then the values.
struct Selection {
  const Summand* summand = nullptr;
  std::int64_t offset = 0;
  std::int64_t count = 0;
};

// Returns the indices (int64) of the `count` largest magnitudes of `values`.
// (On the CPU, at::topk() takes four times as long: it sorts pairs of all
// values with their indices.)
at::Tensor largest(const at::Tensor& values, std::int64_t count) {
  if (!values.is_cpu()) {
    return std::get<1>(at::topk(
        values.abs(), count, /*dim=*/0, /*largest=*/true, /*sorted=*/false));
  }
  const std::vector<std::int32_t> indices = largest_magnitudes(
      {values.const_data_ptr<float>(),
       static_cast<std::size_t>(values.numel())},
      static_cast<std::size_t>(count));
  return at::tensor(indices, values.options().dtype(at::kLong));
}

class TopK final : public BucketExchange {
 public:
  TopK(
      at::Tensor gradients,
      const std::vector<BucketPart>& parts,
      const TopKOptions& options)
      : gradients_(std::move(gradients)), options_(options) {
    const bool makes_momentum = options.momentum > 0.0;
    for (const BucketPart& part : parts) {
      const at::Tensor& gradient = part.gradient;
      // Indices travel in 32 bits.
      const bool leaves_out = gradient.dim() >= 2 &&
          gradient.numel() <= std::numeric_limits<std::int32_t>::max();
      summands_.push_back(
          {.name = part.name,
           .gradient = Summand::flat(gradient),
           .residual = leaves_out ? at::zeros_like(gradient) : at::Tensor(),
           .velocity = makes_momentum ? at::zeros_like(gradient) : at::Tensor(),
           .pruned = part.pruned});
    }
  }

  void begin(std::int64_t step) override {
    reset();
    step_ = step;
  }

  void launch(Group& group) override {
    const double share = group.size() == 1 ? 1.0 : top_k_share(options_, step_);
    apart_ = apart_ || group.size() > 1;
    whole_.clear();
    sent_.clear();
    std::vector<at::Tensor> message;
    std::int64_t length = 0;
    for (const Summand& summand : summands_) {
      forget_pruned(summand);
      add_momentum(summand);
      const std::int64_t count = count_of(summand, share);
      if (count == 0) {
        send_whole(summand);
      } else {
        sent_.push_back({&summand, length, count});
        length += 2 * count;
        choose(summand, count, message);
      }
    }
    start_round(group, message, length);
  }

  void complete(Group& group) override {
    whole_pending_.wait();
    message_pending_.wait();
    if (packed_.defined()) {
      std::int64_t offset = 0;
      for (const Summand* summand : whole_) {
        summand->gradient.copy_(packed_.narrow(0, offset, summand->numel()));
        offset += summand->numel();
      }
    }
    for (const Selection& sent : sent_) {
      add_up(sent, group.size());
    }
    completed();
  }

  // Replaces residuals and velocities, which differ between ranks, by their
  // mean: only their sum is ever applied.
  void flush(Group& group) override {
    if (!apart_) {
      return;
    }
    apart_ = false;
    for (const auto& [name, tensor] : state()) {
      const at::Tensor flat = Summand::flat(tensor);
      group.all_reduce(flat);
      flat.div_(group.size());
    }
  }

  std::map<std::string, at::Tensor> state() const override {
    std::map<std::string, at::Tensor> state;
    for (const Summand& summand : summands_) {
      if (summand.residual.defined()) {
        state["sync.topk.residual." + summand.name] = summand.residual;
      }
      if (summand.velocity.defined()) {
        state["sync.topk.velocity." + summand.name] = summand.velocity;
      }
    }
    return state;
  }

 private:
  static void forget_pruned(const Summand& summand) {
    if (!summand.pruned.defined()) {
      return;
    }
    const at::Tensor pruned = Summand::flat(summand.pruned);
    threads::zero_where(summand.gradient, pruned);
    for (const at::Tensor& kept : {summand.residual, summand.velocity}) {
      if (kept.defined()) {
        threads::zero_where(Summand::flat(kept), pruned);
      }
    }
  }

  // Replaces the gradient by the direction of SGD with momentum. Momentum is
  // linear: the ranks' velocities add up to the velocity of the summed
  // gradient.
  void add_momentum(const Summand& summand) const {
    if (!summand.velocity.defined()) {
      return;
    }
    const at::Tensor velocity = Summand::flat(summand.velocity);
    velocity.mul_(options_.momentum).add_(summand.gradient);
    if (options_.nesterov) {
      summand.gradient.add_(velocity, options_.momentum);
    } else {
      summand.gradient.copy_(velocity);
    }
  }

  // Returns the number of values to send; 0: send the whole gradient, because
  // it always is, or because values plus indices would be at least as large.
  static std::int64_t count_of(const Summand& summand, double share) {
    if (!summand.residual.defined()) {
      return 0;
    }
    const auto count = static_cast<std::int64_t>(
        std::ceil(share * static_cast<double>(summand.numel())));
    return 2 * count < summand.numel() ? count : 0;
  }

  void send_whole(const Summand& summand) {
    if (summand.residual.defined()) { // residual from a run with other settings
      const at::Tensor residual = Summand::flat(summand.residual);
      summand.gradient.add_(residual);
      residual.zero_();
    }
    whole_.push_back(&summand);
  }

  // Moves the largest accumulated values from the residual to `message`.
  void choose(
      const Summand& summand,
      std::int64_t count,
      std::vector<at::Tensor>& message) const {
    const at::Tensor residual = Summand::flat(summand.residual);
    residual.add_(summand.gradient);
    const at::Tensor indices = largest(residual, count);
    message.push_back(indices.to(at::kInt));
    message.push_back(residual.index_select(0, indices).view(at::kInt));
    residual.index_fill_(0, indices, 0);
    if (summand.velocity.defined() && options_.momentum_masking) {
      Summand::flat(summand.velocity).index_fill_(0, indices, 0);
    }
  }

  void start_round(
      Group& group,
      const std::vector<at::Tensor>& message,
      std::int64_t length) {
    packed_.reset();
    if (sent_.empty()) {
      whole_pending_ = start(group, gradients_);
      return;
    }
    if (!whole_.empty()) {
      std::vector<at::Tensor> pieces;
      for (const Summand* summand : whole_) {
        pieces.push_back(summand->gradient);
      }
      packed_ = at::cat(pieces);
      whole_pending_ = start(group, packed_);
    }
    gathered_ =
        at::empty({group.size(), length}, gradients_.options().dtype(at::kInt));
    message_ = at::cat(message);
    message_pending_ = start_gather(group, gathered_.view({-1}), message_);
  }

  // Sums the received values in rank order, so that all ranks get the same
  // bits; the indices of one rank are distinct.
  void add_up(const Selection& sent, std::int64_t ranks) const {
    const at::Tensor& gradient = sent.summand->gradient;
    gradient.zero_();
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const at::Tensor both =
          gathered_[rank].narrow(0, sent.offset, 2 * sent.count);
      gradient.index_add_(
          0,
          both.narrow(0, 0, sent.count),
          both.narrow(0, sent.count, sent.count).view(at::kFloat));
    }
  }

  at::Tensor gradients_;
  TopKOptions options_;
  std::vector<Summand> summands_;
  std::int64_t step_ = 0;
  bool apart_ = false; // residuals and velocities may differ between ranks
  // Selections and buffers of this step.
  std::vector<const Summand*> whole_; // gradients that are sent uncompressed
  at::Tensor packed_; // copies of whole_; undefined: the bucket itself is sent
  Pending whole_pending_;
  std::vector<Selection> sent_;
  at::Tensor message_; // int32, values as their bits
  at::Tensor gathered_; // [ranks, length of message_]
  Pending message_pending_;
};

} // namespace

double top_k_share(const TopKOptions& options, std::int64_t step) {
  constexpr std::int64_t kStages = 4;
  const std::int64_t since = step - options.start;
  if (since < 0) {
    return 1.0;
  }
  if (since >= options.warmup) {
    return options.share;
  }
  const std::int64_t stage = since * kStages / options.warmup; // from 0
  return std::pow(
      options.share,
      static_cast<double>(stage + 1) / static_cast<double>(kStages + 1));
}

std::unique_ptr<BucketExchange> make_top_k(
    const at::Tensor& gradients,
    const std::vector<BucketPart>& parts,
    const TopKOptions& options) {
  return std::make_unique<TopK>(gradients, parts, options);
}

} // namespace vitrain::dist
