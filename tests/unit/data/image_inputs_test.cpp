#include "data/image_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "support/messages.h"
#include "unit/data/kinds/tar_builder.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

ReadBytes text_of(const std::string& text) {
  return [text, at = std::size_t{0}](std::span<char> into) mutable {
    const std::size_t got = text.copy(into.data(), into.size(), at);
    at += got;
    return got;
  };
}

class ImageInputs : public testing::Test {
 protected:
  std::shared_ptr<const Source> open(
      const std::vector<std::string>& names,
      const std::string& standard_input = "") const {
    return image_inputs(names, text_of(standard_input));
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

TEST_F(ImageInputs, StayInTheOrderOfTheirNames) {
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

TEST_F(ImageInputs, ThatCannotBeReadHaveTheReason) {
  folder_.write("empty/notes.txt.bak");
  folder_.write("bad.tar", "no archive at all");
  const auto images = open({in("none.jpg"), in("empty"), in("bad.tar")});
  ASSERT_EQ(images->size(), 3);
  EXPECT_EQ(
      data_error([&] { content(*images, 0); }),
      in("none.jpg") + ": No such file or directory");
  expect_message(data_error([&] { content(*images, 1); }), {});
  expect_message(data_error([&] { content(*images, 2); }), {"bad.tar"});
}

TEST_F(ImageInputs, StandInLists) {
  folder_.write("lists/a b.jpg");
  folder_.write("lists/c 3");
  folder_.write("lists/more/1.png");
  folder_.write("lists/train.txt", "a b.jpg 7\n\nmore\r\nc 3\nnone.jpg\n");
  const auto expected = ElementsAre(
      "lists/a b.jpg", "lists/more/1.png", "lists/c 3", "lists/none.jpg");
  EXPECT_THAT(listed({in("lists/train.txt")}), expected);
  fs::rename(in("lists/train.txt"), in("lists/names"));
  EXPECT_THAT(listed({"@" + in("lists/names")}), expected);
  expect_message(data_error([&] { listed({"@" + in("lists/nowhere")}); }), {});
}

TEST_F(ImageInputs, StandInTables) {
  folder_.write(
      "named.csv", "label;File;x\n1;\"a;\"\"b\"\".jpg\";2\n2;c.jpg;3\n");
  EXPECT_THAT(listed({in("named.csv")}), ElementsAre("a;\"b\".jpg", "c.jpg"));
  folder_.write("plain.csv", "\"a,b.jpg\",0\nc.jpg,1\n");
  EXPECT_THAT(listed({in("plain.csv")}), ElementsAre("a,b.jpg", "c.jpg"));
  folder_.write("one.csv", "a.jpg\nb.jpg\n");
  EXPECT_THAT(listed({in("one.csv")}), ElementsAre("a.jpg", "b.jpg"));
  folder_.write("hole.csv", "n,path\n1,a.jpg\n2\n");
  expect_message(
      data_error([&] { listed({in("hole.csv")}); }), {"hole.csv:3", "2"});
}

TEST_F(ImageInputs, ComeThroughAPipe) {
  folder_.write("x/1.jpg");
  folder_.write("x/2.jpg");
  EXPECT_THAT(
      listed({"-"}, in("x") + "\nnone.jpg\n"),
      ElementsAre("x/1.jpg", "x/2.jpg", "none.jpg"));
  expect_message(data_error([&] { listed({"-"}); }), {});
}

TEST_F(ImageInputs, LieInArchives) {
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
  expect_message(data_error([&] { content(*none, 0); }), {});
}

TEST_F(ImageInputs, InAnArchiveMayBeNamedOneByOne) {
  TarBuilder inner;
  inner.file("a/deep.jpg", "deep");
  TarBuilder tar;
  tar.file("val/1.jpg", "one");
  tar.file("val/1.jpg.png", "other");
  tar.file("train/n01.tar", inner.finish());
  folder_.write("all.tar", tar.finish());
  for (const char* name :
       {"all.tar/val/1.jpg", "all.tar/train/n01.tar/a/deep.jpg"}) {
    EXPECT_THAT(listed({in(name)}), ElementsAre(name));
  }
  for (const char* name : {"all.tar/train/n01.tar", "all.tar/train/"}) {
    EXPECT_THAT(
        listed({in(name)}), ElementsAre("all.tar/train/n01.tar/a/deep.jpg"));
  }
  EXPECT_THAT(listed({in("all.tar/")}), SizeIs(3));
  for (const char* name : {"all.tar/nope", "all.tar/val/1.jp"}) {
    EXPECT_THAT(listed({in(name)}), ElementsAre(name));
    EXPECT_THAT(
        data_error([&] { content(*open({in(name)}), 0); }),
        HasSubstr(std::string(name) + ": no image (.jpg"));
  }
}

TEST_F(ImageInputs, InArchivesThatMayBeCutOffHaveANote) {
  TarBuilder tar;
  tar.file("1.jpg", "one");
  folder_.write("whole.tar", tar.finish());
  EXPECT_THAT(open({in("whole.tar")})->index().notes(), ElementsAre());
  // Behind a member, and in the next one's header.
  for (const std::size_t more : {0, 100}) {
    folder_.write("cut.tar", tar.unfinished() + std::string(more, '2'));
    const auto images = open({in("whole.tar"), in("cut.tar")});
    EXPECT_EQ(images->size(), 2);
    EXPECT_THAT(
        images->index().notes(),
        ElementsAre("archives that end without zeros to close them (is the "
                    "download complete?): 1"));
  }
}

TEST_F(ImageInputs, InListsMayHaveSeveralLabels) {
  folder_.write("some.txt", "a b.jpg 3,17\nb.jpg -\nc.jpg\t5\nd 3,17\n");
  EXPECT_THAT(
      listed({in("some.txt")}),
      ElementsAre("a b.jpg", "b.jpg", "c.jpg", "d 3,17"));
}

TEST_F(ImageInputs, ThatLinksLeadNowhereToAreNotPassedOver) {
  folder_.write("x/b.jpg");
  for (const char* name : {"a.jpg", "c", "d.md", ".e.jpg"}) {
    fs::create_symlink("nowhere", folder_ / ("x/" + std::string(name)));
  }
  EXPECT_THAT(listed({in("x")}), ElementsAre("x/a.jpg", "x/b.jpg", "x/c"));
  EXPECT_EQ(
      data_error([&] { content(*open({in("x")}), 0); }),
      in("x/a.jpg") + ": where its link leads: No such file or directory");
}

// Checks names and problems as a user without root's permissions, because root
// can read everything.
int check_behind_unreadable(const fs::path& root) {
  if (::geteuid() == 0 && ::setuid(65534) != 0) {
    return 1;
  }
  const std::vector<std::string> names{(root / "x").native()};
  const auto images = image_inputs(names, text_of(""));
  std::string found;
  for (std::int64_t i = 0; i < images->size(); ++i) {
    const std::string problem = data_error([&] {
      std::string bytes;
      images->read(i, bytes);
    });
    found += fs::path(images->index().name(i))
                 .lexically_relative(root / "x")
                 .native() +
        (problem.ends_with(": Permission denied") ? "!" : "") + "\n";
  }
  std::fprintf(stderr, "%s", found.c_str());
  return found == "a.jpg\nb!\nc/deep!\nd.jpg\n" ? 0 : 2;
}

TEST_F(ImageInputs, BesideAnUnreadableFolderAreFound) {
  fs::permissions(folder_.path(), fs::perms::all);
  for (const char* name :
       {"x/a.jpg", "x/b/1.jpg", "x/c/deep/1.jpg", "x/d.jpg"}) {
    folder_.write(name, "bytes");
  }
  fs::permissions(folder_ / "x/b", fs::perms::none);
  fs::permissions(folder_ / "x/c", fs::perms(0444)); // may not be entered
  EXPECT_EXIT(
      std::_Exit(check_behind_unreadable(folder_.path())),
      testing::ExitedWithCode(0),
      "");
  fs::permissions(folder_ / "x/b", fs::perms::owner_all);
  fs::permissions(folder_ / "x/c", fs::perms::owner_all);
}

} // namespace
} // namespace vitrain::data
