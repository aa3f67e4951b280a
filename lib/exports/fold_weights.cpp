#include "exports/fold_weights.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <fmt/format.h>

#include "core/text.h"

namespace vitrain::exports {
namespace {

namespace jit = torch::jit;

// A value that depends only on attributes, and their names.
struct Known {
  c10::IValue value;
  std::set<std::string> attributes;
};

class Evaluator {
 public:
  Evaluator(const jit::Graph& graph, const jit::Module& module) {
    known_[graph.inputs().at(0)] = Known{module._ivalue(), {}};
  }

  // Returns nullopt for a value that depends on the images or cannot be
  // computed here.
  const std::optional<Known>& evaluate(const jit::Value* value) {
    const auto found = known_.find(value);
    if (found != known_.end()) {
      return found->second;
    }
    return known_[value] = compute(value);
  }

 private:
  std::optional<Known> compute(const jit::Value* value) {
    const jit::Node& node = *value->node();
    if (node.kind() == c10::prim::Constant) {
      const auto constant = jit::toIValue(value);
      return constant ? std::optional(Known{*constant, {}}) : std::nullopt;
    }
    if (node.kind() == c10::prim::Param || node.outputs().size() != 1) {
      return std::nullopt;
    }
    std::vector<c10::IValue> inputs;
    std::set<std::string> attributes;
    for (const jit::Value* input : node.inputs()) {
      const std::optional<Known> known = evaluate(input);
      if (!known) {
        return std::nullopt;
      }
      inputs.push_back(known->value);
      attributes.insert(known->attributes.begin(), known->attributes.end());
    }
    if (node.kind() == c10::prim::GetAttr) {
      return attribute(node, inputs.front());
    }
    std::optional<c10::IValue> result = node.kind() == c10::prim::ListConstruct
        ? list_of(value->type(), inputs)
        : run(node, std::move(inputs));
    return result ? std::optional(Known{std::move(*result), attributes})
                  : std::nullopt;
  }

  // Returns an attribute of a module: a tensor with its path, or another value,
  // whose path it records.
  std::optional<Known> attribute(
      const jit::Node& node,
      const c10::IValue& object) {
    const std::string name = node.s(c10::attr::name);
    const std::string& parent = paths_[node.input()];
    const std::string path = parent.empty() ? name : parent + "." + name;
    Known known{object.toObject()->getAttr(name), {}};
    if (known.value.isTensor()) {
      known.attributes.insert(path);
    } else {
      paths_[node.output()] = path;
    }
    return known;
  }

  static std::optional<c10::IValue> list_of(
      const c10::TypePtr& type,
      const std::vector<c10::IValue>& items) {
    if (type->isSubtypeOf(*c10::ListType::ofInts())) {
      c10::List<std::int64_t> list;
      for (const c10::IValue& item : items) {
        list.push_back(item.toInt());
      }
      return c10::IValue(std::move(list));
    }
    if (type->isSubtypeOf(*c10::ListType::ofTensors())) {
      c10::List<at::Tensor> list;
      for (const c10::IValue& item : items) {
        list.push_back(item.toTensor());
      }
      return c10::IValue(std::move(list));
    }
    return std::nullopt;
  }

  static std::optional<c10::IValue> run(
      const jit::Node& node,
      std::vector<c10::IValue> inputs) {
    if (!node.kind().is_aten() || node.maybeSchema() == nullptr) {
      return std::nullopt;
    }
    const at::NoGradGuard no_grad;
    jit::Stack stack = std::move(inputs);
    node.getOperation()(stack);
    return std::move(stack.front());
  }

  std::unordered_map<const jit::Value*, std::optional<Known>> known_;
  std::unordered_map<const jit::Value*, std::string> paths_; // paths of modules
};

// Returns the path of the innermost module that contains all these attributes
// (at least one); "" is the network itself.
std::string common_module(const std::set<std::string>& attributes) {
  const std::string& first = *attributes.begin();
  // Sorted: `first` and `last` differ the most.
  const std::string& last = *attributes.rbegin();
  const auto end = std::ranges::mismatch(first, last).in1;
  const std::string shared(first.begin(), end);
  const std::size_t dot = shared.rfind('.');
  return dot == shared.npos ? "" : shared.substr(0, dot);
}

} // namespace

std::vector<std::pair<jit::Value*, std::string>> fold_convolution_weights(
    jit::Graph& graph,
    const jit::Module& module) {
  Evaluator evaluator(graph, module);
  std::vector<std::pair<jit::Value*, std::string>> folded;
  std::unordered_map<const jit::Value*, jit::Value*> constants;
  std::set<std::string> names;
  const auto fold = [&](jit::Node& node, const char* argument) {
    jit::Value* value = node.namedInput(argument);
    const auto known = evaluator.evaluate(value);
    if (value->node()->kind() == c10::prim::GetAttr || !known ||
        !known->value.isTensor() || known->attributes.empty()) {
      return;
    }
    jit::Value*& constant = constants[value];
    if (constant == nullptr) {
      const jit::WithInsertPoint before(*graph.nodes().begin());
      constant =
          graph.insertConstant(known->value.toTensor().detach().contiguous());
      const std::string prefix = common_module(known->attributes);
      const std::string plain = fmt::format(
          "{}{}reparam_conv.{}", prefix, prefix.empty() ? "" : ".", argument);
      std::string name = plain;
      for (int i = 2; !names.insert(name).second; ++i) {
        name = fmt::format("{}_{}", plain, i);
      }
      folded.emplace_back(constant, name);
    }
    node.replaceInputWith(value, constant);
  };
  std::vector<jit::Node*> convolutions;
  for (jit::Node* node : graph.nodes()) {
    const std::string_view name = node->kind().toUnqualString();
    if (name == "conv2d" || name == "_convolution" || name == "convolution" ||
        name == "conv1d") {
      convolutions.push_back(node);
    }
  }
  for (jit::Node* node : convolutions) {
    fold(*node, "weight");
    fold(*node, "bias");
  }
  return folded;
}

} // namespace vitrain::exports
