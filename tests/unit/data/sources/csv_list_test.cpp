#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "data/kinds/datasets.h"
#include "data/sources/lines.h"
#include "support/messages.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A table among the images that it names (torture row 46).
class CsvList : public testing::Test {
 protected:
  CsvList() {
    for (const char* name :
         {"a.jpg",
          "b.jpg",
          "c d.jpg",
          "e,f.jpg",
          "say \"g\".jpg",
          "h\ni.jpg"}) {
      folder_.write(name);
    }
  }

  Index index(std::string_view text) {
    options_.kind = SourceKind::kList;
    options_.path = folder_.write("train.csv", text).native();
    return list(options_);
  }
  std::string refusal(std::string_view text) {
    return data_error([&] { index(text); });
  }
  std::string at(int line) const {
    return (folder_.path() / "train.csv").native() + ":" +
        std::to_string(line) + ": ";
  }
  // Added to problems of a first line that names no columns.
  static std::string hint() {
    return " (a first line that names columns has one of path, file, filename, "
           "file_name, filepath, image, img and one of label, class, target, "
           "category, class_name)";
  }
  static std::vector<std::string> names_of(const Index& index) {
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < index.size(); ++i) {
      names.emplace_back(index.name(i));
    }
    return names;
  }
  static std::vector<std::int64_t> labels_of(const Index& index) {
    std::vector<std::int64_t> labels;
    for (std::int64_t i = 0; i < index.size(); ++i) {
      labels.push_back(index.label(i));
    }
    return labels;
  }

  TempFolder folder_;
  SourceOptions options_{.classes = 0};
};

TEST_F(CsvList, HasPathsAndNumbers) {
  const Index list = index("a.jpg,2\nc d.jpg,0\nb.jpg, 1\n");
  EXPECT_THAT(names_of(list), ElementsAre("a.jpg", "c d.jpg", "b.jpg"));
  EXPECT_THAT(labels_of(list), ElementsAre(2, 0, 1));
  EXPECT_THAT(list.classes(), ElementsAre("0", "1", "2"));
}

TEST_F(CsvList, TheFirstLineMayNameColumns) {
  const Index plain = index("a.jpg,1\nb.jpg,0\n");
  EXPECT_EQ(
      index("path,label\na.jpg,1\nb.jpg,0\n").fingerprint(),
      plain.fingerprint());
  EXPECT_EQ(
      index("id,Label,split,\"Filename\"\n7,1,x,a.jpg\n8,0,y,b.jpg\n")
          .fingerprint(),
      plain.fingerprint());
  expect_message(refusal("path,label\n"), {});
}

TEST_F(CsvList, ColumnsThatCouldBothBeMeantAreNamed) {
  EXPECT_EQ(
      refusal("class,label,file\nx,1,a.jpg\n"),
      at(1) +
          "both column 'class' and column 'label' could be the label: rename "
          "one of them");
  EXPECT_EQ(
      refusal("\n label,File,path\n1,x,a.jpg\n"),
      at(2) +
          "both column 'File' and column 'path' could be the path of the "
          "image: rename one of them");
}

TEST_F(CsvList, AFirstLineThatNamesOtherColumnsIsExplained) {
  EXPECT_EQ(
      refusal("image_id,breed\na.jpg,dog\n"),
      at(1) + (folder_.path() / "image_id").native() +
          ": No such file or directory" + hint());
  EXPECT_THAT(
      refusal("id,image,breed\n1,a.jpg,dog\n2,b.jpg,cat\n"),
      StartsWith(
          at(1) +
          "expected the path of an image, a comma and its label, got "
          "id,image,breed" +
          hint() + "\n" + at(2) + "expected"));
}

// The header of a table of Kaggle's, whose labels are numbers.
TEST_F(CsvList, AFirstLineWithoutAColumnOfPathsIsExplained) {
  const std::string error = refusal("image_id,label\na.jpg,3\nb.jpg,1\n");
  EXPECT_THAT(error, StartsWith(at(1)));
  expect_message(error, {"'label'"});
  EXPECT_THAT(error, Not(HasSubstr(at(2))));
  // Names without their suffix.
  const std::string ids = refusal("image_id,label\na,3\nb,1\nz,1\n");
  EXPECT_THAT(ids, HasSubstr(at(1)));
  expect_message(ids, {"a.jpg"});
  expect_message(ids, {"b.jpg"});
  expect_message(ids, {"'z'"});
  EXPECT_THAT(
      refusal("path,label\na,0\nb.jpg,1\n"),
      HasSubstr(
          at(2) + (folder_.path() / "a").native() +
          ": No such file or directory (a.jpg is there"));
}

TEST_F(CsvList, TheFirstLineMaySayTheSeparator) {
  const std::uint64_t plain =
      index("path,label\na.jpg,1\nb.jpg,0\n").fingerprint();
  for (const std::string& text :
       {std::string("sep=;\npath;label\na.jpg;1\nb.jpg;0\n"),
        std::string("\xEF\xBB\xBF"
                    "sep=;\r\na.jpg;1\r\nb.jpg;0\r\n"),
        std::string("\"sep=,\"\npath,label\na.jpg,1\nb.jpg,0\n"),
        std::string("SEP=|\nlabel|path\n1|a.jpg\n0|b.jpg\n"),
        std::string("sep=\t\na.jpg\t1\nb.jpg\t0\n")}) {
    EXPECT_EQ(index(text).fingerprint(), plain) << text;
  }
  // Lines are counted as the file has them.
  EXPECT_EQ(
      refusal("sep=;\na.jpg;1\nb.jpg;-1\n"),
      at(3) + "label -1 is negative; classes count from 0");
}

// 36 of 36 became 0 of 33 without the first lines.
TEST_F(CsvList, NumbersOrNamesAreDecidedOverAllLabels) {
  folder_.write("names.txt", "1\n2\n3\n");
  options_.class_map = "names.txt";
  EXPECT_THAT(
      labels_of(index("a.jpg,0\nb.jpg,1\nc d.jpg,2\n")), ElementsAre(0, 1, 2));
  EXPECT_THAT(
      labels_of(index("b.jpg,1\nc d.jpg,2\na.jpg,0\n")), ElementsAre(1, 2, 0));
  EXPECT_EQ(
      index("b.jpg,1\nc d.jpg,2\na.jpg,0\n").label_form(), LabelForm::kNumbers);
  EXPECT_THAT(
      labels_of(index("a.jpg,3\nb.jpg,1\nc d.jpg,2\n")), ElementsAre(2, 0, 1));
  // Labels that could be both are names, and that is said.
  const Index both = index("a.jpg,1\nb.jpg,2\n");
  EXPECT_THAT(labels_of(both), ElementsAre(0, 1));
  EXPECT_EQ(both.label_form(), LabelForm::kNames);
  EXPECT_THAT(
      both.notes(), testing::Contains(HasSubstr("label 1 is class number 0")));
  // A label that is neither a number nor a known name is refused in any row.
  for (const char* text :
       {"a.jpg,0\nb.jpg,3\nc d.jpg,1\n", "b.jpg,3\na.jpg,0\nc d.jpg,1\n"}) {
    EXPECT_THAT(refusal(text), HasSubstr("label ")) << text;
  }
  // The decision of training holds.
  options_.trained_labels = LabelForm::kNumbers;
  EXPECT_THAT(labels_of(index("a.jpg,1\nb.jpg,2\n")), ElementsAre(1, 2));
  EXPECT_THAT(refusal("a.jpg,1\nb.jpg,3\n"), StartsWith(at(2) + "label 3 is"));
  options_.trained_labels = LabelForm::kNames;
  EXPECT_THAT(labels_of(index("a.jpg,1\nb.jpg,2\n")), ElementsAre(0, 1));
  EXPECT_THAT(refusal("a.jpg,0\nb.jpg,1\n"), StartsWith(at(1) + "label '0'"));
  // It does not matter where nothing could be both.
  folder_.write("names.txt", "cat\ndog\n");
  EXPECT_THAT(labels_of(index("a.jpg,1\nb.jpg,0\n")), ElementsAre(1, 0));
}

TEST_F(CsvList, LabelsHaveNoControlCharacters) {
  EXPECT_THAT(
      refusal("a.jpg,\"cat\nfish\"\nb.jpg,dog\n"),
      StartsWith(at(1) + "the label 'cat\\x0afish' has zero bytes or control"));
}

TEST_F(CsvList, LabelsMayBeNames) {
  const std::string text = "a.jpg,dog\nb.jpg,Cat\nc d.jpg,dog\n";
  EXPECT_THAT(index(text).classes(), ElementsAre("Cat", "dog"));
  EXPECT_THAT(labels_of(index(text)), ElementsAre(1, 0, 1));
  EXPECT_THAT(
      index("a.jpg,a10\nb.jpg,A9\n").classes(), ElementsAre("A9", "a10"));
  options_.class_order = ClassOrder::kTimm;
  EXPECT_THAT(
      index("a.jpg,b10\nb.jpg,B9\nc d.jpg,a\n").classes(),
      ElementsAre("a", "B9", "b10"));
  folder_.write("names.txt", "dog\nhorse\nCat\n");
  options_.class_map = "names.txt";
  EXPECT_THAT(labels_of(index(text)), ElementsAre(0, 2, 0));
  EXPECT_THAT(labels_of(index("a.jpg,1\n")), ElementsAre(1));
  EXPECT_EQ(
      refusal("a.jpg,dog\nb.jpg,hors\n"),
      at(2) +
          "label 'hors' is not one of the 3 classes that names.txt names. Did "
          "you mean 'horse'?");
}

// pandas writes a number column with missing values this way.
TEST_F(CsvList, WholeNumbersMayHaveAFractionOfZeros) {
  const Index list =
      index("path,label\na.jpg,0.0\nb.jpg,2.0\nc d.jpg,10.00\n\"e,f.jpg\",1\n");
  EXPECT_THAT(labels_of(list), ElementsAre(0, 2, 10, 1));
  EXPECT_EQ(list.classes().size(), 11u);
  EXPECT_THAT(
      list.notes(),
      ElementsAre(
          "labels with a fraction of zeros, such as 2.0, that were read as "
          "whole numbers: 3",
          "classes without an image: 7"));
  EXPECT_THAT(labels_of(index("a.jpg,3\nb.jpg,1.\n")), ElementsAre(3, 1));
  EXPECT_EQ(
      refusal("a.jpg,1.5\nb.jpg,2.0\n"),
      at(1) +
          "expected a whole number as label, as most others are, got '1.5'");
  EXPECT_EQ(
      refusal("a.jpg,1.0\nb.jpg,2.5\n"),
      at(2) +
          "expected a whole number as label, as most others are, got '2.5'");
  EXPECT_EQ(
      refusal("a.jpg,-1.0\n"),
      at(1) + "label -1 is negative; classes count from 0");
  // The names of a map are names, whatever they look like.
  folder_.write("names.txt", "1.0\n2.5\n");
  options_.class_map = "names.txt";
  EXPECT_THAT(labels_of(index("a.jpg,2.5\nb.jpg,1.0\n")), ElementsAre(1, 0));
  folder_.write("names.txt", "cat\ndog\n");
  EXPECT_THAT(labels_of(index("a.jpg,1.0\nb.jpg,0.0\n")), ElementsAre(1, 0));
}

TEST_F(CsvList, NumbersAndNamesDoNotMix) {
  EXPECT_EQ(
      refusal("a.jpg,3\nb.jpg,dog\nc d.jpg,cat\n"),
      at(1) +
          "expected the name of a class as label, as most others are, got the "
          "number 3; where numbers are names, list all names in a class_map");
  EXPECT_EQ(
      refusal("a.jpg,0.0\nb.jpg,dog\nc d.jpg,1\n"),
      at(2) +
          "expected a whole number as label, as most others are, got 'dog'");
  // Letters, exponents and hexadecimal digits make names.
  EXPECT_THAT(
      index("a.jpg,n01\nb.jpg,1e5\nc d.jpg,0x1\n").classes(),
      ElementsAre("0x1", "1e5", "n01"));
}

TEST_F(CsvList, FieldsMayStandBetweenSemicolonsOrTabs) {
  const std::uint64_t plain =
      index("path,label\na.jpg,1\nb.jpg,0\n").fingerprint();
  for (const std::string& text :
       {std::string("path;label\na.jpg;1\nb.jpg;0\n"),
        std::string("a.jpg;1\nb.jpg;0\n"),
        std::string(
            "\xEF\xBB\xBF\"path\";\"label\";size\r\n\"a.jpg\";1;\"3,5\"\r\n"
            "b.jpg;0;1,5\r\n"),
        std::string("image;class;size,cm\na.jpg;1;2\nb.jpg;0;2\n")}) {
    const Index list = index(text);
    EXPECT_EQ(list.fingerprint(), plain) << text;
    EXPECT_THAT(
        list.notes(),
        ElementsAre("fields are read with a semicolon between them, as in the "
                    "first line"))
        << text;
  }
  const Index tabs = index("label\tfile\n1\ta.jpg\n0\tb.jpg\n");
  EXPECT_EQ(tabs.fingerprint(), plain);
  EXPECT_THAT(tabs.notes(), ElementsAre(HasSubstr("with a tab between")));
  // Commas in the first line are what separates, unless it names columns.
  EXPECT_THAT(
      names_of(index("\"e,f.jpg\",1\na.jpg,0\n")),
      ElementsAre("e,f.jpg", "a.jpg"));
  EXPECT_EQ(
      refusal("path;label\na.jpg,1\n"),
      at(2) + "expected 2 fields, like the first line, got a.jpg,1");
  EXPECT_EQ(
      refusal("a.jpg;1\nb.jpg\n"),
      at(2) +
          "expected the path of an image, a semicolon and its label, got "
          "b.jpg");
}

TEST_F(CsvList, QuotesMarksAndLineEndsAreRead) {
  const std::string text = "\"a.jpg\",0\n\"e,f.jpg\",1\n\"say "
                           "\"\"g\"\".jpg\",2\n\"h\ni.jpg\",\"3\"\n";
  const Index list = index(text);
  EXPECT_THAT(
      names_of(list),
      ElementsAre("a.jpg", "e,f.jpg", "say \"g\".jpg", "h\ni.jpg"));
  const std::uint64_t plain = index("a.jpg,1\nb.jpg,0\n").fingerprint();
  EXPECT_EQ(
      index("\xEF\xBB\xBF"
            "a.jpg,1\r\nb.jpg,0\r\n")
          .fingerprint(),
      plain);
  EXPECT_EQ(index("a.jpg,1\rb.jpg,0\r").fingerprint(), plain);
  const Index gaps = index("\n\na.jpg,1\n\n  \nb.jpg,0");
  EXPECT_EQ(gaps.fingerprint(), plain);
  EXPECT_THAT(gaps.notes(), ElementsAre("skipped empty lines: 4"));
}

TEST_F(CsvList, MistakesAreNamedWithTheirLines) {
  EXPECT_EQ(
      refusal("a.jpg,1\nb.jpg,-1\n"),
      at(2) + "label -1 is negative; classes count from 0");
  options_.classes = 3;
  EXPECT_EQ(
      refusal("path,label\na.jpg,1\n\"h\ni.jpg\",2\nb.jpg,3\n"),
      at(5) + "label 3 is not one of the 3 classes, 0 to 2");
  EXPECT_EQ(
      refusal("a.jpg,1\nb.jpg,x\nc d.jpg,1.5\nb.jpg\na.jpg,1,2\n,1\n"),
      at(2) +
          "expected a whole number as label, as most others are, got 'x'\n" +
          at(3) +
          "expected a whole number as label, as most others are, got '1.5'\n" +
          at(4) +
          "expected the path of an image, a comma and its label, got b.jpg\n" +
          at(5) +
          "expected the path of an image, a comma and its label, got "
          "a.jpg,1,2\n" +
          at(6) +
          "expected the path of an image, a comma and its label, got ,1");
  EXPECT_EQ(
      refusal("a.jpg,1\nb.jpg,2\na.jpg,1\nb.jpg,0\n"),
      at(3) + "a.jpg is listed already, in line 1\n" + at(4) +
          "b.jpg is listed already, in line 2");
  EXPECT_EQ(
      refusal("a.jpg,1\nnone.jpg,2\n"),
      at(2) + (folder_.path() / "none.jpg").native() +
          ": No such file or directory");
  EXPECT_EQ(
      refusal("a.jpg,1\n\"b.jpg,2\nc d.jpg,1\n"),
      at(2) + "a quote (\") is opened here and never closed");
  EXPECT_THAT(
      refusal("a.jpg,1\n\"b.jpg\"x,2\n"),
      StartsWith(at(2) + "expected a comma or the line's end"));
  EXPECT_THAT(
      refusal(std::string_view("a\0b,1\n", 6)),
      StartsWith(at(1) + "is no line of text"));
  EXPECT_THAT(
      refusal(std::string(9000, 'x') + ",1\n"),
      StartsWith(at(1) + "is no line of text"));
  EXPECT_THAT(
      refusal("a.jpg,1\n" + std::string(5000, ',') + "\n"),
      StartsWith(at(2) + "has more than 1000 fields"));
}

// The readers get their bytes in pieces of any size.
TEST(CsvRecords, DoNotDependOnThePiecesThatComeIn) {
  const std::string text =
      "\xEF\xBB\xBF"
      "a,\"b\"\"c\",d\r\n\r\n\"x\ny\",,\r\"\r\n\rz\"\nlast";
  std::vector<std::vector<std::string>> whole;
  for (const std::size_t piece :
       {std::size_t{1000}, std::size_t{3}, std::size_t{5}, std::size_t{7}}) {
    std::size_t done = 0;
    CsvRecords records(
        [&](std::span<char> into) {
          const std::size_t got =
              text.copy(into.data(), std::min(piece, into.size()), done);
          done += got;
          return got;
        },
        "t.csv");
    std::vector<std::vector<std::string>> rows;
    std::vector<std::int64_t> lines;
    for (std::vector<std::string> row; records.next(row);) {
      rows.push_back(row);
      lines.push_back(records.number());
    }
    EXPECT_THAT(
        rows,
        ElementsAre(
            ElementsAre("a", "b\"c", "d"),
            ElementsAre("x\ny", "", ""),
            ElementsAre("\r\n\rz"),
            ElementsAre("last")));
    EXPECT_THAT(lines, ElementsAre(1, 3, 5, 8));
    EXPECT_EQ(records.empty_lines(), 1);
  }
}

} // namespace
} // namespace vitrain::data
