#include <sys/stat.h>

#include <cstring>
#include <random>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "states/safetensors.h"
#include "support/files.h"
#include "support/messages.h"

// Malformed files. Each is refused with a message that names the file, without
// a crash and without allocating more than the file's size.
namespace vitrain::states {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string with_length(std::uint64_t length, const std::string& rest) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  bytes += rest;
  return bytes;
}

std::string file_of(const std::string& header, std::size_t data_bytes) {
  std::string bytes = with_length(header.size(), header);
  bytes.append(data_bytes, '\1');
  return bytes;
}

class HostileTest : public testing::Test {
 protected:
  // The message of the Error(kWeights) for a file with these bytes.
  std::string refusal(const std::string& bytes) {
    const auto path = folder_.path() / "bad.safetensors";
    write_bytes(path, bytes);
    return refusal_of(path);
  }

  std::string refusal_of(const std::filesystem::path& path) {
    try {
      read_safetensors(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kWeights);
      EXPECT_THAT(error.what(), HasSubstr(path.filename().native()));
      return error.what();
    }
    ADD_FAILURE() << "accepted";
    return "";
  }

  // As refusal(), for a header with one F32 tensor 'a' and 8 bytes of data.
  std::string refusal_of_tensor(const std::string& members) {
    return refusal(file_of(fmt::format("{{\"a\":{{{}}}}}", members), 8));
  }

  TempFolder folder_;
};

TEST_F(HostileTest, Lengths) {
  expect_message(refusal(""), {"0"});
  expect_message(refusal("\x02\0\0\0\0\0\0"), {});
  expect_message(refusal(with_length(0, "")), {});
  expect_message(refusal(with_length(std::uint64_t{1} << 63, "{}")), {});
  expect_message(refusal(with_length(~std::uint64_t{0}, "{}")), {});
  expect_message(refusal(with_length(100'000'001, "{}")), {});
  expect_message(refusal(with_length(100'000'000, "{}")), {"2"});
  expect_message(refusal(with_length(3, "{}")), {"2"});
  expect_message(refusal(with_length(1, "{}")), {});
}

TEST_F(HostileTest, NotAFile) {
  expect_message(refusal_of(folder_.path() / "absent"), {});
  expect_message(refusal_of(folder_.path()), {});
  const auto fifo = folder_.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  expect_message(refusal_of(fifo), {});
}

TEST_F(HostileTest, HeadersThatAreNotTheFormat) {
  expect_message(refusal(file_of("[]", 0)), {});
  expect_message(refusal(file_of(" {}", 0)), {});
  expect_message(refusal(file_of("\xEF\xBB\xBF{}", 0)), {});
  expect_message(refusal(file_of("{\"a\":{}", 0)), {});
  expect_message(refusal(file_of("{}{}", 0)), {});
  expect_message(refusal(file_of("{\"\xff\":{}}", 0)), {});
  expect_message(refusal(file_of("{\"a\":1}", 0)), {"'a'"});
  expect_message(refusal(file_of("{\"a\":null}", 0)), {});
  expect_message(refusal(file_of("{\"a\":[]}", 0)), {});
  expect_message(refusal(file_of("{\"a\":true}", 0)), {});
  expect_message(refusal(file_of("{\"a\":{}}", 0)), {});
  expect_message(refusal(file_of("{\"__metadata__\":{\"a\":1}}", 0)), {"'a'"});
  expect_message(refusal(file_of("{\"__metadata__\":{\"a\":{}}}", 0)), {});
  expect_message(refusal(file_of("{\"a\":{\"b\":{}}}", 0)), {"'b'"});
}

TEST_F(HostileTest, DeepNesting) {
  const std::size_t depth = 100'000;
  const std::string open(depth, '[');
  expect_message(refusal(file_of(fmt::format("{{\"a\":{}", open), 0)), {});
  expect_message(
      refusal(file_of(fmt::format("{{\"a\":{{\"shape\":{}0", open), 0)), {});
  std::string objects = "{\"a\":";
  for (std::size_t i = 0; i < depth; ++i) {
    objects += "{\"dtype\":";
  }
  expect_message(refusal(file_of(objects, 0)), {});
}

TEST_F(HostileTest, KeysTwice) {
  const std::string entry =
      "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}";
  expect_message(
      refusal(file_of(fmt::format("{{\"a\":{0},\"a\":{0}}}", entry), 4)),
      {"'a'"});
  expect_message(
      refusal_of_tensor("\"dtype\":\"F32\",\"dtype\":\"F32\""), {"'dtype'"});
  expect_message(refusal_of_tensor("\"shape\":[1],\"shape\":[1]"), {"'shape'"});
  expect_message(
      refusal_of_tensor("\"data_offsets\":[0,4],\"data_offsets\":[0,4]"),
      {"'data_offsets'"});
  expect_message(
      refusal(file_of("{\"__metadata__\":{\"k\":\"v\",\"k\":\"v\"}}", 0)),
      {"'k'"});
  expect_message(
      refusal(file_of("{\"__metadata__\":{},\"__metadata__\":{}}", 0)), {});
}

TEST_F(HostileTest, Offsets) {
  const auto offsets = [&](const std::string& text) {
    return refusal_of_tensor(
        "\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":" + text);
  };
  expect_message(offsets("[-8,0]"), {});
  expect_message(offsets("[-0,8]"), {});
  expect_message(offsets("[0.0,8]"), {"0.0"});
  expect_message(offsets("[0,8e0]"), {});
  expect_message(offsets("[0,18446744073709551616]"), {});
  expect_message(offsets("[0,18446744073709551615]"), {});
  expect_message(offsets("[9223372036854775808,9223372036854775816]"), {});
  expect_message(offsets("[8,0]"), {});
  expect_message(offsets("[0]"), {});
  expect_message(offsets("[0,8,16]"), {});
  expect_message(offsets("[0,4]"), {"8", "4"});
  expect_message(offsets("[4,12]"), {});
  expect_message(offsets("\"0,8\""), {});
}

TEST_F(HostileTest, Coverage) {
  const auto two = [&](int begin, int end, std::size_t data) {
    return refusal(file_of(
        fmt::format(
            "{{\"a\":{{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}"
            ","
            "\"b\":{{\"dtype\":\"U8\",\"shape\":[{}],"
            "\"data_offsets\":[{},{}]}}}}",
            end - begin,
            begin,
            end),
        data));
  };
  expect_message(two(4, 12, 12), {});
  expect_message(two(0, 8, 8), {});
  expect_message(two(9, 12, 12), {});
  expect_message(two(8, 12, 13), {});
  expect_message(two(8, 12, 11), {});
  expect_message(two(8, 12, 0), {});
  expect_message(refusal(file_of("{}", 1)), {});
}

TEST_F(HostileTest, ShapesThatOverflow) {
  const auto shape = [&](const std::string& text) {
    return refusal_of_tensor(
        "\"dtype\":\"F32\",\"shape\":" + text + ",\"data_offsets\":[0,8]");
  };
  // 2^32 * 2^32 * 2: the product is 0 modulo 2^64, the bytes would be, too.
  expect_message(shape("[4294967296,4294967296,2]"), {});
  expect_message(shape("[9223372036854775808]"), {});
  expect_message(shape("[4611686018427387906]"), {});
  expect_message(shape("[0,9223372036854775807,9223372036854775807]"), {});
  std::string ones = "[1";
  for (int i = 0; i < 40; ++i) {
    ones += ",1";
  }
  expect_message(shape(ones + "]"), {"32"});
  expect_message(shape("[1000000000]"), {"4000000000"});
  expect_message(shape("[-2]"), {});
  expect_message(shape("[2.0]"), {"2.0"});
}

TEST_F(HostileTest, UnknownTypes) {
  for (const char* type : {"F33", "f32", "", "F4", "F32\\u0000"}) {
    expect_message(
        refusal_of_tensor(fmt::format(
            "\"dtype\":\"{}\",\"shape\":[2],\"data_offsets\":[0,8]", type)),
        {});
  }
  expect_message(refusal_of_tensor("\"dtype\":7"), {});
  expect_message(refusal_of_tensor("\"dtype\":[7]"), {});
}

TEST_F(HostileTest, BooleansThatAreNone) {
  std::string bytes = file_of(
      "{\"a\":{\"dtype\":\"BOOL\",\"shape\":[2],\"data_offsets\":[0,2]}}", 2);
  bytes.back() = '\2';
  expect_message(refusal(bytes), {"0", "1"});
}

TEST_F(HostileTest, NamesCannotForgeLines) {
  EXPECT_THAT(
      refusal(file_of("{\"a\\n\\u001b[31m\":{}}", 0)),
      AllOf(HasSubstr("\\x0a\\x1b"), testing::Not(HasSubstr("\n"))));
}

TEST_F(HostileTest, AMillionTensors) {
  std::string header = "{";
  for (int i = 0; i < 1'000'000; ++i) {
    header += fmt::format(
        "{}\"t{}\":{{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}",
        i == 0 ? "" : ",",
        i);
  }
  header += "}";
  expect_message(refusal(file_of(header, 1)), {});
}

// Whatever is done to a good file, it is read or refused, never worse.
TEST_F(HostileTest, RandomDamage) {
  const std::string good =
      read_bytes(VITRAIN_SOURCE_DIR "/tests/golden/models/types.safetensors");
  const auto path = folder_.path() / "damaged.safetensors";
  std::mt19937 random(1);
  int refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::string bytes = good;
    for (int flip = 0; flip < 1 + trial % 3; ++flip) {
      bytes[random() % bytes.size()] ^= static_cast<char>(1U << (random() % 8));
    }
    if (trial % 5 == 0) {
      bytes.resize(random() % bytes.size());
    }
    write_bytes(path, bytes);
    try {
      read_safetensors(path);
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ExitCode::kWeights) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

} // namespace
} // namespace vitrain::states
