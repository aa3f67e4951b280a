#include "core/columns.h"

#include <gmock/gmock.h>

#include "core/text.h"

namespace vitrain {
namespace {

using ::testing::ElementsAre;

TEST(WrapWords, BreaksBetweenWords) {
  EXPECT_THAT(
      wrap_words("one two three four five six", 20),
      ElementsAre("one two three four", "five six"));
  EXPECT_THAT(wrap_words("", 20), ElementsAre(""));
  EXPECT_THAT(wrap_words("short", 20), ElementsAre("short"));
  // Two blanks stay within a line, and none is left at an end.
  EXPECT_THAT(
      wrap_words("loss 1.25  top1 50.00  lr 0.1", 22),
      ElementsAre("loss 1.25  top1 50.00", "lr 0.1"));
}

TEST(WrapWords, LeavesNoOrphan) {
  EXPECT_THAT(
      wrap_words("the loss of three samples is not finite", 32),
      ElementsAre("the loss of three samples is", "not finite"));
  // A line that would have one word left keeps its two.
  EXPECT_THAT(wrap_words("aaaa bbbb c", 9), ElementsAre("aaaa bbbb", "c"));
  // A long word is none.
  EXPECT_THAT(
      wrap_words("it is in the folder aaaaaaaaaaaaaaa", 20),
      ElementsAre("it is in the folder", "aaaaaaaaaaaaaaa"));
}

TEST(WrapWords, BreaksALongPathAfterSeparatorsAlone) {
  EXPECT_THAT(
      wrap_words("see /a/very/long/path/of/many/parts here", 16),
      ElementsAre("see", "/a/very/long/", "path/of/many/", "parts here"));
}

TEST(WrapMessage, KeepsLinesAndIndentsTheirRest) {
  EXPECT_EQ(
      wrap_message("short\n  - a point that is too long for it\n", 24),
      "short\n  - a point that is\n    too long for it\n");
  EXPECT_EQ(wrap_message("no end", 24), "no end");
  EXPECT_EQ(wrap_message("", 24), "");
}

// Whatever the width, words stay whole and nothing is lost.
TEST(WrapMessage, LosesNothing) {
  const std::string text =
      "warning: data.train.path: /data/images/of/a/long/name has 12,345 images "
      "directly in it and no class folders; put the images of each class into "
      "a sub-folder of their own, or give data.train.kind=list";
  for (int columns = 20; columns < 200; ++columns) {
    const std::string wrapped = wrap_message(text, columns);
    std::string joined;
    for (const std::string& line : split(wrapped, '\n')) {
      EXPECT_LE(display_width(line), std::max(columns, 22)) << line;
      const std::string words(trim(line));
      // A path that is divided between lines has no blank there.
      joined += joined.empty() || joined.ends_with('/') || joined.ends_with('=')
          ? words
          : " " + words;
    }
    EXPECT_EQ(joined, text) << columns;
  }
}

TEST(Shorten, EndsWithTheMark) {
  EXPECT_EQ(shorten("abcdef", 6, "..."), "abcdef");
  EXPECT_EQ(shorten("abcdefg", 6, "..."), "abc...");
  EXPECT_EQ(shorten("\u732b\u732b\u732b", 5, "\u2026"), "\u732b\u732b\u2026");
  EXPECT_EQ(
      shorten_middle("shapes_vit-20260131-120000", 13, "..."), "shape...20000");
  EXPECT_EQ(shorten_middle("abc", 3, "..."), "abc");
  EXPECT_LE(
      display_width(shorten_middle("\u732b\u732b\u732b\u732b", 6, "...")), 6);
}

} // namespace
} // namespace vitrain
