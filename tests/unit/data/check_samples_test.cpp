#include "data/check_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "data/check_report.h"
#include "support/messages.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

std::string image_bytes(const std::string& name) {
  std::ifstream in(image_file(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::shared_ptr<const Index> folder_index(const std::filesystem::path& path) {
  SourceOptions options;
  options.path = path;
  return std::make_shared<const Index>(list(options));
}

// Two classes; the training data have two bad files, one file with defects, one
// duplicate, and one image that the evaluation data have with another label.
class Dataset {
 public:
  Dataset() {
    const std::string photo = image_bytes("rgb_420.jpg");
    folder_.write("train/a/0.jpg", photo);
    folder_.write("train/a/1.jpg", image_bytes("grey.jpg"));
    folder_.write("train/a/2.jpg", photo);
    folder_.write("train/b/0.png", image_bytes("rgb_8.png"));
    folder_.write("train/b/1.jpg", photo.substr(0, photo.size() / 3));
    folder_.write("train/b/2.jpg", "<html>");
    folder_.write("train/b/3.jpg", defective(photo));
    folder_.write("eval/a/0.png", image_bytes("rgb_8.png"));
    folder_.write("eval/b/0.png", image_bytes("palette_8.png"));
  }

  CheckReport check(int threads) const {
    return data::check(
        {{"train", folder_index(folder_.path() / "train")},
         {"eval", folder_index(folder_.path() / "eval")}},
        {.threads = threads});
  }
  std::string path(const char* name) const {
    return (folder_.path() / name).native();
  }

 private:
  // With a byte between two segments, which decoders report and skip.
  static std::string defective(std::string photo) {
    const std::size_t tables = photo.find("\xFF\xDB");
    photo.insert(tables, 1, '\x01');
    return photo;
  }

  TempFolder folder_;
};

TEST(Check, FindsWhatIsWrong) {
  const Dataset dataset;
  const CheckReport report = dataset.check(2);
  ASSERT_EQ(report.splits.size(), 2u);
  const SplitReport& train = report.splits[0];
  EXPECT_EQ(train.samples, 7);
  EXPECT_THAT(train.class_counts, ElementsAre(3, 4));
  EXPECT_THAT(train.formats, ElementsAre(Pair("JPEG", 4), Pair("PNG", 1)));
  // 61 x 47, and 13 x 11.
  EXPECT_THAT(train.sizes, ElementsAre(Pair(3, 1), Pair(5, 4)));
  EXPECT_EQ(train.smallest.width, 13);
  EXPECT_EQ(train.smallest.height, 11);
  EXPECT_EQ(train.largest.width, 61);
  EXPECT_EQ(train.largest.height, 47);
  ASSERT_EQ(train.bad.size(), 2u);
  EXPECT_EQ(train.bad[0].sample, 4);
  EXPECT_EQ(train.bad[0].where, dataset.path("train/b/1.jpg"));
  EXPECT_EQ(train.bad[1].sample, 5);
  expect_message(train.bad[1].reason, {});
  EXPECT_THAT(train.bad[1].reason, Not(HasSubstr("2.jpg")));
  ASSERT_EQ(train.warned.size(), 1u);
  EXPECT_EQ(train.warned[0].sample, 6);
  EXPECT_TRUE(report.splits[1].bad.empty());
  EXPECT_FALSE(report.clean());
}

TEST(Check, FindsEqualSamplesWithinAndBetweenDatasets) {
  const CheckReport report = Dataset().check(1);
  ASSERT_EQ(report.duplicates.size(), 2u);
  EXPECT_EQ(report.duplicates[0].occurrences[0].sample, 0);
  EXPECT_EQ(report.duplicates[0].occurrences[1].sample, 2);
  EXPECT_FALSE(report.duplicates[0].across_splits());
  EXPECT_FALSE(report.duplicates[0].across_labels());
  EXPECT_TRUE(report.duplicates[1].across_splits());
  EXPECT_TRUE(report.duplicates[1].across_labels());
  EXPECT_EQ(report.repeated(0, 0), 1);
  EXPECT_EQ(report.repeated(1, 0), 1);
  EXPECT_EQ(report.repeated(1, 1), 0);
}

TEST(Check, ReportsTheSameOnAnyNumberOfThreads) {
  const Dataset dataset;
  const auto report = [&](int threads) {
    CheckReport found = dataset.check(threads);
    found.seconds = 0;
    return to_json(found).dump() + to_text(found, 10);
  };
  const std::string one = report(1);
  EXPECT_EQ(report(3), one);
  EXPECT_EQ(report(20), one);
}

TEST(Check, WritesAReportForPeopleAndPrograms) {
  const Dataset dataset;
  const CheckReport report = dataset.check(1);
  EXPECT_THAT(
      to_text(report, 1),
      testing::AllOf(
          HasSubstr("  classes     2, 3 (a) to 4 (b) samples each\n"),
          HasSubstr("  formats     JPEG 4, PNG 1\n"),
          HasSubstr("  bad         2\n    " + dataset.path("train/b/1.jpg")),
          HasSubstr("    ... and 1 more\n"),
          HasSubstr("1 sample that is in train as well"),
          HasSubstr("1 group with different ones"),
          HasSubstr("2 of 9 samples are bad")));
  const Json json = to_json(report);
  EXPECT_EQ(json.at("clean"), false);
  const Json& train = json.at("splits").at("train");
  EXPECT_EQ(train.at("bad").size(), 2u);
  EXPECT_EQ(train.at("bad")[0].at("sample"), 4);
  EXPECT_EQ(train.at("classes")[1].at("samples"), 4);
  EXPECT_EQ(train.at("shorter_sides")[1].at("from"), 32);
  EXPECT_EQ(json.at("duplicates")[1][1].at("split"), "eval");
}

TEST(Check, ReadsDataWithoutFiles) {
  SourceOptions shapes;
  shapes.kind = SourceKind::kShapes;
  shapes.count = 50;
  shapes.size = 16;
  SourceOptions vectors;
  vectors.kind = SourceKind::kVectors;
  vectors.count = 30;
  const auto index = std::make_shared<const Index>(list(shapes));
  std::int64_t told = 0;
  const CheckReport report = check(
      {{"train", index},
       {"eval", index},
       {"vectors", std::make_shared<const Index>(list(vectors))}},
      {.threads = 2, .progress = [&](std::int64_t done, std::int64_t all) {
         EXPECT_EQ(all, 130);
         told = done;
       }});
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(told, 130);
  EXPECT_EQ(report.repeated(1, 0), 50);
  EXPECT_EQ(report.repeated(2, 2), 0);
  EXPECT_THAT(report.splits[0].sizes, ElementsAre(Pair(4, 50)));
  EXPECT_TRUE(report.splits[0].formats.empty());
  EXPECT_THAT(to_text(report, 3), HasSubstr("none of 130 samples are bad"));
}

// Images of 16 bits, whose values nobody scales.
TEST(Check, ListsImagesWhoseValuesAreClipped) {
  const TempFolder folder;
  const auto from =
      std::filesystem::path(VITRAIN_SOURCE_DIR) / "tests/golden/image/ranges";
  std::filesystem::create_directories(folder / "train/a");
  std::filesystem::create_directories(folder / "train/b");
  std::filesystem::copy(from / "wide.png", folder / "train/a/wide.png");
  std::filesystem::copy(from / "dark.png", folder / "train/a/dark.png");
  std::filesystem::copy(from / "wide.tif", folder / "train/b/wide.tif");
  CheckOptions options;
  CheckReport report =
      check({{"train", folder_index(folder / "train")}}, options);
  EXPECT_TRUE(report.clean());
  const auto& warned = report.splits[0].warned;
  ASSERT_EQ(warned.size(), 2u);
  EXPECT_EQ(warned[0].where, (folder / "train/a/wide.png").native());
  EXPECT_EQ(warned[1].where, (folder / "train/b/wide.tif").native());
  expect_message(warned[0].reason, {"data.preprocess.range"});
  EXPECT_THAT(to_text(report, 10), HasSubstr(warned[0].where));
  EXPECT_EQ(to_json(report)["splits"]["train"]["defects"].size(), 2u);
  options.decode.range = {0.0, 65535.0};
  report = check({{"train", folder_index(folder / "train")}}, options);
  EXPECT_TRUE(report.splits[0].warned.empty());
}

TEST(Check, CountsAllLabelsOfAnImage) {
  const TempFolder folder;
  const std::string photo = image_bytes("rgb_420.jpg");
  folder.write("a.jpg", photo);
  folder.write("b.jpg", photo);
  folder.write("c.jpg", image_bytes("grey.jpg"));
  folder.write("d.jpg", photo);
  const auto check_list = [&](const char* text) {
    return check({{"train", label_lists_index(folder, "list.txt", text)}}, {});
  };
  const CheckReport equal =
      check_list("a.jpg 0,2\nb.jpg 2,0\nc.jpg -\nd.jpg 0,2\n");
  EXPECT_THAT(equal.splits[0].class_counts, ElementsAre(3, 0, 3));
  ASSERT_EQ(equal.duplicates.size(), 1u);
  EXPECT_FALSE(equal.duplicates[0].across_labels());
  EXPECT_EQ(to_json(equal)["duplicates"][0][1]["labels"], Json({0, 2}));
  // The first labels are equal; the second ones differ.
  const CheckReport other =
      check_list("a.jpg 0,2\nb.jpg 0\nc.jpg 1\nd.jpg 0,2\n");
  EXPECT_TRUE(other.duplicates[0].across_labels());
}

} // namespace
} // namespace vitrain::data
