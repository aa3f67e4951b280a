// Classes and order of samples as torchvision and timm have them: the rows of
// tests/golden/data/make_class_order.py, which runs the originals.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/text.h"
#include "data/kinds/datasets.h"
#include "data/sources/natural_order.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

struct Row {
  std::int64_t label;
  std::string name; // of the class
  std::string path;

  bool operator==(const Row&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.label << ' ' << printable(row.name) << ' '
             << printable(row.path);
}

// "%C3%84" as the bytes that it stands for.
std::string decoded(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      bytes.push_back(static_cast<char>(std::strtol(
          std::string(text.substr(i + 1, 2)).c_str(), nullptr, 16)));
      i += 2;
    } else {
      bytes.push_back(text[i]);
    }
  }
  return bytes;
}

// By tree, then by reader.
std::map<std::string, std::map<std::string, std::vector<Row>>> golden() {
  std::ifstream file(VITRAIN_SOURCE_DIR "/tests/golden/data/class_order.csv");
  std::map<std::string, std::map<std::string, std::vector<Row>>> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const auto cells = split(line, ',');
    rows[cells.at(0)][cells.at(1)].push_back(
        {std::stoll(cells.at(2)), decoded(cells.at(3)), decoded(cells.at(4))});
  }
  return rows;
}

std::vector<Row> rows_of(const Index& index) {
  std::vector<Row> rows;
  for (std::int64_t i = 0; i < index.size(); ++i) {
    rows.push_back(
        {index.label(i),
         index.classes()[static_cast<std::size_t>(index.label(i))],
         index.name(i)});
  }
  return rows;
}

TEST(ClassOrder, IsThatOfTorchvisionAndTimm) {
  const auto trees = golden();
  ASSERT_EQ(trees.size(), 5u);
  for (const auto& [tree, readers] : trees) {
    const TempFolder folder;
    for (const Row& row : readers.at("torchvision")) {
      folder.write("root/" + row.path);
    }
    SourceOptions options;
    options.path = (folder.path() / "root").native();
    EXPECT_EQ(rows_of(list(options)), readers.at("torchvision")) << tree;
    options.class_order = ClassOrder::kTimm;
    EXPECT_EQ(rows_of(list(options)), readers.at("timm")) << tree;
    std::map<std::int64_t, std::string> chosen;
    for (const Row& row : readers.at("timm_map")) {
      chosen[row.label] = row.name;
    }
    std::string map;
    for (const auto& [label, name] : chosen) {
      map += name + "\n";
    }
    options.class_map = folder.write("map.txt", map).native();
    EXPECT_EQ(rows_of(list(options)), readers.at("timm_map")) << tree;
  }
}

TEST(NaturalOrder, IsAStrictOrderThatSeesEveryByte) {
  const std::vector<std::string> names = {
      "",
      "0",
      "00",
      "1",
      "01",
      "9",
      "10",
      "a",
      "A",
      "a1",
      "A1",
      "a01",
      "a1b",
      "a01b",
      "a10",
      "a2",
      "ab",
      "a-",
      "ä",
      "Ä",
      "ä2",
      "Ä10",
      "\xff",
      "\xfe",
      "z",
      "日",
      "😀",
      "İ",
      "ſ",
      "9999999999999999999999999999",
      "99999999999999999999999999990"};
  for (const std::string& a : names) {
    EXPECT_FALSE(natural_less(a, a));
    for (const std::string& b : names) {
      EXPECT_NE(natural_less(a, b) || natural_less(b, a), a == b)
          << printable(a) << " " << printable(b);
      for (const std::string& c : names) {
        EXPECT_TRUE(
            !natural_less(a, b) || !natural_less(b, c) || natural_less(a, c))
            << printable(a) << " " << printable(b) << " " << printable(c);
      }
    }
  }
  std::vector<std::string> sorted = {"b10", "B9", "a10", "A9", "a", "10", "9"};
  std::ranges::sort(sorted, natural_less);
  EXPECT_THAT(
      sorted, testing::ElementsAre("9", "10", "a", "A9", "a10", "B9", "b10"));
}

} // namespace
} // namespace vitrain::data
