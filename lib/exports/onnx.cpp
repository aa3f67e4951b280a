#include "exports/onnx.h"

#include <algorithm>
#include <set>

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/constant_propagation.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>

#include "core/check.h"
#include "core/text.h"
#include "exports/emitter.h"
#include "exports/fold_weights.h"
#include "exports/image_size.h"
#include "exports/onnx_rows.h"
#include "exports/trace.h"

namespace vitrain::exports {
namespace {

namespace jit = torch::jit;

const OnnxRow* find_row(const jit::Node& node) {
  if (!node.kind().is_aten() || node.maybeSchema() == nullptr) {
    return nullptr;
  }
  const std::string_view name = node.kind().toUnqualString();
  for (const auto rows :
       {math_rows(), shape_rows(), layer_rows(), window_rows()}) {
    const auto row = std::ranges::find(rows, name, [](const OnnxRow& one) {
      return std::string_view(one.name);
    });
    if (row != rows.end()) {
      return &*row;
    }
  }
  return nullptr;
}

// True for nodes that are translated together with the nodes that use them.
bool is_passive(const jit::Node& node) {
  return node.kind() == c10::prim::Constant ||
      node.kind() == c10::prim::GetAttr ||
      node.kind() == c10::prim::ListConstruct;
}

void check_rows(const jit::Graph& graph, const std::string& name) {
  std::set<std::string> unknown;
  for (const jit::Node* node : graph.nodes()) {
    if (!is_passive(*node) && node->kind() != c10::prim::ListUnpack &&
        find_row(*node) == nullptr) {
      unknown.insert(node->kind().toQualString());
    }
  }
  VITRAIN_CHECK(
      unknown.empty(),
      ExitCode::kUsage,
      "{}: cannot be written as ONNX: there is no row for {} "
      "(lib/exports); TorchScript takes it",
      name,
      join(std::vector<std::string>(unknown.begin(), unknown.end()), ", "));
}

void emit(Emitter& emitter, const jit::Graph& graph) {
  for (const jit::Node* node : graph.nodes()) {
    if (is_passive(*node)) {
      continue;
    }
    if (node->kind() == c10::prim::ListUnpack) {
      const Names names = emitter.names_of(node->input());
      for (std::size_t i = 0; i < names.size(); ++i) {
        emitter.bind(node->outputs()[i], names[i]);
      }
      continue;
    }
    find_row(*node)->emit(Call(emitter, *node));
  }
}

Dims input_dims(const jit::Module& module, const models::ModelSpec& spec) {
  if (spec.features > 0) {
    return {std::nullopt, spec.features};
  }
  if (takes_any_image_size(module)) {
    return {std::nullopt, spec.channels, std::nullopt, std::nullopt};
  }
  return {
      std::nullopt,
      spec.channels,
      spec.image_size.height,
      spec.image_size.width};
}

} // namespace

OnnxModel to_onnx(
    const jit::Module& module,
    const Description& description,
    const OnnxNames& names) {
  const models::ModelSpec& spec = description.spec;
  std::shared_ptr<jit::Graph> graph =
      module.get_method("forward").graph()->copy();
  jit::ConstantPropagation(graph);
  const auto folded = fold_convolution_weights(*graph, module);
  jit::EliminateDeadCode(graph);
  check_rows(*graph, spec.name);
  OnnxModel model(spec.name);
  const bool vectors = spec.features > 0;
  const std::string input = !names.input.empty() ? names.input
      : vectors                                  ? "inputs"
                                                 : "images";
  model.add_input(
      input, input_dims(module, spec), {"batch", "height", "width"});
  Emitter emitter(model, module);
  emitter.bind(graph->inputs().at(1), input);
  for (const auto& [constant, name] : folded) {
    model.add_initializer(name, jit::toIValue(constant)->toTensor());
    emitter.bind(constant, name);
  }
  emit(emitter, *graph);
  model.add_node(
      "Identity", {emitter.name_of(graph->outputs().at(0))}, {names.output});
  model.add_output(names.output, {std::nullopt, spec.num_classes});
  const Json about = description.to_json();
  for (const auto& [key, value] : about.items()) {
    model.add_metadata(
        key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return model;
}

OnnxModel record_onnx(
    networks::Model& model,
    const Description& description,
    const OnnxNames& names) {
  const models::ModelSpec& spec = description.spec;
  const jit::Module module = trace(model, spec);
  check_same_outputs(model, module, spec);
  if (takes_any_image_size(module)) {
    try {
      return to_onnx(module, description, names);
    } catch (const Error& error) {
      if (error.code() != ExitCode::kUsage) {
        throw;
      }
    }
  }
  const jit::Module fixed = trace(model, spec, /*any_size=*/false);
  check_same_outputs(model, fixed, spec);
  return to_onnx(fixed, description, names);
}

} // namespace vitrain::exports
