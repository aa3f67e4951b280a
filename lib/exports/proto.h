#pragma once

#include <protozero/types.hpp>

// Messages of onnx.proto used for networks, with their field numbers
// (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
namespace vitrain::exports::proto {

enum class ModelField : protozero::pbf_tag_type {
  kIrVersion = 1,
  kProducerName = 2,
  kProducerVersion = 3,
  kGraph = 7,
  kOpsetImport = 8,
  kMetadataProps = 14,
};

enum class OperatorSet : protozero::pbf_tag_type { kVersion = 2 };

enum class Entry : protozero::pbf_tag_type { kKey = 1, kValue = 2 };

enum class Graph : protozero::pbf_tag_type {
  kNode = 1,
  kName = 2,
  kInitializer = 5,
  kInput = 11,
  kOutput = 12,
};

enum class Node : protozero::pbf_tag_type {
  kInput = 1,
  kOutput = 2,
  kName = 3,
  kOpType = 4,
  kAttribute = 5,
};

enum class Attribute : protozero::pbf_tag_type {
  kName = 1,
  kFloat = 2,
  kInt = 3,
  kString = 4,
  kInts = 8,
  kType = 20,
};

// Values of Attribute::kType.
enum class AttributeType { kFloat = 1, kInt = 2, kString = 3, kInts = 7 };

enum class Tensor : protozero::pbf_tag_type {
  kDims = 1,
  kDataType = 2,
  kName = 8,
  kRawData = 9,
  kExternalData = 13,
  kDataLocation = 14,
};

// Values of Tensor::kDataType and TensorType::kElementType.
enum class DataType { kFloat = 1, kInt64 = 7, kBool = 9 };

// A value of Tensor::kDataLocation.
inline constexpr int kExternal = 1;

enum class ValueInfo : protozero::pbf_tag_type { kName = 1, kType = 2 };

enum class Type : protozero::pbf_tag_type { kTensorType = 1 };

enum class TensorType : protozero::pbf_tag_type {
  kElementType = 1,
  kShape = 2,
};

enum class Shape : protozero::pbf_tag_type { kDimension = 1 };

enum class Dimension : protozero::pbf_tag_type { kValue = 1, kParameter = 2 };

} // namespace vitrain::exports::proto
