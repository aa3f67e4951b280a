#include "states/load_tensors.h"

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include "states/input_channels.h"
#include "states/resample_positions.h"
#include "states/stored.h"
#include "states/tensor_type.h"
#include "weights/adapters.h"

namespace vitrain::states {
namespace {

using Tensors = std::map<std::string, at::Tensor>;

Tensors own_tensors(torch::nn::Module& module) {
  Tensors own;
  for (const auto& item : module.named_parameters()) {
    own[item.key()] = item.value().detach();
  }
  for (const auto& item : module.named_buffers()) {
    own[item.key()] = item.value().detach();
  }
  // Files have merged weights: adapters keep their initial values.
  std::erase_if(
      own, [](const auto& item) { return weights::is_adapter(item.first); });
  return own;
}

weights::Layouts layouts_of(const Tensors& tensors) {
  weights::Layouts layouts;
  for (const auto& [name, tensor] : tensors) {
    layouts[name] = {
        .shape = tensor.sizes().vec(),
        .type = find_dtype(tensor.scalar_type())};
  }
  return layouts;
}

// Returns true if a value is NaN or Inf. A finite sum proves that all values
// are finite, in one pass without extra memory; otherwise every value is
// checked, because huge finite values overflow, too.
bool has_non_finite(const at::Tensor& tensor) {
  return at::isFloatingType(tensor.scalar_type()) &&
      !std::isfinite(tensor.sum().item<double>()) &&
      !at::isfinite(tensor).all().item<bool>();
}

} // namespace

weights::LoadReport load_weights(
    torch::nn::Module& module,
    const weights::Archive& archive,
    const weights::LoadOptions& options,
    const std::string& source) {
  const Tensors own = own_tensors(module);
  weights::Match match = weights::match_weights(
      layouts_of(own), weights::layouts_of(archive), options, source);
  std::vector<const weights::StoredTensor*> wanted;
  for (const auto& [name, given_name] : match.copies) {
    wanted.push_back(&archive.tensors.at(given_name));
  }
  StoredReader reader(archive, wanted);
  const at::NoGradGuard no_grad;
  for (const auto& [name, given_name] : match.copies) {
    at::Tensor target = own.at(name);
    const weights::StoredTensor& stored = archive.tensors.at(given_name);
    if (const auto found = match.resamplings.find(name);
        found != match.resamplings.end()) {
      target.copy_(
          resample(reader.read(stored), found->second, options.resampling));
    } else if (match.adapted.contains(name)) {
      target.copy_(for_channels(reader.read(stored), target.size(1)));
    } else {
      reader.read_into(stored, target);
    }
    if (has_non_finite(target)) {
      match.report.non_finite.push_back(name);
    }
  }
  return std::move(match.report);
}

} // namespace vitrain::states
