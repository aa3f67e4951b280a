#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "core/system/files.h"
#include "data/kinds/datasets.h"
#include "support/messages.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

Index list_file(const fs::path& path, std::int64_t classes = 0) {
  SourceOptions options;
  options.kind = SourceKind::kList;
  options.path = path.native();
  options.classes = classes;
  return list(options);
}

// A list among the files that it names.
class ListFile : public testing::Test {
 protected:
  ListFile() {
    for (const char* name : {"a.jpg", "b.jpg", "val/c d.jpg", "e.png"}) {
      folder_.write(name);
    }
  }

  fs::path write(std::string_view text) {
    return folder_.write("train_list.txt", text);
  }
  Index index(std::string_view text, std::int64_t classes = 0) {
    return list_file(write(text), classes);
  }
  // The message that a list is refused with.
  std::string refusal(std::string_view text, std::int64_t classes = 0) {
    const fs::path path = write(text);
    return data_error([&] { list_file(path, classes); });
  }
  std::string at(int line) const {
    return (folder_.path() / "train_list.txt").native() + ":" +
        std::to_string(line) + ": ";
  }

  TempFolder folder_;
};

TEST_F(ListFile, NamesImagesAndLabels) {
  const Index list = index("a.jpg 2\nval/c d.jpg 0\nb.jpg 1\ne.png 2\n");
  EXPECT_EQ(list.size(), 4);
  EXPECT_THAT(list.classes(), ElementsAre("0", "1", "2"));
  EXPECT_STREQ(list.name(0), "a.jpg");
  EXPECT_STREQ(list.name(1), "val/c d.jpg"); // a blank belongs to the name
  EXPECT_EQ(list.label(1), 0);
  EXPECT_EQ(list.label(3), 2);
  EXPECT_THAT(list.notes(), IsEmpty());
}

TEST_F(ListFile, LineEndsTabsAndMarksOfEditorsAreRead) {
  const Index plain = index("a.jpg 1\nval/c d.jpg 0\n");
  const Index other = index("\xEF\xBB\xBF"
                            "a.jpg\t1\r\n  val/c d.jpg \t 0  \r\n");
  EXPECT_EQ(other.size(), 2);
  EXPECT_EQ(other.fingerprint(), plain.fingerprint());
  EXPECT_EQ(index("a.jpg 1\nval/c d.jpg 0").fingerprint(), plain.fingerprint());
}

TEST_F(ListFile, WhatIsOddIsCounted) {
  const Index list = index(
      "a.jpg 0\n\n   \na.jpg 0\nb.jpg 3\nb.jpg 1\n" +
      (folder_.path() / "e.png").native() + " 0\nval/../a.jpg 1\n");
  EXPECT_THAT(
      list.notes(),
      ElementsAre(
          "skipped empty lines: 2",
          "lines that repeat another one (they count again): 1",
          "images that are listed again with another label: 1",
          "images outside the list's folder (absolute, or with ..): 2",
          "classes without an image: 1"));
  EXPECT_EQ(list.size(), 6);
  const auto source = open(std::make_shared<const Index>(list));
  EXPECT_EQ(source->describe(4), (folder_.path() / "e.png").native());
}

TEST_F(ListFile, MistakesAreNamedWithTheirLines) {
  const std::string expected =
      "expected the name of an image, a blank and its label (a whole number), "
      "got ";
  EXPECT_EQ(
      refusal("a.jpg 1\nb.jpg\nb.jpg x\nb.jpg 1.0\nb.jpg -1\ne.png,1\na.jpg "
              "99999999999999999999\n1\n"),
      at(2) + expected + "b.jpg\n" + at(3) + expected + "b.jpg x\n" + at(4) +
          expected + "b.jpg 1.0\n" + at(5) +
          "label -1 is negative; classes count from 0\n" + at(6) + expected +
          "e.png,1; a list with commas is a .csv file: rename it\n... and 2 "
          "lines more");
  EXPECT_EQ(
      refusal("a.jpg 2\na.jpg 3\n", /*classes=*/3),
      at(2) + "label 3 is not one of the 3 classes, 0 to 2");
}

TEST_F(ListFile, MissingFilesAreNamedWithTheirLines) {
  folder_.write("folder/x");
  EXPECT_EQ(
      refusal("a.jpg 0\nnone.jpg 1\nfolder 1\n"),
      at(2) + (folder_.path() / "none.jpg").native() +
          ": No such file or directory\n" + at(3) +
          (folder_.path() / "folder").native() + ": is not a regular file");
}

TEST_F(ListFile, QuotesAreExplained) {
  expect_message(refusal("\"a.jpg\" 0\n"), {});
}

TEST_F(ListFile, WhatIsNoListIsRefused) {
  expect_message(refusal(""), {});
  expect_message(refusal("\n \n"), {});
  EXPECT_THAT(
      refusal(std::string_view("a\0b 1\n", 6)),
      StartsWith(at(1) + "is no line of text"));
  EXPECT_THAT(
      refusal("a.jpg 1\n" + std::string(9000, 'x') + " 1\n"),
      StartsWith(at(2) + "is no line of text"));
  expect_message(data_error([&] { list_file(folder_.path()); }), {});
  expect_message(
      data_error([&] { list_file(folder_.path() / "none.txt"); }),
      {"none.txt"});
  expect_message(data_error([] { list_file(""); }), {});
  const fs::path pipe = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_message(data_error([&] { list_file(pipe); }), {});
}

// Control characters in a name must not reach the terminal.
TEST_F(ListFile, HostileNamesArePrintable) {
  expect_message(refusal("\x1b[31m.jpg 0\n"), {"31m.jpg"});
  EXPECT_THAT(refusal("\x1b[31m\n"), Not(HasSubstr("\x1b")));
}

TEST_F(ListFile, ClassesAreAsManyAsAskedFor) {
  EXPECT_EQ(index("a.jpg 1\n").classes().size(), 2u);
  const Index padded = index("a.jpg 1\n", /*classes=*/10);
  EXPECT_EQ(padded.classes().size(), 10u);
  EXPECT_THAT(padded.notes(), Contains("classes without an image: 9"));
}

TEST_F(ListFile, ClassesHaveTheNamesBesideTheList) {
  folder_.write("classes.txt", "cat\n red dog \r\n");
  EXPECT_THAT(index("a.jpg 1\n").classes(), ElementsAre("cat", "red dog"));
  EXPECT_EQ(
      refusal("a.jpg 2\n"),
      at(1) +
          "label 2 is not one of the 2 classes, 0 to 1, that classes.txt "
          "names");
  folder_.write("classes.txt", "cat\n\ndog\n");
  expect_message(refusal("a.jpg 1\n"), {"classes.txt:2", "1"});
}

// Names of classes that look like numbers were taken for labels where the first
// label was one of them.
TEST_F(ListFile, LabelsAreNumbersWhateverTheNamesOfClassesAre) {
  folder_.write("classes.txt", "1\n2\n3\n");
  for (const char* text :
       {"a.jpg 0\nb.jpg 1\ne.png 2\n",
        "b.jpg 1\ne.png 2\na.jpg 0\n",
        "b.jpg 1\ne.png 2\n"}) {
    const Index list = index(text);
    EXPECT_THAT(list.classes(), ElementsAre("1", "2", "3"));
    for (std::int64_t i = 0; i < list.size(); ++i) {
      const std::string name = list.name(i);
      EXPECT_EQ(
          list.label(i),
          name == "a.jpg"       ? 0
              : name == "b.jpg" ? 1
                                : 2)
          << text << name;
    }
    EXPECT_THAT(list.notes(), Contains(HasSubstr("label 1 is the class '2'")));
    EXPECT_EQ(list.label_form(), LabelForm::kNumbers);
  }
  EXPECT_THAT(
      refusal("b.jpg 1\ne.png 3\n"),
      StartsWith(at(2) + "label 3 is not one of the 3 classes"));
}

TEST_F(ListFile, LabelsThatCountFromOneAreNoted) {
  EXPECT_THAT(
      index("a.jpg 1\nb.jpg 2\ne.png 3\n").notes(),
      ElementsAre(
          "classes without an image: 1",
          HasSubstr("no label is 0, and all from 1 to 3 are there")));
  EXPECT_THAT(
      index("a.jpg 1\nb.jpg 3\n").notes(),
      ElementsAre("classes without an image: 2"));
  EXPECT_THAT(
      index("a.jpg 007\nb.jpg 00\n").notes(),
      Contains(HasSubstr("leading zeros, such as 007")));
}

TEST_F(ListFile, AbsoluteNamesOfDataThatMovedAreExplained) {
  const std::string old = (folder_.path() / "old/place").native();
  const std::string error =
      refusal("a.jpg 0\n" + old + "/val/c d.jpg 1\n" + old + "/a.jpg 1\n");
  EXPECT_THAT(
      error,
      HasSubstr(
          at(2) + old +
          "/val/c d.jpg: No such file or directory (the name is "
          "absolute, and " +
          (folder_.path() / "old").native() + " is not there"));
  expect_message(error, {"d.jpg"});
  EXPECT_THAT(
      error, testing::EndsWith(old + "/a.jpg: No such file or directory"));
  expect_message(refusal(old + "/nothing/x.jpg 0\n"), {});
  const Index absolute = index(
      (folder_.path() / "a.jpg").native() + " 0\n" +
      (folder_.path() / "val/c d.jpg").native() + " 1\n");
  EXPECT_EQ(absolute.absolute_folder(), folder_.path().native());
  const Index relative = index("a.jpg 0\nval/c d.jpg 1\n");
  EXPECT_EQ(relative.absolute_folder(), "");
  EXPECT_EQ(relative.label_fingerprint(), absolute.label_fingerprint());
  EXPECT_NE(
      index("a.jpg 1\nval/c d.jpg 0\n").label_fingerprint(),
      absolute.label_fingerprint());
}

TEST_F(ListFile, FingerprintSeesNamesOrderAndLabels) {
  const std::uint64_t print = index("a.jpg 1\nb.jpg 0\n").fingerprint();
  EXPECT_NE(index("b.jpg 0\na.jpg 1\n").fingerprint(), print);
  EXPECT_NE(index("a.jpg 0\nb.jpg 1\n").fingerprint(), print);
  EXPECT_NE(index("a.jpg 1\ne.png 0\n").fingerprint(), print);
  const TempFolder elsewhere;
  elsewhere.write("a.jpg");
  elsewhere.write("b.jpg");
  EXPECT_EQ(
      list_file(elsewhere.write("l.txt", "a.jpg 1\nb.jpg 0\n")).fingerprint(),
      print);
}

TEST_F(ListFile, ImagesAreLoadedFromTheListsFolder) {
  fs::copy(image_file("grey.jpg"), folder_.path() / "real image.png");
  const auto source =
      open(std::make_shared<const Index>(index("real image.png 1\na.jpg 0\n")));
  EXPECT_GT(source->load(0).width, 0);
  EXPECT_THAT(
      data_error([&] { source->load(1); }),
      StartsWith((folder_.path() / "a.jpg").native() + ": "));
}

// 100,000 lines: the reader's buffer ends within lines many times.
TEST_F(ListFile, ManyLinesAreRead) {
  std::string text;
  for (int i = 0; i < 100000; ++i) {
    text +=
        (i % 3 == 0 ? "a.jpg " : "val/c d.jpg ") + std::to_string(i % 7) + "\n";
  }
  const Index list = index(text);
  ASSERT_EQ(list.size(), 100000);
  for (std::int64_t i = 0; i < list.size(); ++i) {
    ASSERT_EQ(list.label(i), i % 7);
    ASSERT_STREQ(list.name(i), i % 3 == 0 ? "a.jpg" : "val/c d.jpg");
  }
}

} // namespace
} // namespace vitrain::data
