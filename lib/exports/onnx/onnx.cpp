#include "exports/onnx/onnx.h"

#include <algorithm>
#include <set>

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/constant_propagation.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>

#include "core/check.h"
#include "core/text/text.h"
#include "exports/onnx/emitter.h"
#include "exports/onnx/onnx_rows.h"

namespace vitrain::exports {
namespace {

namespace jit = torch::jit;

constexpr const char* kOutput = "logits";

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

// What is looked at where it is used.
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
      "(lib/exports/onnx); TorchScript takes it",
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

} // namespace

OnnxModel to_onnx(const jit::Module& module, const Description& description) {
  const models::ModelSpec& spec = description.spec;
  std::shared_ptr<jit::Graph> graph =
      module.get_method("forward").graph()->copy();
  jit::ConstantPropagation(graph);
  jit::EliminateDeadCode(graph);
  check_rows(*graph, spec.name);
  OnnxModel model(spec.name);
  const bool vectors = spec.features > 0;
  const std::string input = vectors ? "inputs" : "images";
  model.add_input(
      input,
      vectors ? Dims{std::nullopt, spec.features}
              : Dims{
                    std::nullopt,
                    spec.channels,
                    spec.image_size.height,
                    spec.image_size.width});
  Emitter emitter(model, module);
  emitter.bind(graph->inputs().at(1), input);
  emit(emitter, *graph);
  model.add_node(
      "Identity", {emitter.name_of(graph->outputs().at(0))}, {kOutput});
  model.add_output(kOutput, {std::nullopt, spec.num_classes});
  const Json about = description.to_json();
  for (const auto& [key, value] : about.items()) {
    model.add_metadata(
        key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return model;
}

} // namespace vitrain::exports
