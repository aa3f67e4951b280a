// Names and passwords in URLs, which no message and no record may show.

#include "core/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "core/error.h"
#include "core/system/print_lines.h"
#include "core/text.h"

namespace vitrain {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Url, UserInformationIsHidden) {
  using Pair = std::pair<const char*, const char*>;
  for (const auto& [text, hidden] : std::array{
           Pair{"http://u:p@host:5000", "http://***@host:5000"},
           Pair{"https://u@host/x?y#z", "https://***@host/x?y#z"},
           Pair{"http://@host", "http://***@host"},
           Pair{"http://:p@host", "http://***@host"},
           Pair{"/runs/http:/u:p@host/x", "/runs/http:/***@host/x"},
           Pair{"http://u:p@[::1]:5000/", "http://***@[::1]:5000/"},
           // Letters that a password should have had encoded.
           Pair{"http://u:p@q@host", "http://***@host"},
           Pair{"http://u:p/q@host", "http://***@host"},
           Pair{"http://u:p?q#r@host", "http://***@host"},
           Pair{"http://u:p\"'<>@host", "http://***@host"},
           Pair{
               "-set log.mlflow=http://a:b@c -set x=s3://k:s@b/d e@f",
               "-set log.mlflow=http://***@c -set x=s3://***@b/d e@f"}}) {
    EXPECT_EQ(hide_user_info(text), hidden);
    EXPECT_EQ(printable(text), hidden);
    EXPECT_TRUE(has_user_info(text)) << text;
    EXPECT_FALSE(has_user_info(remove_user_info(text))) << text;
    EXPECT_THAT(remove_user_info(text), Not(HasSubstr("***")));
  }
  EXPECT_EQ(remove_user_info("http://u:p@host:5000/x"), "http://host:5000/x");
}

TEST(Url, OtherTextsStayAsTheyAre) {
  for (const char* text :
       {"",
        "@",
        "://",
        "http://",
        "http://host:5000/a@b",
        "http://host/a@b:c",
        "http://[::1]/a@b",
        "http://[::1]:5000/a@b",
        "s3://bucket/key@version",
        "file:///home/me@work/x",
        "name@host:path",
        "host:/home/me@work",
        "mail me@host http://host and you@there"}) {
    EXPECT_EQ(hide_user_info(text), text);
    EXPECT_EQ(remove_user_info(text), text);
    EXPECT_FALSE(has_user_info(text)) << text;
  }
}

TEST(Url, ErrorsAndMessagesHideUserInformation) {
  const Error error(ExitCode::kUsage, "-devices: http://u:secret@host");
  EXPECT_STREQ(error.what(), "-devices: http://***@host");
  EXPECT_EQ(
      message_for(-1, "left out: s3://k:secret@b"), "left out: s3://***@b");
}

} // namespace
} // namespace vitrain
