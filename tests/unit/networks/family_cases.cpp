#include "unit/networks/family_cases.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include "networks/cost.h"
#include "networks/layers/narrow.h"
#include "networks/model.h"
#include "networks/tensors.h"
#include "optim/flat_state.h"
#include "states/safetensors.h"
#include "unit/networks/fixtures.h"

// In double precision: what differs from timm is the order of sums, a few
// hundred roundings of 1e-16.
namespace vitrain::networks {
namespace {

constexpr std::int64_t kImages = 3;
constexpr std::int64_t kClasses = 7;
constexpr double kDropPath = 0.25;
constexpr std::int64_t kSample = 200; // values that the fixture keeps
// Relative tolerance of logits and gradients. BatchNorm divides by the
// deviation of a few pixels of three images, which magnifies rounding errors,
// in timm too.
constexpr double kTolerance = 1e-11;
constexpr double kNormedTolerance = 1e-9;
// The largest value of a gradient that should be zero, in tolerances.
constexpr double kNoise = 0.01;

// In the fixture, before a tensor's name: its start.
constexpr std::string_view kStart = "start/";

using Tensors = std::map<std::string, at::Tensor>;

models::ModelSpec spec_of(const FamilyCase& test) {
  models::ModelSpec spec = *models::find_model(test.model);
  spec.num_classes = kClasses;
  spec.image_size = test.size;
  spec.drop_path = kDropPath;
  test.change(spec);
  return spec;
}

at::Tensor images(const ImageSize& size) {
  return pattern(kImages * 3 * size.area(), 1000)
      .view({kImages, 3, size.height, size.width});
}

std::string fixture_of(const FamilyCase& test) {
  return fmt::format("families/{}.safetensors", test.family);
}

// Returns the fixture's tensors of a case, by the part of the name after the
// case's.
Tensors golden_of(const FamilyCase& test) {
  Tensors found;
  const std::string prefix = std::string(test.name) + "/";
  for (auto& [name, value] :
       states::read_safetensors(fixture(fixture_of(test).c_str())).tensors) {
    if (name.starts_with(prefix)) {
      found[name.substr(prefix.size())] = value;
    }
  }
  return found;
}

// As the script's factors_of(); undefined where nothing is dropped.
at::Tensor factors(const Model& model) {
  const auto rows = static_cast<std::int64_t>(model.drop_rates().size());
  if (rows == 0) {
    return {};
  }
  at::Tensor values = at::empty({rows, kImages}, at::kDouble);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t n = 0; n < kImages; ++n) {
      values[row][n] = static_cast<double>((row * 7 + n * 3) % 5) * 0.5;
    }
  }
  return values;
}

void expect_near(
    const at::Tensor& value,
    const at::Tensor& expected,
    double tolerance,
    const std::string& what) {
  ASSERT_EQ(value.sizes(), expected.sizes()) << what;
  EXPECT_LE(
      (value - expected).norm().item<double>(),
      // Some gradients are zero but for noise: of a bias before a norm.
      tolerance * (expected.norm().item<double>() + kNoise))
      << what;
}

// Counts how often a node of autograd has run.
class Counter final : public torch::autograd::FunctionPostHook {
 public:
  explicit Counter(int& count) : count_(count) {}
  torch::autograd::variable_list operator()(
      const torch::autograd::variable_list& outputs,
      const torch::autograd::variable_list& /*inputs*/) override {
    ++count_;
    return outputs;
  }

 private:
  int& count_;
};

double weighted_sum(const at::Tensor& values) {
  return (values * (at::arange(values.numel()).remainder(251) - 125))
      .sum()
      .item<double>();
}

// Returns the summary of a gradient that the script stores.
at::Tensor summary(const at::Tensor& gradient) {
  const at::Tensor flat = gradient.contiguous().flatten();
  const std::int64_t step =
      std::max<std::int64_t>(1, (flat.numel() + kSample - 1) / kSample);
  return at::cat(
      {flat.slice(0, 0, flat.numel(), step),
       at::full({1}, weighted_sum(flat), at::kDouble)});
}

} // namespace

TEST_P(Families, HaveTimmsLogitsAndGradients) {
  const FamilyCase& test = GetParam();
  const auto model = make_model(spec_of(test), /*seed=*/0);
  model->to(at::kDouble);
  set_parameters(*model);
  set_buffers(*model);
  const at::Tensor logits = model->forward(images(test.size), factors(*model));
  at::cross_entropy_loss(logits, at::arange(kImages, at::kLong) % kClasses)
      .backward();
  Tensors golden = golden_of(test);
  const double tolerance =
      golden.contains("eval") ? kNormedTolerance : kTolerance;
  const auto expect = [&](const at::Tensor& value, const std::string& name) {
    ASSERT_TRUE(golden.contains(name)) << name;
    expect_near(value, golden.at(name), tolerance, name);
    golden.erase(name);
  };
  expect(logits.detach(), "logits");
  for (const auto& item : model->named_parameters()) {
    expect(summary(item.value().grad()), item.key());
  }
  if (golden.contains("eval")) {
    const at::NoGradGuard no_grad;
    model->eval();
    expect(model->forward(images(test.size), {}), "eval");
  }
  std::erase_if(
      golden, [](const auto& one) { return one.first.starts_with(kStart); });
  EXPECT_TRUE(golden.empty()) << golden.begin()->first << " is not ours";
}

TEST_P(Families, StartAsTimmDoes) {
  const FamilyCase& test = GetParam();
  const auto model = make_model(spec_of(test), /*seed=*/11);
  Tensors state;
  for (const auto& item : model->named_parameters()) {
    state[item.key()] = item.value().detach();
  }
  for (const auto& item : model->named_buffers()) {
    if (item.value().is_floating_point()) {
      state[item.key()] = item.value();
    }
  }
  for (const auto& [name, expected] : golden_of(test)) {
    if (!name.starts_with(kStart)) {
      continue;
    }
    const std::string tensor = name.substr(kStart.size());
    ASSERT_TRUE(state.contains(tensor)) << tensor;
    const at::Tensor value =
        state.at(tensor).contiguous().to(at::kDouble).flatten();
    // Roundings of erfinv and of what scales it: a few ulp.
    EXPECT_NEAR(
        weighted_sum(value),
        expected.item<double>(),
        (value * (at::arange(value.numel()).remainder(251) - 125))
                .abs()
                .sum()
                .item<double>() *
            0x1p-21)
        << tensor;
    state.erase(tensor);
  }
  EXPECT_TRUE(state.empty()) << state.begin()->first << " is not in timm's";
}

// Dropping nothing is the same as factors of one, and images do not touch one
// another.
TEST_P(Families, TakeImagesOneByOne) {
  const at::NoGradGuard no_grad;
  const FamilyCase& test = GetParam();
  const auto model = make_model(spec_of(test), /*seed=*/0);
  set_parameters(*model);
  model->eval();
  const at::Tensor batch = images(test.size).to(at::kFloat);
  const at::Tensor all = model->forward(batch, {});
  const auto rows = static_cast<std::int64_t>(model->drop_rates().size());
  const at::Tensor one = model->forward(
      batch.narrow(0, 2, 1).contiguous(at::MemoryFormat::ChannelsLast),
      rows > 0 ? at::ones({rows, 1}) : at::Tensor());
  EXPECT_LT(
      (one - all.narrow(0, 2, 1)).abs().max().item<double>(),
      1e-5 * all.abs().max().item<double>());
  EXPECT_THROW(model->forward(batch.narrow(1, 0, 2), {}), std::exception);
  if (!spec_of(test).family->any_image_size) {
    EXPECT_THROW(model->forward(at::ones({2, 3, 24, 24}), {}), std::exception);
  }
}

TEST_P(Families, TrainUnderAutocast) {
  const FamilyCase& test = GetParam();
  const auto model = make_model(spec_of(test), /*seed=*/0);
  set_parameters(*model);
  const at::Tensor batch = images(test.size).to(at::kFloat);
  const at::Tensor expected = model->forward(batch, {}).detach();
  at::autocast::set_autocast_enabled(at::kCPU, true);
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  at::Tensor dropped = factors(*model);
  dropped = dropped.defined() ? dropped.to(at::kFloat) : dropped;
  const at::Tensor logits = model->forward(batch, dropped);
  const at::Tensor plain = model->forward(batch, {});
  at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(at::kCPU, false);
  EXPECT_LE(
      (plain.detach().to(at::kFloat) - expected).norm().item<double>(),
      test.bf16_error * expected.norm().item<double>());
  logits.to(at::kFloat).sum().backward();
  for (const auto& item : model->named_parameters()) {
    ASSERT_TRUE(item.value().grad().defined()) << item.key();
    EXPECT_EQ(item.value().grad().scalar_type(), at::kFloat) << item.key();
  }
}

// Passes over copies of the weights in bf16: the same outputs, and gradients
// that differ only by roundings. Backward completes each gradient once.
TEST_P(Families, TrainWithCopiesOfTheirWeights) {
  const FamilyCase& test = GetParam();
  const auto model = make_model(spec_of(test), /*seed=*/0);
  set_parameters(*model);
  optim::FlatState state(*model, 0.0, {});
  std::vector<NarrowCopy> copies;
  for (const optim::FlatGroup& group : state.groups()) {
    copies.push_back({group.parameters, group.parameters.to(at::kBFloat16)});
  }
  const at::Tensor batch = images(test.size).to(at::kFloat);
  const auto pass = [&](const std::vector<NarrowCopy>* narrow) {
    state.zero_gradients();
    at::Tensor logits;
    {
      const NarrowScope scope(narrow);
      at::autocast::set_autocast_enabled(at::kCPU, true);
      at::autocast::set_autocast_cache_enabled(false);
      logits = model->forward(batch, {}).to(at::kFloat);
      at::autocast::set_autocast_enabled(at::kCPU, false);
    }
    at::cross_entropy_loss(logits, at::arange(kImages) % kClasses).backward();
    return logits.detach();
  };
  const at::Tensor logits = pass(nullptr);
  std::vector<at::Tensor> expected;
  for (const optim::FlatGroup& group : state.groups()) {
    expected.push_back(group.gradients.clone());
  }
  std::map<std::string, int> completed;
  std::vector<std::shared_ptr<torch::autograd::Node>> accumulators;
  for (const auto& item : model->named_parameters()) {
    accumulators.push_back(
        torch::autograd::impl::grad_accumulator(item.value()));
    accumulators.back()->add_post_hook(
        std::make_unique<Counter>(completed[item.key()]));
  }
  EXPECT_TRUE(at::equal(pass(&copies), logits));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const optim::FlatGroup& group = state.groups()[i];
    for (const optim::Segment& segment : group.segments) {
      const at::Tensor gradient = segment.in(group.gradients);
      const at::Tensor known = segment.in(expected[i]);
      EXPECT_LE(
          (gradient - known).norm().item<double>(),
          0x1p-7 * known.norm().item<double>())
          << segment.name;
      EXPECT_EQ(completed.at(segment.name), 1) << segment.name;
    }
  }
}

TEST(FamilyNames, HaveTimmsParametersAndImageSizes) {
  const std::vector<std::string> listed = models::listed_names();
  int files = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(fixture("families"))) {
    if (file.path().extension() != ".csv") {
      continue;
    }
    ++files;
    for (const auto& row :
         read_csv(("families/" + file.path().filename().string()).c_str())) {
      ASSERT_NE(std::ranges::find(listed, row.at(0)), listed.end())
          << row.at(0);
      const models::ModelSpec spec = *models::find_model(row.at(0));
      EXPECT_EQ(std::to_string(parameter_count(spec)), row.at(1)) << row.at(0);
      EXPECT_EQ(spec.image_size.text(), row.at(2)) << row.at(0);
    }
  }
  EXPECT_GE(files, 5);
}

// Published: Swin-T 4.5 GMACs (Liu et al., 2021, table 1), ConvNeXt-T 4.5 (Liu
// et al., 2022, table 1), ResNet-50 4.1 (torchvision's table of weights), PVT
// v2-B2 4.0 (Wang et al., 2021), PoolFormer-S12 1.8 (Yu et al., 2022), HVT-S-1
// 2.4 (Pan et al., 2021, table 1).
TEST(Cost, IsTheOnePublished) {
  for (const auto& [name, giga] :
       {std::pair("swin_tiny_patch4_window7_224", 4.5),
        std::pair("convnext_tiny", 4.5),
        std::pair("resnet50", 4.1),
        std::pair("pvt_v2_b2", 4.0),
        std::pair("poolformer_s12", 1.8),
        std::pair("hvt_s1_patch16_224", 2.4)}) {
    EXPECT_NEAR(
        static_cast<double>(cost_of(*models::find_model(name)).macs) / 1e9,
        giga,
        0.05)
        << name;
  }
}

} // namespace vitrain::networks
