#include "optim/prune.h"

#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "config/schema/group_rule.h"
#include "core/check.h"
#include "core/text.h"
#include "threads/zero_where.h"

namespace vitrain::optim {
namespace {

// Returns share * all, rounded as Python's round(): halves go to the even
// number.
std::int64_t share_of(std::int64_t all, double share) {
  return static_cast<std::int64_t>(
      std::nearbyint(share * static_cast<double>(all)));
}

// Returns the values on the CPU, [n]. There all ranks choose alike among equal
// numbers.
at::Tensor flat_on_cpu(const at::Tensor& tensor) {
  return tensor.cpu().reshape({-1});
}

} // namespace

bool is_pruned(
    const std::vector<std::string>& match,
    const std::string& name,
    std::int64_t dimensions) {
  return dimensions >= 2 &&
      std::ranges::any_of(match, [&](const std::string& pattern) {
           return config::matches_name(pattern, name);
         });
}

void check_pruned(const std::vector<std::string>& match, bool some) {
  VITRAIN_CHECK(
      some,
      ExitCode::kUsage,
      "train.prune.match: [{}] is the name of no parameter that is trained and "
      "has two or more dimensions. A pattern is as \"blocks.*.mlp.*weight\"; "
      "\"*weight\" are all",
      printable(join(match, ", ")));
}

bool prune_due(const PruneOptions& options, std::int64_t step) {
  return step >= options.start && step <= options.end &&
      ((step - options.start) % options.every == 0 || step == options.end);
}

double prune_share(const PruneOptions& options, std::int64_t step) {
  if (step >= options.end) {
    return options.amount;
  }
  const double left = 1.0 -
      static_cast<double>(std::max<std::int64_t>(0, step - options.start)) /
          static_cast<double>(options.end - options.start);
  return options.amount * (1.0 - left * left * left);
}

Pruner::Pruner(const FlatState& parameters, PruneOptions options)
    : parameters_(parameters), options_(std::move(options)) {
  for (const FlatGroup& group : parameters.groups()) {
    masks_.push_back(at::zeros_like(
        group.parameters, group.parameters.options().dtype(at::kBool)));
    for (const Segment& segment : group.segments) {
      if (is_pruned(options_.match, segment.name, segment.parameter.dim())) {
        targets_.push_back(
            {.name = segment.name,
             .weights = segment.in(group.parameters),
             .mask = segment.in(masks_.back())});
        weights_ += segment.parameter.numel();
      }
    }
  }
  check_pruned(options_.match, !targets_.empty());
}

bool Pruner::prune(std::int64_t step) {
  const bool late = step > options_.end && !ended_;
  if (!late && !prune_due(options_, step)) {
    return false;
  }
  ended_ = step >= options_.end;
  const at::NoGradGuard no_grad;
  const double share = prune_share(options_, step);
  std::int64_t found = 0;
  std::vector<const Target*> all;
  for (const Target& target : targets_) {
    if (options_.rows) {
      found += prune_rows(target, share);
    } else if (options_.global) {
      all.push_back(&target);
    } else {
      found += prune_weights({&target}, share);
    }
  }
  if (!all.empty()) {
    found += prune_weights(all, share);
  }
  if (found == 0) {
    return false;
  }
  pruned_ += found;
  clear_weights();
  return true;
}

// Prunes the smallest remaining weights over all `targets` together, until the
// fraction `share` of all is pruned. Returns the number of newly pruned
// weights.
std::int64_t Pruner::prune_weights(
    const std::vector<const Target*>& targets,
    double share) {
  std::vector<at::Tensor> magnitudes;
  std::vector<at::Tensor> masks;
  for (const Target* target : targets) {
    magnitudes.push_back(flat_on_cpu(target->weights).abs());
    masks.push_back(flat_on_cpu(target->mask));
  }
  const at::Tensor mask = at::cat(masks);
  const at::Tensor left = mask.logical_not().nonzero().squeeze(1);
  const std::int64_t count =
      share_of(mask.numel(), share) - (mask.numel() - left.numel());
  if (count <= 0) {
    return 0;
  }
  const at::Tensor smallest = std::get<1>(at::topk(
      at::cat(magnitudes).index_select(0, left),
      count,
      /*dim=*/0,
      /*largest=*/false,
      /*sorted=*/false));
  mask.index_fill_(0, left.index_select(0, smallest), true);
  std::int64_t offset = 0;
  for (const Target* target : targets) {
    const std::int64_t numel = target->mask.numel();
    target->mask.copy_(
        mask.narrow(0, offset, numel).view(target->mask.sizes()));
    offset += numel;
  }
  return count;
}

// Prunes the remaining rows with the smallest norms, until the fraction `share`
// of all rows is pruned. Returns the number of newly pruned weights.
std::int64_t Pruner::prune_rows(const Target& target, double share) {
  const std::int64_t rows = target.weights.size(0);
  const at::Tensor mask = target.mask.cpu().reshape({rows, -1}).all(1);
  const at::Tensor left = mask.logical_not().nonzero().squeeze(1);
  const std::int64_t count = share_of(rows, share) - (rows - left.numel());
  if (count <= 0) {
    return 0;
  }
  const at::Tensor weights = target.weights.cpu();
  std::vector<std::int64_t> others;
  for (std::int64_t i = 1; i < weights.dim(); ++i) {
    others.push_back(i);
  }
  const at::Tensor norms = at::norm(weights.index_select(0, left), 2, others);
  // Like torch, selects the rows to keep.
  const at::Tensor kept = std::get<1>(
      at::topk(norms, left.numel() - count, /*dim=*/0, /*largest=*/true));
  const at::Tensor pruned = at::ones({rows}, at::kBool);
  pruned.index_fill_(0, left.index_select(0, kept), false);
  std::vector<std::int64_t> shape(static_cast<std::size_t>(weights.dim()), 1);
  shape[0] = rows;
  target.mask.copy_(pruned.view(shape).expand(target.mask.sizes()));
  return count * (weights.numel() / rows);
}

void Pruner::clear_weights() const {
  for (std::size_t i = 0; pruned_ > 0 && i < masks_.size(); ++i) {
    threads::zero_where(parameters_.groups()[i].parameters, masks_[i]);
  }
}

void Pruner::clear_gradients() const {
  for (std::size_t i = 0; pruned_ > 0 && i < masks_.size(); ++i) {
    threads::zero_where(parameters_.groups()[i].gradients, masks_[i]);
  }
}

void Pruner::clear(const std::vector<at::Tensor>& buffers) const {
  for (std::size_t i = 0; pruned_ > 0 && i < masks_.size(); ++i) {
    threads::zero_where(buffers[i], masks_[i]);
  }
}

std::map<std::string, at::Tensor> Pruner::state() const {
  std::map<std::string, at::Tensor> state;
  for (const Target& target : targets_) {
    state["prune.mask." + target.name] = target.mask;
  }
  return state;
}

void Pruner::load_state(const std::map<std::string, at::Tensor>& state) {
  const at::NoGradGuard no_grad;
  pruned_ = 0;
  ended_ = false;
  for (const Target& target : targets_) {
    const auto found = state.find("prune.mask." + target.name);
    if (found != state.end() && found->second.sizes() == target.mask.sizes()) {
      target.mask.copy_(found->second);
    } else {
      target.mask.zero_();
    }
    pruned_ += target.mask.sum().item<std::int64_t>();
  }
}

} // namespace vitrain::optim
