#include "core/text.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/json.h"

namespace vitrain {
namespace {

TEST(Text, NearestFindsWhatWasMeant) {
  const std::vector<std::string> keys{
      "lr", "weight_decay", "betas", "clip_norm", "momentum"};
  EXPECT_EQ(nearest("weigth_decay", keys), "weight_decay");
  EXPECT_EQ(nearest("clip", keys), "clip_norm");
  EXPECT_EQ(nearest("beta", keys), "betas");
  EXPECT_EQ(nearest("colour", keys), "");
  const std::vector<std::string> rules{"sgd", "adamw", "adam", "nadamw"};
  EXPECT_EQ(nearest("adamww", rules), "adamw");
  EXPECT_EQ(nearest(std::string(100000, 'x'), keys), "");
}

TEST(Text, PrintableKeepsLinesWhole) {
  EXPECT_EQ(printable("a\nb\x1b[31m"), "a\\x0ab\\x1b[31m");
  EXPECT_EQ(printable("na\xc3\xafve \xff"), "na\xc3\xafve \\xff");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf"); // overlong '/'
}

TEST(Text, HumanNumbers) {
  EXPECT_EQ(with_commas(-1234567), "-1,234,567");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(human_bytes(512), "512 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_seconds(42.4), "0:42");
  EXPECT_EQ(human_seconds(3 * 3600 + 7 * 60 + 9), "3:07:09");
  EXPECT_EQ(human_seconds(std::numeric_limits<double>::infinity()), "-:--");
}

TEST(Text, NumbersAreWholeAndLocaleFree) {
  std::int64_t integer = 0;
  EXPECT_TRUE(parse_int("-12", integer));
  EXPECT_EQ(integer, -12);
  EXPECT_FALSE(parse_int("12a", integer));
  EXPECT_FALSE(parse_int("", integer));
  EXPECT_FALSE(parse_int("99999999999999999999", integer));
  double number = 0;
  EXPECT_TRUE(parse_double("1e-3", number));
  EXPECT_EQ(number, 1e-3);
  EXPECT_FALSE(parse_double("1,5", number));
}

TEST(Json, LinesAreValidWhateverTheValues) {
  Json record{
      {"loss", std::numeric_limits<double>::quiet_NaN()},
      {"path", "a\xff\n"},
      {"list", {1.5, -std::numeric_limits<double>::infinity()}}};
  EXPECT_EQ(
      to_line(record),
      "{\"loss\":\"nan\",\"path\":\"a\xEF\xBF\xBD\\n\",\"list\":[1.5,\"-inf\"]"
      "}");
}

TEST(Counted, OnlyOneIsOne) {
  EXPECT_EQ(counted(0, "worker"), "0 workers");
  EXPECT_EQ(counted(1, "worker"), "1 worker");
  EXPECT_EQ(counted(1234, "worker"), "1,234 workers");
}

} // namespace
} // namespace vitrain
