#include "core/hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace vitrain {
namespace {

// Bytes (31 i + 7) mod 256.
std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<char>((i * 31 + 7) % 256);
  }
  return bytes;
}

struct Known {
  std::size_t size;
  const char* xxh3; // xxhsum -H3
  const char* xxh128; // xxhsum -H2
};

// Printed by xxhsum 0.8.1 for pattern(size). The sizes are those at which the
// algorithm changes its path, and one beyond its internal block.
const std::vector<Known> kKnown{
    {0, "2d06800538d394c2", "99aa06d3014798d86001c324468d497f"},
    {1, "4c5cca45d0f4811f", "495b62073ef70ca44c5cca45d0f4811f"},
    {3, "15f7093b173d005c", "46f66cb93538156515f7093b173d005c"},
    {8, "dec6a9a43575982e", "803c675a846cc6c256bb836ceb6d4baa"},
    {16, "7e484c18d74895d0", "650fe308c566747df853dd94614dfa07"},
    {17, "208bde5ee2bed407", "18217300b5132d5a78c349fe81b2f26c"},
    {128, "f92b70eaa21a6288", "b4f87b99d2db8a511e04fad9f0cacb4d"},
    {129, "f8f76713f2bb60fa", "6881633650cd8924c51bc887976aef63"},
    {240, "ccc7375172c41f03", "de57aab31e77a2ff93e173833f75ab66"},
    {241, "0b3b630948ce4a00", "92b991a7192f3f080b3b630948ce4a00"},
    {1025, "c09fdfbc398c7d82", "70a4eb1b9691d77fc09fdfbc398c7d82"},
    {70001, "ff98bde163758afd", "d21d2bcf8037a356ff98bde163758afd"},
};

TEST(Hash, KnownAnswers) {
  for (const Known& known : kKnown) {
    const std::string bytes = pattern(known.size);
    EXPECT_EQ(to_hex(hash64(bytes)), known.xxh3) << known.size;
    Hasher hasher;
    hasher.update(bytes.data(), bytes.size());
    EXPECT_EQ(hasher.hex(), known.xxh128) << known.size;
  }
}

TEST(Hash, PiecesGiveTheHashOfTheWhole) {
  const std::string bytes = pattern(70001);
  for (const std::size_t piece : {1, 7, 64, 255, 256, 257, 4096, 70000}) {
    Hasher hasher;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      hasher.update(bytes.data() + at, std::min(piece, bytes.size() - at));
    }
    EXPECT_EQ(hasher.hex(), kKnown.back().xxh128) << piece;
  }
}

TEST(Hash, AskingDoesNotEndTheStream) {
  const std::string bytes = pattern(129);
  Hasher hasher;
  hasher.update(bytes.data(), 17);
  EXPECT_EQ(hasher.hex(), kKnown[5].xxh128);
  EXPECT_EQ(hasher.hex(), kKnown[5].xxh128);
  hasher.update(bytes.data() + 17, bytes.size() - 17);
  EXPECT_EQ(hasher.hex(), kKnown[7].xxh128);
  hasher.update(bytes.data(), 0);
  EXPECT_EQ(hasher.hex(), kKnown[7].xxh128);
}

TEST(Hash, HexIsAlwaysSixteenDigits) {
  EXPECT_EQ(to_hex(0), "0000000000000000");
  EXPECT_EQ(to_hex(0xABCDEF), "0000000000abcdef");
  EXPECT_EQ(to_hex(~0ULL), "ffffffffffffffff");
}

} // namespace
} // namespace vitrain
