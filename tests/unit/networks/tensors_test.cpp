#include "networks/tensors.h"

#include <map>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "models/resolve.h"
#include "networks/model.h"

namespace vitrain::networks {
namespace {

using Kind = TensorInfo::Kind;

struct Case {
  const char* name;
  std::int64_t image_size = 0; // 0: of the name
  std::int64_t features = 0;
  std::int64_t depth = 0; // 0: of the name
};

// Name -> "kind type shape" of what make_model makes.
std::map<std::string, std::string> made(const models::ModelSpec& spec) {
  std::map<std::string, std::string> tensors;
  const auto model = make_model(spec, 0);
  const auto text = [](const char* kind, const at::Tensor& tensor) {
    std::ostringstream out;
    out << kind << ' ' << tensor.scalar_type() << ' ' << tensor.sizes();
    return out.str();
  };
  for (const auto& item : model->named_parameters()) {
    tensors[item.key()] = text("parameter", item.value());
  }
  for (const auto& item : model->named_buffers()) {
    tensors[item.key()] = text("buffer", item.value());
  }
  return tensors;
}

std::map<std::string, std::string> listed(const models::ModelSpec& spec) {
  std::map<std::string, std::string> tensors;
  for (const TensorInfo& tensor : tensors_of(spec)) {
    std::ostringstream out;
    out << (tensor.kind == Kind::kParameter ? "parameter " : "buffer ")
        << (tensor.kind == Kind::kCounter ? at::kLong : at::kFloat) << ' '
        << at::IntArrayRef(tensor.shape);
    EXPECT_TRUE(tensors.emplace(tensor.name, out.str()).second) << tensor.name;
  }
  return tensors;
}

TEST(Tensors, AreThoseOfTheModel) {
  for (const Case& one :
       {Case{"vit_tiny_patch16_224"},
        Case{"vit_tiny_patch14_56", 0, 0, 3},
        Case{"vit_small_patch8_64", 40, 0, 1},
        Case{"resnet18"},
        Case{"resnet50", 65},
        Case{"mnist_convnet"},
        Case{"mnist_convnet", 33},
        Case{"linear"},
        Case{"linear", 0, 7},
        Case{"mlp", 9, 0, 3},
        Case{"mlp", 0, 5}}) {
    config::ModelConfig config;
    config.name = one.name;
    if (one.image_size > 0) {
      config.image_size = one.image_size;
    }
    if (one.depth > 0) {
      config.depth = one.depth;
    }
    const models::ModelSpec spec =
        models::resolve(config, {.outputs = 11, .features = one.features});
    EXPECT_EQ(listed(spec), made(spec)) << one.name << " " << one.image_size;
  }
}

} // namespace
} // namespace vitrain::networks
