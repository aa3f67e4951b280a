#include "exports/onnx_model.h"

#include <ATen/ATen.h>
#include <protozero/pbf_builder.hpp>

#include "core/check.h"
#include "core/system/files.h"
#include "core/system/new_file.h"
#include "core/text.h"
#include "exports/proto.h"

namespace vitrain::exports {
namespace {

using protozero::pbf_builder;

constexpr std::int64_t kIrVersion = 8; // version that belongs to opset 18
// In a separate file, weights begin at page boundaries, so that they can be
// memory-mapped; small ones stay in the model file.
constexpr std::int64_t kPage = 4096;
constexpr std::int64_t kSmallTensor = 1024;

std::string value_info(
    const std::string& name,
    const Dims& dims,
    const std::vector<std::string>& free) {
  std::string shape;
  auto next_free = free.begin();
  pbf_builder<proto::Shape> sizes(shape);
  for (const auto& size : dims) {
    pbf_builder<proto::Dimension> dimension(sizes, proto::Shape::kDimension);
    if (size) {
      dimension.add_int64(proto::Dimension::kValue, *size);
    } else {
      dimension.add_string(proto::Dimension::kParameter, *next_free++);
    }
  }
  std::string info;
  pbf_builder<proto::ValueInfo> value(info);
  value.add_string(proto::ValueInfo::kName, name);
  pbf_builder<proto::Type> type(value, proto::ValueInfo::kType);
  pbf_builder<proto::TensorType> tensor(type, proto::Type::kTensorType);
  tensor.add_int32(
      proto::TensorType::kElementType,
      static_cast<std::int32_t>(proto::DataType::kFloat));
  tensor.add_message(proto::TensorType::kShape, shape);
  return info;
}

std::string attribute_message(
    const std::string& name,
    const OnnxAttribute& value) {
  using proto::Attribute;
  using proto::AttributeType;
  std::string message;
  pbf_builder<Attribute> attribute(message);
  attribute.add_string(Attribute::kName, name);
  const auto add_type = [&](AttributeType type) {
    attribute.add_enum(Attribute::kType, static_cast<std::int32_t>(type));
  };
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    attribute.add_int64(Attribute::kInt, *number);
    add_type(AttributeType::kInt);
  } else if (const auto* real = std::get_if<double>(&value)) {
    attribute.add_float(Attribute::kFloat, static_cast<float>(*real));
    add_type(AttributeType::kFloat);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    attribute.add_bytes(Attribute::kString, *text);
    add_type(AttributeType::kString);
  } else {
    for (const std::int64_t item : std::get<std::vector<std::int64_t>>(value)) {
      attribute.add_int64(Attribute::kInts, item);
    }
    add_type(AttributeType::kInts);
  }
  return message;
}

proto::DataType type_of(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kFloat ? proto::DataType::kFloat
      : tensor.scalar_type() == at::kLong   ? proto::DataType::kInt64
                                            : proto::DataType::kBool;
}

std::int64_t bytes_of(const at::Tensor& tensor) {
  return static_cast<std::int64_t>(tensor.nbytes());
}

std::int64_t at_page(std::int64_t offset) {
  return (offset + kPage - 1) / kPage * kPage;
}

void add_entry(
    pbf_builder<proto::Tensor>& tensor,
    const char* key,
    const std::string& value) {
  pbf_builder<proto::Entry> entry(tensor, proto::Tensor::kExternalData);
  entry.add_string(proto::Entry::kKey, key);
  entry.add_string(proto::Entry::kValue, value);
}

} // namespace

void OnnxModel::take(const std::string& name) {
  VITRAIN_CHECK(
      taken_.insert(name).second,
      ExitCode::kUsage,
      "'{}' would be the name of two values in the ONNX file; try: -names "
      "input0,output0",
      printable(name));
}

void OnnxModel::add_input(
    const std::string& name,
    const Dims& dims,
    const std::vector<std::string>& free) {
  take(name);
  inputs_.push_back(value_info(name, dims, free));
}

void OnnxModel::add_output(
    const std::string& name,
    const Dims& dims,
    const std::vector<std::string>& free) {
  outputs_.push_back(value_info(name, dims, free));
}

void OnnxModel::add_node(
    const std::string& op,
    const std::vector<std::string>& inputs,
    const std::vector<std::string>& outputs,
    const OnnxAttributes& attributes) {
  std::string message;
  pbf_builder<proto::Node> node(message);
  for (const std::string& input : inputs) {
    node.add_string(proto::Node::kInput, input);
  }
  for (const std::string& output : outputs) {
    take(output);
    node.add_string(proto::Node::kOutput, output);
  }
  node.add_string(proto::Node::kName, fmt::format("{}_{}", op, nodes_.size()));
  node.add_string(proto::Node::kOpType, op);
  for (const auto& [name, value] : attributes) {
    node.add_message(proto::Node::kAttribute, attribute_message(name, value));
  }
  nodes_.push_back(std::move(message));
}

void OnnxModel::add_initializer(
    const std::string& name,
    const at::Tensor& tensor) {
  take(name);
  at::Tensor value = tensor.detach().contiguous();
  if (value.is_floating_point()) {
    value = value.to(at::kFloat);
  } else if (value.scalar_type() != at::kBool) {
    value = value.to(at::kLong);
  }
  initializers_.emplace_back(name, std::move(value));
}

void OnnxModel::add_metadata(const std::string& key, const std::string& value) {
  metadata_.emplace_back(key, value);
}

std::string OnnxModel::message(const std::string& external_file) const {
  std::string bytes;
  pbf_builder<proto::ModelField> model(bytes);
  model.add_int64(proto::ModelField::kIrVersion, kIrVersion);
  model.add_string(proto::ModelField::kProducerName, "vitrain");
  {
    pbf_builder<proto::OperatorSet> set(model, proto::ModelField::kOpsetImport);
    set.add_int64(proto::OperatorSet::kVersion, kOpset);
  }
  for (const auto& [key, value] : metadata_) {
    pbf_builder<proto::Entry> entry(model, proto::ModelField::kMetadataProps);
    entry.add_string(proto::Entry::kKey, key);
    entry.add_string(proto::Entry::kValue, value);
  }
  pbf_builder<proto::Graph> graph(model, proto::ModelField::kGraph);
  for (const std::string& node : nodes_) {
    graph.add_message(proto::Graph::kNode, node);
  }
  graph.add_string(proto::Graph::kName, name_);
  std::int64_t offset = 0;
  for (const auto& [name, value] : initializers_) {
    pbf_builder<proto::Tensor> tensor(graph, proto::Graph::kInitializer);
    for (const std::int64_t size : value.sizes()) {
      tensor.add_int64(proto::Tensor::kDims, size);
    }
    tensor.add_int32(
        proto::Tensor::kDataType, static_cast<std::int32_t>(type_of(value)));
    tensor.add_string(proto::Tensor::kName, name);
    if (!external_file.empty() && bytes_of(value) >= kSmallTensor) {
      add_entry(tensor, "location", external_file);
      add_entry(tensor, "offset", std::to_string(offset));
      add_entry(tensor, "length", std::to_string(bytes_of(value)));
      tensor.add_enum(proto::Tensor::kDataLocation, proto::kExternal);
      offset = at_page(offset + bytes_of(value));
    } else {
      tensor.add_bytes(
          proto::Tensor::kRawData,
          static_cast<const char*>(value.const_data_ptr()),
          value.nbytes());
    }
  }
  for (const std::string& input : inputs_) {
    graph.add_message(proto::Graph::kInput, input);
  }
  for (const std::string& output : outputs_) {
    graph.add_message(proto::Graph::kOutput, output);
  }
  return bytes;
}

int OnnxModel::write_data(int fd) const {
  const std::string zeros(static_cast<std::size_t>(kPage), '\0');
  std::int64_t missing = 0; // bytes to the next page
  for (const auto& [name, value] : initializers_) {
    if (bytes_of(value) < kSmallTensor) {
      continue;
    }
    if (const int error =
            write_all(fd, zeros.data(), static_cast<std::size_t>(missing))) {
      return error;
    }
    if (const int error =
            write_all(fd, value.const_data_ptr(), value.nbytes())) {
      return error;
    }
    missing = at_page(bytes_of(value)) - bytes_of(value);
  }
  return 0;
}

void OnnxModel::write(
    const std::filesystem::path& path,
    std::int64_t most_inline) const {
  std::int64_t bytes = 0;
  for (const auto& [name, value] : initializers_) {
    bytes += bytes_of(value);
  }
  std::filesystem::path data;
  if (bytes > most_inline) {
    check_is_new(path); // before gigabytes are written
    data = path.native() + ".data";
    write_new_file(data, [&](int fd) { return write_data(fd); });
  }
  try {
    const std::string text = message(data.filename().native());
    write_new_file(
        path, [&](int fd) { return write_all(fd, text.data(), text.size()); });
  } catch (...) {
    std::error_code ignored;
    if (!data.empty()) {
      std::filesystem::remove(data, ignored);
    }
    throw;
  }
}

} // namespace vitrain::exports
