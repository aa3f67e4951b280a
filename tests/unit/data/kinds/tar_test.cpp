#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/random.h"
#include "data/kinds/datasets.h"
#include "data/kinds/tar_files.h"
#include "support/messages.h"
#include "unit/data/kinds/tar_builder.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SourceOptions tar_options(const std::string& path) {
  SourceOptions options;
  options.kind = SourceKind::kTar;
  options.path = path;
  options.classes = 0;
  return options;
}

Index list_tar(const fs::path& path, const std::string& label = "") {
  SourceOptions options = tar_options(path.native());
  options.label = label;
  return list(options);
}

std::string tar_error(const fs::path& path, const std::string& label = "") {
  return data_error([&] { list_tar(path, label); });
}

std::unique_ptr<Source> open_tar(const fs::path& path) {
  return open(std::make_shared<Index>(list_tar(path)));
}

std::vector<std::string> names_of(const Index& index) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < index.size(); ++i) {
    names.emplace_back(index.name(i));
  }
  return names;
}

std::string bytes_of(const Source& source, std::int64_t sample) {
  std::string bytes;
  EXPECT_TRUE(source.read(sample, bytes));
  return bytes;
}

std::string file_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Equal files in a folder and, in any order, in an archive below `prefix`.
struct Twins {
  explicit Twins(const std::string& prefix) {
    const std::vector<std::string> files = {
        "zebra/2.jpg",
        "ant/deep/er/x.png",
        "ant/b.JPEG",
        "Bee/10.jpg",
        "Bee/9.jpg",
        "two words/new\nline.png",
        "\xff/\x1b[31m.jpg"};
    TarBuilder tar;
    for (const std::string& name : files) {
      folder.write("files/" + name, "content of " + name);
      tar.file(prefix + name, "content of " + name);
    }
    tar.file(prefix + "ant/.hidden.jpg", "");
    tar.file("._ant.jpg", "");
    tar.file(prefix + "ant/readme.txt", "");
    path = folder.write("files.tar", tar.finish());
  }

  TempFolder folder;
  fs::path path;
};

// An archive gives the same classes, samples and order as its unpacked folder,
// for both class orders.
TEST(Tar, IsReadLikeTheFolderThatWasPacked) {
  for (const char* prefix : {"", "./", "data/val/"}) {
    const Twins twins(prefix);
    for (const ClassOrder order :
         {ClassOrder::kTorchvision, ClassOrder::kTimm}) {
      SourceOptions options;
      options.path = (twins.folder.path() / "files").native();
      options.class_order = order;
      const auto folder = open(std::make_shared<Index>(list(options)));
      options.kind = SourceKind::kTar;
      options.path = twins.path.native();
      const auto tar = open(std::make_shared<Index>(list(options)));
      EXPECT_EQ(tar->classes(), folder->classes());
      EXPECT_EQ(names_of(tar->index()), names_of(folder->index()));
      ASSERT_EQ(tar->size(), folder->size());
      for (std::int64_t i = 0; i < tar->size(); ++i) {
        EXPECT_EQ(tar->label(i), folder->label(i));
        EXPECT_EQ(bytes_of(*tar, i), bytes_of(*folder, i));
      }
      EXPECT_THAT(
          tar->index().notes(),
          ElementsAre(
              "skipped hidden entries: 2",
              "skipped files that are no images: 1"));
    }
  }
}

TEST(Tar, ImagesAreDecodedInPlace) {
  const TempFolder folder;
  TarBuilder tar;
  tar.file("val/a/1.jpg", file_bytes(image_file("rgb_420.jpg")));
  tar.file("val/b/2.jpg", "\xFF\xD8\xFF nothing");
  const auto source = open_tar(folder.write("x.tar", tar.finish()));
  EXPECT_EQ(source->load(0).width, 61);
  expect_message(source->describe(0), {"x.tar", "a/1.jpg"});
  expect_message(data_error([&] { source->load(1); }), {"x.tar", "b/2.jpg"});
}

TEST(Tar, AnArchiveOfArchivesHasAClassInEach) {
  const TempFolder folder;
  TarBuilder outer;
  for (const char* wnid : {"n02", "n01"}) {
    TarBuilder inner;
    for (const char* number : {"9", "10"}) {
      const std::string name = std::string(wnid) + "_" + number + ".JPEG";
      inner.file(name, "content of " + name);
    }
    outer.file(std::string(wnid) + ".tar", inner.finish());
  }
  const fs::path path = folder.write("train.tar", outer.finish());
  const auto source = open_tar(path);
  EXPECT_THAT(source->classes(), ElementsAre("n01", "n02"));
  EXPECT_THAT(
      names_of(source->index()),
      ElementsAre(
          "n01/n01_10.JPEG",
          "n01/n01_9.JPEG",
          "n02/n02_10.JPEG",
          "n02/n02_9.JPEG"));
  EXPECT_EQ(bytes_of(*source, 2), "content of n02_10.JPEG");
  EXPECT_EQ(source->label(2), 1);
  // Damage inside is named with the archive inside and the place in the file.
  std::string bytes = file_bytes(path);
  bytes[1024 + 512] ^= 1; // in the header of n02_10.JPEG
  folder.write("train.tar", bytes);
  expect_message(tar_error(path), {"train.tar", "n02.tar", "1536"});
}

TEST(Tar, ManyArchivesAreOneDataset) {
  const TempFolder folder;
  for (int shard = 0; shard < 12; ++shard) {
    TarBuilder tar;
    const std::string number = std::to_string(shard);
    tar.file("a/" + number + ".jpg", "a" + number);
    tar.file("b/" + number + ".jpg", "b" + number);
    folder.write(
        "t-" + std::string(shard < 10 ? "0" : "") + number + ".tar",
        tar.finish());
  }
  folder.write("t-99.txt", "no archive");
  const auto all = open_tar(folder.path());
  EXPECT_EQ(all->size(), 24);
  EXPECT_EQ(bytes_of(*all, 3), "a11");
  expect_message(all->describe(3), {"t-11.tar", "a/11.jpg"});
  EXPECT_EQ(open_tar(folder.path() / "t-{00..11}.tar")->size(), 24);
  EXPECT_EQ(open_tar(folder.path() / "t-{02,11}.tar")->size(), 4);
  EXPECT_EQ(open_tar(folder.path() / "t-0*.tar")->size(), 20);
  expect_message(tar_error(folder.path() / "t-{00..12}.tar"), {"t-12.tar"});
  expect_message(tar_error(folder.path() / "u-*.tar"), {});
  fs::create_directories(folder.path() / "empty");
  expect_message(tar_error(folder.path() / "empty"), {});
  expect_message(tar_error(""), {});
  // One name in two archives would be one file when unpacked.
  fs::copy(folder.path() / "t-00.tar", folder.path() / "t-50.tar");
  expect_message(tar_error(folder.path()), {"a/0.jpg"});
}

TEST(Tar, PathsGoOnInsideAFile) {
  const TempFolder folder;
  TarBuilder tar;
  tar.file("data/train/a/1.jpg", "1");
  tar.file("data/train/b/1.jpg", "2");
  tar.file("data/test/a/1.jpg", "3");
  const fs::path path = folder.write("x.tar", tar.finish());
  expect_message(tar_error(path), {});
  const Index train = list_tar(path / "data/train");
  EXPECT_THAT(names_of(train), ElementsAre("a/1.jpg", "b/1.jpg"));
  EXPECT_THAT(
      train.notes(),
      ElementsAre("skipped images outside the folder that the path names: 1"));
  EXPECT_EQ(list_tar(path / "data/test").size(), 1);
  expect_message(tar_error(path / "data/none"), {});
}

// As when an archive is unpacked, the last one of a name counts (tar -r).
TEST(Tar, LaterMembersReplaceEarlierOnes) {
  const TempFolder folder;
  TarBuilder tar;
  tar.file("a/1.jpg", "old");
  tar.file("b/1.jpg", "other");
  tar.file("a/1.jpg", "new");
  const auto source = open_tar(folder.write("x.tar", tar.finish()));
  EXPECT_EQ(source->size(), 2);
  EXPECT_EQ(bytes_of(*source, 0), "new");
  EXPECT_THAT(
      source->index().notes(),
      ElementsAre(
          "skipped images that a later one of the same name replaces: 1"));
}

TEST(Tar, CountsWhatItPassesOver) {
  const TempFolder folder;
  TarBuilder tar;
  tar.header("a/link.jpg", 0, '2');
  tar.header("a/device.jpg", 0, '3');
  tar.file("../out/1.jpg", "");
  tar.file("a/1.jpg", "");
  tar.file("b/1.jpg", "");
  const Index index =
      list_tar(folder.write("x.tar", tar.finish() + tar.finish()));
  EXPECT_THAT(names_of(index), ElementsAre("a/1.jpg", "b/1.jpg"));
  EXPECT_THAT(
      index.notes(),
      ElementsAre(
          "skipped images that a later one of the same name replaces: 2",
          "skipped links in archives: 2",
          "skipped devices and FIFOs in archives: 2",
          "skipped members with .. in their names: 2",
          "files with several archives, all of which were read: 1"));
}

// A shard of `count` samples whose .cls says i % 3.
std::string shard(int first, int count) {
  TarBuilder tar;
  for (int i = first; i < first + count; ++i) {
    const std::string key = "p/" + std::to_string(i);
    tar.file(key + ".cls", std::to_string(i % 3) + "\n");
    tar.file(key + ".jpg", "image " + std::to_string(i));
    tar.file(
        key + ".json",
        R"({"label": "class )" + std::to_string(i % 2) + R"(", "at": {"id": )" +
            std::to_string(i % 4) + "}}");
    tar.file(key + ".seg.png", "mask");
  }
  return tar.finish();
}

TEST(WebDataset, SamplesAreThoseOfTheShardsInOrder) {
  const TempFolder folder;
  folder.write("s-0.tar", shard(0, 5));
  folder.write("s-1.tar", shard(5, 3));
  const auto source = open_tar(folder.path() / "s-{0..1}.tar");
  ASSERT_EQ(source->size(), 8);
  EXPECT_THAT(source->classes(), ElementsAre("0", "1", "2"));
  for (std::int64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(source->label(i), i % 3);
    EXPECT_EQ(bytes_of(*source, i), "image " + std::to_string(i));
  }
  expect_message(source->describe(6), {"s-1.tar", "p/6.jpg"});
  EXPECT_THAT(source->index().notes(), IsEmpty());
}

TEST(WebDataset, CountsImagesBesideTheFirstOne) {
  const TempFolder folder;
  TarBuilder tar;
  tar.file("1.png", "first");
  tar.file("1.jpg", "second");
  tar.file("1.cls", "0");
  tar.file("1.seg.png", "mask");
  const auto source = open_tar(folder.write("s.tar", tar.finish()));
  ASSERT_EQ(source->size(), 1);
  EXPECT_EQ(bytes_of(*source, 0), "first");
  EXPECT_THAT(
      source->index().notes(),
      ElementsAre("skipped images beside the first one of their sample: 1"));
}

TEST(WebDataset, AClassMapNamesTheNumbers) {
  const TempFolder folder;
  folder.write("s.tar", shard(0, 8));
  folder.write("map.txt", "zero\none\ntwo\nthree\n");
  SourceOptions options = tar_options((folder.path() / "s.tar").native());
  options.class_map = "map.txt"; // beside the archive
  const Index index = list(options);
  EXPECT_THAT(index.classes(), ElementsAre("zero", "one", "two", "three"));
  EXPECT_EQ(index.label(5), 2);
}

TEST(WebDataset, LabelsAreAlsoInFieldsOfJson) {
  const TempFolder folder;
  folder.write("s.tar", shard(0, 8));
  const Index names = list_tar(folder.path() / "s.tar", "json:label");
  EXPECT_THAT(names.classes(), ElementsAre("class 0", "class 1"));
  EXPECT_EQ(names.label(3), 1);
  const Index ids = list_tar(folder.path() / "s.tar", "json:at.id");
  EXPECT_EQ(ids.classes().size(), 4u);
  EXPECT_EQ(ids.label(7), 3);
  EXPECT_THAT(
      tar_error(folder.path() / "s.tar", "json:at"),
      HasSubstr("s.tar: p/0.json (byte 2560): field at is neither a whole"));
  EXPECT_THAT(
      tar_error(folder.path() / "s.tar", "json:x.y"),
      HasSubstr("has no field x.y"));
  expect_message(tar_error(folder.path() / "s.tar", "txt"), {"'txt'"});
}

TEST(WebDataset, MistakesAreNamedWithTheirMembers) {
  const TempFolder folder;
  const auto refusal = [&](const TarBuilder& tar, const char* label = "cls") {
    return tar_error(folder.write("s.tar", tar.finish()), label);
  };
  TarBuilder missing;
  missing.file("1.jpg", "");
  missing.file("1.cls", "0");
  missing.file("2.jpg", "");
  expect_message(refusal(missing), {"s.tar", "2.jpg", "2048"});
  TarBuilder wrong;
  wrong.file("1.jpg", "");
  wrong.file("1.cls", "0");
  wrong.file("2.jpg", "");
  wrong.file("2.cls", "-1");
  expect_message(refusal(wrong), {"2.jpg", "2048", "1"});
  TarBuilder json;
  json.file("1.json", "{");
  json.file("1.jpg", "");
  EXPECT_THAT(
      refusal(json, "json:label"), HasSubstr("1.json (byte 512): is no JSON"));
  // Images without a folder or a label next to them; the labels are elsewhere.
  TarBuilder apart;
  apart.file("img.v1.0.jpg", "");
  apart.file("img.v1.1.jpg", "");
  apart.file("labels/img.v1.0.cls", "0");
  expect_message(refusal(apart, ""), {"1"});
  TarBuilder none;
  none.file("1.cls", "0");
  none.file("nodot", "0");
  expect_message(refusal(none), {});
}

// The first image got the last label.
TEST(WebDataset, ASecondMemberOfOneNameIsRefused) {
  const TempFolder folder;
  const auto refusal = [&](const TarBuilder& tar) {
    return tar_error(folder.write("s.tar", tar.finish()));
  };
  TarBuilder twice;
  twice.file("a.png", "first");
  twice.file("a.cls", "0");
  twice.file("a.png", "second");
  twice.file("a.cls", "1");
  expect_message(refusal(twice), {"s.tar", "a.png", "2560", "'a'", "512"});
  TarBuilder labels;
  labels.file("x/a.png", "first");
  labels.file("x/a.cls", "0");
  labels.file("x/a.CLS", "1");
  expect_message(refusal(labels), {"s.tar", "x/a.CLS", "2560"});
  TarBuilder texts;
  texts.file("a.txt", "");
  texts.file("a.png", "first");
  texts.file("a.cls", "0");
  texts.file("a.txt", "");
  expect_message(refusal(texts), {"s.tar", "a.txt", "3072"});
}

// Frames of a film share a key: looking through all of them for each would take
// hours.
TEST(WebDataset, ASampleMayHaveManyMembers) {
  const TempFolder folder;
  TarBuilder tar;
  tar.file("frame.jpg", "image");
  tar.file("frame.cls", "0");
  for (int i = 0; i < 20000; ++i) {
    tar.header(fmt::format("frame.{:06}.png", i), 0, '0');
  }
  EXPECT_EQ(list_tar(folder.write("s.tar", tar.finish())).size(), 1);
}

// Three archives with equal keys, joined by cat, were one sample.
TEST(WebDataset, ASampleEndsWithItsArchive) {
  const TempFolder folder;
  std::string all;
  for (int i = 0; i < 3; ++i) {
    TarBuilder tar;
    tar.file("a.png", "image " + std::to_string(i));
    tar.file("a.cls", std::to_string(i));
    all += tar.finish();
  }
  const auto source = open_tar(folder.write("s.tar", all));
  ASSERT_EQ(source->size(), 3);
  for (std::int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(source->label(i), i);
    EXPECT_EQ(bytes_of(*source, i), "image " + std::to_string(i));
  }
  // Nor does it get the label from the next one.
  TarBuilder first;
  first.file("a.cls", "0");
  first.file("a.png", "first");
  TarBuilder second;
  second.file("b.cls", "0");
  second.file("b.png", "second");
  second.file("c.png", "without");
  TarBuilder third;
  third.file("c.cls", "1");
  expect_message(
      tar_error(folder.write(
          "s.tar", first.finish() + second.finish() + third.finish())),
      {"c.png", "5632"});
}

TEST(WebDataset, LabelsAreText) {
  const TempFolder folder;
  const std::vector<std::string> wrong{
      std::string("\x03\0\0\0", 4), // int32
      std::string("\n\0\0\0", 4),
      std::string("11\0\0", 4),
      std::string("\x80\x04K\x03.", 5), // a pickled 3
      "I3\n.", // the same in protocol 0
      std::string("3\0", 2),
      "3\x7f",
      ""};
  for (const std::string& label : wrong) {
    TarBuilder tar;
    tar.file("1.jpg", "");
    tar.file("1.cls", "0");
    tar.file("2.jpg", "");
    tar.file("2.cls", label);
    EXPECT_THAT(
        tar_error(folder.write("s.tar", tar.finish())),
        HasSubstr("s.tar: 2.jpg (byte 2048): the label "))
        << testing::PrintToString(label);
  }
  TarBuilder json;
  json.file("1.jpg", "");
  json.file("1.json", R"({"name": "a\u0000b"})");
  EXPECT_THAT(
      tar_error(folder.write("s.tar", json.finish()), "json:name"),
      HasSubstr("s.tar: 1.jpg (byte 512): the label "));
}

TEST(WebDataset, NumbersOrNamesAreDecidedOverAllLabels) {
  const TempFolder folder;
  const fs::path map = folder.write("map.txt", "1\n2\n3\n");
  const auto labels = [&](const std::vector<std::string>& texts) {
    TarBuilder tar;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      tar.file(std::to_string(i) + ".jpg", "");
      tar.file(std::to_string(i) + ".cls", texts[i]);
    }
    SourceOptions options =
        tar_options(folder.write("s.tar", tar.finish()).native());
    options.class_map = map.native();
    const Index index = list(options);
    std::vector<std::int64_t> found;
    for (std::int64_t i = 0; i < index.size(); ++i) {
      found.push_back(index.label(i));
    }
    return found;
  };
  EXPECT_THAT(labels({"0", "1", "2"}), ElementsAre(0, 1, 2));
  EXPECT_THAT(labels({"1", "2", "0"}), ElementsAre(1, 2, 0));
  EXPECT_THAT(labels({"1", "2", "3"}), ElementsAre(0, 1, 2));
  expect_message(
      data_error([&] {
        labels({"1", "2", "0", "3"});
      }),
      {"s.tar", "3.jpg", "5120"});
}

TEST(WebDataset, LabelsThatCountFromOneAreNoted) {
  const TempFolder folder;
  TarBuilder tar;
  for (int i = 1; i <= 3; ++i) {
    tar.file(std::to_string(i) + ".jpg", "");
    tar.file(std::to_string(i) + ".cls", std::to_string(i));
  }
  EXPECT_THAT(
      list_tar(folder.write("s.tar", tar.finish())).notes(),
      ElementsAre(
          "classes without an image: 1",
          HasSubstr("no label is 0, and all from 1 to 3 are there")));
}

TEST(WebDataset, SuffixesMayBeInCapitalLetters) {
  const TempFolder folder;
  TarBuilder tar;
  tar.file("a.JPG", "image a");
  tar.file("a.CLS", "1");
  tar.file("b.Png", "image b");
  tar.file("b.Cls", "0");
  folder.write("S.TAR", tar.finish());
  for (const fs::path& path : {folder.path(), folder.path() / "S.TAR"}) {
    const auto source = open_tar(path);
    ASSERT_EQ(source->size(), 2);
    EXPECT_EQ(bytes_of(*source, 0), "image a");
    EXPECT_EQ(source->label(0), 1);
    EXPECT_EQ(source->label(1), 0);
  }
  TarBuilder json;
  json.file("a.JPG", "image a");
  json.file("a.JSON", R"({"label": 1})");
  EXPECT_EQ(
      list_tar(folder.write("j.tar", json.finish()), "json:label").label(0), 1);
}

TEST(WebDataset, LabelsMayBeginWithAByteOrderMark) {
  const TempFolder folder;
  TarBuilder tar;
  tar.file("a.jpg", "");
  tar.file(
      "a.cls",
      "\xEF\xBB\xBF"
      "1\r\n");
  tar.file("b.jpg", "");
  tar.file("b.cls", "0");
  EXPECT_EQ(list_tar(folder.write("s.tar", tar.finish())).label(0), 1);
}

TEST(WebDataset, TheImageMayBeCalledSo) {
  const TempFolder folder;
  TarBuilder tar;
  tar.file("s0.mask.png", "mask");
  tar.file("s0.image.png", "image");
  tar.file("s0.cls", "0");
  tar.file("s1.image.png", "further");
  tar.file("s1.jpg", "plain");
  tar.file("s1.cls", "1");
  tar.file("s2.seg.png", "mask");
  tar.file("s2.cls", "1");
  const auto source = open_tar(folder.write("s.tar", tar.finish()));
  ASSERT_EQ(source->size(), 2);
  EXPECT_EQ(bytes_of(*source, 0), "image");
  EXPECT_EQ(bytes_of(*source, 1), "plain");
  EXPECT_THAT(
      source->index().notes(),
      ElementsAre("samples without an image KEY.png or KEY.image.png (they "
                  "have KEY.seg.png): 1"));
}

// A file that shrinks, vanishes or is written anew while training runs is an
// error about the data; nothing is mapped, so there is no SIGBUS (row 45).
TEST(Tar, NoticesArchivesThatChange) {
  const TempFolder folder;
  TarBuilder tar;
  tar.file("a/1.jpg", std::string(3000, '1'));
  tar.file("b/2.jpg", std::string(3000, '2'));
  const fs::path path = folder.write("x.tar", tar.finish());
  const auto index = std::make_shared<Index>(list_tar(path));
  const auto source = open(index);
  fs::resize_file(path, 5000);
  EXPECT_EQ(bytes_of(*source, 0), std::string(3000, '1'));
  std::string bytes;
  expect_message(
      data_error([&] { source->read(1, bytes); }), {"x.tar", "5000"});
  std::ofstream(path, std::ios::in | std::ios::binary)
      << std::string(4000, 'z');
  expect_message(data_error([&] { source->read(0, bytes); }), {"x.tar", "0"});
  fs::remove(path);
  expect_message(data_error([&] { open(index); }), {"x.tar"});
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  expect_message(data_error([&] { open(index); }), {});
}

// Fingerprints depend on the content of the archives, not on their paths.
TEST(Tar, FingerprintIsThatOfTheSamples) {
  const TempFolder one;
  const TempFolder two;
  one.write("s-0.tar", shard(0, 4));
  one.write("s-1.tar", shard(4, 4));
  two.write("all.tar", shard(0, 8));
  const std::uint64_t print = list_tar(one.path()).fingerprint();
  EXPECT_EQ(list_tar(two.path()).fingerprint(), print);
  two.write("all.tar", shard(1, 8));
  EXPECT_NE(list_tar(two.path()).fingerprint(), print);
}

TEST(Tar, BracesMakeNames) {
  EXPECT_THAT(expand_braces("plain"), ElementsAre("plain"));
  EXPECT_THAT(
      expand_braces("a{8..11}b"), ElementsAre("a8b", "a9b", "a10b", "a11b"));
  EXPECT_THAT(expand_braces("{008..10}"), ElementsAre("008", "009", "010"));
  EXPECT_THAT(
      expand_braces("{a,b}-{0..1}"), ElementsAre("a-0", "a-1", "b-0", "b-1"));
  EXPECT_EQ(expand_braces("{000000..001023}").size(), 1024u);
  for (const char* wrong :
       {"{1..",
        "{2..1}",
        "{a..b}",
        "{-1..3}",
        "{0..1000000}",
        "{0..9999}{0..9999}"}) {
    EXPECT_NE(data_error([&] { expand_braces(wrong); }), "") << wrong;
  }
}

TEST(Tar, FoldersThatAreThereMeanThemselves) {
  const TempFolder folder;
  for (const char* name : {"[v2]", "{a,b}", "a*b", "back\\slash"}) {
    for (int i = 0; i < 3; ++i) {
      folder.write(fmt::format("{}/deep/t-{}.tar", name, i), shard(3 * i, 3));
    }
    const fs::path deep = folder.path() / name / "deep";
    EXPECT_EQ(list_tar(deep / "t-{0..2}.tar").size(), 9) << name;
    EXPECT_EQ(list_tar(deep / "t-[12].tar").size(), 6) << name;
    EXPECT_EQ(list_tar(deep / "t-*.tar").size(), 9) << name;
    EXPECT_EQ(list_tar(deep / "t-{1,2}*").size(), 6) << name;
  }
  // Files too, and folders below a pattern.
  folder.write("[v2]/x[1]-0.tar", shard(0, 2));
  folder.write("[v2]/x[1]-1.tar", shard(2, 2));
  EXPECT_EQ(list_tar(folder.path() / "[v2]/x[1]-{0..1}.tar").size(), 4);
  EXPECT_EQ(list_tar(folder.path() / "[v2]/d*p/t-{0..1}.tar").size(), 6);
  expect_message(
      tar_error(folder.path() / "[v2]/deep/u-{0..2}.tar"), {"u-0.tar"});
}

// The reference is the archive of 1,000 real photographs, read by tar.
TEST(Tar, ReadsTheSampleOfImageNet) {
  const fs::path path =
      fs::path(VITRAIN_SOURCE_DIR) / "../shared/data/imagenet-sample.tar";
  if (!fs::exists(path)) {
    GTEST_SKIP() << path << " is missing";
  }
  const auto source = open_tar(path);
  EXPECT_EQ(source->size(), 1000);
  EXPECT_EQ(source->classes().size(), 1000u);
  EXPECT_EQ(source->classes().front(), "n01440764");
  for (const std::int64_t i : {0, 500, 999}) {
    EXPECT_GE(source->load(i).width, 50);
  }
}

} // namespace
} // namespace vitrain::data
