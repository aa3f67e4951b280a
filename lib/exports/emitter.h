#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include "exports/onnx_model.h"

namespace torch::jit {
struct Node;
struct Value;
} // namespace torch::jit

namespace vitrain::exports {

using Names = std::vector<std::string>;

// Maps values of a graph to names in ONNX, and adds nodes and new names.
class Emitter {
 public:
  Emitter(OnnxModel& model, const torch::jit::Module& module)
      : model_(model), module_(module) {}

  // Add a node with one output, or with `count`; return the names of the
  // outputs.
  std::string add(
      const std::string& op,
      const Names& inputs,
      const OnnxAttributes& attributes = {});
  Names add_many(
      const std::string& op,
      const Names& inputs,
      std::int64_t count,
      const OnnxAttributes& attributes = {});

  // Adds a constant and returns its name; equal constants share a name.
  std::string constant(const at::Tensor& tensor);
  std::string integers(const std::vector<std::int64_t>& values); // [n] int64
  std::string number(double value); // fp32 scalar

  // Sets the name of a graph's value.
  void bind(const torch::jit::Value* value, const std::string& name);
  void bind_list(const torch::jit::Value* value, const Names& names);

  // Returns the name of a value of the graph: a tensor, an integer as [1]
  // int64, or another number as an fp32 scalar. Adds attributes of the module,
  // and constants, as initializers on first use. Throws Error(kInternal) for a
  // value that is none of these and not bound.
  std::string name_of(const torch::jit::Value* value);
  // Returns the names of a list of tensors; "" for None. Throws
  // Error(kInternal) for a list that is neither constant, made of values nor
  // bound.
  Names names_of(const torch::jit::Value* list);

  // Returns the tensor of a constant or of a module's attribute; undefined for
  // computed values.
  at::Tensor known_tensor(const torch::jit::Value* value) const;

 private:
  OnnxModel& model_;
  const torch::jit::Module& module_;
  std::int64_t values_ = 0;
  std::unordered_map<const torch::jit::Value*, std::string> names_;
  std::unordered_map<const torch::jit::Value*, Names> lists_;
  std::map<std::string, std::string> constants_; // by type, shape and bytes
  std::set<std::string> attributes_; // attributes that are initializers already
};

// A node of a graph, for the translation of its operator. Arguments are
// identified by their names in aten's schema.
class Call {
 public:
  Call(Emitter& names, const torch::jit::Node& node)
      : emitter(names), node_(node) {}

  Emitter& emitter;

  // True if the argument exists and is not None.
  bool has(const char* argument) const;
  std::string in(const char* argument) const; // name of a tensor argument
  Names tensors(const char* argument) const;
  // Returns the constant tensor of an argument; undefined if it is computed.
  at::Tensor known_tensor(const char* argument) const;
  // Returns the name of a tensor or number, converted to this type (fp32, int64
  // or bool).
  std::string operand(const char* argument, at::ScalarType type) const;
  // Return constant arguments; throw Error(kUsage) for computed ones.
  std::int64_t integer(const char* argument) const;
  double number(const char* argument) const;
  bool flag(const char* argument) const;
  std::string text(const char* argument) const;
  std::vector<std::int64_t> integers(const char* argument) const;
  // Returns the name of a list of sizes as [n] int64, computed in the graph if
  // one of them is computed. Each -1 is replaced by `unchanged`.
  std::string shape(const char* argument, std::int64_t unchanged) const;

  // Sizes of a tensor argument; empty if unknown.
  Dims dims(const char* argument) const;
  std::int64_t rank(const char* argument) const;
  // Returns a size, as result_size() does. Throws Error(kUsage) if the
  // dimension is free, such as the batch.
  std::int64_t size(const char* argument, std::int64_t axis) const;
  // Returns the dtype in ONNX: double counts as float, int32 as int64; float if
  // it is unknown.
  at::ScalarType type(const char* argument) const;
  // Returns the argument, a dimension of the tensor `of`, as a non-negative
  // index. axes() returns all dimensions if the argument is absent or empty.
  std::int64_t axis(const char* argument, const char* of) const;
  std::vector<std::int64_t> axes(const char* argument, const char* of) const;

  Dims result_dims() const;
  at::ScalarType result_type() const; // as type()
  std::int64_t result_size(std::int64_t axis) const;
  // Returns the argument, a dimension of the result, as a non-negative index.
  std::int64_t result_axis(const char* argument) const;

  void give(const std::string& name) const; // sets the result's name
  // Emits a node whose output is the call's result.
  void give(
      const std::string& op,
      const Names& inputs,
      const OnnxAttributes& attributes = {}) const;
  void give(const Names& names) const; // sets the names of a list of results

  // Throws Error(kUsage) with the operator and the unsupported case.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  const torch::jit::Value* value(const char* argument) const;

  const torch::jit::Node& node_;
};

// Translation of an operator of aten into ONNX.
struct OnnxRow {
  const char* name; // name in aten: "linear"
  void (*emit)(const Call& call);
};

} // namespace vitrain::exports
