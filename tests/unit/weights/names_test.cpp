#include "weights/names/timm_names.h"

#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.h"
#include "support/errors.h"
#include "support/messages.h"
#include "weights/archive.h"
#include "weights/names/coat_repeats.h"

// Names alone (tests/golden/weights/make_names.py), of models that are too
// large to keep their files.
namespace vitrain::weights {
namespace {

class NamesOnly : public Archive {
 public:
  void read(std::size_t /*storage*/, void* /*bytes*/) const override {}
};

// The shape says which tensor it was.
StoredTensor numbered(std::int64_t number) {
  return {.shape = {number}, .parts = {StridedPart{.shape = {number}}}};
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

// By program and model.
std::map<std::pair<std::string, std::string>, Pairs> golden_names() {
  std::ifstream file(VITRAIN_SOURCE_DIR "/tests/golden/weights/names.csv");
  std::map<std::pair<std::string, std::string>, Pairs> models;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = split(line, ',');
    models[{cells.at(0), cells.at(1)}].emplace_back(cells.at(2), cells.at(3));
  }
  return models;
}

TEST(TimmNames, AreThoseOfTheSameTensors) {
  const auto models = golden_names();
  EXPECT_EQ(models.size(), 5);
  for (const auto& [model, pairs] : models) {
    for (const std::string& program : {std::string("auto"), model.first}) {
      NamesOnly archive;
      std::map<std::string, std::int64_t> expected;
      for (const auto& [theirs, timms] : pairs) {
        const auto number = static_cast<std::int64_t>(expected.size()) + 2;
        archive.tensors[theirs] = numbered(number);
        expected[timms] = number;
      }
      to_timm_names(archive, program);
      std::map<std::string, std::int64_t> found;
      for (const auto& [name, tensor] : archive.tensors) {
        found[name] = tensor.shape.at(0);
      }
      EXPECT_EQ(found, expected) << model.second << ", " << program;
    }
  }
}

// A block number that no network of this depth has stays unchanged.
TEST(TimmNames, LeaveABlockThatIsNoneOfTheStages) {
  NamesOnly archive;
  for (const char* name :
       {"_conv_stem.weight",
        "_blocks.15._bn1.weight",
        "_blocks.16._bn1.weight",
        "_blocks.x._bn1.weight"}) {
    archive.tensors[name] = numbered(3);
  }
  to_timm_names(archive, "efficientnet_pytorch");
  EXPECT_TRUE(archive.tensors.contains("blocks.6.0.bn2.weight"));
  EXPECT_TRUE(archive.tensors.contains("_blocks.16._bn1.weight"));
  EXPECT_TRUE(archive.tensors.contains("_blocks.x._bn1.weight"));
}

using Shape = std::vector<std::int64_t>;

StoredTensor shaped(const Shape& shape) {
  return {
      .type = find_dtype("F32"),
      .shape = shape,
      .parts = {{.shape = shape, .strides = contiguous_strides(shape)}}};
}

std::map<std::string, Shape> renamed(
    const std::map<std::string, Shape>& given) {
  NamesOnly archive;
  for (const auto& [name, shape] : given) {
    archive.tensors[name] = shaped(shape);
  }
  to_timm_names(archive, "auto");
  std::map<std::string, Shape> shapes;
  for (const auto& [name, tensor] : archive.tensors) {
    shapes[name] = tensor.shape;
  }
  return shapes;
}

// transformers' ViT with query, key and value of this shape.
std::map<std::string, Shape> with_attention(const Shape& shape) {
  const std::string start = "encoder.layer.0.attention.attention.";
  return {
      {"embeddings.patch_embeddings.projection.weight", {4}},
      {start + "query.weight", shape},
      {start + "key.weight", shape},
      {start + "value.weight", shape}};
}

TEST(TimmNames, AreNotMadeOfNumbersWithoutRows) {
  expect_message(
      error_of(ExitCode::kWeights, [] { renamed(with_attention({})); }),
      {"3", "'blocks.0.attn.qkv.weight'"});
}

TEST(TimmNames, AreNotMadeOfSizesThatOverflow) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 61;
  for (const Shape& shape : {Shape{2 * kHuge, 0}, Shape{kHuge / 4, 3, 0}}) {
    expect_message(
        error_of(ExitCode::kWeights, [&] { renamed(with_attention(shape)); }),
        {"'blocks.0.attn.qkv.weight'"});
  }
  EXPECT_EQ(
      renamed(with_attention({5, 0})).at("blocks.0.attn.qkv.weight"),
      Shape({15, 0}));
}

// Each kernel becomes parts of its own: without one there were none.
TEST(TimmNames, KeepAConvolutionWithoutOutputs) {
  NamesOnly archive;
  archive.tensors["conv_stem.convolution.weight"] = shaped({0, 3, 3, 3});
  archive.tensors
      ["encoder.layer.0.downsampling_layer.expand_1x1.convolution.weight"] =
      shaped({4});
  to_timm_names(archive, "auto");
  EXPECT_EQ(archive.tensors.at("stem.conv.weight").parts.size(), 1U);
}

TEST(TimmNames, OfWrappersAndCountersOfAveragesAreTakenOff) {
  const std::map<std::string, Shape> plain{
      {"conv1.weight", {4}}, {"fc.weight", {2}}};
  for (const std::string prefix :
       {"module.", "model.", "net.", "model._orig_mod.", "module.module."}) {
    EXPECT_EQ(
        renamed({{prefix + "conv1.weight", {4}}, {prefix + "fc.weight", {2}}}),
        plain)
        << prefix;
  }
  for (const std::string counter : {"n_averaged", "steps"}) {
    EXPECT_EQ(
        renamed(
            {{counter, {}},
             {"module.conv1.weight", {4}},
             {"module.fc.weight", {2}}}),
        plain)
        << counter;
  }
  // The network as one member of several, and a counter.
  const std::map<std::string, Shape> own{
      {"model.0.weight", {4}}, {"steps", {}}, {"stem.weight", {2}}};
  EXPECT_EQ(renamed(own), own);
}

// torch.compile, FSDP and activation checkpointing wrap single blocks as well.
TEST(TimmNames, OfWrappersWithinTheNetworkAreTakenOff) {
  const std::map<std::string, Shape> plain{
      {"blocks.0.norm1.weight", {4}}, {"fc.weight", {2}}};
  for (const std::string part :
       {"_orig_mod.",
        "_fsdp_wrapped_module.",
        "_checkpoint_wrapped_module.",
        "_fsdp_wrapped_module._fpw_module.",
        "_fsdp_wrapped_module._checkpoint_wrapped_module._orig_mod."}) {
    EXPECT_EQ(
        renamed(
            {{"blocks.0." + part + "norm1.weight", {4}}, {"fc.weight", {2}}}),
        plain)
        << part;
    EXPECT_EQ(
        renamed(
            {{part + "blocks." + part + "0." + part + "norm1.weight", {4}},
             {part + "fc.weight", {2}}}),
        plain)
        << part;
    EXPECT_EQ(
        renamed(
            {{"model." + part + "blocks.0.norm1." + part + "weight", {4}},
             {"model.fc.weight", {2}}}),
        plain)
        << part;
  }
  expect_message(
      error_of(
          ExitCode::kWeights,
          [] {
            renamed({{"_orig_mod.fc.weight", {4}}, {"fc.weight", {2}}});
          }),
      {"'fc.weight'"});
}

// Lightning modules: one whose loss has weights, and the same one with an EMA.
TEST(TimmNames, OfTheMemberThatHoldsTheNetwork) {
  const std::map<std::string, Shape> plain{
      {"conv1.weight", {4}}, {"fc.weight", {2}}};
  std::map<std::string, Shape> given{
      {"model.conv1.weight", {4}},
      {"model.fc.weight", {2}},
      {"criterion.weight", {2}}};
  EXPECT_EQ(renamed(given), plain);
  given["model_ema.module.conv1.weight"] = {4};
  given["model_ema.module.fc.weight"] = {3};
  EXPECT_EQ(renamed(given).at("fc.weight"), Shape({3}));
  NamesOnly archive;
  for (const auto& [name, shape] : given) {
    archive.tensors[name] = shaped(shape);
  }
  to_timm_names(archive, "auto");
  EXPECT_THAT(
      archive.notes,
      testing::ElementsAre("took 'model_ema.*' (averaged weights); the file "
                           "also has 'criterion.*', 'model.*'"));
  given["stem.weight"] = {2}; // a network of its own
  EXPECT_EQ(renamed(given), given);
}

// facebookresearch/deit's models_v2.py.
TEST(TimmNames, OfScannedBlocksAreThoseOfEach) {
  const auto siglip = [](const Shape& norms) {
    return renamed(
        {{"params/img/embedding/kernel", {8, 8, 3, 4}},
         {"params/img/Transformer/encoder_norm/scale", {4}},
         {"params/img/Transformer/encoderblock/LayerNorm_0/scale", norms},
         {"params/t", {1}},
         {"params/txt/head/kernel", {4, 4}}});
  };
  EXPECT_THAT(
      siglip({2, 4}),
      testing::ElementsAre(
          testing::Pair("blocks.0.norm1.weight", Shape{4}),
          testing::Pair("blocks.1.norm1.weight", Shape{4}),
          testing::Pair("norm.weight", Shape{4}),
          testing::Pair("patch_embed.proj.weight", Shape{4, 3, 8, 8})));
  EXPECT_TRUE(siglip({70'000, 0})
                  .contains("Transformer/encoderblock/LayerNorm_0/scale"));
  expect_message(
      error_of(
          ExitCode::kWeights,
          [&] {
            siglip({70'000, 1});
          }),
      {"70000"});
}

TEST(TimmNames, OfDeit3AreItsAuthors) {
  const std::map<std::string, Shape> deit3{
      {"pos_embed", {1, 4, 6}},
      {"patch_embed.proj.weight", {6, 3, 2, 2}},
      {"blocks.0.gamma_1", {6}},
      {"blocks.0.gamma_2", {7}}};
  EXPECT_EQ(renamed(deit3).at("blocks.0.ls1.gamma"), Shape({6}));
  EXPECT_EQ(renamed(deit3).at("blocks.0.ls2.gamma"), Shape({7}));
  // BEiT's and CaiT's are timm's names.
  for (const char* other :
       {"blocks.0.attn.q_bias", "blocks.0.attn.proj_l.weight"}) {
    auto names = deit3;
    names[other] = {6};
    EXPECT_EQ(renamed(names), names) << other;
  }
}

TEST(TimmNames, OfDino2AreItsAuthors) {
  const std::map<std::string, Shape> given{
      {"mask_token", {1, 6}},
      {"cls_token", {1, 1, 6}},
      {"pos_embed", {1, 5, 6}},
      {"patch_embed.proj.weight", {6, 3, 2, 2}},
      {"blocks.0.ls1.gamma", {6}},
      {"blocks.0.mlp.w12.weight", {8, 6}}};
  auto expected = given;
  expected.erase("mask_token");
  expected.erase("blocks.0.mlp.w12.weight");
  expected["blocks.0.mlp.fc1.weight"] = {8, 6};
  EXPECT_EQ(renamed(given), expected);
  auto autoencoder = given;
  autoencoder["decoder_pred.weight"] = {6, 6};
  EXPECT_EQ(renamed(autoencoder), autoencoder);
  auto registers = given;
  registers["register_tokens"] = {1, 4, 6};
  expected["reg_token"] = {1, 4, 6};
  expected["pos_embed"] = {1, 4, 6}; // without the class token's
  EXPECT_EQ(renamed(registers), expected);
  registers["cls_token"] = {6};
  expect_message(
      error_of(ExitCode::kWeights, [&] { renamed(registers); }),
      {"'pos_embed'", "'cls_token'"});
}

// A note reports differences between a program's network and timm's.
TEST(TimmNames, ComeWithWhatElseDiffers) {
  const auto notes_of = [](const std::map<std::string, Shape>& given) {
    NamesOnly archive;
    for (const auto& [name, shape] : given) {
      archive.tensors[name] = shaped(shape);
    }
    to_timm_names(archive, "auto");
    return archive.notes;
  };
  using testing::Contains;
  using testing::HasSubstr;
  const auto pooling =
      Contains(HasSubstr("normalises its last features and pools them then"));
  EXPECT_THAT(
      notes_of(
          {{"poolformer.encoder.patch_embeddings.0.projection.weight", {4}},
           {"poolformer.encoder.block.0.0.before_norm.weight", {4}}}),
      pooling);
  EXPECT_THAT(
      notes_of(
          {{"network.1.proj.weight", {4}}, {"network.0.0.layer_scale_1", {4}}}),
      pooling);
  std::map<std::string, Shape> dino{
      {"classifier.weight", {7, 12}},
      {"dinov2.embeddings.cls_token", {1, 1, 6}},
      {"dinov2.embeddings.patch_embeddings.projection.weight", {6}},
      {"dinov2.encoder.layer.0.layer_scale1.lambda1", {6}}};
  const auto classifier =
      Contains(HasSubstr("reads the class token beside the mean"));
  EXPECT_THAT(notes_of(dino), classifier);
  dino["classifier.weight"] = {7, 6};
  EXPECT_THAT(notes_of(dino), testing::Not(classifier));
}

// transformers 5.24's: of the giant one.
TEST(TimmNames, OfTransformersDino2WithGatesAreKnown) {
  const std::string layer = "encoder.layer.3.";
  EXPECT_EQ(
      renamed(
          {{"embeddings.patch_embeddings.projection.weight", {6}},
           {"embeddings.mask_token", {1, 6}},
           {layer + "layer_scale1.lambda1", {5}},
           {layer + "mlp.weights_in.weight", {16, 6}},
           {layer + "mlp.weights_out.weight", {6, 8}}}),
      (std::map<std::string, Shape>{
          {"patch_embed.proj.weight", {6}},
          {"blocks.3.ls1.gamma", {5}},
          {"blocks.3.mlp.fc1.weight", {16, 6}},
          {"blocks.3.mlp.fc2.weight", {6, 8}}}));
}

TEST(TimmNames, OfMmpretrainsDistilledDeitHaveTwoHeads) {
  EXPECT_EQ(
      renamed(
          {{"backbone.patch_embed.projection.weight", {6}},
           {"backbone.layers.0.attn.qkv.weight", {18}},
           {"head.layers.head.weight", {7}},
           {"head.layers.head_dist.weight", {8}}}),
      (std::map<std::string, Shape>{
          {"patch_embed.proj.weight", {6}},
          {"blocks.0.attn.qkv.weight", {18}},
          {"head.weight", {7}},
          {"head_dist.weight", {8}}}));
}

// torchvision 0.25's swin_v2_t; timm has the biases of queries and values.
TEST(TimmNames, OfTorchvisionsSwinV2AreKnown) {
  EXPECT_EQ(
      renamed(
          {{"features.0.0.weight", {6, 3, 4, 4}},
           {"features.1.0.attn.cpb_mlp.0.weight", {512, 2}},
           {"features.1.0.attn.logit_scale", {3, 1, 1}},
           {"features.1.0.attn.qkv.weight", {18, 6}},
           {"features.1.0.attn.qkv.bias", {18}},
           {"features.1.0.attn.relative_coords_table", {1, 15, 15, 2}},
           {"features.2.reduction.weight", {12, 24}}}),
      (std::map<std::string, Shape>{
          {"patch_embed.proj.weight", {6, 3, 4, 4}},
          {"layers.0.blocks.0.attn.cpb_mlp.0.weight", {512, 2}},
          {"layers.0.blocks.0.attn.logit_scale", {3, 1, 1}},
          {"layers.0.blocks.0.attn.qkv.weight", {18, 6}},
          {"layers.0.blocks.0.attn.q_bias", {6}},
          {"layers.0.blocks.0.attn.v_bias", {6}},
          {"layers.1.downsample.reduction.weight", {12, 24}}}));
}

// torchvision 0.26; auxiliary classifiers are left out.
TEST(TimmNames, OfTorchvisionsOlderNetworksAreKnown) {
  EXPECT_EQ(
      renamed(
          {{"features.0.weight", {64, 3, 3, 3}},
           {"classifier.0.weight", {6, 98}},
           {"classifier.0.bias", {6}},
           {"classifier.3.weight", {5, 6}},
           {"classifier.6.weight", {4, 5}}}),
      (std::map<std::string, Shape>{
          {"features.0.weight", {64, 3, 3, 3}},
          {"pre_logits.fc1.weight", {6, 2, 7, 7}},
          {"pre_logits.fc1.bias", {6}},
          {"pre_logits.fc2.weight", {5, 6, 1, 1}},
          {"head.fc.weight", {4, 5}}}));
  EXPECT_EQ(
      renamed(
          {{"features.denseblock1.denselayer2.norm.1.weight", {2}},
           {"features.denseblock1.denselayer2.conv.2.weight", {3}},
           {"features.transition1.norm.weight", {4}}}),
      (std::map<std::string, Shape>{
          {"features.denseblock1.denselayer2.norm1.weight", {2}},
          {"features.denseblock1.denselayer2.conv2.weight", {3}},
          {"features.transition1.norm.weight", {4}}}));
  EXPECT_EQ(
      renamed(
          {{"Mixed_5b.branch1x1.conv.weight", {2}},
           {"AuxLogits.conv0.conv.weight", {3}},
           {"AuxLogits.conv1.bn.running_mean", {4}},
           {"AuxLogits.fc.weight", {5}}}),
      (std::map<std::string, Shape>{{"Mixed_5b.branch1x1.conv.weight", {2}}}));
  EXPECT_EQ(
      renamed(
          {{"inception3a.branch1.conv.weight", {2}},
           {"aux1.conv.conv.weight", {3}},
           {"aux2.conv.bn.bias", {4}},
           {"aux1.fc1.weight", {5}},
           {"aux2.fc2.bias", {6}}}),
      (std::map<std::string, Shape>{{"inception3a.branch1.conv.weight", {2}}}));
}

// Pairs of another program's name and timm's.
void expect_pairs(const std::map<std::string, std::string>& pairs) {
  std::map<std::string, Shape> given;
  std::map<std::string, Shape> expected;
  for (const auto& [theirs, timms] : pairs) {
    const Shape shape{std::ssize(given) + 2};
    given[theirs] = shape;
    expected[timms] = shape;
  }
  EXPECT_EQ(renamed(given), expected);
}

// efficientnet_v2_s has its last convolution in features.7, _m in features.8.
TEST(TimmNames, OfTorchvisionsEfficientNetV2AreKnown) {
  expect_pairs(
      {{"features.0.0.weight", "conv_stem.weight"},
       {"features.0.1.bias", "bn1.bias"},
       {"features.1.0.block.0.0.weight", "blocks.0.0.conv.weight"},
       {"features.1.1.block.0.1.bias", "blocks.0.1.bn1.bias"},
       {"features.2.0.block.0.0.weight", "blocks.1.0.conv_exp.weight"},
       {"features.2.0.block.0.1.weight", "blocks.1.0.bn1.weight"},
       {"features.2.0.block.1.0.weight", "blocks.1.0.conv_pwl.weight"},
       {"features.3.2.block.1.1.weight", "blocks.2.2.bn2.weight"},
       {"features.4.0.block.0.0.weight", "blocks.3.0.conv_pw.weight"},
       {"features.4.0.block.1.0.weight", "blocks.3.0.conv_dw.weight"},
       {"features.4.0.block.2.fc1.weight", "blocks.3.0.se.conv_reduce.weight"},
       {"features.4.0.block.3.0.weight", "blocks.3.0.conv_pwl.weight"},
       {"features.4.0.block.3.1.weight", "blocks.3.0.bn3.weight"},
       {"features.7.0.weight", "conv_head.weight"},
       {"features.7.1.weight", "bn2.weight"},
       {"classifier.1.weight", "classifier.weight"}});
}

// torchvision 0.26's mobilenet_v2, mobilenet_v3_large and _small, mnasnet1_0.
TEST(TimmNames, OfTorchvisionsMobileNetworksAreKnown) {
  expect_pairs(
      {{"features.0.0.weight", "conv_stem.weight"},
       {"features.0.1.bias", "bn1.bias"},
       {"features.1.conv.0.0.weight", "blocks.0.0.conv_dw.weight"},
       {"features.1.conv.0.1.weight", "blocks.0.0.bn1.weight"},
       {"features.1.conv.1.weight", "blocks.0.0.conv_pw.weight"},
       {"features.1.conv.2.weight", "blocks.0.0.bn2.weight"},
       {"features.3.conv.0.0.weight", "blocks.1.1.conv_pw.weight"},
       {"features.6.conv.1.0.weight", "blocks.2.2.conv_dw.weight"},
       {"features.10.conv.1.1.bias", "blocks.3.3.bn2.bias"},
       {"features.13.conv.2.weight", "blocks.4.2.conv_pwl.weight"},
       {"features.17.conv.3.weight", "blocks.6.0.bn3.weight"},
       {"features.18.0.weight", "conv_head.weight"},
       {"features.18.1.running_mean", "bn2.running_mean"},
       {"classifier.1.weight", "classifier.weight"}});
  expect_pairs(
      {{"features.0.0.weight", "conv_stem.weight"},
       {"features.1.block.0.0.weight", "blocks.0.0.conv_dw.weight"},
       {"features.1.block.1.0.weight", "blocks.0.0.conv_pw.weight"},
       {"features.1.block.1.1.weight", "blocks.0.0.bn2.weight"},
       {"features.3.block.0.1.weight", "blocks.1.1.bn1.weight"},
       {"features.3.block.2.0.weight", "blocks.1.1.conv_pwl.weight"},
       {"features.6.block.2.fc1.bias", "blocks.2.2.se.conv_reduce.bias"},
       {"features.6.block.3.1.bias", "blocks.2.2.bn3.bias"},
       {"features.12.block.1.0.weight", "blocks.4.1.conv_dw.weight"},
       {"features.16.0.weight", "blocks.6.0.conv.weight"},
       {"features.16.1.weight", "blocks.6.0.bn1.weight"},
       {"classifier.0.bias", "conv_head.bias"},
       {"classifier.3.weight", "classifier.weight"}});
  expect_pairs(
      {{"features.0.0.weight", "conv_stem.weight"},
       {"features.1.block.0.0.weight", "blocks.0.0.conv_dw.weight"},
       {"features.1.block.1.fc2.weight", "blocks.0.0.se.conv_expand.weight"},
       {"features.1.block.2.0.weight", "blocks.0.0.conv_pw.weight"},
       {"features.11.block.3.0.weight", "blocks.4.2.conv_pwl.weight"},
       {"features.12.0.weight", "blocks.5.0.conv.weight"},
       {"classifier.3.weight", "classifier.weight"}});
  expect_pairs(
      {{"layers.0.weight", "conv_stem.weight"},
       {"layers.1.weight", "bn1.weight"},
       {"layers.3.weight", "blocks.0.0.conv_dw.weight"},
       {"layers.4.weight", "blocks.0.0.bn1.weight"},
       {"layers.6.weight", "blocks.0.0.conv_pw.weight"},
       {"layers.7.weight", "blocks.0.0.bn2.weight"},
       {"layers.8.0.layers.0.weight", "blocks.1.0.conv_pw.weight"},
       {"layers.8.1.layers.1.weight", "blocks.1.1.bn1.weight"},
       {"layers.9.2.layers.3.weight", "blocks.2.2.conv_dw.weight"},
       {"layers.12.3.layers.4.weight", "blocks.5.3.bn2.weight"},
       {"layers.13.0.layers.6.weight", "blocks.6.0.conv_pwl.weight"},
       {"layers.13.0.layers.7.weight", "blocks.6.0.bn3.weight"},
       {"layers.14.weight", "conv_head.weight"},
       {"layers.15.weight", "bn2.weight"},
       {"classifier.1.weight", "classifier.weight"}});
}

// timm's names of the shared layers, as its state_dict() of coat_tiny has them.
TEST(CoatRepeats, AreTheNamesOfEveryPlace) {
  const std::vector<std::string> names{
      "cpe1.proj.weight",
      "crpe2.conv_list.0.bias",
      "serial_blocks1.0.norm1.weight",
      "serial_blocks2.1.norm1.weight",
      "serial_blocks2.1.factoratt_crpe.qkv.weight",
      "parallel_blocks.3.factoratt_crpe2.qkv.weight",
      "parallel_blocks.3.mlp2.fc1.weight"};
  const std::map<std::string, std::string> expected{
      {"serial_blocks1.0.cpe.proj.weight", "cpe1.proj.weight"},
      {"serial_blocks2.1.factoratt_crpe.crpe.conv_list.0.bias",
       "crpe2.conv_list.0.bias"},
      {"parallel_blocks.3.factoratt_crpe2.crpe.conv_list.0.bias",
       "crpe2.conv_list.0.bias"},
      {"parallel_blocks.3.mlp3.fc1.weight",
       "parallel_blocks.3.mlp2.fc1.weight"},
      {"parallel_blocks.3.mlp4.fc1.weight",
       "parallel_blocks.3.mlp2.fc1.weight"}};
  EXPECT_EQ(coat_repeats(names), expected);
  EXPECT_TRUE(coat_repeats({"blocks.0.mlp2.fc1.weight"}).empty());

  NamesOnly archive; // reading back gives the original
  for (const std::string& name : names) {
    archive.tensors[name] = numbered(1);
  }
  for (const auto& [name, first] : expected) {
    archive.tensors[name] = archive.tensors.at(first);
  }
  drop_coat_repeats(archive);
  EXPECT_EQ(archive.tensors.size(), names.size());
}

} // namespace
} // namespace vitrain::weights
