#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/errors.h"
#include "support/files.h"
#include "weights/archive.h"
#include "weights/formats/pickle.h"

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
  EXPECT_THAT(
      refusal_of_pickle(start + std::string(4'000'000, '}')),
      HasSubstr("more than 2,000,000 values"));
  EXPECT_THAT(
      refusal_of_pickle(start + "N" + std::string(4'000'000, '2')),
      HasSubstr("a stack of more than 2,000,000 values"));
  EXPECT_THAT(
      refusal_of_pickle(start + std::string(4'000'000, '(')),
      HasSubstr("more than 2,000,000 marks"));
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
  EXPECT_THAT(
      error_of(ExitCode::kWeights, [&] { open_archive(path); }),
      HasSubstr("is an empty zip archive"));
}

} // namespace
} // namespace vitrain::weights
