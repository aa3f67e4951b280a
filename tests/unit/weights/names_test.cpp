#include "weights/names/timm_names.h"

#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/text/text.h"
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

// A block that no network of so many has stays what it is.
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

  NamesOnly archive; // what is read again is what there was
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
