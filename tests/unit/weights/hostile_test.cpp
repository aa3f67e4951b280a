#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/errors.h"
#include "support/files.h"
#include "support/messages.h"
#include "weights/archive.h"
#include "weights/input_file.h"
#include "weights/pickle.h"
#include "weights/safetensors_header.h"
#include "weights/state_dict.h"
#include "weights/zip_file.h"

// Files of weights that lie (tests/golden/weights/make_hostile.py), and streams
// that would fill the memory.
namespace vitrain::weights {
namespace {

using testing::HasSubstr;

struct HostileFile {
  std::string name;
  std::string message; // "-": it is read
};

std::string hostile(const std::string& name) {
  return std::string(VITRAIN_SOURCE_DIR "/tests/golden/weights/hostile/") +
      name;
}

std::vector<HostileFile> hostile_files() {
  std::ifstream table(hostile("expected.csv"));
  std::vector<HostileFile> files;
  std::string line;
  std::getline(table, line);
  while (std::getline(table, line)) {
    const std::size_t comma = line.find(',');
    files.push_back({line.substr(0, comma), line.substr(comma + 1)});
  }
  return files;
}

// Opens it and reads all of its values.
void read_all(const std::string& path) {
  const auto archive = open_archive(path);
  EXPECT_FALSE(archive->tensors.empty());
  for (std::size_t i = 0; i < archive->storages.size(); ++i) {
    std::vector<char> bytes(static_cast<std::size_t>(archive->storages[i]));
    archive->read(i, bytes.data());
  }
}

TEST(HostileWeights, AreRefusedByWhatIsWrong) {
  const auto files = hostile_files();
  EXPECT_GT(files.size(), 50U);
  for (const HostileFile& file : files) {
    const std::string message =
        error_of(ExitCode::kWeights, [&] { read_all(hostile(file.name)); });
    if (file.message == "-") {
      EXPECT_EQ(message, "") << file.name;
    } else {
      EXPECT_THAT(message, HasSubstr(file.message)) << file.name;
      EXPECT_THAT(message, HasSubstr(file.name));
    }
  }
  EXPECT_FALSE(std::filesystem::exists("vitrain_executed_a_pickle"));
}

TEST(HostileWeights, ViewsHaveTheirValues) {
  const auto archive = open_archive(hostile("shared.pth"));
  EXPECT_EQ(archive->storages, std::vector<std::int64_t>({24}));
  const StridedPart& part = archive->tensors.at("t1").parts.at(0);
  EXPECT_EQ(part.offset, 2);
  EXPECT_EQ(part.strides, std::vector<std::int64_t>({2}));
}

TEST(HostileWeights, PartsOfNumpysFilesAreRefused) {
  try {
    open_archive(hostile("tensors.npz"), "model");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kWeights);
    expect_message(error.what(), {"'model'"});
  }
}

// 1, 0 and so on: little, Fortran's order, and big endian.
TEST(HostileWeights, ArraysHaveTheirOrders) {
  const auto archive = open_archive(hostile("tensors.npz"));
  EXPECT_EQ(
      archive->tensors.at("a1").parts.at(0).strides,
      std::vector<std::int64_t>({1, 2}));
  const auto values = [&](const char* name) {
    std::vector<float> floats(6);
    archive->read(archive->tensors.at(name).parts.at(0).storage, floats.data());
    return floats;
  };
  EXPECT_EQ(values("a0"), std::vector<float>({0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(values("a1"), values("a0"));
  // The file has the same bytes, said to be in the other order.
  EXPECT_EQ(values("a2")[0], 0.0F);
  EXPECT_NE(values("a2")[1], 1.0F);
}

std::string refusal_of_pickle(const std::string& bytes) {
  return error_of(ExitCode::kWeights, [&] { Pickle(bytes, "x"); });
}

TEST(HostileWeights, StreamsCannotFillTheMemory) {
  const std::string start("\x80\x02", 2);
  expect_message(
      refusal_of_pickle(start + std::string(4'000'000, '}')), {"2,000,000"});
  expect_message(
      refusal_of_pickle(start + "N" + std::string(4'000'000, '2')),
      {"2,000,000"});
  expect_message(
      refusal_of_pickle(start + std::string(4'000'000, '(')), {"2,000,000"});
  expect_message(
      refusal_of_pickle(start + "}" + std::string(4'000'000, '\x94')),
      {"2,000,000"});
}

template <typename Number>
std::string raw(Number number) {
  std::string bytes(sizeof(number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

// Instructions of a pickle, each of which leaves one value on the stack.
std::string text(std::string_view words) {
  return "X" + raw(static_cast<std::uint32_t>(words.size())) +
      std::string(words);
}
const std::string kTensor = "K\1"; // a number stands for a tensor here

using Entries = std::vector<std::pair<std::string, std::string>>;

std::string dict(const Entries& entries) {
  std::string stream = "}(";
  for (const auto& [name, value] : entries) {
    stream += text(name) + value;
  }
  return stream + "u";
}

std::string module(const Entries& children) {
  return "cm\nM\n)R" +
      dict(
             {{"_parameters", dict({{"w", kTensor}})},
              {"_modules", dict(children)}}) +
      "b";
}

// The tensors selected from a pickle.
struct Found {
  std::vector<std::string> names;
  std::string note;
  std::string last_note;
  std::string refusal;
};

Found found_in(const std::string& stream, const std::string& part = "") {
  Found found;
  found.refusal = error_of(ExitCode::kWeights, [&] {
    const std::string bytes = "\x80\x02" + stream + ".";
    const Pickle pickle(bytes, "x");
    const StateDict dict = find_state_dict(
        pickle.root(),
        [](const PickleValue& value) {
          return value.is(PickleValue::Kind::kInteger);
        },
        part,
        "x");
    for (const auto& [name, value] : dict.tensors) {
      found.names.push_back(name);
    }
    found.note = dict.notes.empty() ? "" : dict.notes.front();
    found.last_note = dict.notes.empty() ? "" : dict.notes.back();
  });
  return found;
}

TEST(HostileWeights, NamesOfClassesAreShort) {
  const std::string name = text(std::string(600, 'a'));
  expect_message(
      refusal_of_pickle(std::string("\x80\x04", 2) + name + name + "\x93."),
      {"1,000"});
}

// A module whose two children are the same one, 60 times over.
TEST(HostileWeights, SharedModulesEnd) {
  std::string stream = module({}) + "q" + raw<std::uint8_t>(0);
  for (std::uint8_t i = 0; i < 60; ++i) {
    const std::string below = "h" + raw(i);
    stream += "0" + module({{"a", below}, {"b", below}}) + "q" +
        raw<std::uint8_t>(i + 1);
  }
  expect_message(found_in(stream).refusal, {"64.0"});
  EXPECT_THAT(
      found_in(module({{"a", module({})}})).names,
      testing::ElementsAre("w", "a.w"));
}

// `entries` times one value under one name, both from the memo.
std::string repeated(int entries, const std::string& value) {
  std::string stream = value + "q" + raw<std::uint8_t>(0) + "0" + text("k") +
      "q" + raw<std::uint8_t>(1) + "0}(";
  for (int i = 0; i < entries; ++i) {
    stream += std::string("h\1h\0", 4);
  }
  return stream + "u";
}

TEST(HostileWeights, SharedDictionariesEnd) {
  constexpr int kMany = 40'000;
  expect_message(
      found_in(repeated(kMany, repeated(kMany, dict({})))).refusal,
      {"10,000,000"});
  const std::string refusal =
      found_in(repeated(kMany, repeated(2'000, kTensor))).refusal;
  expect_message(refusal, {"'k'", "39,990"});
  EXPECT_LT(refusal.size(), 300U);
}

TEST(HostileWeights, NamesOfTensorsAreShort) {
  const std::string name(5'000, 'n');
  constexpr const char* kRefusal = "nnn...', has 5,000 bytes (at most 4,096)";
  EXPECT_THAT(found_in(dict({{name, kTensor}})).refusal, HasSubstr(kRefusal));
  const TempFolder folder;
  const std::string header =
      "{\"" + name + R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})";
  const auto path =
      folder.write("a.safetensors", raw<std::uint64_t>(header.size()) + header);
  EXPECT_THAT(
      error_of(ExitCode::kWeights, [&] { open_archive(path); }),
      HasSubstr(kRefusal));
}

// They could not be written again: no safetensors file has such a tensor.
TEST(HostileWeights, NamesOfTensorsAreThoseOfSafetensors) {
  expect_message(
      found_in(dict({{"__metadata__", kTensor}})).refusal, {"'__metadata__'"});
  // Half of a pair of UTF-16.
  expect_message(
      found_in(dict({{"a\xed\xb2\x80", kTensor}})).refusal,
      {"'a\\xed\\xb2\\x80'"});
  // Any member is accepted if none is requested.
  EXPECT_THAT(
      found_in(dict(
                   {{"__metadata__", dict({{"format", kTensor}})},
                    {"state_dict", dict({{"a", kTensor}, {"b", kTensor}})}}))
          .names,
      testing::ElementsAre("a", "b"));
}

// Twenty entries of an archive's directory for one member of 1,000 bytes.
TEST(HostileWeights, MembersOfAnArchiveAreApart) {
  const auto zip = [](int entries) {
    constexpr std::uint32_t kBytes = 1'000;
    // Version, flags, method (stored), time and date, checksum, both sizes, the
    // length of the name and of the extra field.
    const std::string about = raw<std::uint32_t>(20) + raw<std::uint16_t>(0) +
        raw<std::uint32_t>(0) + raw<std::uint32_t>(0) + raw(kBytes) +
        raw(kBytes) + raw<std::uint16_t>(5) + raw<std::uint16_t>(0);
    const std::string local =
        "PK\3\4" + about + "0.npy" + std::string(kBytes, '\0');
    std::string directory;
    for (int i = 0; i < entries; ++i) {
      directory += "PK\1\2" + raw<std::uint16_t>(20) + about +
          std::string(14, '\0') + static_cast<char>('0' + i) + ".npy";
    }
    return local + directory + "PK\5\6" + raw<std::uint32_t>(0) +
        raw(static_cast<std::uint16_t>(entries)) +
        raw(static_cast<std::uint16_t>(entries)) +
        raw(static_cast<std::uint32_t>(directory.size())) +
        raw(static_cast<std::uint32_t>(local.size())) + raw<std::uint16_t>(0);
  };
  const TempFolder folder;
  const InputFile one(folder.write("one.npz", zip(1)));
  EXPECT_EQ(ZipFile(one).members().size(), 1U);
  const InputFile many(folder.write("many.npz", zip(20)));
  expect_message(error_of(ExitCode::kWeights, [&] { ZipFile{many}; }), {});
}

// PyTorch's example for ImageNet saves its best accuracy as a tensor.
// An archive of 1 MiB unpacked to 1 GiB.
TEST(HostileWeights, BombsAreRefused) {
  const auto zip = [](std::uint32_t packed, std::uint32_t unpacked) {
    // As above, deflated (8).
    const std::string about = raw<std::uint32_t>(20) + raw<std::uint16_t>(8) +
        raw<std::uint32_t>(0) + raw<std::uint32_t>(0) + raw(packed) +
        raw(unpacked) + raw<std::uint16_t>(5) + raw<std::uint16_t>(0);
    const std::string local =
        "PK\3\4" + about + "0.npy" + std::string(packed, '\0');
    const std::string directory = "PK\1\2" + raw<std::uint16_t>(20) + about +
        std::string(14, '\0') + "0.npy";
    return local + directory + "PK\5\6" + raw<std::uint32_t>(0) +
        raw<std::uint16_t>(1) + raw<std::uint16_t>(1) +
        raw(static_cast<std::uint32_t>(directory.size())) +
        raw(static_cast<std::uint32_t>(local.size())) + raw<std::uint16_t>(0);
  };
  constexpr std::uint32_t kMiB = 1 << 20;
  const TempFolder folder;
  const InputFile bomb(folder.write("bomb.npz", zip(kMiB, 1024 * kMiB)));
  expect_message(
      error_of(ExitCode::kWeights, [&] { ZipFile{bomb}; }), {"1.0", "164"});
  const InputFile good(folder.write("good.npz", zip(kMiB, 160 * kMiB)));
  EXPECT_EQ(ZipFile(good).members().size(), 1U);
}

// A header of a million tensors took 1 GB and 19 s.
TEST(HostileWeights, TensorsAreCounted) {
  const auto header = [](std::size_t tensors) {
    std::string json = "{";
    for (std::size_t i = 0; i < tensors; ++i) {
      json += fmt::format(
          R"({}"{}":{{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})",
          i == 0 ? "" : ",",
          i);
    }
    return json + "}";
  };
  EXPECT_EQ(parse_header(header(100'000), 0, "x").tensors.size(), 100'000U);
  expect_message(
      error_of(
          ExitCode::kWeights, [&] { parse_header(header(100'001), 0, "x"); }),
      {"100,000"});
}

TEST(StateDicts, ATensorBesideThemIsNotTheWeights) {
  const std::string weights = dict({{"a", kTensor}, {"b", kTensor}});
  const Found found = found_in(
      dict({{"state_dict", weights}, {"best_acc1", kTensor}, {"epoch", "N"}}));
  EXPECT_THAT(found.names, testing::ElementsAre("a", "b"));
  EXPECT_EQ(found.note, "took 'state_dict'");
  // If the dictionary itself holds the weights, a member with a usual name is
  // ignored.
  EXPECT_THAT(
      found_in(dict(
                   {{"a", kTensor},
                    {"b", kTensor},
                    {"model", dict({{"c", kTensor}})}}))
          .names,
      testing::ElementsAre("a", "b"));
}

// They were dropped without a word.
TEST(StateDicts, WhatIsNotReadIsNamed) {
  const std::string quantized = "ctorch._utils\n_rebuild_qtensor\n)R";
  const std::string stream = "}(" + text("a") + kTensor + text("q") +
      quantized + "K\7" + kTensor + text("n") + "N" + "u";
  for (const std::string& whole :
       {stream, "}(" + text("model") + stream + "u"}) {
    const Found found = found_in(whole);
    EXPECT_THAT(found.names, testing::ElementsAre("a"));
    EXPECT_EQ(
        found.last_note,
        "left out, of a kind that is not read: 2 tensors: 'q' "
        "(torch._utils._rebuild_qtensor), the one with the number 7 for name");
  }
}

// MMEngine's hook for averages swaps them with the weights when it saves.
TEST(StateDicts, MmengineSavesAveragesAsTheWeights) {
  Entries entries{
      {"state_dict", dict({{"average", kTensor}})},
      {"ema_state_dict", dict({{"trained", kTensor}})}};
  EXPECT_THAT(found_in(dict(entries)).names, testing::ElementsAre("trained"));
  entries.emplace_back("message_hub", dict({}));
  const Found found = found_in(dict(entries));
  EXPECT_THAT(found.names, testing::ElementsAre("average"));
  EXPECT_EQ(
      found.note,
      "took 'state_dict' (averaged weights); the file also has "
      "'ema_state_dict'");
  EXPECT_EQ(
      found_in(dict(entries), "ema_state_dict").note,
      "took 'ema_state_dict'; the file also has 'state_dict'");
}

TEST(HostileWeights, StreamsThatStopAreErrors) {
  for (const std::string bytes :
       {"", "\x80", "N", "(", "]", "X\1", "0.", "t."}) {
    EXPECT_THAT(refusal_of_pickle(bytes), HasSubstr("x: pickle, byte"))
        << bytes;
  }
}

TEST(HostileWeights, AnEmptyArchiveIsNamed) {
  const TempFolder folder;
  const auto path = folder.path() / "empty.npz";
  std::string bytes("PK\5\6", 4);
  bytes.append(18, '\0');
  std::ofstream(path, std::ios::binary) << bytes;
  expect_message(error_of(ExitCode::kWeights, [&] { open_archive(path); }), {});
}

} // namespace
} // namespace vitrain::weights
