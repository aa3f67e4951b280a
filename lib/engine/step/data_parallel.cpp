#include "engine/step/data_parallel.h"

#include <utility>

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include "engine/device/autocast.h"
#include "engine/device/on_threads.h"
#include "engine/step/parameter_groups.h"
#include "job/precision.h"
#include "job/run/job.h"
#include "networks/model.h"

namespace vitrain::engine {
namespace {

void copy_frozen(const networks::Model& first, const networks::Model& replica) {
  auto own = replica.named_parameters();
  for (const auto& item : first.named_parameters()) {
    if (!item.value().requires_grad()) {
      own[item.key()].copy_(item.value());
    }
  }
}

} // namespace

DataParallel::Replica::Replica(
    std::shared_ptr<networks::Model> network_,
    c10::Device device_,
    const optim::Grouping& grouping)
    : network(std::move(network_)),
      device(device_),
      state(*network, grouping) {}

// Autograd node of the gathered logits. It has no inputs: its apply() runs the
// backward passes of the replicas' own graphs.
class DataParallel::Gather final : public torch::autograd::Node {
 public:
  Gather(DataParallel& owner, std::vector<at::Tensor> outputs)
      : owner_(owner), outputs_(std::move(outputs)) {}

  torch::autograd::variable_list apply(
      torch::autograd::variable_list&& gradients) override {
    owner_.backward(std::exchange(outputs_, {}), gradients[0]);
    return {};
  }

 private:
  DataParallel& owner_;
  // Logits of each replica, on that replica's device.
  std::vector<at::Tensor> outputs_;
};

DataParallel::DataParallel(
    networks::Model& first,
    optim::FlatState& state,
    std::vector<std::unique_ptr<Replica>> others)
    : first_(first),
      state_(state),
      first_device_(state.groups().front().parameters.device()),
      others_(std::move(others)) {
  for (const auto& child : first.named_children()) {
    register_module(child.key(), child.value());
  }
  for (const auto& item : first.named_parameters(/*recurse=*/false)) {
    register_parameter(item.key(), item.value(), item.value().requires_grad());
  }
  for (const auto& item : first.named_buffers(/*recurse=*/false)) {
    register_buffer(item.key(), item.value());
  }
}

networks::Model& DataParallel::network(std::size_t index) {
  return index == 0 ? first_ : *others_[index - 1]->network;
}

c10::Device DataParallel::device(std::size_t index) const {
  return index == 0 ? first_device_ : others_[index - 1]->device;
}

void DataParallel::broadcast(std::size_t replicas) {
  const at::NoGradGuard no_grad;
  const auto buffers = first_.named_buffers();
  for (std::size_t i = 1; i < replicas; ++i) {
    Replica& replica = *others_[i - 1];
    for (std::size_t g = 0; g < state_.groups().size(); ++g) {
      replica.state.groups()[g].parameters.copy_(state_.groups()[g].parameters);
    }
    if (!std::exchange(replica.has_frozen, true)) {
      copy_frozen(first_, *replica.network);
    }
    auto own = replica.network->named_buffers();
    for (const auto& item : buffers) {
      own[item.key()].copy_(item.value());
    }
  }
}

at::Tensor DataParallel::forward(
    const at::Tensor& images,
    const at::Tensor& drop,
    const at::Generator& dropout) {
  const auto all = static_cast<std::int64_t>(others_.size() + 1);
  const std::vector<at::Tensor> chunks = images.chunk(all, /*dim=*/0);
  std::vector<at::Tensor> factors(chunks.size());
  if (drop.defined()) {
    factors = drop.chunk(all, /*dim=*/1);
  }
  broadcast(chunks.size());
  const auto products = current_product_type(first_device_.type());
  std::vector<at::Tensor> outputs(chunks.size());
  on_threads(chunks.size(), [&](std::size_t i) {
    const c10::DeviceGuard guard(device(i));
    const AutocastScope autocast(device(i).type(), products);
    network(i).train();
    outputs[i] = network(i).forward(
        chunks[i].to(device(i)),
        factors[i].defined() ? factors[i].to(device(i)) : at::Tensor(),
        i > 0 && masks_ ? masks_(device(i), static_cast<std::int64_t>(i))
                        : dropout);
  });

  std::vector<at::Tensor> parts;
  for (const at::Tensor& output : outputs) {
    parts.push_back(output.detach().to(first_device_));
  }
  at::Tensor logits = at::cat(parts);
  torch::autograd::set_history(
      logits, std::make_shared<Gather>(*this, std::move(outputs)));
  return logits;
}

void DataParallel::backward(
    const std::vector<at::Tensor>& outputs,
    const at::Tensor& gradient) {
  std::vector<at::Tensor> parts;
  std::int64_t row = 0;
  for (const at::Tensor& output : outputs) {
    parts.push_back(gradient.narrow(0, row, output.size(0))
                        .to(output.device(), output.scalar_type()));
    row += output.size(0);
  }
  for (std::size_t i = 1; i < outputs.size(); ++i) {
    others_[i - 1]->state.zero_gradients();
  }
  if (first_device_.is_cuda()) {
    // Autograd has a thread for each GPU.
    torch::autograd::backward(outputs, parts);
  } else {
    // On the CPU, backward runs on the thread that called it.
    on_threads(outputs.size(), [&](std::size_t i) {
      torch::autograd::backward({outputs[i]}, {parts[i]});
    });
  }
  const at::NoGradGuard no_grad;
  for (std::size_t i = 1; i < outputs.size(); ++i) {
    const optim::FlatState& other = others_[i - 1]->state;
    for (std::size_t g = 0; g < state_.groups().size(); ++g) {
      state_.groups()[g].gradients.add_(
          other.groups()[g].gradients.to(first_device_));
    }
  }
}

std::unique_ptr<DataParallel> make_data_parallel(
    const Session& session,
    optim::FlatState& state) {
  std::vector<std::unique_ptr<DataParallel::Replica>> others;
  for (std::int64_t i = 1; i < session.plan.replicas; ++i) {
    const c10::Device device = session.cuda == nullptr
        ? session.device
        : c10::Device(
              c10::kCUDA,
              static_cast<c10::DeviceIndex>(
                  session.job.ordinals.at(static_cast<std::size_t>(i))));
    // The initial weights do not matter: every pass copies the first replica's.
    auto network = networks::make_model(
        session.spec, static_cast<std::uint64_t>(session.job.recipe.run.seed));
    network->to(device);
    const std::vector<std::string> names = parameter_names(*network);
    const config::Recipe& recipe = session.job.recipe;
    freeze(*network, recipe.model);
    others.push_back(std::make_unique<DataParallel::Replica>(
        std::move(network),
        device,
        parameter_grouping(recipe.optim, session.spec, names)));
  }
  if (others.empty()) {
    return nullptr;
  }
  return std::make_unique<DataParallel>(
      *session.model, state, std::move(others));
}

} // namespace vitrain::engine
