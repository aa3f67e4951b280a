#include "networks/layers/batch_count.h"

#include <algorithm>
#include <utility>

#include <ATen/ATen.h>

namespace vitrain::networks {
namespace {

thread_local BatchCountScope* counts_now = nullptr;

} // namespace

BatchCountScope::BatchCountScope() : outer_(std::exchange(counts_now, this)) {}

BatchCountScope::~BatchCountScope() {
  counts_now = outer_;
}

void BatchCountScope::count() {
  if (!counters_.empty()) {
    at::_foreach_add_(std::exchange(counters_, {}), 1);
  }
}

void count_batch(at::Tensor counter) {
  // One kernel must not add to one counter twice.
  if (counts_now != nullptr &&
      std::ranges::none_of(counts_now->counters_, [&](const at::Tensor& known) {
        return known.is_same(counter);
      })) {
    counts_now->counters_.push_back(std::move(counter));
  } else {
    counter.add_(1);
  }
}

} // namespace vitrain::networks
