#include "core/sha256.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace vitrain {
namespace {

std::string hash(const std::string& text, bool plainly, std::size_t part) {
  Sha256 hash(plainly);
  for (std::size_t i = 0; i < text.size(); i += part) {
    hash.update(text.data() + i, std::min(part, text.size() - i));
  }
  return hash.hex();
}

// Hashes of Python's hashlib.
TEST(Sha256, IsThatOfOtherPrograms) {
  for (const bool plainly : {false, true}) {
    for (const std::size_t part : {1, 7, 64, 100, 1'000'000}) {
      EXPECT_EQ(
          hash("", plainly, part),
          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
      EXPECT_EQ(
          hash("abc", plainly, part),
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
      EXPECT_EQ(
          hash(std::string(1'000'000, 'a'), plainly, part),
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
    // Rests of 55, 56 and 64 bytes are padded differently.
    EXPECT_EQ(
        hash(std::string(55, 'a'), plainly, 64),
        "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    EXPECT_EQ(
        hash(std::string(56, 'a'), plainly, 64),
        "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
    EXPECT_EQ(
        hash(std::string(64, 'a'), plainly, 64),
        "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
  }
}

} // namespace
} // namespace vitrain
