#include "networks/tensors.h"

#include <algorithm>

#include <ATen/core/Tensor.h>
#include <c10/util/accumulate.h>

#include "networks/cost.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

using Kind = TensorInfo::Kind;

std::int64_t parameter_count(const Model& network) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : network.parameters()) {
    count += parameter.numel();
  }
  return count;
}

} // namespace

std::int64_t TensorInfo::numel() const {
  return c10::multiply_integers(shape);
}

std::vector<TensorInfo> tensors_of(const models::ModelSpec& spec) {
  const auto model = make_network(spec, at::Generator());
  std::vector<TensorInfo> tensors;
  for (const auto& item : model->named_parameters()) {
    tensors.push_back({item.key(), item->sizes().vec(), Kind::kParameter});
  }
  for (const auto& item : model->named_buffers()) {
    tensors.push_back(
        {item.key(),
         item->sizes().vec(),
         item->scalar_type() == at::kLong ? Kind::kCounter : Kind::kBuffer});
  }
  return tensors;
}

std::int64_t parameter_count(const models::ModelSpec& spec) {
  return parameter_count(*make_network(spec, at::Generator()));
}

bool has_batch_norm(const models::ModelSpec& spec) {
  return std::ranges::any_of(tensors_of(spec), [](const TensorInfo& tensor) {
    return tensor.name.ends_with("running_mean");
  });
}

models::ModelCounts counts_of(const models::ModelSpec& spec) {
  const auto network = make_network(spec, at::Generator());
  const Cost cost = cost_of(spec, *network);
  return {
      .parameters = parameter_count(*network),
      .macs = cost.macs,
      .outputs = cost.outputs};
}

} // namespace vitrain::networks
