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
  EXPECT_THAT(refusal(""), HasSubstr("only 0 bytes"));
  EXPECT_THAT(refusal("\x02\0\0\0\0\0\0"), HasSubstr("only"));
  EXPECT_THAT(refusal(with_length(0, "")), HasSubstr("does not start with"));
  EXPECT_THAT(
      refusal(with_length(std::uint64_t{1} << 63, "{}")), HasSubstr("at most"));
  EXPECT_THAT(
      refusal(with_length(~std::uint64_t{0}, "{}")), HasSubstr("at most"));
  EXPECT_THAT(refusal(with_length(100'000'001, "{}")), HasSubstr("at most"));
  EXPECT_THAT(
      refusal(with_length(100'000'000, "{}")), HasSubstr("only 2 after"));
  EXPECT_THAT(refusal(with_length(3, "{}")), HasSubstr("only 2 after"));
  EXPECT_THAT(refusal(with_length(1, "{}")), HasSubstr("not valid JSON"));
}

TEST_F(HostileTest, NotAFile) {
  EXPECT_THAT(refusal_of(folder_.path() / "absent"), HasSubstr("cannot open"));
  EXPECT_THAT(refusal_of(folder_.path()), HasSubstr("not a regular file"));
  const auto fifo = folder_.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THAT(refusal_of(fifo), HasSubstr("not a regular file"));
}

TEST_F(HostileTest, HeadersThatAreNotTheFormat) {
  EXPECT_THAT(refusal(file_of("[]", 0)), HasSubstr("does not start with"));
  EXPECT_THAT(refusal(file_of(" {}", 0)), HasSubstr("does not start with"));
  EXPECT_THAT(refusal(file_of("\xEF\xBB\xBF{}", 0)), HasSubstr("start with"));
  EXPECT_THAT(refusal(file_of("{\"a\":{}", 0)), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal(file_of("{}{}", 0)), HasSubstr("not valid JSON"));
  EXPECT_THAT(
      refusal(file_of("{\"\xff\":{}}", 0)), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal(file_of("{\"a\":1}", 0)), HasSubstr("'a' is a number"));
  EXPECT_THAT(refusal(file_of("{\"a\":null}", 0)), HasSubstr("null"));
  EXPECT_THAT(refusal(file_of("{\"a\":[]}", 0)), HasSubstr("an array"));
  EXPECT_THAT(refusal(file_of("{\"a\":true}", 0)), HasSubstr("a boolean"));
  EXPECT_THAT(refusal(file_of("{\"a\":{}}", 0)), HasSubstr("lacks dtype"));
  EXPECT_THAT(
      refusal(file_of("{\"__metadata__\":{\"a\":1}}", 0)),
      HasSubstr("metadata 'a'"));
  EXPECT_THAT(
      refusal(file_of("{\"__metadata__\":{\"a\":{}}}", 0)),
      HasSubstr("an object"));
  EXPECT_THAT(
      refusal(file_of("{\"a\":{\"b\":{}}}", 0)),
      HasSubstr("unknown member 'b'"));
}

TEST_F(HostileTest, DeepNesting) {
  const std::size_t depth = 100'000;
  const std::string open(depth, '[');
  EXPECT_THAT(
      refusal(file_of(fmt::format("{{\"a\":{}", open), 0)),
      HasSubstr("an array"));
  EXPECT_THAT(
      refusal(file_of(fmt::format("{{\"a\":{{\"shape\":{}0", open), 0)),
      HasSubstr("an array"));
  std::string objects = "{\"a\":";
  for (std::size_t i = 0; i < depth; ++i) {
    objects += "{\"dtype\":";
  }
  EXPECT_THAT(refusal(file_of(objects, 0)), HasSubstr("an object"));
}

TEST_F(HostileTest, KeysTwice) {
  const std::string entry =
      "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}";
  EXPECT_THAT(
      refusal(file_of(fmt::format("{{\"a\":{0},\"a\":{0}}}", entry), 4)),
      HasSubstr("'a' twice"));
  EXPECT_THAT(
      refusal_of_tensor("\"dtype\":\"F32\",\"dtype\":\"F32\""),
      HasSubstr("'dtype' twice"));
  EXPECT_THAT(
      refusal_of_tensor("\"shape\":[1],\"shape\":[1]"),
      HasSubstr("'shape' twice"));
  EXPECT_THAT(
      refusal_of_tensor("\"data_offsets\":[0,4],\"data_offsets\":[0,4]"),
      HasSubstr("'data_offsets' twice"));
  EXPECT_THAT(
      refusal(file_of("{\"__metadata__\":{\"k\":\"v\",\"k\":\"v\"}}", 0)),
      HasSubstr("'k' twice"));
  EXPECT_THAT(
      refusal(file_of("{\"__metadata__\":{},\"__metadata__\":{}}", 0)),
      HasSubstr("twice"));
}

TEST_F(HostileTest, Offsets) {
  const auto offsets = [&](const std::string& text) {
    return refusal_of_tensor(
        "\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":" + text);
  };
  EXPECT_THAT(offsets("[-8,0]"), HasSubstr("negative"));
  EXPECT_THAT(offsets("[-0,8]"), HasSubstr("negative"));
  EXPECT_THAT(offsets("[0.0,8]"), HasSubstr("the number 0.0"));
  EXPECT_THAT(offsets("[0,8e0]"), HasSubstr("the number 8e0"));
  EXPECT_THAT(offsets("[0,18446744073709551616]"), HasSubstr("the number"));
  EXPECT_THAT(offsets("[0,18446744073709551615]"), HasSubstr("[begin, end]"));
  EXPECT_THAT(
      offsets("[9223372036854775808,9223372036854775816]"),
      HasSubstr("[begin, end]"));
  EXPECT_THAT(offsets("[8,0]"), HasSubstr("[begin, end]"));
  EXPECT_THAT(offsets("[0]"), HasSubstr("[begin, end]"));
  EXPECT_THAT(offsets("[0,8,16]"), HasSubstr("[begin, end]"));
  EXPECT_THAT(
      offsets("[0,4]"), AllOf(HasSubstr("needs 8"), HasSubstr("span 4")));
  EXPECT_THAT(offsets("[4,12]"), HasSubstr("hole"));
  EXPECT_THAT(offsets("\"0,8\""), HasSubstr("a string"));
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
  EXPECT_THAT(two(4, 12, 12), HasSubstr("overlap"));
  EXPECT_THAT(two(0, 8, 8), HasSubstr("overlap"));
  EXPECT_THAT(two(9, 12, 12), HasSubstr("hole"));
  EXPECT_THAT(two(8, 12, 13), HasSubstr("followed by something else"));
  EXPECT_THAT(two(8, 12, 11), HasSubstr("truncated"));
  EXPECT_THAT(two(8, 12, 0), HasSubstr("truncated"));
  EXPECT_THAT(refusal(file_of("{}", 1)), HasSubstr("followed"));
}

TEST_F(HostileTest, ShapesThatOverflow) {
  const auto shape = [&](const std::string& text) {
    return refusal_of_tensor(
        "\"dtype\":\"F32\",\"shape\":" + text + ",\"data_offsets\":[0,8]");
  };
  // 2^32 * 2^32 * 2: the product is 0 modulo 2^64, the bytes would be, too.
  EXPECT_THAT(
      shape("[4294967296,4294967296,2]"), HasSubstr("elements overflows"));
  EXPECT_THAT(shape("[9223372036854775808]"), HasSubstr("elements overflows"));
  EXPECT_THAT(shape("[4611686018427387906]"), HasSubstr("bytes overflows"));
  EXPECT_THAT(
      shape("[0,9223372036854775807,9223372036854775807]"),
      HasSubstr("overflows"));
  std::string ones = "[1";
  for (int i = 0; i < 40; ++i) {
    ones += ",1";
  }
  EXPECT_THAT(shape(ones + "]"), HasSubstr("more than 32 numbers"));
  EXPECT_THAT(shape("[1000000000]"), HasSubstr("needs 4000000000"));
  EXPECT_THAT(shape("[-2]"), HasSubstr("negative"));
  EXPECT_THAT(shape("[2.0]"), HasSubstr("the number 2.0"));
}

TEST_F(HostileTest, UnknownTypes) {
  for (const char* type : {"F33", "f32", "", "F4", "F32\\u0000"}) {
    EXPECT_THAT(
        refusal_of_tensor(fmt::format(
            "\"dtype\":\"{}\",\"shape\":[2],\"data_offsets\":[0,8]", type)),
        AllOf(HasSubstr("has the type"), HasSubstr("BF16")));
  }
  EXPECT_THAT(refusal_of_tensor("\"dtype\":7"), HasSubstr("a number"));
  EXPECT_THAT(refusal_of_tensor("\"dtype\":[7]"), HasSubstr("an array"));
}

TEST_F(HostileTest, BooleansThatAreNone) {
  std::string bytes = file_of(
      "{\"a\":{\"dtype\":\"BOOL\",\"shape\":[2],\"data_offsets\":[0,2]}}", 2);
  bytes.back() = '\2';
  EXPECT_THAT(refusal(bytes), HasSubstr("neither 0 nor 1"));
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
  EXPECT_THAT(
      refusal(file_of(header, 1)), HasSubstr("followed by something else"));
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
