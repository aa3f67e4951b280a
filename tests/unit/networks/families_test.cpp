#include <functional>
#include <map>

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>

#include "fixtures.h"
#include "models/families/convnext.h"
#include "models/families/family.h"
#include "models/families/mixer.h"
#include "models/families/swin.h"
#include "models/families/vit.h"
#include "networks/cost.h"
#include "networks/model.h"
#include "networks/tensors.h"
#include "states/safetensors.h"

// Each family at a small and awkward size against timm
// (tests/golden/models/families.py), in double precision: what differs is the
// order of sums, a few hundred roundings of 1e-16.
namespace vitrain::networks::family_cases {
namespace {

constexpr std::int64_t kImages = 3;
constexpr std::int64_t kClasses = 7;
constexpr std::int64_t kSample = 200; // values that the fixture keeps
constexpr double kTolerance = 1e-11;

struct FamilyCase {
  const char* name; // in the fixture
  const char* model; // whose numbers are changed
  std::int64_t size;
  std::function<void(models::ModelSpec&)> change;
};

void small_mixer(models::ModelSpec& spec, std::int64_t width) {
  auto net = spec.get<models::MixerSpec>();
  net.patch_size = 8;
  net.depth = 2;
  net.embed_dim = width;
  spec.numbers = net;
}

void small_vit(models::ModelSpec& spec, std::int64_t mlp_ratio = 4) {
  auto net = spec.get<models::VitSpec>();
  net.patch_size = 8;
  net.depth = 2;
  net.embed_dim = 16;
  net.num_heads = 2;
  net.mlp_dim = mlp_ratio * net.embed_dim;
  spec.numbers = net;
}

using Stages = std::array<std::int64_t, 4>;

void small_convnext(
    models::ModelSpec& spec,
    const Stages& depths,
    const Stages& widths) {
  auto net = spec.get<models::ConvNeXtSpec>();
  net.depths = depths;
  net.widths = widths;
  net.head_hidden = net.head_hidden > 0 ? 10 : 0;
  spec.numbers = net;
}

const std::vector<FamilyCase>& cases() {
  using Spec = models::ModelSpec;
  const Stages widths{8, 12, 16, 20};
  const auto vit = [](Spec& s) { small_vit(s); };
  const auto narrow_vit = [](Spec& s) { small_vit(s, 3); };
  static const std::vector<FamilyCase> all{
      {"mixer", "mixer_s16_224", 40, [](Spec& s) { small_mixer(s, 20); }},
      {"gmixer", "gmixer_12_224", 40, [](Spec& s) { small_mixer(s, 24); }},
      {"resmlp", "resmlp_12_224", 40, [](Spec& s) { small_mixer(s, 24); }},
      {"gmlp", "gmlp_ti16_224", 40, [](Spec& s) { small_mixer(s, 24); }},
      {"convnext",
       "convnext_tiny",
       71,
       [=](Spec& s) {
         small_convnext(s, {1, 2, 1, 1}, widths);
       }},
      {"convnext_conv",
       "convnext_atto_ols",
       66,
       [](Spec& s) {
         small_convnext(s, {1, 1, 2, 1}, {24, 12, 16, 20});
       }},
      {"convnext_head",
       "convnext_large_mlp",
       64,
       [=](Spec& s) {
         small_convnext(s, {1, 1, 1, 1}, widths);
       }},
      {"convnext_norm_first",
       "convnext_tiny_hnf",
       64,
       [=](Spec& s) {
         small_convnext(s, {1, 1, 1, 1}, widths);
       }},
      {"convnextv2",
       "convnextv2_nano",
       64,
       [=](Spec& s) {
         small_convnext(s, {1, 1, 2, 1}, widths);
       }},
      {"vit_gap", "vit_medium_patch16_gap_240", 40, vit},
      {"vit_reg_gap", "vit_medium_patch16_reg4_gap_256", 40, vit},
      {"vit_clip", "vit_base_patch32_clip_quickgelu_224", 40, vit},
      {"vit_siglip", "vit_base_patch16_siglip_224", 40, vit},
      {"vit_siglip_gap", "vit_so400m_patch16_siglip_gap_256", 40, narrow_vit},
      {"vit_map",
       "vit_so150m_patch16_reg4_map_256",
       40,
       [](Spec& s) {
         small_vit(s);
         auto net = s.get<models::VitSpec>();
         net.mlp_dim = 41; // int(16 * 2.572)
         s.numbers = net;
       }},
      {"vit_dinov2", "vit_giant_patch14_reg4_dinov2", 40, narrow_vit},
      {"flexivit", "flexivit_small", 40, vit},
      {"deit_distilled", "deit_tiny_distilled_patch16_224", 40, vit},
      {"deit3", "deit3_small_patch16_224", 40, vit},
      {"swin", "swin_tiny_patch4_window7_224", 52, [](Spec& s) {
         s.numbers = models::SwinSpec{
             .embed_dim = 8,
             .depths = {2, 2, 1, 2},
             .heads = {1, 2, 4, 4},
             .windows = {5, 5, 2, 7}};
       }}};
  return all;
}

models::ModelSpec spec_of(const FamilyCase& test) {
  models::ModelSpec spec = *models::find_model(test.model);
  spec.num_classes = kClasses;
  spec.image_size = test.size;
  spec.drop_path = 0.25;
  test.change(spec);
  return spec;
}

at::Tensor images(std::int64_t size) {
  return pattern(kImages * 3 * size * size, 1000)
      .view({kImages, 3, size, size});
}

// As the script's factors_of().
at::Tensor factors(const Model& model) {
  const auto rows = static_cast<std::int64_t>(model.drop_rates().size());
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
    const std::string& what) {
  ASSERT_EQ(value.sizes(), expected.sizes()) << what;
  EXPECT_LE(
      (value - expected).norm().item<double>(),
      // Some gradients are zero but for noise: of a bias before a norm.
      kTolerance * expected.norm().item<double>() + 1e-13)
      << what;
}

double weighted_sum(const at::Tensor& values) {
  return (values * (at::arange(values.numel()).remainder(251) - 125))
      .sum()
      .item<double>();
}

// What the script keeps of a gradient.
at::Tensor summary(const at::Tensor& gradient) {
  const at::Tensor flat = gradient.contiguous().flatten();
  const std::int64_t step =
      std::max<std::int64_t>(1, (flat.numel() + kSample - 1) / kSample);
  return at::cat(
      {flat.slice(0, 0, flat.numel(), step),
       at::full({1}, weighted_sum(flat), at::kDouble)});
}

class Families : public testing::TestWithParam<FamilyCase> {};

TEST_P(Families, HaveTimmsLogitsAndGradients) {
  const FamilyCase& test = GetParam();
  const auto model = make_model(spec_of(test), /*seed=*/0);
  model->to(at::kDouble);
  set_parameters(*model);
  const at::Tensor logits = model->forward(images(test.size), factors(*model));
  at::cross_entropy_loss(logits, at::arange(kImages, at::kLong) % kClasses)
      .backward();
  auto golden =
      states::read_safetensors(fixture("families.safetensors")).tensors;
  const std::string prefix = std::string(test.name) + "/";
  expect_near(logits.detach(), golden.at(prefix + "logits"), "logits");
  std::size_t compared = 0;
  for (const auto& item : model->named_parameters()) {
    ASSERT_TRUE(golden.contains(prefix + item.key())) << item.key();
    expect_near(
        summary(item.value().grad()),
        golden.at(prefix + item.key()),
        item.key());
    ++compared;
  }
  const auto others = std::ranges::count_if(
      golden, [&](const auto& one) { return one.first.starts_with(prefix); });
  EXPECT_EQ(std::ssize(model->named_parameters()) + 1, others);
  EXPECT_GT(compared, 10U);
}

TEST_P(Families, StartAsTimmDoes) {
  const FamilyCase& test = GetParam();
  const auto model = make_model(spec_of(test), /*seed=*/11);
  std::map<std::string, at::Tensor> state;
  for (const auto& item : model->named_parameters()) {
    state[item.key()] = item.value().detach().contiguous();
  }
  for (const auto& row : read_csv("starts.csv")) {
    if (row.at(0) != test.name) {
      continue;
    }
    ASSERT_TRUE(state.contains(row.at(1))) << row.at(1);
    const at::Tensor value = state.at(row.at(1)).to(at::kDouble).flatten();
    // Roundings of erfinv and of what scales it: a few ulp.
    EXPECT_NEAR(
        weighted_sum(value),
        std::stod(row.at(2)),
        (value * (at::arange(value.numel()).remainder(251) - 125))
                .abs()
                .sum()
                .item<double>() *
            0x1p-21)
        << row.at(1);
    state.erase(row.at(1));
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
      at::ones({rows, 1}));
  EXPECT_LT(
      (one - all.narrow(0, 2, 1)).abs().max().item<double>(),
      1e-5 * all.abs().max().item<double>());
  EXPECT_THROW(model->forward(at::ones({2, 3, 24, 24}), {}), std::exception);
}

TEST_P(Families, TrainUnderAutocast) {
  const FamilyCase& test = GetParam();
  const auto model = make_model(spec_of(test), /*seed=*/0);
  set_parameters(*model);
  const at::Tensor batch = images(test.size).to(at::kFloat);
  const at::Tensor expected = model->forward(batch, {}).detach();
  at::autocast::set_autocast_enabled(at::kCPU, true);
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  const at::Tensor logits =
      model->forward(batch, factors(*model).to(at::kFloat));
  const at::Tensor plain = model->forward(batch, {});
  at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(at::kCPU, false);
  // bf16 has 8 bits: 2^-9 a rounding, some dozens of them in a row.
  EXPECT_LE(
      (plain.detach().to(at::kFloat) - expected).norm().item<double>(),
      0.1 * expected.norm().item<double>());
  logits.to(at::kFloat).sum().backward();
  for (const auto& item : model->named_parameters()) {
    ASSERT_TRUE(item.value().grad().defined()) << item.key();
    EXPECT_EQ(item.value().grad().scalar_type(), at::kFloat) << item.key();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Small,
    Families,
    testing::ValuesIn(cases()),
    [](const auto& test) { return std::string(test.param.name); });

TEST(FamilyNames, HaveTimmsParametersAndImageSizes) {
  std::map<std::string, ModelInfo> known;
  for (const ModelInfo& info : list_models()) {
    known[info.name] = info;
  }
  for (const auto& row : read_csv("families.csv")) {
    ASSERT_TRUE(known.contains(row.at(0))) << row.at(0);
    const ModelInfo& info = known.at(row.at(0));
    EXPECT_EQ(std::to_string(info.parameters), row.at(1)) << row.at(0);
    EXPECT_EQ(std::to_string(info.image_size), row.at(2)) << row.at(0);
  }
}

// Published: Swin-T 4.5 GMACs (Liu et al., 2021, table 1), ConvNeXt-T 4.5 (Liu
// et al., 2022, table 1), ResNet-50 4.1 (torchvision's table of weights).
TEST(Cost, IsTheOnePublished) {
  for (const auto& [name, giga] :
       {std::pair("swin_tiny_patch4_window7_224", 4.5),
        std::pair("convnext_tiny", 4.5),
        std::pair("resnet50", 4.1)}) {
    EXPECT_NEAR(
        static_cast<double>(cost_of(*models::find_model(name)).macs) / 1e9,
        giga,
        0.05)
        << name;
  }
}

} // namespace
} // namespace vitrain::networks::family_cases
