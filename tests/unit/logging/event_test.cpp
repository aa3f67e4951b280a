#include "logging/event.h"

#include <bit>
#include <limits>

#include "support.h"

namespace vitrain::logging {
namespace {

// Undoes the mask (a rotation and a sum).
std::uint32_t crc32c(const std::string& bytes) {
  return std::rotl(masked_crc32c(bytes) - 0xA282EAD8U, 15);
}

// RFC 3720, B.4 (there as bytes, lowest first).
TEST(Event, Crc32cKnownAnswers) {
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43U);
  std::string up;
  std::string down;
  for (int i = 0; i < 32; ++i) {
    up.push_back(static_cast<char>(i));
    down.push_back(static_cast<char>(31 - i));
  }
  EXPECT_EQ(crc32c(up), 0x46DD794EU);
  EXPECT_EQ(crc32c(down), 0x113FDB5CU);
}

// The events of tests/golden/logging/make_events.py, which wrote the file with
// TensorBoard's own classes.
TEST(Event, BytesAreThoseOfTensorBoard) {
  constexpr double kTime = 1700000000.25;
  std::string bytes;
  for (const std::string& event :
       {version_event(kTime),
        restart_event(kTime, 121),
        scalar_event(kTime, 0, "train/loss", 0.0F),
        scalar_event(kTime, 1, "train/loss", 2.302585F),
        scalar_event(kTime, 127, "eval/top1", 56.25F),
        scalar_event(
            kTime, 128, "eval/top1", std::numeric_limits<float>::infinity()),
        scalar_event(
            kTime, (std::int64_t{1} << 40) + 3, std::string(200, 't'), -1e-30F),
        text_event(
            kTime,
            0,
            "config",
            "model:\n  name: vit\n" + std::string(300, 'x') + " \u00e9\u732b"),
        image_event(
            kTime,
            1,
            "samples",
            {.png = "\x89PNG" + std::string(200, '\0'),
            .width = 300,
            .height = 2}),
        session_start_event(kTime, {{"optim.lr", 0.0}}),
        session_start_event(kTime, {{"optim.nesterov", false}}),
        session_start_event(kTime, {{"model.name", std::string("vit \u00e9")}}),
        session_end_event(kTime, /*success=*/true),
        session_end_event(kTime, /*success=*/false)}) {
    bytes += tf_record(event);
  }
  const std::string golden =
      slurp(VITRAIN_SOURCE_DIR "/tests/golden/logging/events.bin");
  ASSERT_GT(golden.size(), 1500u);
  EXPECT_EQ(bytes, golden);
}

TEST(Event, TagsAreSafe) {
  EXPECT_EQ(safe_tag("train/loss"), "train/loss");
  EXPECT_EQ(safe_tag("a b\n\x1b"), "a_b__");
  EXPECT_EQ(safe_tag("../../etc/passwd"), "__/__/etc/passwd");
  EXPECT_EQ(safe_tag("/a//b/"), "a/b");
  EXPECT_EQ(safe_tag("./x..y"), "_/x..y");
  EXPECT_EQ(safe_tag(std::string("n\0l", 3)), "n_l");
  EXPECT_EQ(safe_tag("\u00e9"), "__");
  EXPECT_EQ(safe_tag(""), "_");
  EXPECT_EQ(safe_tag("///"), "_");
}

} // namespace
} // namespace vitrain::logging
