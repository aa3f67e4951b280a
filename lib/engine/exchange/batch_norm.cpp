#include "engine/exchange/batch_norm.h"

#include "dist/sync/sync_batch_norm.h"
#include "networks/layers/layers.h"

namespace vitrain::engine {
namespace {

using config::BatchNormStatistics;

dist::NamedTensors buffers_of(const torch::nn::Module& module) {
  dist::NamedTensors buffers;
  for (const auto& item : module.named_buffers()) {
    buffers[item.key()] = item.value();
  }
  return buffers;
}

} // namespace

BatchNormExchange::BatchNormExchange(
    networks::Model& model,
    dist::Group& group,
    BatchNormStatistics statistics)
    : model_(model), group_(group), statistics_(statistics) {
  for (const auto& module : model.modules(/*include_self=*/false)) {
    auto* norm = dynamic_cast<networks::BatchNorm2d*>(module.get());
    if (norm == nullptr) {
      continue;
    }
    ++layers_;
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

bool BatchNormExchange::forward_is_collective() const {
  return layers_ > 0 && statistics_ == BatchNormStatistics::kSync;
}

void BatchNormExchange::before_step() {
  if (statistics_ != BatchNormStatistics::kBroadcast || layers_ == 0 ||
      group_.size() == 1) {
    return;
  }
  const dist::NamedTensors buffers = buffers_of(model_);
  dist::add_exposed(traffic_, buffers.begin()->second.device(), [&] {
    traffic_.bytes += dist::broadcast_buffers(group_, buffers);
  });
}

void BatchNormExchange::bring_together() {
  bring_together(buffers_of(model_));
}

void BatchNormExchange::bring_together(const dist::NamedTensors& buffers) {
  switch (statistics_) {
    case BatchNormStatistics::kLocal:
      dist::average_buffers(group_, buffers);
      break;
    case BatchNormStatistics::kBroadcast:
      dist::broadcast_buffers(group_, buffers);
      break;
    case BatchNormStatistics::kSync:
      break; // they are equal at any time
  }
}

} // namespace vitrain::engine
