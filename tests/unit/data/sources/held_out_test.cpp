#include "data/sources/held_out.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/text.h"
#include "data/kinds/datasets.h"
#include "support/messages.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

using testing::ElementsAre;

std::set<std::string> set_of_names(const Index& index) {
  const std::string text = sample_names(index);
  const auto lines = split(text, '\n');
  return {lines.begin(), lines.end() - 1};
}

std::map<std::int64_t, std::int64_t> counts_of(const Index& index) {
  std::map<std::int64_t, std::int64_t> counts;
  for (std::int64_t i = 0; i < index.size(); ++i) {
    ++counts[index.label(i)];
  }
  return counts;
}

// Classes of 40, 15 and 1 images.
class HeldOut : public testing::Test {
 protected:
  HeldOut() {
    const std::pair<const char*, int> classes[]{{"a", 40}, {"b", 15}, {"c", 1}};
    for (const auto& [name, images] : classes) {
      for (int i = 0; i < images; ++i) {
        folder_.write(fmt::format("data/{}/{}.jpg", name, i));
      }
    }
  }
  Index data(ClassOrder order = ClassOrder::kTorchvision) {
    SourceOptions options;
    options.path = (folder_ / "data").native();
    options.class_order = order;
    return list(options);
  }
  Index lines(std::string_view text) {
    SourceOptions options;
    options.kind = SourceKind::kList;
    options.path = folder_.write("data/list.txt", text).native();
    return list(options);
  }

  TempFolder folder_;
};

TEST_F(HeldOut, PartsAreTheWhole) {
  const Index all = data();
  const SplitData parts = split_data(all, 0.1, 7);
  EXPECT_EQ(parts.held_out.size(), 6); // of 56
  EXPECT_EQ(parts.train.size(), 50);
  std::set<std::string> names = set_of_names(parts.train);
  for (const std::string& name : set_of_names(parts.held_out)) {
    EXPECT_TRUE(names.insert(name).second) << name << " is in both";
  }
  EXPECT_EQ(names, set_of_names(all));
  EXPECT_EQ(parts.train.classes(), all.classes());
  EXPECT_EQ(parts.held_out.classes(), all.classes());
}

TEST_F(HeldOut, TakesTheShareOfEveryClassAndNeverAllOfOne) {
  const SplitData parts = split_data(data(), 0.1, 7);
  // 4, 1.5 and 0.1, of which 6 in all.
  EXPECT_THAT(
      counts_of(parts.held_out), ElementsAre(std::pair(0, 4), std::pair(1, 2)));
  EXPECT_EQ(counts_of(parts.train).at(2), 1);
  EXPECT_THAT(
      parts.held_out.notes(),
      ElementsAre("classes of which nothing is held out: 1"));
  EXPECT_EQ(counts_of(split_data(data(), 0.9, 7).train).at(2), 1);
}

TEST_F(HeldOut, DependsOnNamesAndSeedAlone) {
  const auto held_out = [&](const Index& index, std::uint64_t seed) {
    return set_of_names(split_data(index, 0.3, seed).held_out);
  };
  EXPECT_EQ(held_out(data(), 1), held_out(data(), 1));
  EXPECT_NE(held_out(data(), 1), held_out(data(), 2));
  EXPECT_EQ(held_out(data(), 1), held_out(data(ClassOrder::kTimm), 1));
  // A new image moves few other images between the parts.
  const std::set<std::string> before = held_out(data(), 1);
  folder_.write("data/a/new.jpg");
  const std::set<std::string> after = held_out(data(), 1);
  std::vector<std::string> moved;
  std::ranges::set_symmetric_difference(
      before, after, std::back_inserter(moved));
  EXPECT_LE(moved.size(), 2u);
}

TEST_F(HeldOut, LinesThatNameOneImageStayTogether) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    text += fmt::format("a/{}.jpg {}\na/{}.jpg {}\n", i, i % 2, i, (i + 1) % 2);
  }
  const SplitData parts = split_data(lines(text), 0.25, 3);
  EXPECT_EQ(parts.held_out.size(), 20);
  EXPECT_EQ(set_of_names(parts.held_out).size(), 10u);
  for (const std::string& name : set_of_names(parts.held_out)) {
    EXPECT_FALSE(set_of_names(parts.train).contains(name)) << name;
  }
}

TEST_F(HeldOut, NothingToHoldOutIsRefused) {
  expect_message(
      data_error([&] { split_data(data(), 0.001, 0); }),
      {"data.split", "0.001", "56"});
}

TEST_F(HeldOut, RowsOfVectorsKeepTheirNumbers) {
  SourceOptions options;
  options.kind = SourceKind::kVectors;
  std::string text;
  for (int i = 0; i < 10; ++i) {
    text += fmt::format("{},{}\n", i, 10 * i);
  }
  options.path = folder_.write("rows.csv", text).native();
  const Index all = list(options);
  const SplitData parts = split_data(all, 0.3, 5);
  EXPECT_EQ(parts.held_out.size(), 3);
  EXPECT_EQ(parts.train.size(), 7);
  std::set<std::string> rows = set_of_names(parts.train);
  rows.merge(set_of_names(parts.held_out));
  EXPECT_EQ(rows, set_of_names(all));
  EXPECT_EQ(rows.size(), 10u);
}

std::map<std::int64_t, std::int64_t> label_counts_of(const Index& index) {
  std::map<std::int64_t, std::int64_t> counts;
  for (std::int64_t i = 0; i < index.size(); ++i) {
    for (const std::int32_t label : index.label_set(i)) {
      ++counts[label];
    }
  }
  return counts;
}

// Label 3 comes second alone, label 4 has two images, label 5 one; some images
// have none.
TEST_F(HeldOut, OfLabelListsEveryLabelHasTheShare) {
  std::vector<std::string> lines;
  for (int i = 0; i < 400; ++i) {
    std::string labels = std::to_string(i % 3);
    labels += i % 4 == 1 ? ",3" : "";
    labels += i == 5 || i == 9 ? ",4" : "";
    labels += i == 7 ? ",5" : "";
    lines.push_back(fmt::format("{}.jpg {}\n", i, i % 20 == 0 ? "-" : labels));
  }
  const auto split = [&](const char* file, double share, std::uint64_t seed) {
    return split_data(
        *label_lists_index(folder_, file, join(lines, "")), share, seed);
  };
  const auto all =
      label_counts_of(*label_lists_index(folder_, "all.txt", join(lines, "")));
  for (const double share : {0.1, 0.25, 0.5, 0.9}) {
    const SplitData parts = split("list.txt", share, 7);
    EXPECT_EQ(parts.held_out.size() + parts.train.size(), 400);
    // Images without labels round the whole.
    EXPECT_EQ(parts.held_out.size(), std::llround(share * 400)) << share;
    auto held_out = label_counts_of(parts.held_out);
    auto train = label_counts_of(parts.train);
    for (const auto& [label, count] : all) {
      EXPECT_EQ(held_out[label] + train[label], count);
      // Less than an image more or less: a whole number is held out.
      EXPECT_LT(std::abs(held_out[label] - share * count), 1.0)
          << share << " " << label;
      EXPECT_GT(train[label], 0) << share << " " << label;
    }
  }
  // A function of names and seed, whatever the order of the lines.
  const auto names = set_of_names(split("one.txt", 0.25, 7).held_out);
  EXPECT_NE(set_of_names(split("two.txt", 0.25, 8).held_out), names);
  std::ranges::reverse(lines);
  EXPECT_EQ(set_of_names(split("back.txt", 0.25, 7).held_out), names);
}

// All images of label 1 have label 0 too, and would be held out for it.
TEST_F(HeldOut, OfLabelListsNeverTakesAllOfALabel) {
  const auto index = label_lists_index(
      folder_, "list.txt", "a.jpg 0,1\nb.jpg 0,1\nc.jpg 2\nd.jpg 2\n");
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SplitData parts = split_data(*index, 0.9, seed);
    EXPECT_THAT(
        label_counts_of(parts.train),
        ElementsAre(std::pair(0, 1), std::pair(1, 1), std::pair(2, 1)));
  }
}

// Each image is held out once, and each fold has as many to within one.
TEST_F(HeldOut, FoldsAreAPartition) {
  const Index all = data();
  std::set<std::string> seen;
  for (std::int64_t k = 1; k <= 4; ++k) {
    const SplitData parts = split_data(all, 0.25, 7, {{k, 4}});
    const auto held_out = set_of_names(parts.held_out);
    EXPECT_EQ(parts.train.size() + parts.held_out.size(), all.size());
    EXPECT_EQ(parts.held_out.size(), 14); // of 56
    for (const std::string& name : held_out) {
      EXPECT_TRUE(seen.insert(name).second) << name;
    }
    EXPECT_EQ(counts_of(parts.held_out).at(0), 10);
  }
  EXPECT_EQ(seen, set_of_names(all));
}

TEST_F(HeldOut, AFractionIsPartOfALargerOne) {
  const Index all = data();
  std::set<std::string> smaller;
  for (const double share : {0.1, 0.5, 1.0}) {
    const auto names = set_of_names(reduce(all, share, {}, 7));
    EXPECT_TRUE(std::ranges::includes(names, smaller)) << share;
    smaller = names;
  }
  EXPECT_EQ(smaller, set_of_names(all));
  using Counts = std::map<std::int64_t, std::int64_t>;
  EXPECT_EQ(
      counts_of(reduce(all, 0.1, {}, 7)), (Counts{{0, 4}, {1, 2}, {2, 1}}));
  EXPECT_EQ(
      counts_of(reduce(all, 1.0, 20, 7)), (Counts{{0, 20}, {1, 15}, {2, 1}}));
  EXPECT_NE(
      set_of_names(reduce(all, 0.5, {}, 7)),
      set_of_names(reduce(all, 0.5, {}, 8)));
}

} // namespace
} // namespace vitrain::data
