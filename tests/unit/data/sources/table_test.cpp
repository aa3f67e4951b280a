#include "data/kinds/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <tuple>

#include "core/random.h"
#include "support/messages.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

using testing::ElementsAre;

std::string read_error(const std::filesystem::path& path) {
  return data_error([&] { read_table(path); });
}

// As numpy.save writes it.
std::string npy(const std::string& header, const std::string& numbers) {
  std::string text = header;
  while ((10 + text.size() + 1) % 64 != 0) {
    text.push_back(' ');
  }
  text.push_back('\n');
  const auto length = static_cast<unsigned>(text.size());
  return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(length & 255) +
      static_cast<char>(length >> 8) + text + numbers;
}

std::string header(const std::string& type, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape +
      ", }";
}

template <typename T>
std::string bytes(std::initializer_list<T> values) {
  std::string text;
  for (const T value : values) {
    text.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  return text;
}

TEST(Table, ReadsCsvWithAndWithoutNames) {
  const TempFolder folder;
  const auto file =
      folder.write("t.csv", "a, b,c\r\n1,2,3\r\n\r\n-4e-1,5.5, 6\n");
  const Table table = read_table(file);
  EXPECT_EQ(table.rows, 2);
  EXPECT_EQ(table.columns, 3);
  EXPECT_THAT(table.values, ElementsAre(1, 2, 3, -0.4F, 5.5F, 6));
  folder.write("t.csv", "1,2\n3,4");
  EXPECT_THAT(read_table(file).values, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(read_table(file).separator, ',');
  folder.write("t.csv", "a;b\n1;2\n3;4\n");
  EXPECT_THAT(read_table(file).values, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(read_table(file).separator, ';');
  folder.write("t.csv", "1\t2\n3\t4\n");
  EXPECT_THAT(read_table(file).values, ElementsAre(1, 2, 3, 4));
  // Commas in numbers are refused, not taken for separators.
  folder.write("t.csv", "a;b\n1,5;2\n");
  expect_message(read_error(file), {"t.csv:2", "'1,5'"});
}

// A byte order mark made a first row without names one of names.
TEST(Table, MayBeginWithAMarkAndASeparator) {
  const TempFolder folder;
  const auto file = folder.write(
      "t.csv",
      "\xEF\xBB\xBF"
      "1\n2\n");
  EXPECT_THAT(read_table(file).values, ElementsAre(1, 2));
  folder.write(
      "t.csv",
      "\xEF\xBB\xBF"
      "sep=;\r\na;b\r\n1;2\r\n3;4\r\n");
  EXPECT_THAT(read_table(file).values, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(read_table(file).separator, ';');
  folder.write("t.csv", "sep=|\n1|2\n3|x\n");
  expect_message(read_error(file), {"t.csv:3", "2"});
}

TEST(Table, ReadsNpyOfEachType) {
  const TempFolder folder;
  const auto read = [&](const std::string& type, const std::string& numbers) {
    return read_table(
               folder.write("t.npy", npy(header(type, "(2, 2)"), numbers)))
        .values;
  };
  EXPECT_THAT(
      read("<f4", bytes<float>({1, -2.5F, 3, 4})), ElementsAre(1, -2.5F, 3, 4));
  EXPECT_THAT(
      read("<f8", bytes<double>({0.1, 2, 3, 4})), ElementsAre(0.1F, 2, 3, 4));
  EXPECT_THAT(
      read("<i4", bytes<std::int32_t>({-1, 2, 3, 4})),
      ElementsAre(-1, 2, 3, 4));
  EXPECT_THAT(
      read("<i8", bytes<std::int64_t>({-1, 2, 3, 4})),
      ElementsAre(-1, 2, 3, 4));
  EXPECT_THAT(
      read("|u1", bytes<std::uint8_t>({255, 2, 3, 4})),
      ElementsAre(255, 2, 3, 4));
}

TEST(Table, ExplainsWhatIsWrong) {
  const TempFolder folder;
  const auto csv = [&](const std::string& text) {
    return read_error(folder.write("t.csv", text));
  };
  expect_message(csv(""), {"t.csv"});
  expect_message(csv("a,b\n"), {});
  expect_message(csv("a,b\n1,2\n3\n"), {"t.csv:3", "1", "2"});
  expect_message(csv("1,2\n3,x\x1b[2J\n"), {"t.csv:2", "'x\\x1b[2J'"});
  expect_message(csv("a,2\n"), {"t.csv:1"});
  expect_message(csv("1,nan\n"), {});
  expect_message(csv("1,1e300\n"), {});
  expect_message(read_error(folder.write("t.txt", "1")), {});
  expect_message(read_error(folder.path() / "no.csv"), {"no.csv"});
  const auto array = [&](const std::string& type,
                         const std::string& shape,
                         const std::string& numbers) {
    return read_error(folder.write("t.npy", npy(header(type, shape), numbers)));
  };
  expect_message(array("<f4", "(4,)", bytes<float>({1, 2, 3, 4})), {"4"});
  expect_message(array(">f4", "(2, 2)", bytes<float>({1, 2, 3, 4})), {"'>f4'"});
  expect_message(array("<f4", "(2, 2)", bytes<float>({1, 2, 3})), {"12", "16"});
  expect_message(array("<f4", "(4611686018427387904, 4)", ""), {});
  expect_message(array("<f4", "(2, -2)", ""), {});
  expect_message(array("<f8", "(1, 1)", bytes<double>({1e300})), {"0"});
  expect_message(
      read_error(folder.write(
          "t.npy",
          npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }",
              bytes<float>({1})))),
      {});
  expect_message(
      read_error(folder.write("t.npy", npy("{'descr': '<f4'", ""))), {});
}

TEST(Table, DamagedFilesDoNoHarm) {
  const TempFolder folder;
  const std::string good =
      npy(header("<f4", "(2, 2)"), bytes<float>({1, 2, 3, 4}));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(read_error(folder.write("t.npy", good.substr(0, size))), "");
  }
  Random random(5, Purpose::kInit, 0, 0);
  for (int i = 0; i < 500; ++i) {
    std::string damaged = good;
    damaged[random.below(damaged.size())] ^=
        static_cast<char>(1 + random.below(255));
    std::ignore = read_error(folder.write("t.npy", damaged)); // a data error
  }
}

} // namespace
} // namespace vitrain::data
