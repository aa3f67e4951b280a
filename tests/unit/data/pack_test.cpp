#include "data/pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "data/load/pipeline.h"
#include "data/load/rows.h"
#include "support/messages.h"
#include "unit/data/file_bytes.h"
#include "unit/data/kinds/tar_builder.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

namespace fs = std::filesystem;

// Images of all sorts in class folders; the longest name needs a pax header.
void fill(const TempFolder& folder) {
  const auto put = [&](const std::string& name, const std::string& image) {
    folder.write(name, bytes_of(image_file(image)));
  };
  put("ant/1.jpg", "rgb_420.jpg");
  put("ant/2.JPEG", "rgb_422.jpg");
  put("ant/deep/er/3.jpg", "rgb_444.jpg");
  put("bee/1.png", "rgb_8.png");
  put("bee/progressive.jpg", "progressive.jpg");
  put("bee/" + std::string(120, 'x') + ".jpg", "restarts.jpg");
  put("bee/grey.jpg", "grey.jpg");
}

std::shared_ptr<const Index> list_of(SourceKind kind, const fs::path& path) {
  SourceOptions options;
  options.kind = kind;
  options.path = path.native();
  return std::make_shared<const Index>(list(options));
}

PackReport pack_folder(
    const fs::path& from,
    const fs::path& to,
    std::int64_t shard_bytes,
    int threads = 2) {
  return pack(
      *open(list_of(SourceKind::kFolder, from)),
      {.folder = to,
       .name = "train",
       .shard_bytes = shard_bytes,
       .threads = threads});
}

TEST(Pack, ArchivesHoldTheDatasetAndTrainAsItsFilesDo) {
  const TempFolder from;
  fill(from);
  const TempFolder to;
  const PackReport report = pack_folder(from.path(), to.path(), 4000);
  EXPECT_EQ(report.images, 7);
  EXPECT_EQ(report.packed, 5); // neither the PNG nor the progressive file
  EXPECT_GT(report.archives.size(), 1u);
  const auto files = list_of(SourceKind::kFolder, from.path());
  const auto packed = list_of(SourceKind::kTar, to.path());
  ASSERT_EQ(packed->size(), files->size());
  EXPECT_EQ(packed->classes(), files->classes());
  const TransformOptions options{.size = 48, .train = true, .seed = 3};
  const auto expected = open_rows(files, options);
  const auto got = open_rows(packed, options);
  std::vector<std::uint8_t> a(expected->bytes());
  std::vector<std::uint8_t> b(got->bytes());
  const auto scratch = expected->make_scratch();
  const auto other = got->make_scratch();
  for (std::int64_t i = 0; i < files->size(); ++i) {
    EXPECT_EQ(files->label(i), packed->label(i));
    expected->fill({2, i}, a, *scratch);
    got->fill({2, i}, b, *other);
    EXPECT_EQ(a, b) << expected->describe(i) << ", " << got->describe(i);
  }
}

TEST(Pack, FilesComeBackBitForBit) {
  const TempFolder from;
  fill(from);
  const TempFolder to;
  const TempFolder back;
  std::int64_t files = 0;
  for (const fs::path& archive :
       pack_folder(from.path(), to.path(), 6000).archives) {
    files += unpack(archive, back.path()).files;
  }
  EXPECT_EQ(files, 7);
  EXPECT_TRUE(files_in(back.path()) == files_in(from.path()));
}

TEST(Pack, AnArchiveMayBePackedLikeAFolder) {
  const TempFolder from;
  fill(from);
  const TempFolder once;
  pack_folder(from.path(), once.path(), 1 << 30);
  const TempFolder plain;
  unpack(once.path() / "train-000000.tar", plain.path() / "files");
  // Packed files are carried on, by their names.
  const TempFolder twice;
  const PackReport report = pack(
      *open(list_of(SourceKind::kTar, once.path())),
      {.folder = twice.path(), .name = "train"});
  EXPECT_EQ(report.images, 7);
  EXPECT_EQ(report.packed, 0);
  const TempFolder back;
  unpack(report.archives.front(), back.path());
  EXPECT_TRUE(files_in(back.path()) == files_in(from.path()));
}

TEST(Pack, EqualFilesMakeEqualArchivesOnAnyNumberOfThreads) {
  const TempFolder from;
  fill(from);
  const TempFolder one;
  const TempFolder many;
  pack_folder(from.path(), one.path(), 5000, 1);
  pack_folder(from.path(), many.path(), 5000, 5);
  EXPECT_TRUE(files_in(one.path()) == files_in(many.path()));
}

TEST(Pack, NeverWritesOverAnArchive) {
  const TempFolder from;
  fill(from);
  const TempFolder to;
  pack_folder(from.path(), to.path(), 1 << 30);
  const auto before = files_in(to.path());
  try {
    pack_folder(from.path(), to.path(), 1 << 30);
    FAIL() << "written over";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kStorage);
    EXPECT_NE(std::string(error.what()).find("exists"), std::string::npos);
  }
  EXPECT_TRUE(files_in(to.path()) == before);
}

TEST(Pack, NamesTheFileThatCannotBeRead) {
  const TempFolder from;
  fill(from);
  from.write("ant/0.jpg", "");
  const TempFolder to;
  // An empty file has no content to look into; it is carried as it is.
  EXPECT_EQ(pack_folder(from.path(), to.path(), 1 << 30).images, 8);
  const auto source = open(list_of(SourceKind::kFolder, from.path()));
  fs::remove(from.path() / "ant/1.jpg");
  const TempFolder other;
  EXPECT_NE(
      data_error([&] {
        pack(*source, {.folder = other.path(), .name = "train"});
      }).find("ant/1.jpg"),
      std::string::npos);
}

TEST(Pack, DamagedArchivesAreNamedAndNothingIsWrittenOutsideTheFolder) {
  const TempFolder from;
  fill(from);
  const TempFolder to;
  const fs::path archive =
      pack_folder(from.path(), to.path(), 1 << 30).archives.front();
  std::string bytes = bytes_of(archive);
  bytes[512 + 300] ^= 1; // in the first image
  const fs::path damaged = to.write("damaged.tar", bytes);
  const TempFolder back;
  const std::string error = data_error([&] { unpack(damaged, back.path()); });
  EXPECT_NE(error.find("damaged.tar: ant/1.jpg.vjc"), std::string::npos)
      << error;
}

// Exit code of the Error that an action throws, with its text.
std::string storage_error(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code() == ExitCode::kStorage ? error.what() : "another code";
  }
  return "";
}

TEST(Pack, NamesTheFolderThatCannotBe) {
  const TempFolder from;
  fill(from);
  const TempFolder to;
  const fs::path file = to.write("file");
  expect_message(
      storage_error([&] { pack_folder(from.path(), file, 1 << 30); }), {});
  const fs::path archive =
      pack_folder(from.path(), to.path(), 1 << 30).archives.front();
  expect_message(storage_error([&] { unpack(archive, file); }), {});
  // A member where another one needs a folder.
  TarBuilder tar;
  tar.file("ok/x.jpg", "1");
  tar.file("ok/x.jpg/y.jpg", "2");
  const fs::path odd = to.write("odd.tar", tar.finish());
  expect_message(
      storage_error([&] { unpack(odd, to.path() / "odd"); }), {"ok/x.jpg"});
}

TEST(Unpack, NeverWritesOverAFile) {
  const TempFolder from;
  fill(from);
  const TempFolder to;
  const fs::path archive =
      pack_folder(from.path(), to.path(), 1 << 30).archives.front();
  const TempFolder back;
  back.write("bee/1.png", "mine");
  expect_message(
      storage_error([&] { unpack(archive, back.path()); }), {"bee/1.png"});
  EXPECT_EQ(bytes_of(back.path() / "bee/1.png"), "mine");
}

TEST(Unpack, CountsWhatItPassesOver) {
  TarBuilder tar;
  tar.file("../evil.jpg", "x");
  tar.file("good.jpg", "x");
  const TempFolder folder;
  const fs::path archive = folder.write("a.tar", tar.finish());
  const UnpackReport report = unpack(archive, folder.path() / "out");
  EXPECT_EQ(report.files, 1);
  EXPECT_THAT(
      report.notes,
      testing::ElementsAre("skipped members with .. in their names: 1"));
}

} // namespace
} // namespace vitrain::data
