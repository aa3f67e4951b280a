#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "data/pack.h"
#include "image/jpeg/packed_jpeg.h"
#include "support/messages.h"
#include "unit/data/file_bytes.h"
#include "unit/data/kinds/tar_builder.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

namespace fs = std::filesystem;

// A packed dataset keeps its classes and labels.
class PackedLabels : public testing::Test {
 protected:
  SourceOptions from(SourceKind kind, const fs::path& path) const {
    SourceOptions options;
    options.kind = kind;
    options.path = path.native();
    options.classes = 0;
    return options;
  }
  SourceOptions from(SourceKind kind) const { return from(kind, in_.path()); }

  // A different picture for each i.
  static std::string picture(int i) {
    std::string bytes = bytes_of(image_file("rgb_420.jpg"));
    const std::string comment(static_cast<std::size_t>(1 + i), 'c');
    // A comment segment after the first marker; its length includes two bytes.
    bytes.insert(2, std::string("\xFF\xFE\0", 3));
    bytes.insert(5, 1, static_cast<char>(comment.size() + 2));
    return bytes.insert(6, comment);
  }
  void put(const std::string& name) {
    in_.write(name, picture(static_cast<int>(pictures_++)));
  }
  // A list of images with these labels, one line each.
  fs::path list_of_labels(
      const std::string& file,
      const std::vector<std::string>& labels) {
    const char gap = file.ends_with(".csv") ? ',' : ' ';
    std::string text;
    for (const std::string& label : labels) {
      const std::string name = fmt::format("images/{:02}.jpg", pictures_);
      put(name);
      text += name + gap + label + '\n';
    }
    return in_.write(file, text);
  }

  // Packs, reads the archives as pack() says, and compares.
  void expect_same(const SourceOptions& options) {
    const auto source = open(std::make_shared<const Index>(list(options)));
    report_ = pack(
        *source,
        {.folder = out_.path() / "packed",
         .name = "train",
         .class_order = options.class_order,
         .class_map = !options.class_map.empty(),
         .shard_bytes = 20000});
    const auto packed =
        open(std::make_shared<const Index>(list(report_.source)));
    EXPECT_EQ(packed->classes(), source->classes());
    ASSERT_EQ(packed->size(), source->size());
    for (std::int64_t i = 0; i < source->size(); ++i) {
      EXPECT_EQ(packed->label(i), source->label(i)) << source->describe(i);
      std::string file;
      std::string stored;
      source->read(i, file);
      packed->read(i, stored);
      EXPECT_TRUE(
          image::pack_jpeg(
              {reinterpret_cast<const std::uint8_t*>(file.data()),
               file.size()}) == stored)
          << packed->describe(i);
    }
  }
  bool has_class_map() const { return !report_.source.class_map.empty(); }

  TempFolder in_;
  TempFolder out_;
  PackReport report_;
  std::int64_t pictures_ = 0;
};

// They were renumbered in byte order: 0, 1, 10, 11, 2, ...
TEST_F(PackedLabels, AreTheNumbersOfAList) {
  std::vector<std::string> labels;
  for (int i = 0; i < 24; ++i) {
    labels.push_back(std::to_string(i * 7 % 12));
  }
  expect_same(from(SourceKind::kList, list_of_labels("train.txt", labels)));
  EXPECT_FALSE(has_class_map());
  EXPECT_GT(report_.archives.size(), 1u);
}

TEST_F(PackedLabels, KeepTheGapsBetweenThem) {
  expect_same(
      from(SourceKind::kList, list_of_labels("l.txt", {"5", "0", "2", "0"})));
  EXPECT_EQ(list(report_.source).classes().size(), 6u);
}

TEST_F(PackedLabels, KeepTheNamesBesideAList) {
  in_.write("classes.txt", "zebra\napple\nmango\nnever\n");
  expect_same(
      from(SourceKind::kList, list_of_labels("l.txt", {"2", "0", "1"})));
  EXPECT_TRUE(has_class_map());
  // Without the file the numbers are the same.
  SourceOptions unnamed = report_.source;
  unnamed.class_map.clear();
  const Index index = list(unnamed);
  EXPECT_EQ(index.label(0), 2);
  EXPECT_EQ(index.label(1), 0);
}

// They were packed as folders that are passed over.
TEST_F(PackedLabels, MayBeNamesThatNoFolderHas) {
  expect_same(from(
      SourceKind::kList,
      list_of_labels(
          "l.csv", {"ok", "..", ".hid", "__MACOSX", "a/b", "\"c, d\"", "ok"})));
}

TEST_F(PackedLabels, MayBeNamesThatLookLikeNumbers) {
  in_.write("map.txt", "3\n1\n2\nfour\n");
  SourceOptions options = from(
      SourceKind::kList, list_of_labels("l.csv", {"1", "2", "3", "four", "3"}));
  options.class_map = "map.txt";
  expect_same(options);
  // Names, which mean the same when read by another class map.
  const TempFolder unpacked;
  unpack(report_.archives.front(), unpacked.path());
  EXPECT_EQ(slurp(unpacked / "000000002.cls"), "3");
}

TEST_F(PackedLabels, AreRefusedWhereNoFileCanNameThem) {
  // An archive's reader would drop the only folder as a common prefix.
  put("two\nlines/a/1.jpg");
  put("two\nlines/b/1.jpg");
  const auto source =
      open(std::make_shared<const Index>(list(from(SourceKind::kFolder))));
  expect_message(
      data_error(
          [&] { pack(*source, {.folder = out_.path(), .name = "train"}); }),
      {});
  EXPECT_TRUE(fs::is_empty(out_.path()));
}

TEST_F(PackedLabels, AreThoseOfShards) {
  TarBuilder tar;
  for (int i = 0; i < 13; ++i) {
    const std::string key = fmt::format("some/{:03}", i);
    tar.file(key + ".jpg", picture(i));
    tar.file(key + ".json", fmt::format("{{\"class\": {}}}", i * 5 % 13));
  }
  SourceOptions options =
      from(SourceKind::kTar, in_.write("shards.tar", tar.finish()));
  options.label = "json:class";
  expect_same(options);
}

TEST_F(PackedLabels, AreThoseOfAnArchiveOfArchives) {
  TarBuilder outer;
  for (int c = 12; c > 0; --c) {
    TarBuilder inner;
    inner.file(fmt::format("{}_1.JPEG", c), picture(c));
    outer.file(fmt::format("{}.tar", c), inner.finish());
  }
  expect_same(from(SourceKind::kTar, in_.write("all.tar", outer.finish())));
  EXPECT_FALSE(has_class_map());
  EXPECT_EQ(report_.source.label, "");
}

TEST_F(PackedLabels, FollowTheOrderOfAFolder) {
  for (int c : {10, 9, 1}) {
    put(fmt::format("deep/{}/x.jpg", c));
  }
  SourceOptions options = from(SourceKind::kFolder);
  options.class_order = ClassOrder::kTimm;
  expect_same(options);
  EXPECT_EQ(list(report_.source).classes().front(), "1");
  EXPECT_EQ(list(report_.source).classes().back(), "10");
}

TEST_F(PackedLabels, FollowTheClassMapOfAFolder) {
  put("cat/1.jpg");
  put("dog/1.jpg");
  put("left out/1.jpg");
  in_.write("map.txt", "dog\nnever\ncat\n");
  SourceOptions options = from(SourceKind::kFolder);
  options.class_map = "map.txt";
  expect_same(options);
  EXPECT_TRUE(has_class_map());
}

// An archive would take the only folder for one that all images share.
TEST_F(PackedLabels, SurviveASingleClassOfSeveralFolders) {
  put("cat/a/1.jpg");
  put("cat/b/1.jpg");
  expect_same(from(SourceKind::kFolder));
}

TEST_F(PackedLabels, AreNotThoseOfPixels) {
  SourceOptions options = from(SourceKind::kShapes, "");
  options.count = 30;
  const auto source = open(std::make_shared<const Index>(list(options)));
  expect_message(
      data_error(
          [&] { pack(*source, {.folder = out_.path(), .name = "train"}); }),
      {});
}

// An archive has one label per image. It could keep only the first label of a
// list, and would give label 0 to images without labels.
TEST_F(PackedLabels, OfListsWithSeveralLabelsAreRefused) {
  SourceOptions options = from(
      SourceKind::kList, list_of_labels("list.txt", {"1", "1", "-", "0,1"}));
  options.multi_label = true;
  const auto source = open(std::make_shared<const Index>(list(options)));
  const TempFolder out;
  expect_message(
      data_error(
          [&] { pack(*source, {.folder = out.path(), .name = "train"}); }),
      {"multi_label"});
  EXPECT_TRUE(fs::is_empty(out.path()));
}

} // namespace
} // namespace vitrain::data
