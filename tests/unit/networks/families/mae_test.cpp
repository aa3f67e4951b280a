#include "models/families/mae.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/resolve.h"
#include "networks/cost.h"
#include "networks/model.h"
#include "networks/tensors.h"
#include "states/load_tensors.h"
#include "states/safetensors.h"
#include "unit/networks/family_cases.h"
#include "unit/networks/fixtures.h"
#include "weights/archive.h"
#include "weights/names/timm_names.h"

// Masked autoencoders against transformers' ViTMAEForPreTraining
// (tests/golden/models/families/mae.py), in double precision: what differs is
// the order of sums, a few hundred roundings of 1e-16.
namespace vitrain::networks::mae_cases {
namespace {

constexpr std::int64_t kImages = 3;
constexpr std::int64_t kSample = 200; // values that the fixture keeps
constexpr double kTolerance = 1e-11;

struct Net {
  std::int64_t width;
  std::int64_t depth;
  std::int64_t heads;
};

struct MaeCase {
  const char* name; // in the fixture, whose script has the same numbers
  std::int64_t size;
  std::int64_t patch;
  std::int64_t channels;
  Net encoder;
  Net decoder;
  std::int64_t mlp_ratio;
  double mask_ratio;
  bool norm_pix_loss;

  models::ModelSpec spec() const {
    models::ModelSpec spec = *models::find_model("mae_vit_base_patch16");
    spec.image_size = size;
    spec.channels = channels;
    change_numbers<models::MaeSpec>(spec, [&](models::MaeSpec& mae) {
      mae.encoder.patch_size = patch;
      set(mae.encoder, encoder);
      set(mae.decoder, decoder);
      mae.mask_ratio = mask_ratio;
      mae.norm_pix_loss = norm_pix_loss;
    });
    return spec;
  }

  std::int64_t patches() const { return (size / patch) * (size / patch); }

 private:
  void set(models::VitSpec& vit, const Net& net) const {
    vit.embed_dim = net.width;
    vit.depth = net.depth;
    vit.num_heads = net.heads;
    vit.mlp_dim = net.width * mlp_ratio;
  }
};

class Mae : public testing::TestWithParam<MaeCase> {};

at::Tensor images(const MaeCase& test) {
  return pattern(kImages * test.channels * test.size * test.size, 1000)
      .view({kImages, test.channels, test.size, test.size});
}

// As the script's noise_of(), patches first.
at::Tensor noise(const MaeCase& test) {
  const auto patches = test.patches();
  at::Tensor values = at::empty({patches, kImages}, at::kDouble);
  for (std::int64_t n = 0; n < kImages; ++n) {
    values.select(1, n).copy_(
        (at::arange(patches, at::kDouble) * 7 + 3 * n)
            .remainder(static_cast<double>(patches) + 0.5));
  }
  return values;
}

// Where each patch stands when they are sorted by these numbers.
at::Tensor places_of(const at::Tensor& order) {
  return order.argsort(std::int64_t{0}).argsort(std::int64_t{0});
}

double weighted_sum(const at::Tensor& values) {
  return (values * (at::arange(values.numel()).remainder(251) - 125))
      .sum()
      .item<double>();
}

at::Tensor summary(const at::Tensor& values) {
  const at::Tensor flat = values.contiguous().flatten();
  const std::int64_t step =
      std::max<std::int64_t>(1, (flat.numel() + kSample - 1) / kSample);
  return at::cat(
      {flat.slice(0, 0, flat.numel(), step),
       at::full({1}, weighted_sum(flat), at::kDouble)});
}

std::map<std::string, at::Tensor> golden_of(const MaeCase& test, bool starts) {
  const std::string own = std::string(test.name) + "/";
  const std::string start = own + "start/";
  std::map<std::string, at::Tensor> found;
  for (auto& [name, value] :
       states::read_safetensors(fixture("families/mae.safetensors")).tensors) {
    if (name.starts_with(own) && name.starts_with(start) == starts) {
      found[name.substr((starts ? start : own).size())] = value;
    }
  }
  return found;
}

TEST_P(Mae, HasThePublishedLossesAndGradients) {
  const MaeCase& test = GetParam();
  const auto model = make_model(test.spec(), /*seed=*/0);
  model->to(at::kDouble);
  set_parameters(*model);
  ASSERT_EQ(model->masked_patches(), test.patches());
  const at::Tensor losses = model->forward(images(test), noise(test));
  losses.mean().backward();
  auto golden = golden_of(test, /*starts=*/false);
  const auto expect = [&](const at::Tensor& value, const std::string& name) {
    ASSERT_TRUE(golden.contains(name)) << name;
    const at::Tensor expected = golden.at(name);
    golden.erase(name);
    ASSERT_EQ(value.sizes(), expected.sizes()) << name;
    EXPECT_LE(
        (value - expected).norm().item<double>(),
        // Some gradients are zero but for noise: of the bias of keys.
        kTolerance * expected.norm().item<double>() + 1e-13)
        << name;
  };
  expect(losses.detach(), "losses");
  for (const auto& item : model->named_parameters()) {
    expect(summary(item.value().grad()), item.key());
  }
  for (const auto& item : model->named_buffers()) {
    expect(summary(item.value()), item.key());
  }
  EXPECT_TRUE(golden.empty()) << golden.begin()->first << " is not ours";
}

TEST_P(Mae, StartsAsTheAuthorsDo) {
  const MaeCase& test = GetParam();
  const auto model = make_model(test.spec(), /*seed=*/11);
  auto golden = golden_of(test, /*starts=*/true);
  for (const auto& item : model->named_parameters()) {
    ASSERT_TRUE(golden.contains(item.key())) << item.key();
    // The expected loss, summed in double precision.
    const double expected = golden.at(item.key()).item<double>();
    EXPECT_NEAR(
        weighted_sum(item.value().detach().to(at::kDouble).flatten()),
        expected,
        1e-9)
        << item.key();
    golden.erase(item.key());
  }
  EXPECT_TRUE(golden.empty()) << golden.begin()->first;
}

TEST_P(Mae, SeesOnlyTheFirstPatchesOfTheirOrder) {
  const at::NoGradGuard no_grad;
  const MaeCase& test = GetParam();
  const auto model = make_model(test.spec(), /*seed=*/0);
  model->to(at::kDouble);
  set_parameters(*model);
  const at::Tensor batch = images(test);
  const at::Tensor order = noise(test);
  const at::Tensor all = model->forward(batch, order);
  // Images do not touch one another.
  EXPECT_LT(
      (model->forward(batch.narrow(0, 2, 1), order.narrow(1, 2, 1)) -
       all.narrow(0, 2, 1))
          .abs()
          .item<double>(),
      kTolerance);
  // Which of the hidden patches comes first does not matter, nor which of the
  // seen ones.
  const std::int64_t seen =
      test.spec().get<models::MaeSpec>().seen(test.patches());
  const at::Tensor place = places_of(order);
  const at::Tensor swapped = at::where(
      place.lt(seen), seen - 1 - place, seen + test.patches() - place);
  EXPECT_LT(
      (model->forward(batch, swapped.to(at::kDouble)) - all)
          .abs()
          .max()
          .item<double>(),
      kTolerance);
  // Without masks the first ones are seen.
  const at::Tensor in_order = at::arange(test.patches(), at::kDouble)
                                  .unsqueeze(1)
                                  .expand({-1, kImages});
  EXPECT_TRUE(
      at::equal(model->forward(batch, {}), model->forward(batch, in_order)));
  EXPECT_THROW(
      model->forward(batch, order.narrow(0, 1, test.patches() - 1)),
      std::exception);
}

TEST_P(Mae, TrainsUnderAutocast) {
  const MaeCase& test = GetParam();
  const auto model = make_model(test.spec(), /*seed=*/0);
  set_parameters(*model);
  const at::Tensor batch = images(test).to(at::kFloat);
  const at::Tensor order = noise(test).to(at::kFloat);
  const at::Tensor expected = model->forward(batch, order).detach();
  at::autocast::set_autocast_enabled(at::kCPU, true);
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  const at::Tensor losses = model->forward(batch, order);
  at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(at::kCPU, false);
  EXPECT_EQ(losses.scalar_type(), at::kFloat);
  // bf16 has 8 bits: 2^-9 a rounding, some dozens of them in a row.
  EXPECT_LE(
      (losses.detach() - expected).norm().item<double>(),
      0.1 * expected.norm().item<double>());
  losses.mean().backward();
  for (const auto& item : model->named_parameters()) {
    ASSERT_TRUE(item.value().grad().defined()) << item.key();
  }
}

const MaeCase kGrey{"mae_grey", 32, 8, 1, {8, 2, 1}, {8, 3, 4}, 3, 0.5, true};

INSTANTIATE_TEST_SUITE_P(
    Cases,
    Mae,
    testing::Values(
        MaeCase{"mae", 40, 8, 3, {16, 2, 2}, {12, 2, 3}, 4, 0.75, true},
        MaeCase{"mae_pixels", 24, 4, 3, {12, 1, 3}, {16, 1, 2}, 2, 0.6, false},
        kGrey),
    [](const auto& test) { return std::string(test.param.name); });

TEST(MaeNetwork, TakesImagesThatAreNoSquares) {
  const at::NoGradGuard no_grad;
  MaeCase test{"", 32, 8, 3, {16, 1, 2}, {8, 1, 2}, 2, 0.5, true};
  models::ModelSpec spec = test.spec();
  spec.image_size = {16, 40};
  const auto model = make_model(spec, /*seed=*/0);
  EXPECT_EQ(model->masked_patches(), 10);
  EXPECT_TRUE(at::isfinite(model->forward(at::randn({2, 3, 16, 40}), {}))
                  .all()
                  .item<bool>());
}

// A quarter of the patches goes through the encoder (section 3 of the paper):
// with its class token 50 of 197 tokens.
TEST(MaeNetwork, CostsLessThanItsEncoderOnWholeImages) {
  const Cost whole = cost_of(*models::find_model("vit_large_patch16_224"));
  const Cost mae = cost_of(*models::find_model("mae_vit_large_patch16"));
  EXPECT_LT(mae.macs, whole.macs / 2);
  EXPECT_GT(mae.macs, whole.macs / 4);
}

weights::LoadReport load(
    Model& model,
    const std::string& file,
    weights::HeadPolicy head = weights::HeadPolicy::kAuto) {
  const auto archive = weights::open_archive(
      std::string(VITRAIN_SOURCE_DIR "/tests/golden/weights/") + file);
  weights::to_timm_names(*archive, "auto");
  return states::load_weights(model, *archive, {.head = head}, file);
}

// The encoder of the files' network as a classifier of seven classes.
models::ModelSpec classifier(config::GlobalPool pool) {
  config::ModelConfig config = named("vit_base_patch16_224");
  config.in_chans = 1;
  config.image_size = 32;
  config.patch_size = 8;
  config.embed_dim = 8;
  config.depth = 2;
  config.num_heads = 1;
  config.mlp_ratio = 3.0;
  config.global_pool = pool;
  return models::resolve(config, {.outputs = 7});
}

TEST(MaeWeights, OfTransformersGiveItsLosses) {
  const at::NoGradGuard no_grad;
  const at::Tensor expected =
      states::read_safetensors(fixture("families/mae.safetensors"))
          .tensors.at("file/losses");
  // As files have them, and as version 5 calls its modules.
  for (const char* file :
       {"transformers_mae.safetensors", "transformers_5_mae.safetensors"}) {
    const auto model = make_model(kGrey.spec(), /*seed=*/1);
    const auto report = load(*model, file);
    EXPECT_TRUE(report.left_out.empty()) << file;
    EXPECT_TRUE(report.fresh.empty()) << file;
    model->to(at::kDouble);
    EXPECT_LT(
        (model->forward(images(kGrey), noise(kGrey)) - expected)
            .abs()
            .max()
            .item<double>(),
        kTolerance)
        << file;
  }
}

// Some files since version 5 have other names of the decoder's blocks.
TEST(MaeWeights, HaveTheNamesOfTransformers5Too) {
  const auto archive = weights::open_archive(
      VITRAIN_SOURCE_DIR "/tests/golden/weights/transformers_mae.safetensors");
  const std::string before = "decoder.decoder_layers.";
  std::map<std::string, weights::StoredTensor> tensors;
  for (const auto& [name, tensor] : archive->tensors) {
    tensors
        [name.starts_with(before)
             ? "decoder.decoder_encoder.layer." + name.substr(before.size())
             : name] = tensor;
  }
  const auto names_of = [](weights::Archive& given) {
    weights::to_timm_names(given, "auto");
    std::vector<std::string> names;
    for (const auto& [name, tensor] : given.tensors) {
      names.push_back(name);
    }
    return names;
  };
  const auto expected = names_of(*archive);
  archive->tensors = std::move(tensors);
  EXPECT_EQ(names_of(*archive), expected);
  EXPECT_THAT(expected, testing::Contains("decoder_blocks.0.attn.qkv.weight"));
}

// As the authors fine-tune: the encoder is loaded, the classifier and the norm
// in front of it are new.
TEST(MaeWeights, BeginAClassifierOnPooledPatches) {
  const auto mae = make_model(kGrey.spec(), /*seed=*/1);
  load(*mae, "transformers_mae.safetensors");
  const std::vector<std::string> norm{"norm.bias", "norm.weight"};
  for (const char* file :
       {"transformers_mae.safetensors",
        "transformers_5_mae.safetensors",
        "original_mae.pth"}) {
    const auto model =
        make_model(classifier(config::GlobalPool::kAvg), /*seed=*/2);
    const auto own = make_model(classifier(config::GlobalPool::kAvg), 2);
    const auto report = load(*model, file);
    const std::vector<std::string> fresh{
        "fc_norm.bias", "fc_norm.weight", "head.bias", "head.weight"};
    EXPECT_EQ(report.fresh, fresh) << file;
    std::map<std::string, at::Tensor> encoder;
    for (const auto& item : mae->named_parameters()) {
      encoder[item.key()] = item.value();
    }
    for (const auto& item : mae->named_buffers()) {
      encoder[item.key()] = item.value();
    }
    std::vector<std::string> left_out = norm;
    if (std::string(file) != "original_mae.pth") {
      for (const auto& [name, value] : encoder) {
        if (name.starts_with("decoder_") || name == "mask_token") {
          left_out.push_back(name);
        }
      }
    }
    std::ranges::sort(left_out);
    EXPECT_EQ(report.left_out, left_out) << file;
    for (const auto& item : model->named_parameters()) {
      const bool is_fresh = std::ranges::count(fresh, item.key()) > 0;
      EXPECT_TRUE(at::equal(
          item.value(),
          is_fresh ? own->named_parameters()[item.key()]
                   : encoder.at(item.key())))
          << file << " " << item.key();
    }
    EXPECT_THROW(
        load(*model, file, weights::HeadPolicy::kLoad), std::exception);
  }
}

TEST(MaeWeights, BeginAClassifierOnTheClassToken) {
  const auto model =
      make_model(classifier(config::GlobalPool::kAuto), /*seed=*/2);
  const auto report = load(*model, "original_mae.pth");
  EXPECT_EQ(
      report.fresh, (std::vector<std::string>{"head.bias", "head.weight"}));
  EXPECT_TRUE(report.left_out.empty());
}

TEST(MaeWeights, OfTheEncoderAloneAreNotEnoughToGoOn) {
  const auto model = make_model(kGrey.spec(), /*seed=*/1);
  EXPECT_THROW(load(*model, "original_mae.pth"), std::exception);
}

} // namespace
} // namespace vitrain::networks::mae_cases
