#include "weights/weights_index.h"

#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json.h"
#include "support/errors.h"
#include "support/files.h"
#include "support/messages.h"
#include "weights/archive.h"

// Weights that are divided among several files, as transformers writes them,
// and indexes of them that lie.
namespace vitrain::weights::weights_index {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;

constexpr const char* kIndex = "model.safetensors.index.json";

fs::path golden(const std::string& name) {
  return fs::path(VITRAIN_SOURCE_DIR "/tests/golden/weights") / name;
}

using Tensors = std::map<std::string, std::vector<float>>;
using Texts = std::map<std::string, std::string>;

// A safetensors file with these vectors.
std::string file_with(const Tensors& tensors, const Texts& texts = {}) {
  Json header = Json::object();
  if (!texts.empty()) {
    header["__metadata__"] = texts;
  }
  std::string data;
  for (const auto& [name, values] : tensors) {
    const std::size_t begin = data.size();
    data.append(
        reinterpret_cast<const char*>(values.data()),
        values.size() * sizeof(float));
    header[name]["dtype"] = "F32";
    header[name]["shape"] = Json::array({values.size()});
    header[name]["data_offsets"] = Json::array({begin, data.size()});
  }
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  return bytes + text + data;
}

// All bytes of the storage that a tensor is in.
std::string bytes_of(const Archive& archive, const std::string& name) {
  const std::size_t storage = archive.tensors.at(name).parts.at(0).storage;
  std::string bytes(
      static_cast<std::size_t>(archive.storages.at(storage)), '\0');
  archive.read(storage, bytes.data());
  return bytes;
}

class DividedWeights : public testing::Test {
 protected:
  // An index of such text, and one with this map.
  fs::path index(const std::string& text) const {
    return folder_.write(kIndex, text);
  }
  fs::path index_of(const Texts& map) const {
    Json json;
    json["metadata"]["total_size"] = 24;
    json["weight_map"] = map;
    return index(json.dump(/*indent=*/2) + "\n");
  }
  void write(
      const std::string& name,
      const Tensors& tensors,
      const Texts& texts = {{"format", "pt"}}) const {
    folder_.write(name, file_with(tensors, texts));
  }
  static std::vector<float> values(
      const Archive& archive,
      const std::string& name) {
    const std::string bytes = bytes_of(archive, name);
    std::vector<float> floats(bytes.size() / sizeof(float));
    std::memcpy(floats.data(), bytes.data(), bytes.size());
    return floats;
  }
  // Returns the message about an index, without its path.
  static std::string refusal(const fs::path& path) {
    std::string message =
        error_of(ExitCode::kWeights, [&] { open_archive(path); });
    EXPECT_THAT(message, StartsWith(path.parent_path().native()));
    return message;
  }

  TempFolder folder_;
};

TEST_F(DividedWeights, AreReadFromTheFilesThatTheIndexNames) {
  write("1.safetensors", {{"a", {1, 2}}, {"b", {3}}});
  write("2.safetensors", {{"c", {4, 5, 6}}});
  write("3.safetensors", {{"d", {7}}, {"e", {8, 9}}});
  const fs::path path = index_of(
      {{"a", "1.safetensors"},
       {"b", "1.safetensors"},
       {"c", "2.safetensors"},
       {"d", "3.safetensors"},
       {"e", "3.safetensors"}});
  const auto archive = open_archive(path);
  EXPECT_EQ(archive->source, path.native());
  EXPECT_STREQ(archive->format, "safetensors");
  EXPECT_THAT(archive->metadata, ElementsAre(Pair("format", "pt")));
  EXPECT_THAT(archive->notes, IsEmpty());
  EXPECT_EQ(archive->tensors.size(), 5U);
  EXPECT_THAT(archive->storages, ElementsAre(8, 4, 12, 4, 8));
  EXPECT_THAT(values(*archive, "a"), ElementsAre(1, 2));
  EXPECT_THAT(values(*archive, "b"), ElementsAre(3));
  EXPECT_THAT(values(*archive, "c"), ElementsAre(4, 5, 6));
  EXPECT_THAT(values(*archive, "d"), ElementsAre(7));
  EXPECT_THAT(values(*archive, "e"), ElementsAre(8, 9));
  EXPECT_THAT(
      files_of(path),
      ElementsAre(
          folder_ / "1.safetensors",
          folder_ / "2.safetensors",
          folder_ / "3.safetensors"));
  EXPECT_THAT(
      files_of(folder_ / "1.safetensors"),
      ElementsAre(folder_ / "1.safetensors"));
}

TEST_F(DividedWeights, WhatTheIndexDoesNotNameIsLeftOutAndTold) {
  write("1.safetensors", {{"a", {1}}, {"b", {2}}, {"extra", {3}}});
  write("2.safetensors", {{"a", {4}}, {"b", {5}}});
  const auto archive =
      open_archive(index_of({{"a", "2.safetensors"}, {"b", "1.safetensors"}}));
  EXPECT_EQ(archive->tensors.size(), 2U);
  EXPECT_THAT(values(*archive, "a"), ElementsAre(4));
  EXPECT_THAT(values(*archive, "b"), ElementsAre(2));
  EXPECT_THAT(
      archive->notes,
      ElementsAre(
          "left out 3 tensors that the index does not look for where they are: "
          "'b', 'a', 'extra'"));
}

TEST_F(DividedWeights, HaveTheTextsThatAllFilesHave) {
  write("1.safetensors", {{"a", {1}}}, {{"format", "pt"}, {"by", "x"}});
  write(
      "2.safetensors",
      {{"b", {1}}},
      {{"format", "pt"}, {"by", "y"}, {"more", "z"}});
  const fs::path path =
      index_of({{"a", "1.safetensors"}, {"b", "2.safetensors"}});
  EXPECT_THAT(read_metadata(path), ElementsAre(Pair("format", "pt")));
  write("2.safetensors", {{"b", {1}}}, {});
  EXPECT_THAT(read_metadata(path), IsEmpty());
}

// Written by transformers (tests/golden/weights/make_sharded_files.py): each
// has the values of the file that is whole.
TEST(DividedGoldenWeights, AreThoseOfTheWholeFile) {
  const auto whole = open_archive(golden("transformers_vit.safetensors"));
  const std::map<std::string, std::string> formats{
      {"sharded/model.safetensors.index.json", "safetensors"},
      {"sharded_bin/pytorch_model.bin.index.json", "PyTorch"}};
  for (const auto& [name, format] : formats) {
    const auto archive = open_archive(golden(name));
    EXPECT_EQ(archive->format, format);
    EXPECT_GE(files_of(golden(name)).size(), 3U);
    EXPECT_EQ(archive->tensors.size(), whole->tensors.size()) << name;
    EXPECT_THAT(archive->notes, IsEmpty());
    for (const auto& [tensor, stored] : archive->tensors) {
      ASSERT_TRUE(whole->tensors.contains(tensor)) << tensor;
      EXPECT_EQ(stored.shape, whole->tensors.at(tensor).shape) << tensor;
      EXPECT_EQ(stored.type, whole->tensors.at(tensor).type) << tensor;
      EXPECT_TRUE(bytes_of(*archive, tensor) == bytes_of(*whole, tensor))
          << name << tensor;
    }
  }
}

TEST_F(DividedWeights, HostileIndexesAreRefusedByWhatIsWrong) {
  const auto sends = [](const std::string& file) {
    return R"({"weight_map": {"x": ")" + file + R"("}})";
  };
  const std::string long_name(5'000, 'n');
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "is not valid JSON at byte"},
      {"<html>", "is not valid JSON at byte 1"},
      {"{", "is not valid JSON at byte"},
      {R"({"weight_map": {"x": "1"})", "is not valid JSON at byte"},
      {R"({"weight_map": {"x": "1"}} {})", "is not valid JSON at byte"},
      {std::string(R"({"weight_map":)").append(100'000, '['),
       "'weight_map' is a list, not an object"},
      {std::string(R"({"m":)").append(100'000, '['),
       "is not valid JSON at byte"},
      {"[1]", "is a list, not an object with 'weight_map'"},
      {"7", "is a number, not an object with 'weight_map'"},
      {"-7.5", "is a number, not"},
      {"null", "is null, not"},
      {"\"x\"", "is a text, not"},
      {"{}", "is JSON without 'weight_map', which says in which file"},
      {R"({"metadata": {"weight_map": {"x": "1"}}})",
       "is JSON without 'weight_map'"},
      {R"({"weight_map": {}})", "nothing is in its 'weight_map'"},
      {R"({"weight_map": []})", "'weight_map' is a list, not an object"},
      {R"({"weight_map": "x"})", "'weight_map' is a text, not an object"},
      {R"({"weight_map": null})", "'weight_map' is null, not an object"},
      {R"({"weight_map": {"x": 3}})",
       "'weight_map' has a number for the tensor 'x', not the name of a file"},
      {R"({"weight_map": {"x": {"y": "1"}}})",
       "'weight_map' has an object for the tensor 'x'"},
      {R"({"weight_map": {"x": ["1"]}})",
       "'weight_map' has a list for the tensor 'x'"},
      {R"({"weight_map": {"x": true}})",
       "'weight_map' has true or false for the tensor 'x'"},
      {R"({"weight_map": {"x": "1", "x": "1"}})",
       "'weight_map' has the tensor 'x' twice"},
      {R"({"weight_map": {"x": "1"}, "weight_map": {"y": "1"}})",
       "has 'weight_map' twice"},
      {sends("/etc/passwd"),
       "'weight_map' has '/etc/passwd' for the tensor 'x', which is no name of "
       "a file beside it"},
      {sends("../1"), "has '../1' for the tensor 'x', which is no name"},
      {sends("sub/1"), "has 'sub/1' for the tensor 'x', which is no name"},
      {sends(""), "has '' for the tensor 'x', which is no name"},
      {sends("."), "has '.' for the tensor 'x', which is no name"},
      {sends(".."), "has '..' for the tensor 'x', which is no name"},
      {sends(R"(1\u0000)"), R"(has '1\x00' for the tensor 'x', which is no)"},
      {sends(long_name), "nnn' for the tensor 'x', which is no name"},
      {sends("\xff"), "is not valid JSON at byte"},
      {"{\"weight_map\": {\"\xff\": \"1\"}}", "is not valid JSON at byte"},
      {R"({"weight_map": {")" + long_name + R"(": "1"}})",
       "nnn...', has 5,000 bytes (at most 4,096)"},
      {R"({"weight_map": {"__metadata__": "1"}})",
       "a tensor has the name '__metadata__'"}};
  write("1", {{"x", {1}}});
  for (const auto& [text, message] : cases) {
    const fs::path path = index(text);
    const std::string told = refusal(path);
    EXPECT_THAT(told, AllOf(StartsWith(path.native()), HasSubstr(message)));
    EXPECT_LT(told.size(), 600U) << message;
    for (const auto& other : std::vector<std::function<void()>>{
             [&] { files_of(path); }, [&] { read_metadata(path); }}) {
      EXPECT_EQ(error_of(ExitCode::kWeights, other), told);
    }
  }
  EXPECT_EQ(
      error_of(ExitCode::kWeights, [&] { open_archive(index(sends("1"))); }),
      "");
}

TEST_F(DividedWeights, WhatElseAnIndexHasIsNotLookedAt) {
  write("1", {{"x", {1}}});
  constexpr std::size_t kDeep = 1'000'000;
  const std::string nested =
      std::string(kDeep, '[').append(std::string(kDeep, ']'));
  const fs::path path = index(
      R"( {"metadata": {"weight_map": 3, "a": )" + nested +
      R"(}, "weight_map": {"x": "1"}, "b": null, "b": 1.5})");
  EXPECT_EQ(open_archive(path)->tensors.size(), 1U);
}

TEST_F(DividedWeights, AnIndexHasABound) {
  const fs::path path = index("{");
  fs::resize_file(path, kIndexLimit + 1);
  expect_message(refusal(path), {"33,554,433"});
}

// One tensor per file, with the largest number of files.
TEST_F(DividedWeights, AsManyFilesAsMayBeAreReadAndNoMore) {
  Texts map;
  for (std::size_t i = 0; i < kMostFiles; ++i) {
    const std::string name = fmt::format("{:03}", i);
    write(name, {{"t" + name, {static_cast<float>(i)}}});
    map["t" + name] = name;
  }
  const auto archive = open_archive(index_of(map));
  EXPECT_EQ(archive->tensors.size(), kMostFiles);
  EXPECT_THAT(values(*archive, "t000"), ElementsAre(0));
  EXPECT_THAT(values(*archive, "t511"), ElementsAre(511));
  map["more"] = "more";
  expect_message(refusal(index_of(map)), {"512"});
}

TEST_F(DividedWeights, FilesThatAreNotThereAreNamed) {
  write("1", {{"x", {1}}});
  expect_message(
      refusal(index_of({{"x", "1"}, {"y", "2"}, {"z", "3\n"}})),
      {"index.json", "'2'", "'3\\x0a'"});
}

TEST_F(DividedWeights, TensorsThatAreNotWhereTheyShouldBeAreNamed) {
  write("1", {{"x", {1}}});
  write("2", {{"y", {1}}});
  expect_message(
      refusal(index_of({{"x", "1"}, {"y", "1"}, {"z", "2"}})),
      {"index.json", "2", "3", "'y'", "'z'", "1"});
  Texts many;
  for (int i = 0; i < 1'000; ++i) {
    many[fmt::format("{:04}", i)] = "1";
  }
  expect_message(refusal(index_of(many)), {"1,000", "'0000'", "'0001'"});
  expect_message(refusal(index_of(many)), {"'0007'", "992"});
}

TEST_F(DividedWeights, FilesThatAreNoWeightsAreNamed) {
  const auto of = [&](const std::string& file) {
    return refusal(index_of({{"x", "1"}, {"y", file}}));
  };
  write("1", {{"x", {1}}});
  EXPECT_THAT(
      of(kIndex),
      AllOf(
          HasSubstr(kIndex),
          HasSubstr("an index names it as a file of weights, and it is JSON")));
  folder_.write("other.json", R"({"weight_map": {"y": "1"}})");
  EXPECT_THAT(of("other.json"), HasSubstr("other.json: an index names it"));
  fs::create_directory(folder_ / "folder");
  expect_message(of("folder"), {});
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  expect_message(of("pipe"), {});
  folder_.write("cut", file_with({{"y", {1, 2}}}).substr(0, 60));
  expect_message(of("cut"), {});
  fs::create_symlink("nowhere", folder_ / "link");
  expect_message(of("link"), {"1", "2", "'link'"});
  fs::copy_file(golden("hostile/tensors.npz"), folder_ / "a.npz");
  expect_message(of("a.npz"), {"index.json", "1", "a.npz"});
}

TEST_F(DividedWeights, HaveNoParts) {
  write("1", {{"x", {1}}});
  const fs::path path = index_of({{"x", "1"}});
  expect_message(
      error_of(ExitCode::kWeights, [&] { open_archive(path, "model"); }),
      {"'model'"});
}

// A file may become shorter while it is read.
TEST_F(DividedWeights, ReadingNamesTheFile) {
  write("1", {{"x", {1}}});
  write("2", {{"y", {2, 3, 4}}});
  const auto archive = open_archive(index_of({{"x", "1"}, {"y", "2"}}));
  fs::resize_file(folder_ / "2", 20);
  expect_message(
      error_of(ExitCode::kWeights, [&] { values(*archive, "y"); }), {"2"});
  EXPECT_THAT(values(*archive, "x"), ElementsAre(1));
}

} // namespace
} // namespace vitrain::weights::weights_index
