#include "report/page/markup.h"
#include "core/base64.h"

#include <gmock/gmock.h>

namespace vitrain::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Markup, TextsCannotBecomeTags) {
  EXPECT_EQ(
      html("<script>\"'&\xff"), "&lt;script&gt;&quot;&#39;&amp;\xef\xbf\xbd");
}

TEST(Markup, JsonCannotEndItsScript) {
  const Json hostile{{"</script><script>x()</script>", "<!--&-->"}, {"n", 1.5}};
  const std::string text = script_json(hostile);
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_THAT(text, Not(HasSubstr(">")));
  EXPECT_THAT(text, Not(HasSubstr("&")));
  EXPECT_EQ(Json::parse(text), hostile);
}

// The examples of RFC 4648, section 10.
TEST(Markup, Base64) {
  const auto encoded = [](std::string_view bytes) {
    std::string out;
    append_base64(out, bytes);
    return out;
  };
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
  EXPECT_EQ(encoded("\xff\xfe\xfd"), "//79");
}

TEST(Markup, ShellWords) {
  EXPECT_EQ(shell_word("runs/a-1_b.yaml"), "runs/a-1_b.yaml");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's;rm"), "'it'\\''s;rm'");
  EXPECT_EQ(shell_word("$(x)"), "'$(x)'");
  EXPECT_EQ(shell_word(""), "''");
}

} // namespace
} // namespace vitrain::report
