#include "networks/cost.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/record_function.h>

#include "core/check.h"
#include "networks/layers/recompute.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

// Memory of an operator's result, or of weights.
struct Memory {
  c10::Storage storage; // alive while counting: no two share an address
  std::int64_t bytes = 0; // not yet counted as kept; 0 for weights
  std::ptrdiff_t block = -1; // run_block() that made it; -1: none
  bool trained = false; // depends on a trained parameter
};

// Counters of one cost_of() call on this thread.
struct Count {
  Cost cost;
  std::int64_t largest = 0; // bytes of the largest result
  bool in_block = false; // within run_block()
  std::map<const c10::StorageImpl*, Memory> memory;

  // Returns null for tensors that are neither results nor weights, such as the
  // network's input.
  Memory* find(const at::Tensor& tensor) {
    const auto found = tensor.defined() && tensor.has_storage()
        ? memory.find(tensor.storage().unsafeGetStorageImpl())
        : memory.end();
    return found == memory.end() ? nullptr : &found->second;
  }

  // Adds weights. Views of them are results of operators, too, but need no
  // memory per image.
  void add_weights(const std::vector<at::Tensor>& weights) {
    for (const at::Tensor& weight : weights) {
      const c10::Storage& storage = weight.storage();
      memory[storage.unsafeGetStorageImpl()] = {
          .storage = storage, .trained = weight.requires_grad()};
    }
  }

  void keep(Memory& one) {
    cost.bytes.kept += one.bytes;
    if (one.block >= 0) {
      cost.blocks[static_cast<std::size_t>(one.block)].results += one.bytes;
    }
    one.bytes = 0;
  }

  // Returns true if an input depends on a trained parameter; backward then
  // needs all inputs.
  bool take_inputs(c10::ArrayRef<const c10::IValue> inputs) {
    std::vector<Memory*> found;
    for (const c10::IValue& input : inputs) {
      if (input.isTensor()) {
        found.push_back(find(input.toTensor()));
      } else if (input.isTensorList()) {
        for (const at::Tensor& tensor : input.toTensorVector()) {
          found.push_back(find(tensor));
        }
      }
    }
    std::erase(found, nullptr);
    const bool trained = std::ranges::any_of(found, &Memory::trained);
    for (Memory* one : found) {
      if (trained) {
        keep(*one);
      }
    }
    return trained;
  }

  void take_result(const at::Tensor& result, bool trained) {
    const c10::Storage& storage = result.storage();
    Memory& one = memory[storage.unsafeGetStorageImpl()];
    if (!one.storage) {
      one = {
          .storage = storage,
          .bytes = static_cast<std::int64_t>(storage.nbytes()),
          .block = in_block ? std::ssize(cost.blocks) - 1 : -1};
      largest = std::max(largest, one.bytes);
    }
    one.trained |= trained;
    if (one.trained) {
      keep(one);
    }
  }
};

thread_local Count* counting = nullptr;

// Returns the multiply-accumulate operations per output value of an operator; 0
// for operators that are not counted.
std::int64_t depth_of(
    std::string_view name,
    c10::ArrayRef<const c10::IValue> inputs) {
  if (name == "aten::convolution") {
    const at::Tensor& weight = inputs[1].toTensor();
    return weight.numel() / weight.size(0);
  }
  if (name == "aten::mm" || name == "aten::bmm") {
    return inputs[0].toTensor().size(-1);
  }
  if (name == "aten::addmm" || name == "aten::baddbmm") {
    return inputs[1].toTensor().size(-1);
  }
  if (name.starts_with("aten::_scaled_dot_product")) {
    // Two matrix products: q k^T, and its softmax times v.
    return 2 * inputs[1].toTensor().size(-2);
  }
  return 0;
}

// Facts about a running call's inputs, which may be freed before it returns.
struct Inputs : at::ObserverContext {
  std::int64_t depth = 0; // depth_of()
  bool trained = false; // one depends on a trained parameter
};

std::unique_ptr<at::ObserverContext> begin_call(
    const at::RecordFunction& call) {
  auto inputs = std::make_unique<Inputs>();
  inputs->depth = depth_of(call.name(), call.inputs());
  inputs->trained = counting != nullptr && counting->take_inputs(call.inputs());
  return inputs;
}

void count_call(const at::RecordFunction& call, at::ObserverContext* context) {
  const auto outputs = call.outputs();
  if (counting == nullptr || outputs.empty() || !outputs[0].isTensor() ||
      !outputs[0].toTensor().defined()) {
    return;
  }
  const at::Tensor& result = outputs[0].toTensor();
  const auto& inputs = *static_cast<const Inputs*>(context);
  counting->take_result(result, inputs.trained);
  counting->cost.macs += inputs.depth * result.numel();
  counting->cost.outputs += inputs.depth > 0 ? result.numel() : 0;
}

class Counting {
 public:
  explicit Counting(Count& count)
      : handle_(at::addThreadLocalCallback(
            at::RecordFunctionCallback(begin_call, count_call)
                .needsInputs(true)
                .needsOutputs(true)
                .scopes({at::RecordScope::FUNCTION}))) {
    counting = &count;
  }
  ~Counting() {
    counting = nullptr;
    at::removeCallback(handle_);
  }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

 private:
  at::CallbackHandle handle_;
};

// Runs the forward pass. Throws Error(kInternal) if an operator has no meta
// kernel, such as torch's relu and hardswish.
void forward_on_meta(
    const models::ModelSpec& spec,
    Model& model,
    const at::Tensor& input) {
  try {
    model.forward(input, {});
  } catch (const c10::NotImplementedError& error) {
    const std::string reason = error.what_without_backtrace();
    fail(
        ExitCode::kInternal,
        "{}: a network is counted on torch's meta device, where one of this "
        "one's operators has no kernel: {}. Take the function for it in "
        "networks/layers/ (activate() for activations), or give meta tensors "
        "an empty one of the shape that comes out.",
        spec.name,
        reason.substr(
            0,
            std::min(
                {reason.find(", "), reason.find(". "), reason.find('\n')})));
  }
}

} // namespace

// While backward is in a recomputed block, memory holds the block's results a
// second time, gradients of about the same size, and freed memory of about that
// size that the allocator still holds: hence 3 times its results. (An image of
// ViT-S/16 takes 23 MiB; twice the results would be 16.)
double Cost::kept_share(std::int64_t every) const {
  if (every == 0 || bytes.kept == 0) {
    return 1.0;
  }
  std::int64_t kept = bytes.kept;
  std::int64_t again = 0;
  for (std::size_t i = 0; i < blocks.size();
       i += static_cast<std::size_t>(every)) {
    kept -= blocks[i].results - blocks[i].output;
    again = std::max(again, blocks[i].results);
  }
  return static_cast<double>(kept + 3 * again) /
      static_cast<double>(bytes.kept);
}

Cost cost_of(const models::ModelSpec& spec) {
  return cost_of(spec, *make_network(spec, at::Generator()));
}

Cost cost_of(const models::ModelSpec& spec, Model& network) {
  const at::NoGradGuard no_grad;
  // Skips the autograd kernels, which double the time.
  const at::AutoDispatchBelowAutograd no_history;
  network.eval();
  std::vector<std::int64_t> shape{1, spec.features};
  if (spec.features == 0) {
    shape = {1, spec.channels, spec.image_size.height, spec.image_size.width};
  }
  const at::Tensor input = at::empty(shape, at::device(at::kMeta));
  Count count;
  count.add_weights(network.parameters());
  count.add_weights(network.buffers());
  {
    const Counting scope(count);
    const BlockObserver blocks(
        [&count] {
          count.in_block = true;
          count.cost.blocks.emplace_back();
        },
        [&count](const at::Tensor& y) {
          count.in_block = false;
          const Memory* memory = count.find(y);
          count.cost.blocks.back().output = memory != nullptr && memory->trained
              ? static_cast<std::int64_t>(y.nbytes())
              : 0;
        });
    forward_on_meta(spec, network, input);
  }
  count.cost.bytes.kept += static_cast<std::int64_t>(input.nbytes());
  count.cost.bytes.passing =
      static_cast<std::int64_t>(input.nbytes()) + 3 * count.largest;
  return count.cost;
}

} // namespace vitrain::networks
