#include "engine/step/batch_norm.h"

#include <iterator>

#include "config/sections/dist.h"
#include "dist/sync/sync_batch_norm.h"
#include "networks/layers/layers.h"

namespace vitrain::engine {
namespace {

using config::BatchNormStatistics;

} // namespace

BatchNormExchange::BatchNormExchange(
    networks::Model& model,
    dist::Group& group,
    BatchNormStatistics statistics,
    bool elastic)
    : group_(group), statistics_(statistics), elastic_(elastic) {
  for (const auto& item :
       model.named_modules(/*name_prefix=*/"", /*include_self=*/false)) {
    auto* norm = dynamic_cast<networks::BatchNorm2d*>(item.value().get());
    if (norm == nullptr || norm->is_frozen()) {
      continue;
    }
    ++layers_;
    running_[item.key() + ".running_mean"] = norm->running_mean;
    running_[item.key() + ".running_var"] = norm->running_var;
    counters_.push_back(norm->num_batches_tracked);
    if (statistics == BatchNormStatistics::kSync) {
      norm->set_training_form(
          [this](networks::BatchNorm2d& layer, const at::Tensor& x) {
            return dist::sync_batch_norm(
                group_,
                x,
                {.weight = layer.weight,
                 .bias = layer.bias,
                 .running_mean = layer.running_mean,
                 .running_var = layer.running_var,
                 .momentum = layer.momentum(),
                 .eps = layer.eps(),
                 .traffic = &traffic_});
          });
    }
  }
}

std::vector<at::Tensor> BatchNormExchange::statistics() const {
  std::vector<at::Tensor> statistics;
  for (const auto& [name, tensor] : running_) {
    statistics.push_back(tensor);
  }
  return statistics;
}

bool BatchNormExchange::needs_epoch_ends() const {
  return layers_ > 0 &&
      statistics_ == config::BatchNormStatistics::kBroadcastAverage;
}

bool BatchNormExchange::forward_is_collective() const {
  return layers_ > 0 && statistics_ == BatchNormStatistics::kSync;
}

void BatchNormExchange::before_step() {
  if (!config::broadcasts(statistics_) || layers_ == 0 || group_.size() == 1) {
    return;
  }
  dist::add_exposed(traffic_, running_.begin()->second.device(), [&] {
    traffic_.bytes += dist::broadcast_buffers(group_, running_);
  });
}

void BatchNormExchange::sync_statistics(bool epoch_ends) {
  exchange(running_, epoch_ends);
}

void BatchNormExchange::sync_statistics(
    const dist::NamedTensors& buffers,
    bool epoch_ends) {
  dist::NamedTensors running;
  for (const auto& [name, tensor] : buffers) {
    const auto next = running_.upper_bound(name);
    if (next != running_.begin() && name.starts_with(std::prev(next)->first)) {
      running[name] = tensor;
    }
  }
  exchange(running, epoch_ends);
}

void BatchNormExchange::exchange(
    const dist::NamedTensors& running,
    bool epoch_ends) {
  if (elastic_) {
    return; // always equal
  }
  switch (statistics_) {
    case BatchNormStatistics::kLocal:
      dist::average_buffers(group_, running);
      break;
    case BatchNormStatistics::kBroadcast:
      dist::broadcast_buffers(group_, running);
      break;
    case BatchNormStatistics::kBroadcastAverage:
      // Within an epoch a mean would be useless: the next step broadcasts rank
      // 0's statistics.
      if (epoch_ends) {
        dist::average_buffers(group_, running);
      } else {
        dist::broadcast_buffers(group_, running);
      }
      break;
    case BatchNormStatistics::kSync:
      break; // always equal
  }
}

} // namespace vitrain::engine
