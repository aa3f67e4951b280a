#include <gmock/gmock.h>

#include <iterator>
#include <map>
#include <memory>
#include <set>

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/ir/irparser.h>
#include <protozero/pbf_message.hpp>

#include "core/error.h"
#include "exports/emitter.h"
#include "exports/onnx.h"
#include "exports/proto.h"
#include "exports/trace.h"
#include "small_networks.h"
#include "support/files.h"
#include "support/messages.h"

// The structure of the file; what runtimes compute of it,
// bench/parity_export.sh compares.
namespace vitrain::exports {
namespace {

using protozero::data_view;
using protozero::pbf_message;
using testing::HasSubstr;

struct Initializer {
  std::int64_t numel = 1;
  std::string bytes;
  std::map<std::string, std::string> external; // location, offset, length
};

struct File {
  std::map<std::string, std::string> metadata;
  std::map<std::string, Initializer> initializers;
  std::map<std::string, std::string> ends; // inputs and outputs, dimensions
  std::set<std::string> operators;
  std::set<std::string> undefined; // values that no node before gives
};

std::pair<std::string, std::string> entry_of(data_view bytes) {
  pbf_message<proto::Entry> entry(bytes);
  std::string key;
  std::string value;
  while (entry.next()) {
    (entry.tag() == proto::Entry::kKey ? key : value) = entry.get_string();
  }
  return {key, value};
}

std::pair<std::string, Initializer> initializer_of(data_view bytes) {
  pbf_message<proto::Tensor> tensor(bytes);
  std::string name;
  Initializer result;
  while (tensor.next()) {
    switch (tensor.tag()) {
      case proto::Tensor::kDims:
        result.numel *= tensor.get_int64();
        break;
      case proto::Tensor::kName:
        name = tensor.get_string();
        break;
      case proto::Tensor::kRawData:
        result.bytes = tensor.get_string();
        break;
      case proto::Tensor::kExternalData:
        result.external.insert(entry_of(tensor.get_view()));
        break;
      default:
        tensor.skip();
    }
  }
  return {name, result};
}

// "[batch, 3, 32, 32]" of a value.
std::pair<std::string, std::string> end_of(data_view bytes) {
  pbf_message<proto::ValueInfo> value(bytes);
  value.next(proto::ValueInfo::kName);
  const std::string name = value.get_string();
  value.next(proto::ValueInfo::kType);
  pbf_message<proto::Type> type(value.get_message());
  type.next(proto::Type::kTensorType);
  pbf_message<proto::TensorType> tensor(type.get_message());
  tensor.next(proto::TensorType::kShape);
  pbf_message<proto::Shape> shape(tensor.get_message());
  std::string text;
  while (shape.next()) {
    pbf_message<proto::Dimension> dimension(shape.get_message());
    dimension.next();
    text += (text.empty() ? "" : ", ") +
        (dimension.tag() == proto::Dimension::kValue
             ? std::to_string(dimension.get_int64())
             : dimension.get_string());
  }
  return {name, text};
}

void read_graph(data_view bytes, File& file) {
  std::vector<std::pair<std::size_t, std::string>> used; // by number of node
  std::map<std::string, std::size_t> nodes; // that give a value
  pbf_message<proto::Graph> graph(bytes);
  std::size_t number = 1;
  while (graph.next()) {
    switch (graph.tag()) {
      case proto::Graph::kNode: {
        pbf_message<proto::Node> node(graph.get_message());
        while (node.next()) {
          switch (node.tag()) {
            case proto::Node::kInput:
              used.emplace_back(number, node.get_string());
              break;
            case proto::Node::kOutput:
              nodes[node.get_string()] = number;
              break;
            case proto::Node::kOpType:
              file.operators.insert(node.get_string());
              break;
            default:
              node.skip();
          }
        }
        ++number;
        break;
      }
      case proto::Graph::kInitializer:
        file.initializers.insert(initializer_of(graph.get_view()));
        break;
      case proto::Graph::kInput:
      case proto::Graph::kOutput:
        file.ends.insert(end_of(graph.get_view()));
        break;
      default:
        graph.skip();
    }
  }
  for (const auto& [user, name] : used) {
    const auto node = nodes.find(name);
    const bool before = node != nodes.end() && node->second < user;
    const bool known = file.initializers.contains(name) ||
        (file.ends.contains(name) && node == nodes.end());
    if (!name.empty() && !before && !known) {
      file.undefined.insert(name);
    }
  }
}

File read(const std::string& bytes) {
  File file;
  pbf_message<proto::ModelField> model(bytes);
  while (model.next()) {
    if (model.tag() == proto::ModelField::kMetadataProps) {
      file.metadata.insert(entry_of(model.get_view()));
    } else if (model.tag() == proto::ModelField::kGraph) {
      read_graph(model.get_view(), file);
    } else {
      model.skip();
    }
  }
  return file;
}

class Onnx : public testing::TestWithParam<SmallNetwork> {};

// Networks of convolutions and means over all places.
bool takes_any_size(const std::string& name) {
  return std::set<std::string>{
      "resnet18",
      "resnet50",
      "resnetblur18",
      "skresnet18",
      "resnest14d",
      "resnetv2_50x1_bit",
      "convnext_atto",
      "convnextv2_atto",
      "mobileone_s0"}
      .contains(name);
}

// Whether the file has numbers computed from these weights instead.
bool is_joined(const std::string& network, const std::string& weight) {
  if (network == "resnetv2_50x1_bit") { // standardised
    return weight.find("conv") != std::string::npos;
  }
  return network == "mobileone_s0" &&
      weight.find(".attn.") == std::string::npos && !weight.starts_with("head");
}

TEST_P(Onnx, HasTheNetworksWeightsAndABatchOfAnySize) {
  const TempFolder folder;
  const models::ModelSpec spec = spec_of(GetParam());
  const auto model = random_network(spec);
  Description description{.spec = spec, .classes = {"a", "b"}};
  description.mean = {0.5, 0.25, 0.125};
  description.interpolation = "bicubic";
  record_onnx(*model, description).write(folder / "network.onnx");
  const File file = read(read_bytes(folder / "network.onnx"));
  EXPECT_EQ(file.undefined, std::set<std::string>());
  const bool any_size = takes_any_size(GetParam().name);
  EXPECT_EQ(
      file.ends.at("images"),
      any_size ? fmt::format("batch, {}, height, width", spec.channels)
               : fmt::format(
                     "batch, {}, {}, {}",
                     spec.channels,
                     spec.image_size.height,
                     spec.image_size.width));
  EXPECT_EQ(file.ends.at("logits"), "batch, 7");
  EXPECT_EQ(file.metadata.at("model"), spec.name);
  EXPECT_EQ(file.metadata.at("mean"), "[0.5,0.25,0.125]");
  EXPECT_EQ(file.metadata.at("interpolation"), "bicubic");
  EXPECT_EQ(file.metadata.at("classes"), R"(["a","b"])");
  for (const auto& item : model->named_parameters()) {
    if (is_joined(GetParam().name, item.key())) {
      EXPECT_FALSE(file.initializers.contains(item.key())) << item.key();
      continue;
    }
    ASSERT_TRUE(file.initializers.contains(item.key())) << item.key();
    const at::Tensor weight = item->contiguous();
    EXPECT_EQ(
        file.initializers.at(item.key()).bytes,
        std::string(
            static_cast<const char*>(weight.const_data_ptr()), weight.nbytes()))
        << item.key();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Networks,
    Onnx,
    testing::ValuesIn(small_networks()),
    [](const auto& test) { return test.param.name; });

TEST(OnnxFile, HasLargeWeightsBesideIt) {
  const TempFolder folder;
  const models::ModelSpec spec = spec_of({"mlp", 16});
  const auto model = random_network(spec);
  to_onnx(trace(*model, spec), {.spec = spec})
      .write(folder / "network.onnx", /*most_inline=*/1000);
  const File file = read(read_bytes(folder / "network.onnx"));
  const std::string data = read_bytes(folder / "network.onnx.data");
  int outside = 0;
  for (const auto& item : model->named_parameters()) {
    const Initializer& one = file.initializers.at(item.key());
    const at::Tensor weight = item->contiguous();
    const std::string bytes(
        static_cast<const char*>(weight.const_data_ptr()), weight.nbytes());
    if (one.external.empty()) {
      EXPECT_EQ(one.bytes, bytes);
      EXPECT_LT(bytes.size(), 1024U);
      continue;
    }
    ++outside;
    EXPECT_EQ(one.external.at("location"), "network.onnx.data");
    EXPECT_EQ(std::stoull(one.external.at("offset")) % 4096, 0U); // mapped
    EXPECT_EQ(
        data.substr(
            std::stoull(one.external.at("offset")),
            std::stoull(one.external.at("length"))),
        bytes)
        << item.key();
  }
  EXPECT_GT(outside, 0);
}

TEST(OnnxFile, IsThereWithItsWeightsOrNotAtAll) {
  const TempFolder folder;
  const models::ModelSpec spec = spec_of({"mlp", 16});
  const auto model = random_network(spec);
  const OnnxModel network = to_onnx(trace(*model, spec), {.spec = spec});
  const auto refused = [&](const std::filesystem::path& path) {
    try {
      network.write(path, /*most_inline=*/1000);
      return false;
    } catch (const Error& error) {
      return error.code() == ExitCode::kUsage;
    }
  };
  folder.write("model.onnx", "mine");
  EXPECT_TRUE(refused(folder / "model.onnx"));
  EXPECT_FALSE(std::filesystem::exists(folder / "model.onnx.data"));
  EXPECT_EQ(read_bytes(folder / "model.onnx"), "mine");
  folder.write("weights.onnx.data", "mine");
  EXPECT_TRUE(refused(folder / "weights.onnx"));
  EXPECT_FALSE(std::filesystem::exists(folder / "weights.onnx"));
  EXPECT_EQ(read_bytes(folder / "weights.onnx.data"), "mine");
}

// MobileOne's branches are one convolution in the file, with the weights that
// evaluation joins: no step computes weights.
TEST(OnnxFile, JoinsTheBranchesOfMobileOne) {
  const at::NoGradGuard no_grad;
  const TempFolder folder;
  const models::ModelSpec spec = spec_of({"mobileone_s0", 32});
  const auto model = random_network(spec);
  record_onnx(*model, {.spec = spec}).write(folder / "network.onnx");
  const File file = read(read_bytes(folder / "network.onnx"));
  EXPECT_EQ(
      file.operators,
      (std::set<std::string>{
          "Conv",
          "Gemm",
          "Identity",
          "ReduceMean", // over all places
          "Relu",
          "Reshape",
          "Transpose"}));
  // 3 x 3 kernels of four branches, a 1 x 1, all of the stem: of 48 channels.
  ASSERT_TRUE(file.initializers.contains("stem.reparam_conv.weight"));
  const Initializer& stem = file.initializers.at("stem.reparam_conv.weight");
  EXPECT_EQ(stem.numel, 48 * 3 * 3 * 3);
  std::map<std::string, at::Tensor> weights;
  for (const auto& item : model->named_parameters()) {
    weights[item.key()] = item->to(at::kDouble);
  }
  for (const auto& item : model->named_buffers()) {
    weights[item.key()] = item->to(at::kDouble);
  }
  // Section 3.2 of the paper, in fp64.
  at::Tensor joined = at::zeros({48, 3, 3, 3}, at::kDouble);
  for (const auto& [name, weight] : weights) {
    if (!name.starts_with("stem.") || !name.ends_with(".conv.weight")) {
      continue;
    }
    const std::string norm =
        name.substr(0, name.size() - std::string("conv.weight").size()) + "bn.";
    const at::Tensor slope = weights.at(norm + "weight") /
        at::sqrt(weights.at(norm + "running_var") + 1e-5);
    at::Tensor kernel = weight * slope.view({-1, 1, 1, 1});
    joined += kernel.size(2) == 1 ? at::constant_pad_nd(kernel, {1, 1, 1, 1})
                                  : kernel;
  }
  const at::Tensor written =
      at::from_blob(
          const_cast<char*>(stem.bytes.data()), joined.sizes(), at::kFloat)
          .to(at::kDouble);
  EXPECT_TRUE(at::allclose(written, joined, 1e-5, 1e-6));
}

TEST(OnnxFile, HasTheNamesThatWereAskedFor) {
  const TempFolder folder;
  const models::ModelSpec spec = spec_of({"mlp", 16});
  const auto model = random_network(spec);
  record_onnx(*model, {.spec = spec}, {"input0", "output0"})
      .write(folder / "network.onnx");
  const File file = read(read_bytes(folder / "network.onnx"));
  EXPECT_EQ(file.undefined, std::set<std::string>());
  EXPECT_EQ(file.ends.size(), 2u);
  EXPECT_TRUE(file.ends.contains("input0"));
  EXPECT_EQ(file.ends.at("output0"), "batch, 7");
  for (const std::string& taken :
       {model->named_parameters().front().key(), std::string("v0")}) {
    try {
      record_onnx(*model, {.spec = spec}, {taken, "output0"});
      FAIL() << "two values are called " << taken;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
      EXPECT_THAT(error.what(), HasSubstr("'" + taken + "'"));
    }
  }
}

class Sorting : public networks::Model {
 public:
  at::Tensor forward(
      const at::Tensor& inputs,
      const at::Tensor& /*drop*/,
      const at::Generator& /*dropout*/) override {
    return at::cumsum(std::get<0>(at::sort(inputs, -1)), -1);
  }
};

class Causal : public networks::Model {
 public:
  at::Tensor forward(
      const at::Tensor& inputs,
      const at::Tensor& /*drop*/,
      const at::Generator& /*dropout*/) override {
    const at::Tensor x = inputs.reshape({-1, 1, 3, 1});
    return at::scaled_dot_product_attention(
        x, x, x, /*attn_mask=*/{}, /*dropout_p=*/0.0, /*is_causal=*/true);
  }
};

TEST(OnnxFile, ACausalMaskIsRefused) {
  models::ModelSpec spec;
  spec.name = "causal";
  spec.features = 3;
  Causal model;
  const auto module = trace(model, spec);
  try {
    to_onnx(module, {.spec = spec});
    FAIL() << "is written";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    expect_message(error.what(), {});
  }
}

TEST(OnnxFile, ComputedFlagsAndTextsAreRefused) {
  const auto graph = std::make_shared<torch::jit::Graph>();
  torch::jit::parseIR(
      R"(graph(%x : Tensor, %axis : int, %flag : bool, %text : str):
  %y : Tensor = aten::gelu(%x, %text)
  %z : Tensor = aten::argmax(%y, %axis, %flag)
  return (%z))",
      graph.get());
  OnnxModel model("computed");
  const torch::jit::Module module("computed");
  Emitter emitter(model, module);
  const auto refused = [](const char* words, const auto& read) {
    try {
      read();
      FAIL() << "is read: " << words;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
      EXPECT_THAT(error.what(), HasSubstr(words));
    }
  };
  const auto gelu = graph->nodes().begin();
  refused("aten::gelu with a approximate", [&] {
    Call(emitter, **gelu).text("approximate");
  });
  refused("aten::argmax with a keepdim", [&] {
    Call(emitter, **std::next(gelu)).flag("keepdim");
  });
}

TEST(OnnxFile, OperatorsWithoutRowAreNamed) {
  models::ModelSpec spec;
  spec.name = "sorting";
  spec.features = 3;
  Sorting model;
  const auto module = trace(model, spec);
  try {
    to_onnx(module, {.spec = spec});
    FAIL() << "is written";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    expect_message(error.what(), {});
  }
}

} // namespace
} // namespace vitrain::exports
