#include "logging/terminal_style.h"

#include <gtest/gtest.h>

namespace vitrain::logging {
namespace {

TEST(TerminalStyle, WidthCountsColumnsNotBytes) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("na\xc3\xafve"), 5);
  EXPECT_EQ(display_width("\u732b\u732b"), 4); // wide
  EXPECT_EQ(display_width("e\u0301"), 1); // combining accent
  EXPECT_EQ(display_width("\U0001F600"), 2); // emoji
  EXPECT_EQ(display_width("\x1b[1;31mred\x1b[0m"), 3);
  EXPECT_EQ(display_width("a\xff"), 2); // replaced by U+FFFD
}

TEST(TerminalStyle, WidthSurvivesBrokenSequences) {
  EXPECT_EQ(display_width("\x1b[3"), 0);
  EXPECT_EQ(display_width("\x1b[3\u732b"), 2);
  EXPECT_EQ(display_width("\x1b["), 0);
  EXPECT_EQ(display_width("\xe7\x8c"), 2); // cut inside a character
}

TEST(TerminalStyle, ClipKeepsWholeCharacters) {
  EXPECT_EQ(clip("abc", 3), "abc");
  EXPECT_EQ(clip("abc", 2), "ab");
  EXPECT_EQ(clip("abc", 0), "");
  EXPECT_EQ(clip("a\u732b", 2), "a");
  EXPECT_EQ(clip("a\u732b", 3), "a\u732b");
  EXPECT_EQ(clip("e\u0301x", 1), "e\u0301");
}

TEST(TerminalStyle, ClipResetsColours) {
  EXPECT_EQ(clip("\x1b[32mgreen\x1b[0m", 5), "\x1b[32mgreen\x1b[0m");
  EXPECT_EQ(clip("\x1b[32mgreen\x1b[0m", 2), "\x1b[32mgr\x1b[0m");
}

TEST(TerminalStyle, TintNeedsColour) {
  EXPECT_EQ(tinted("x", Tint::kError, TerminalStyle{}), "x");
  EXPECT_EQ(
      tinted("x", Tint::kError, TerminalStyle{.colour = true}),
      "\x1b[1;31mx\x1b[0m");
  EXPECT_EQ(tinted("", Tint::kError, TerminalStyle{.colour = true}), "");
}

} // namespace
} // namespace vitrain::logging
