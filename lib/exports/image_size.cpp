#include "exports/image_size.h"

#include <optional>

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "exports/value_types.h"

namespace vitrain::exports {
namespace {

namespace jit = torch::jit;

bool same_constants(const jit::Value& a, const jit::Value& b) {
  const std::optional<c10::IValue> ours = jit::toIValue(&a);
  const std::optional<c10::IValue> theirs = jit::toIValue(&b);
  if (!ours || !theirs) {
    return ours.has_value() == theirs.has_value();
  }
  return ours->isTensor() && theirs->isTensor()
      ? is_same_tensor(ours->toTensor(), theirs->toTensor())
      : *ours == *theirs;
}

bool same_steps(const jit::Node& ours, const jit::Node& theirs) {
  return ours.kind() == theirs.kind() &&
      ours.inputs().size() == theirs.inputs().size() &&
      ours.outputs().size() == theirs.outputs().size() &&
      ours.blocks().empty() && theirs.blocks().empty() &&
      (ours.kind() != c10::prim::Constant ||
       same_constants(*ours.output(), *theirs.output()));
}

bool same_steps(const jit::Graph& ours, const jit::Graph& theirs) {
  auto other = theirs.nodes().begin();
  for (const jit::Node* node : ours.nodes()) {
    if (other == theirs.nodes().end() || !same_steps(*node, **other)) {
      return false;
    }
    ++other;
  }
  return other == theirs.nodes().end();
}

void widen_types(jit::Graph& graph, const jit::Graph& other) {
  widen(*graph.inputs().at(1), *other.inputs().at(1));
  auto theirs = other.nodes().begin();
  for (jit::Node* ours : graph.nodes()) {
    for (std::size_t i = 0; i < ours->outputs().size(); ++i) {
      widen(*ours->outputs()[i], *(*theirs)->outputs()[i]);
    }
    ++theirs;
  }
}

} // namespace

std::vector<models::ModelSpec> other_image_sizes(
    const models::ModelSpec& spec) {
  std::vector<models::ModelSpec> others(2, spec);
  others[0].image_size.height += 37;
  others[0].image_size.width += 22;
  others[1].image_size.height += 18;
  others[1].image_size.width += 75;
  return others;
}

bool free_image_size(
    jit::Graph& graph,
    const std::vector<std::shared_ptr<jit::Graph>>& others) {
  for (const auto& other : others) {
    if (!same_steps(graph, *other)) {
      return false;
    }
  }
  for (const auto& other : others) {
    widen_types(graph, *other);
  }
  return true;
}

bool takes_any_image_size(const jit::Module& module) {
  const auto images = module.get_method("forward")
                          .graph()
                          ->inputs()
                          .at(1)
                          ->type()
                          ->cast<c10::TensorType>();
  const auto sizes = images ? images->sizes().sizes() : std::nullopt;
  return sizes && sizes->size() == 4 && !(*sizes)[2] && !(*sizes)[3];
}

} // namespace vitrain::exports
