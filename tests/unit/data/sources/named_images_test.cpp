#include "data/sources/named_images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "unit/data/archives/tar_builder.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

ReadBytes text_of(const std::string& text) {
  return [text, at = std::size_t{0}](std::span<char> into) mutable {
    const std::size_t got = text.copy(into.data(), into.size(), at);
    at += got;
    return got;
  };
}

class NamedImages : public testing::Test {
 protected:
  std::shared_ptr<const Source> open(
      const std::vector<std::string>& names,
      const std::string& standard_input = "") const {
    return named_images(names, text_of(standard_input));
  }

  // Relative to the folder.
  std::vector<std::string> listed(
      const std::vector<std::string>& names,
      const std::string& standard_input = "") const {
    const auto images = open(names, standard_input);
    std::vector<std::string> paths;
    for (std::int64_t i = 0; i < images->size(); ++i) {
      std::string name = images->index().name(i);
      const std::string before = folder_.path().native() + "/";
      paths.push_back(
          name.starts_with(before) ? name.substr(before.size()) : name);
    }
    return paths;
  }

  std::string in(const std::string& name) const {
    return (folder_ / name).native();
  }

  static std::string content(const Source& images, std::int64_t sample) {
    std::string bytes;
    images.read(sample, bytes);
    return bytes;
  }

  TempFolder folder_;
};

TEST_F(NamedImages, StayInTheOrderOfTheirNames) {
  for (const char* name : {"b.jpg", "a.png", "x/z.JPG", "x/y/1.webp"}) {
    folder_.write(name, name);
  }
  folder_.write("x/.hidden.jpg");
  folder_.write("x/.trash/1.jpg");
  folder_.write("x/notes.md");
  fs::create_directory_symlink(folder_ / "x", folder_ / "x/y/back");
  EXPECT_THAT(
      listed({in("b.jpg"), in("x"), in("a.png"), in("b.jpg")}),
      ElementsAre("b.jpg", "x/y/1.webp", "x/z.JPG", "a.png", "b.jpg"));
  EXPECT_EQ(content(*open({in("x")}), 1), "x/z.JPG");
}

TEST_F(NamedImages, ThatCannotBeReadHaveTheReason) {
  folder_.write("empty/notes.txt.bak");
  folder_.write("bad.tar", "no archive at all");
  const auto images = open({in("none.jpg"), in("empty"), in("bad.tar")});
  ASSERT_EQ(images->size(), 3);
  EXPECT_EQ(
      data_error([&] { content(*images, 0); }),
      in("none.jpg") + ": No such file or directory");
  EXPECT_THAT(
      data_error([&] { content(*images, 1); }),
      HasSubstr("empty: no image (.jpg, .png, .webp, ...) is in this folder"));
  EXPECT_THAT(data_error([&] { content(*images, 2); }), HasSubstr("bad.tar: "));
}

TEST_F(NamedImages, StandInLists) {
  folder_.write("lists/a b.jpg");
  folder_.write("lists/c 3");
  folder_.write("lists/more/1.png");
  folder_.write("lists/train.txt", "a b.jpg 7\n\nmore\r\nc 3\nnone.jpg\n");
  const auto expected = ElementsAre(
      "lists/a b.jpg", "lists/more/1.png", "lists/c 3", "lists/none.jpg");
  EXPECT_THAT(listed({in("lists/train.txt")}), expected);
  fs::rename(in("lists/train.txt"), in("lists/names"));
  EXPECT_THAT(listed({"@" + in("lists/names")}), expected);
  EXPECT_THAT(
      data_error([&] { listed({"@" + in("lists/nowhere")}); }),
      HasSubstr("lists/nowhere: cannot read the file: No such file"));
}

TEST_F(NamedImages, StandInTables) {
  folder_.write(
      "named.csv", "label;File;x\n1;\"a;\"\"b\"\".jpg\";2\n2;c.jpg;3\n");
  EXPECT_THAT(listed({in("named.csv")}), ElementsAre("a;\"b\".jpg", "c.jpg"));
  folder_.write("plain.csv", "\"a,b.jpg\",0\nc.jpg,1\n");
  EXPECT_THAT(listed({in("plain.csv")}), ElementsAre("a,b.jpg", "c.jpg"));
  folder_.write("one.csv", "a.jpg\nb.jpg\n");
  EXPECT_THAT(listed({in("one.csv")}), ElementsAre("a.jpg", "b.jpg"));
  folder_.write("hole.csv", "n,path\n1,a.jpg\n2\n");
  EXPECT_THAT(
      data_error([&] { listed({in("hole.csv")}); }),
      HasSubstr("hole.csv:3: has no name of an image in column 2"));
}

TEST_F(NamedImages, ComeThroughAPipe) {
  folder_.write("x/1.jpg");
  folder_.write("x/2.jpg");
  EXPECT_THAT(
      listed({"-"}, in("x") + "\nnone.jpg\n"),
      ElementsAre("x/1.jpg", "x/2.jpg", "none.jpg"));
  EXPECT_THAT(
      data_error([&] { listed({"-"}); }),
      HasSubstr("-: no image is named there"));
}

TEST_F(NamedImages, LieInArchives) {
  TarBuilder inner;
  inner.file("deep.jpg", "deep");
  TarBuilder tar;
  tar.file("val/b/2.jpg", "two");
  tar.file("val/a/1.jpg", "one");
  tar.file("val/a/._1.jpg", "twin");
  tar.file("train/notes.txt", "text");
  tar.file("train/n01.tar", inner.finish());
  folder_.write("all.tar", tar.finish());
  EXPECT_THAT(
      listed({in("all.tar")}),
      ElementsAre(
          "all.tar/val/b/2.jpg",
          "all.tar/val/a/1.jpg",
          "all.tar/train/n01.tar/deep.jpg"));
  const auto images = open({in("all.tar")});
  EXPECT_EQ(content(*images, 1), "one");
  EXPECT_EQ(content(*images, 2), "deep");
  EXPECT_THAT(
      listed({in("all.tar/val/a")}), ElementsAre("all.tar/val/a/1.jpg"));
  const auto none = open({in("all.tar/test")});
  EXPECT_THAT(
      data_error([&] { content(*none, 0); }), HasSubstr("no image (.jpg"));
}

} // namespace
} // namespace vitrain::data
