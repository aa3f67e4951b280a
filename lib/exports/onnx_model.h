#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <ATen/core/Tensor.h>

namespace vitrain::exports {

// Sizes of a tensor; nullopt for free dimensions such as the batch.
using Dims = std::vector<std::optional<std::int64_t>>;

using OnnxAttribute =
    std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>>;
using OnnxAttributes = std::vector<std::pair<std::string, OnnxAttribute>>;

// Opset version of the written files: of December 2022, the first with Col2Im;
// runtimes since 2023 support it.
inline constexpr std::int64_t kOpset = 18;

// Largest size of weights in the file itself, in bytes: a protobuf message is
// limited to 2 GiB.
inline constexpr std::int64_t kMostInline =
    (std::int64_t{2} << 30) - (64 << 20);

// Builder of an ONNX model.
class OnnxModel {
 public:
  explicit OnnxModel(std::string name) : name_(std::move(name)) {}

  // `free` names the dimensions without a size, in order. All names of inputs,
  // initializers and nodes' outputs must differ; throws Error(kUsage) for one
  // that is used already. add_output() takes the name of such a value.
  void add_input(
      const std::string& name,
      const Dims& dims,
      const std::vector<std::string>& free = {"batch"});
  void add_output(
      const std::string& name,
      const Dims& dims,
      const std::vector<std::string>& free = {"batch"});
  void add_node(
      const std::string& op,
      const std::vector<std::string>& inputs,
      const std::vector<std::string>& outputs,
      const OnnxAttributes& attributes = {});
  // Adds a constant: floating-point tensors become fp32, integer tensors int64;
  // bool is kept.
  void add_initializer(const std::string& name, const at::Tensor& tensor);
  void add_metadata(const std::string& key, const std::string& value);

  // Writes a new file, synced to storage. If all constants have more than
  // `most_inline` bytes together, those of at least 1 KiB each are written to a
  // second new file, PATH.data. Throws Error(kUsage) if a file exists,
  // Error(kStorage).
  void write(
      const std::filesystem::path& path,
      std::int64_t most_inline = kMostInline) const;

 private:
  void take(const std::string& name);
  std::string message(const std::string& external_file) const;
  int write_data(int fd) const;

  std::string name_;
  std::set<std::string> taken_; // used names of values
  // Encoded messages, like outputs_ and nodes_.
  std::vector<std::string> inputs_;
  std::vector<std::string> outputs_;
  std::vector<std::string> nodes_;
  std::vector<std::pair<std::string, at::Tensor>> initializers_;
  std::vector<std::pair<std::string, std::string>> metadata_;
};

} // namespace vitrain::exports
