#include "exports/emitter.h"

#include <algorithm>
#include <numeric>

#include <fmt/ranges.h>

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "core/check.h"
#include "core/text.h"

namespace vitrain::exports {
namespace {

namespace jit = torch::jit;

at::ScalarType written_type(at::ScalarType type) {
  return type == at::kDouble ? at::kFloat : type == at::kInt ? at::kLong : type;
}

at::ScalarType written_type(const c10::TypePtr& type) {
  const auto tensor = type->cast<c10::TensorType>();
  return written_type(
      tensor ? tensor->scalarType().value_or(at::kFloat) : at::kFloat);
}

Dims dims_of(const c10::TypePtr& type) {
  const auto tensor = type->cast<c10::TensorType>();
  const auto sizes = tensor ? tensor->sizes().sizes() : std::nullopt;
  return sizes ? Dims(sizes->begin(), sizes->end()) : Dims{};
}

// Returns the value of a constant, or of a list of constant integers that the
// graph builds; nullopt for other values.
std::optional<c10::IValue> known(const jit::Value* value) {
  if (auto constant = jit::toIValue(value)) {
    return constant;
  }
  if (value->node()->kind() != c10::prim::ListConstruct ||
      !value->type()->isSubtypeOf(*c10::ListType::ofInts())) {
    return std::nullopt;
  }
  std::vector<std::int64_t> numbers;
  for (const jit::Value* item : value->node()->inputs()) {
    const auto constant = jit::toIValue(item);
    if (!constant) {
      return std::nullopt;
    }
    numbers.push_back(constant->toInt());
  }
  return c10::IValue(numbers);
}

// Returns the names that lead from the module to one of its attributes; empty
// for other values.
std::vector<std::string> path_of(const jit::Value* value) {
  std::vector<std::string> path;
  for (const jit::Node* node = value->node();
       node->kind() == c10::prim::GetAttr;
       node = node->input()->node()) {
    path.push_back(node->s(c10::attr::name));
  }
  std::ranges::reverse(path);
  return path;
}

std::int64_t counted_from_first(std::int64_t axis, std::int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}

} // namespace

std::string Emitter::add(
    const std::string& op,
    const Names& inputs,
    const OnnxAttributes& attributes) {
  return add_many(op, inputs, 1, attributes).front();
}

Names Emitter::add_many(
    const std::string& op,
    const Names& inputs,
    std::int64_t count,
    const OnnxAttributes& attributes) {
  Names outputs;
  for (std::int64_t i = 0; i < count; ++i) {
    outputs.push_back(fmt::format("v{}", values_++));
  }
  model_.add_node(op, inputs, outputs, attributes);
  return outputs;
}

std::string Emitter::constant(const at::Tensor& tensor) {
  const at::Tensor value = tensor.contiguous();
  std::string key = fmt::format(
      "{} {} ",
      c10::toString(value.scalar_type()),
      fmt::join(value.sizes(), "x"));
  key.append(static_cast<const char*>(value.const_data_ptr()), value.nbytes());
  auto& name = constants_[key];
  if (name.empty()) {
    name = fmt::format("constant_{}", constants_.size());
    model_.add_initializer(name, value);
  }
  return name;
}

std::string Emitter::integers(const std::vector<std::int64_t>& values) {
  return constant(at::tensor(values, at::kLong));
}

std::string Emitter::number(double value) {
  return constant(at::scalar_tensor(value, at::kFloat));
}

void Emitter::bind(const jit::Value* value, const std::string& name) {
  names_[value] = name;
}

void Emitter::bind_list(const jit::Value* value, const Names& names) {
  lists_[value] = names;
}

at::Tensor Emitter::known_tensor(const jit::Value* value) const {
  if (value->node()->kind() == c10::prim::GetAttr) {
    const std::vector<std::string> path = path_of(value);
    jit::Module module = module_;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      module = module.attr(path[i]).toModule();
    }
    return module.attr(path.back()).toTensor();
  }
  const auto constant = jit::toIValue(value);
  return constant && constant->isTensor() ? constant->toTensor() : at::Tensor();
}

std::string Emitter::name_of(const jit::Value* value) {
  const auto found = names_.find(value);
  if (found != names_.end()) {
    return found->second;
  }
  const jit::Node* node = value->node();
  if (node->kind() == c10::prim::GetAttr) {
    const std::string name = join(path_of(value), ".");
    if (attributes_.insert(name).second) {
      model_.add_initializer(name, known_tensor(value));
    }
    return names_[value] = name;
  }
  const auto constant = jit::toIValue(value);
  VITRAIN_CHECK(
      constant && (constant->isTensor() || constant->isScalar()),
      ExitCode::kInternal,
      "a value of {} has no name in ONNX",
      node->kind().toQualString());
  return names_[value] = constant->isTensor()
      ? this->constant(constant->toTensor())
      : constant->isInt() ? integers({constant->toInt()})
                          : number(constant->toScalar().toDouble());
}

Names Emitter::names_of(const jit::Value* list) {
  const auto found = lists_.find(list);
  if (found != lists_.end()) {
    return found->second;
  }
  Names names;
  if (list->node()->kind() == c10::prim::ListConstruct) {
    for (const jit::Value* item : list->node()->inputs()) {
      names.push_back(item->mustBeNone() ? "" : name_of(item));
    }
    return names;
  }
  const auto constant = jit::toIValue(list);
  VITRAIN_CHECK(
      constant && constant->isList(),
      ExitCode::kInternal,
      "a list of {} has no names in ONNX",
      list->node()->kind().toQualString());
  for (const c10::IValue& item : constant->toListRef()) {
    names.push_back(item.isTensor() ? this->constant(item.toTensor()) : "");
  }
  return names;
}

const jit::Value* Call::value(const char* argument) const {
  return node_.namedInput(argument);
}

bool Call::has(const char* argument) const {
  return node_.hasNamedInput(argument) && !value(argument)->mustBeNone();
}

std::string Call::in(const char* argument) const {
  return emitter.name_of(value(argument));
}

Names Call::tensors(const char* argument) const {
  return emitter.names_of(value(argument));
}

std::string Call::operand(const char* argument, at::ScalarType type) const {
  const jit::Value* given = value(argument);
  if (const auto constant = jit::toIValue(given)) {
    return emitter.constant(
        constant->isTensor() ? constant->toTensor().to(type)
                             : at::scalar_tensor(constant->toScalar(), type));
  }
  const std::string name = emitter.name_of(given);
  if (this->type(argument) == type) {
    return name;
  }
  const std::int64_t to = type == at::kFloat ? 1 : type == at::kLong ? 7 : 9;
  return emitter.add("Cast", {name}, {{"to", to}});
}

std::int64_t Call::integer(const char* argument) const {
  const auto constant = known(value(argument));
  if (!constant || !constant->isInt()) {
    refuse(fmt::format("with a {} that is computed", argument));
  }
  return constant->toInt();
}

double Call::number(const char* argument) const {
  const auto constant = known(value(argument));
  if (constant && constant->isTensor()) {
    return constant->toTensor().item<double>();
  }
  if (!constant || !constant->isScalar()) {
    refuse(fmt::format("with a {} that is computed", argument));
  }
  return constant->toScalar().toDouble();
}

bool Call::flag(const char* argument) const {
  const auto constant = known(value(argument));
  if (!constant || !constant->isBool()) {
    refuse(fmt::format("with a {} that is computed", argument));
  }
  return constant->toBool();
}

std::string Call::text(const char* argument) const {
  const auto constant = known(value(argument));
  if (!constant || !constant->isString()) {
    refuse(fmt::format("with a {} that is computed", argument));
  }
  return constant->toStringRef();
}

std::vector<std::int64_t> Call::integers(const char* argument) const {
  const auto constant = known(value(argument));
  if (constant && constant->isInt()) {
    return {constant->toInt()};
  }
  if (!constant || !constant->isIntList()) {
    refuse(fmt::format("with a {} that is computed", argument));
  }
  return constant->toIntVector();
}

std::string Call::shape(const char* argument, std::int64_t unchanged) const {
  const auto item = [&](std::int64_t size) {
    return size == -1 ? unchanged : size;
  };
  const jit::Value* list = value(argument);
  if (known(list)) {
    std::vector<std::int64_t> sizes = integers(argument);
    std::ranges::transform(sizes, sizes.begin(), item);
    return emitter.integers(sizes);
  }
  if (list->node()->kind() != c10::prim::ListConstruct) {
    refuse(fmt::format("with a {} that is computed", argument));
  }
  Names parts;
  for (const jit::Value* size : list->node()->inputs()) {
    const auto constant = jit::toIValue(size);
    parts.push_back(
        constant ? emitter.integers({item(constant->toInt())})
                 : emitter.name_of(size));
  }
  return emitter.add("Concat", parts, {{"axis", std::int64_t{0}}});
}

at::Tensor Call::known_tensor(const char* argument) const {
  return emitter.known_tensor(value(argument));
}

Dims Call::dims(const char* argument) const {
  if (const at::Tensor tensor = known_tensor(argument); tensor.defined()) {
    return {tensor.sizes().begin(), tensor.sizes().end()};
  }
  return dims_of(value(argument)->type());
}

std::int64_t Call::rank(const char* argument) const {
  return std::ssize(dims(argument));
}

std::int64_t Call::size(const char* argument, std::int64_t axis) const {
  const auto size = dims(argument).at(static_cast<std::size_t>(axis));
  if (!size) {
    refuse("over a dimension that depends on the batch");
  }
  return *size;
}

at::ScalarType Call::type(const char* argument) const {
  if (const at::Tensor tensor = known_tensor(argument); tensor.defined()) {
    return written_type(tensor.scalar_type());
  }
  return written_type(value(argument)->type());
}

std::int64_t Call::axis(const char* argument, const char* of) const {
  return counted_from_first(integer(argument), rank(of));
}

std::int64_t Call::result_axis(const char* argument) const {
  return counted_from_first(integer(argument), std::ssize(result_dims()));
}

std::vector<std::int64_t> Call::axes(const char* argument, const char* of)
    const {
  std::vector<std::int64_t> given =
      has(argument) ? integers(argument) : std::vector<std::int64_t>();
  if (given.empty()) { // empty: all dimensions
    given.resize(static_cast<std::size_t>(rank(of)));
    std::iota(given.begin(), given.end(), std::int64_t{0});
  }
  for (std::int64_t& axis : given) {
    axis = counted_from_first(axis, rank(of));
  }
  return given;
}

Dims Call::result_dims() const {
  return dims_of(node_.output(0)->type());
}

at::ScalarType Call::result_type() const {
  return written_type(node_.output(0)->type());
}

std::int64_t Call::result_size(std::int64_t axis) const {
  const auto size = result_dims().at(static_cast<std::size_t>(axis));
  if (!size) {
    refuse("whose result's size depends on the batch there");
  }
  return *size;
}

void Call::give(const std::string& name) const {
  emitter.bind(node_.output(0), name);
}

void Call::give(
    const std::string& op,
    const Names& inputs,
    const OnnxAttributes& attributes) const {
  give(emitter.add(op, inputs, attributes));
}

void Call::give(const Names& names) const {
  emitter.bind_list(node_.output(0), names);
}

void Call::refuse(const std::string& what) const {
  fail(
      ExitCode::kUsage,
      "this network cannot be written as ONNX: {} {}; TorchScript takes it",
      node_.kind().toQualString(),
      what);
}

} // namespace vitrain::exports
