#include "states/load_tensors.h"

#include <fcntl.h>

#include <limits>
#include <map>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include "core/error.h"
#include "core/system/files.h"
#include "core/text.h"
#include "states/resample_positions.h"
#include "states/safetensors.h"
#include "support/files.h"
#include "support/messages.h"
#include "weights/names/timm_names.h"

namespace vitrain::states {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A module with the kinds of tensors that matter here.
class Toy : public torch::nn::Module {
 public:
  explicit Toy(std::int64_t classes, const ImageSize& grid = 3) {
    register_parameter("pos_embed", at::zeros({1, 1 + grid.area(), 6}));
    norm_ = register_module("norm", std::make_shared<Part>(at::zeros({6})));
    norm_->register_buffer("running_var", at::zeros({6}));
    norm_->register_buffer("num_batches_tracked", at::zeros({}, at::kLong));
    head_ = register_module(
        "head", std::make_shared<Part>(at::zeros({classes, 6})));
  }

  at::Tensor get(const std::string& name) {
    for (const auto& item : named_parameters()) {
      if (item.key() == name) {
        return item.value();
      }
    }
    return named_buffers()[name];
  }

 private:
  struct Part : torch::nn::Module {
    explicit Part(const at::Tensor& weight) {
      register_parameter("weight", weight);
    }
  };
  std::shared_ptr<Part> norm_;
  std::shared_ptr<Part> head_;
};

TensorFile good_file(std::int64_t classes) {
  TensorFile file;
  file.tensors["pos_embed"] = at::arange(60, at::kFloat).view({1, 10, 6});
  file.tensors["norm.weight"] = at::arange(6, at::kFloat);
  file.tensors["norm.running_var"] = at::ones({6});
  file.tensors["norm.num_batches_tracked"] = at::full({}, 9, at::kLong);
  file.tensors["head.weight"] =
      at::arange(classes * 6, at::kFloat).view({classes, 6});
  return file;
}

// Through a file, as the program does it.
weights::LoadReport load_through_file(
    torch::nn::Module& module,
    const TensorFile& file,
    const weights::LoadOptions& options,
    const std::string& source) {
  const TempFolder folder;
  const std::filesystem::path path = folder.path() / "w.safetensors";
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT, 0600));
  std::int64_t bytes = 0;
  EXPECT_EQ(write_safetensors(fd.get(), file, nullptr, bytes), 0);
  const auto archive = weights::open_archive(path);
  weights::to_timm_names(*archive, "auto");
  return load_weights(module, *archive, options, source);
}

std::string refusal(
    torch::nn::Module& module,
    const TensorFile& file,
    const weights::LoadOptions& options = {}) {
  try {
    load_through_file(module, file, options, "w.safetensors");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kWeights);
    expect_message(error.what(), {"w.safetensors"});
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}

TEST(LoadWeights, CopiesEveryTensor) {
  Toy toy(4);
  const TensorFile file = good_file(4);
  const weights::LoadReport report = load_through_file(toy, file, {}, "w");
  EXPECT_EQ(report.loaded, 5);
  EXPECT_THAT(report.lines(), IsEmpty());
  for (const auto& [name, tensor] : file.tensors) {
    EXPECT_TRUE(at::equal(toy.get(name), tensor)) << name;
  }
  EXPECT_TRUE(toy.get("head.weight").requires_grad());
}

TEST(LoadWeights, TakesWrappersOff) {
  Toy toy(4);
  TensorFile wrapped;
  for (const auto& [name, tensor] : good_file(4).tensors) {
    wrapped.tensors[fmt::format("_orig_mod.module.{}", name)] = tensor;
  }
  EXPECT_EQ(load_through_file(toy, wrapped, {}, "w").loaded, 5);
  // Only where all names have it.
  wrapped.tensors["norm.weight"] = at::ones({6});
  expect_message(refusal(toy, wrapped), {"module.head"});
}

TEST(LoadWeights, ListsEverythingThatDoesNotFitAndChangesNothing) {
  Toy toy(4);
  TensorFile file = good_file(4);
  file.tensors.erase("norm.running_var");
  file.tensors["norm.weight"] = at::ones({7});
  file.tensors["extra\n"] = at::ones({2, 3});
  expect_message(
      refusal(toy, file),
      {"'norm.running_var'",
       "6",
       "'norm.weight'",
       "7",
       "'extra\\x0a'",
       "2",
       "3",
       "5"});
  EXPECT_TRUE(at::equal(toy.get("head.weight"), at::zeros({4, 6})));
}

TEST(LoadWeights, CutsLongListsShort) {
  Toy toy(4);
  TensorFile file = good_file(4);
  for (int i = 0; i < 50; ++i) {
    file.tensors[fmt::format("x{}", i)] = at::ones({1});
  }
  const std::string text = refusal(toy, file);
  expect_message(text, {"40"});
  // The advice precedes the list.
  EXPECT_LT(text.find("model.name"), text.find("unexpected 'x0'")) << text;
  expect_message(refusal(toy, {}), {"'norm.weight'"});
}

TEST(LoadWeights, TreatsTheHeadAsAsked) {
  Toy toy(4);
  EXPECT_THAT(
      load_through_file(toy, good_file(7), {}, "w").fresh,
      ElementsAre("head.weight"));
  EXPECT_TRUE(at::equal(toy.get("head.weight"), at::zeros({4, 6})));
  TensorFile headless = good_file(4);
  headless.tensors.erase("head.weight");
  EXPECT_THAT(
      load_through_file(toy, headless, {}, "w").fresh,
      ElementsAre("head.weight"));
  EXPECT_THAT(
      load_through_file(
          toy, good_file(4), {.head = weights::HeadPolicy::kFresh}, "w")
          .fresh,
      ElementsAre("head.weight"));
  EXPECT_TRUE(at::equal(toy.get("head.weight"), at::zeros({4, 6})));
  expect_message(
      refusal(toy, good_file(7), {.head = weights::HeadPolicy::kLoad}),
      {"'head.weight'", "7", "6", "4"});
  expect_message(
      refusal(toy, headless, {.head = weights::HeadPolicy::kLoad}),
      {"'head.weight'"});
  EXPECT_THAT(
      load_through_file(
          toy, good_file(4), {.head = weights::HeadPolicy::kLoad}, "w")
          .fresh,
      IsEmpty());
}

TEST(LoadWeights, ConvertsAndReportsTypes) {
  Toy toy(4);
  TensorFile file = good_file(4);
  file.tensors["norm.weight"] = at::full({6}, 1.5, at::kBFloat16);
  file.tensors["norm.num_batches_tracked"] = at::full({}, 9, at::kInt);
  const weights::LoadReport report = load_through_file(toy, file, {}, "w");
  EXPECT_THAT(
      report.converted,
      ElementsAre(
          "norm.num_batches_tracked: I32 -> I64", "norm.weight: BF16 -> F32"));
  EXPECT_THAT(report.lines(), ElementsAre(HasSubstr("converted: norm.num")));
  EXPECT_TRUE(at::equal(toy.get("norm.weight"), at::full({6}, 1.5)));
  file.tensors["norm.weight"] = at::ones({6}, at::kLong);
  expect_message(refusal(toy, file), {"'norm.weight'"});
}

TEST(LoadWeights, AcceptsFilesWithoutBatchCounters) {
  Toy toy(4);
  TensorFile file = good_file(4);
  file.tensors.erase("norm.num_batches_tracked");
  EXPECT_EQ(load_through_file(toy, file, {}, "w").loaded, 4);
}

// As {k: v.half()} of all tensors saves them.
TEST(LoadWeights, LeavesOutBatchCountersThatAreHalves) {
  Toy toy(4);
  TensorFile file = good_file(4);
  for (auto& [name, tensor] : file.tensors) {
    tensor = tensor.to(at::kHalf);
  }
  const weights::LoadReport report = load_through_file(toy, file, {}, "w");
  EXPECT_EQ(report.loaded, 4);
  EXPECT_THAT(report.left_out, ElementsAre("norm.num_batches_tracked"));
}

// timm's _convert_dinov2: with registers, positions are of patches alone.
TEST(LoadWeights, AddsDino2sPositionToItsClassToken) {
  const TempFolder folder;
  const std::filesystem::path path = folder.path() / "w.safetensors";
  const at::Tensor positions = at::arange(30, at::kFloat).view({1, 5, 6});
  const at::Tensor token = at::full({1, 1, 6}, 0.5);
  const TensorFile file{
      .tensors = {
          {"mask_token", at::zeros({1, 6})},
          {"cls_token", token},
          {"register_tokens", at::ones({1, 4, 6})},
          {"pos_embed", positions},
          {"patch_embed.proj.weight", at::zeros({6, 3, 2, 2})},
          {"blocks.0.ls1.gamma", at::zeros({6})}}};
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT, 0600));
  std::int64_t bytes = 0;
  ASSERT_EQ(write_safetensors(fd.get(), file, nullptr, bytes), 0);
  const auto archive = weights::open_archive(path);
  weights::to_timm_names(*archive, "auto");
  const auto read = read_tensors(*archive).tensors;
  EXPECT_EQ(read.size(), 5U);
  EXPECT_TRUE(at::equal(
      read.at("cls_token"), token + positions.narrow(1, /*start=*/0, 1)));
  EXPECT_TRUE(
      at::equal(read.at("pos_embed"), positions.narrow(1, /*start=*/1, 4)));
  EXPECT_TRUE(at::equal(read.at("reg_token"), at::ones({1, 4, 6})));
}

TEST(LoadWeights, WarnsOfNonFiniteValues) {
  Toy toy(4);
  TensorFile file = good_file(4);
  file.tensors["norm.weight"][2] = std::numeric_limits<float>::infinity();
  const weights::LoadReport report = load_through_file(toy, file, {}, "w");
  EXPECT_THAT(report.non_finite, ElementsAre("norm.weight"));
  EXPECT_THAT(report.lines(), ElementsAre(HasSubstr("NaN or Inf")));
}

using Tensors = std::map<std::string, at::Tensor>;

Tensors golden_positions() {
  return read_safetensors(VITRAIN_SOURCE_DIR
                          "/tests/golden/models/positions.safetensors")
      .tensors;
}

// "4x11": rows and columns.
ImageSize grid_of(const std::string& text) {
  const auto sides = split(text, 'x');
  return {std::stoi(sides[0]), std::stoi(sides[1])};
}

// Compares with the original programs (tests/golden/models/make_fixtures.py).
// Kernels and order of sums are equal up to the vector width; scipy computes in
// double.
TEST(LoadWeights, ResamplesPositionsAsOtherProgramsDo) {
  const Tensors golden = golden_positions();
  int compared = 0;
  for (const auto& [name, expected] : golden) {
    const auto words = split(name, '/'); // WAY/OLD/HxW
    const auto way = value_of<Resampling>(words[0]);
    if (!way) {
      continue;
    }
    const ImageSize grid = grid_of(words[2]);
    Toy toy(4, grid);
    TensorFile file = good_file(4);
    file.tensors["pos_embed"] = golden.at(words[1]);
    weights::LoadOptions options{.resampling = *way};
    options.grid = [&](const std::string&) { return grid; };
    const weights::LoadReport report =
        load_through_file(toy, file, options, "w");
    EXPECT_TRUE(
        at::allclose(toy.get("pos_embed"), expected, /*rtol=*/0, /*atol=*/1e-6))
        << name;
    EXPECT_TRUE(
        at::equal(toy.get("pos_embed").select(1, 0), expected.select(1, 0)));
    EXPECT_THAT(report.resized, ElementsAre(HasSubstr("pos_embed: ")));
    ++compared;
  }
  EXPECT_EQ(compared, 16);
}

// Weights of ours say for which images they are; as many places may lie on
// another grid.
TEST(LoadWeights, TakesTheGridThatTheFileNames) {
  const ImageSize wide(3, 4);
  const auto load = [&](const ImageSize& grid, at::Tensor& loaded) {
    Toy toy(4, grid);
    TensorFile file = good_file(4);
    const std::int64_t width = toy.get("pos_embed").size(2);
    file.tensors["pos_embed"] =
        at::arange((1 + wide.area()) * width, at::kFloat)
            .square()
            .view({1, 1 + wide.area(), width});
    weights::LoadOptions options;
    options.grid = [&](const std::string&) { return grid; };
    options.file_grid = [&](const std::string&) { return wide; };
    const auto report = load_through_file(toy, file, options, "w");
    loaded = toy.get("pos_embed").detach().clone();
    const at::Tensor expected = resample(
        file.tensors["pos_embed"],
        {.extra = 1, .from = wide, .to = grid},
        Resampling::kTimm);
    EXPECT_TRUE(at::allclose(loaded, expected, 0, 1e-4)) << grid.text();
    return report.resized;
  };
  at::Tensor same;
  EXPECT_THAT(load(wide, same), ::testing::IsEmpty());
  at::Tensor tall;
  EXPECT_THAT(
      load({4, 3}, tall), ElementsAre(HasSubstr("pos_embed: 3x4 -> 4x3")));
  EXPECT_FALSE(at::equal(same, tall));
  at::Tensor square;
  EXPECT_THAT(load(5, square), ElementsAre(HasSubstr("pos_embed: 3x4 -> 5x5")));
}

TEST(LoadWeights, ResamplesTablesOfRelativePositionsAsTimmDoes) {
  const Tensors golden = golden_positions();
  int compared = 0;
  for (const auto& [name, expected] : golden) {
    const auto words = split(name, '/'); // table/WINDOW/HxW
    if (words.size() < 3 || words[0] != "table") {
      continue;
    }
    const at::Tensor& given = golden.at("table/" + words[1]);
    const auto positions = weights::positions_of(
        "a.relative_position_bias_table",
        given.sizes().vec(),
        expected.sizes().vec(),
        grid_of(words[2]));
    ASSERT_TRUE(positions) << name;
    EXPECT_EQ(positions->extra, 3);
    // timm's distances, up to 24, are floats.
    EXPECT_TRUE(at::allclose(
        resample(given, *positions, Resampling::kTimm),
        expected,
        /*rtol=*/0,
        /*atol=*/1e-5))
        << name;
    ++compared;
  }
  EXPECT_EQ(compared, 3);
}

// Resampling a plane does not move its channels.
TEST(LoadWeights, ResamplesPlanesOfPositions) {
  const auto moved = [](const at::Tensor& given,
                        const std::vector<std::int64_t>& own) {
    return resample(
        given,
        *weights::positions_of("pos_embed", given.sizes().vec(), own),
        Resampling::kTimm);
  };
  const at::Tensor plane = at::arange(18, at::kFloat).view({1, 2, 3, 3});
  const at::Tensor first = moved(plane, {1, 2, 5, 4});
  EXPECT_EQ(first.sizes(), (std::vector<std::int64_t>{1, 2, 5, 4}));
  EXPECT_TRUE(at::allclose(
      moved(plane.permute({0, 2, 3, 1}).contiguous(), {1, 5, 4, 2}),
      first.permute({0, 2, 3, 1})));
}

// VOLO's and PiT's, of 160x224 images: one side is the file's.
TEST(LoadWeights, TellsChannelsFromASideOfTheGrid) {
  const auto layout = [](const std::vector<std::int64_t>& given,
                         const std::vector<std::int64_t>& own) {
    const auto found = weights::positions_of("pos_embed", given, own);
    return std::pair(found->layout, found->to);
  };
  using enum weights::Positions::Layout;
  EXPECT_EQ(
      layout({1, 14, 14, 384}, {1, 14, 10, 384}),
      std::pair(kChannelsLast, ImageSize(14, 10)));
  EXPECT_EQ(
      layout({1, 14, 14, 384}, {1, 10, 14, 384}),
      std::pair(kChannelsLast, ImageSize(10, 14)));
  EXPECT_EQ(
      layout({1, 144, 27, 27}, {1, 144, 19, 27}),
      std::pair(kChannelsFirst, ImageSize(19, 27)));
}

// As timm's adapt_input_conv: the response to a grey image does not change.
TEST(LoadWeights, SumsAConvolutionOfColoursForGreyImages) {
  torch::nn::Module stem;
  stem.register_parameter("weight", at::zeros({2, 1, 3, 3}));
  TensorFile file;
  file.tensors["weight"] = at::arange(54, at::kFloat).view({2, 3, 3, 3});
  const weights::LoadReport report = load_through_file(stem, file, {}, "w");
  EXPECT_TRUE(at::equal(
      stem.named_parameters()["weight"],
      file.tensors["weight"].sum(1, /*keepdim=*/true)));
  EXPECT_THAT(report.lines(), ElementsAre(HasSubstr("summed over colours")));
  file.tensors["weight"] = at::zeros({2, 4, 3, 3});
  expect_message(refusal(stem, file), {"'weight'", "2", "4", "3"});
}

// tests/golden/weights/make_adapted.py.
TEST(LoadWeights, AdaptsAConvolutionOfColoursToAnyChannelsAsTimmDoes) {
  const TensorFile golden = read_safetensors(
      VITRAIN_SOURCE_DIR "/tests/golden/weights/adapted.safetensors");
  ASSERT_GE(golden.tensors.size(), 7u);
  TensorFile file;
  file.tensors["weight"] = golden.tensors.at("weights");
  for (const auto& [name, expected] : golden.tensors) {
    torch::nn::Module stem;
    stem.register_parameter("weight", at::zeros_like(expected));
    const weights::LoadReport report = load_through_file(stem, file, {}, "w");
    EXPECT_TRUE(
        at::allclose(stem.named_parameters()["weight"], expected, 1e-6, 1e-7))
        << name;
    if (expected.size(1) > 1 && expected.size(1) != 3) {
      EXPECT_THAT(
          report.lines(), ElementsAre(HasSubstr("colours repeated in turn")));
    }
  }
}

TEST(LoadWeights, RefusesPositionsThatAreNoGrid) {
  Toy toy(4);
  TensorFile file = good_file(4);
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{
           {1, 12, 6}, {1, 17, 5}, {2, 17, 6}, {17, 6}, {1, 0, 6}, {1, 1, 6}}) {
    file.tensors["pos_embed"] = at::zeros(shape);
    expect_message(refusal(toy, file), {"'pos_embed'"});
  }
}

} // namespace
} // namespace vitrain::states
