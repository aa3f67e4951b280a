// The memory order of a residual network: channels_last from the images to the
// gradients in the flat buffers.

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/resolve.h"
#include "networks/model.h"
#include "optim/flat_state.h"
#include "unit/networks/fixtures.h"

namespace vitrain::networks {
namespace {

constexpr auto kDense = at::MemoryFormat::ChannelsLast;

std::shared_ptr<Model> residual(const std::string& name) {
  config::ModelConfig config;
  config.name = name;
  return make_model(models::resolve(config, {3}), /*seed=*/1);
}

// Returns true if two 4-dimensional tensors have different memory orders;
// strides of dimensions of size 1 are ignored.
bool reorders(const at::Tensor& to, const at::Tensor& from) {
  if (to.dim() != 4 || from.dim() != 4 || to.sizes() != from.sizes()) {
    return false;
  }
  for (std::int64_t d = 0; d < 4; ++d) {
    if (to.size(d) > 1 && to.stride(d) != from.stride(d)) {
      return true;
    }
  }
  return false;
}

// A batch size that no layer's weights have as first dimension. (torch's own
// convolution copies each weight's gradient once from oneDNN's order into the
// weight's order; that is not counted.)
constexpr std::int64_t kImages = 5;

// Calls, since the recorder was made, of operators that bring activations into
// another memory order, or that take two tensors of different orders.
class Conversions {
 public:
  Conversions() {
    calls().clear();
    handle_ =
        at::addGlobalCallback(at::RecordFunctionCallback(&Conversions::record)
                                  .needsInputs(true)
                                  .scopes({at::RecordScope::FUNCTION}));
  }
  ~Conversions() { at::removeCallback(handle_); }
  Conversions(const Conversions&) = delete;
  Conversions& operator=(const Conversions&) = delete;

  static std::vector<std::string>& calls() {
    static std::vector<std::string> list;
    return list;
  }

 private:
  static std::unique_ptr<at::ObserverContext> record(
      const at::RecordFunction& function) {
    const std::string name = function.name();
    std::vector<at::Tensor> tensors;
    for (const c10::IValue& value : function.inputs()) {
      if (value.isTensor() && value.toTensor().defined()) {
        tensors.push_back(value.toTensor());
      }
    }
    const bool four = !tensors.empty() && tensors[0].dim() == 4 &&
        tensors[0].size(0) == kImages;
    const bool copies = four &&
        (name == "aten::clone" || name == "aten::contiguous" ||
         name == "aten::copy_");
    const bool mixes =
        four && tensors.size() > 1 && reorders(tensors[0], tensors[1]);
    if (copies || mixes) {
      std::string line = name;
      for (const std::int64_t size : tensors[0].sizes()) {
        line += ' ' + std::to_string(size);
      }
      calls().push_back(line);
    }
    return nullptr;
  }

  at::CallbackHandle handle_;
};

TEST(Layout, ConvertsNothingInsideAStepOfAResidualNetwork) {
  for (const char* name : {"resnet18", "resnet50"}) {
    SCOPED_TRACE(name);
    const auto model = residual(name);
    optim::FlatState state(*model, 0.05, {"norm", "bias"});
    const at::Tensor images = pattern(kImages * 3 * 64 * 64, 5)
                                  .to(at::kFloat)
                                  .view({kImages, 3, 64, 64})
                                  .contiguous(kDense);
    for (int step = 0; step < 2; ++step) {
      state.zero_gradients();
      const Conversions conversions;
      model->forward(images, {}).square().sum().backward();
      EXPECT_THAT(Conversions::calls(), testing::IsEmpty());
    }
  }
}

// The recorder detects a conversion.
TEST(Layout, NoticesConversions) {
  const at::Tensor first = at::ones({kImages, 3, 4, 4});
  const Conversions conversions;
  const at::Tensor last = first.contiguous(kDense);
  EXPECT_THAT(Conversions::calls(), testing::Contains("aten::clone 5 3 4 4"));
  Conversions::calls().clear();
  at::zeros({kImages, 3, 4, 4}).add_(last);
  EXPECT_THAT(Conversions::calls(), testing::ElementsAre("aten::add_ 5 3 4 4"));
}

TEST(Layout, KeepsWeightsAndGradientsOfConvolutionsInChannelsLast) {
  const auto model = residual("resnet18");
  const optim::FlatState state(*model, 0.05, {});
  int seen = 0;
  for (const optim::FlatGroup& group : state.groups()) {
    for (const optim::Segment& segment : group.segments) {
      const at::Tensor& weight = segment.parameter;
      if (weight.dim() == 4) {
        EXPECT_TRUE(weight.is_contiguous(kDense)) << segment.name;
        EXPECT_TRUE(weight.grad().is_contiguous(kDense)) << segment.name;
        ++seen;
      }
    }
  }
  EXPECT_EQ(seen, 20);
}

// The memory order of the input does not change the result.
TEST(Layout, TakesImagesInAnyOrder) {
  const at::NoGradGuard no_grad;
  const auto model = residual("resnet18");
  model->eval();
  const at::Tensor images =
      pattern(3 * 3 * 40 * 40, 6).to(at::kFloat).view({3, 3, 40, 40});
  EXPECT_TRUE(at::equal(
      model->forward(images, {}),
      model->forward(images.contiguous(kDense), {})));
}

} // namespace
} // namespace vitrain::networks
