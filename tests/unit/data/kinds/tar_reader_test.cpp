#include "data/kinds/tar_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/random.h"
#include "core/text.h"
#include "support/messages.h"
#include "unit/data/kinds/tar_builder.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ReadAt reader_of(const std::string& bytes) {
  return [&bytes](std::int64_t offset, std::span<char> into) {
    const auto start = std::min(static_cast<std::size_t>(offset), bytes.size());
    return bytes.copy(into.data(), into.size(), start);
  };
}

TarReader open(const std::string& bytes) {
  return {"x.tar", reader_of(bytes), 0, std::ssize(bytes)};
}

// Name and content of each file.
std::vector<std::pair<std::string, std::string>> files_of(
    const std::string& bytes) {
  std::vector<std::pair<std::string, std::string>> files;
  TarReader reader = open(bytes);
  TarMember member;
  while (reader.next(member)) {
    EXPECT_EQ(
        bytes.substr(
            static_cast<std::size_t>(member.offset),
            static_cast<std::size_t>(member.size)),
        reader.contents(member, 1 << 20));
    files.emplace_back(member.name, reader.contents(member, 1 << 20));
  }
  return files;
}

std::string error_of(const std::string& bytes) {
  return data_error([&] { files_of(bytes); });
}

using File = std::pair<std::string, std::string>;

TEST(TarReader, ReadsEveryFormat) {
  for (const auto format :
       {TarBuilder::Format::kUstar,
        TarBuilder::Format::kGnu,
        TarBuilder::Format::kOld}) {
    TarBuilder tar(format);
    tar.member("a/", "", '5');
    tar.file("a/1.jpg", "one");
    tar.file("./a/2.jpg", std::string(512, 'x'));
    tar.file("/a/empty", "");
    EXPECT_THAT(
        files_of(tar.finish()),
        ElementsAre(
            File("a/1.jpg", "one"),
            File("a/2.jpg", std::string(512, 'x')),
            File("a/empty", "")));
  }
}

TEST(TarReader, ReadsLongNames) {
  const std::string folder(120, 'd');
  TarBuilder ustar;
  ustar.file_with_prefix(folder, "name.jpg", "ustar");
  EXPECT_THAT(
      files_of(ustar.finish()),
      ElementsAre(File(folder + "/name.jpg", "ustar")));
  TarBuilder gnu(TarBuilder::Format::kGnu);
  gnu.member("././@LongLink", "a long target", 'K');
  gnu.long_name(folder + "/name.jpg");
  gnu.file("short", "gnu");
  gnu.file("next", "");
  EXPECT_THAT(
      files_of(gnu.finish()),
      ElementsAre(File(folder + "/name.jpg", "gnu"), File("next", "")));
  // A name of exactly 100 bytes has no terminating zero byte.
  const std::string full(100, 'n');
  TarBuilder exact;
  exact.file(full, "");
  EXPECT_THAT(files_of(exact.finish()), ElementsAre(File(full, "")));
}

TEST(TarReader, PaxHeadersSayMoreThanTheOthers) {
  TarBuilder tar;
  tar.pax("comment", "of everything", 'g');
  tar.pax("path", "caf\xc3\xa9/=\n.jpg");
  tar.file("other", "named");
  tar.pax("size", "5");
  tar.header("sized", /*size=*/0, '0');
  tar.body("12345");
  tar.file("last", "");
  EXPECT_THAT(
      files_of(tar.finish()),
      ElementsAre(
          File("caf\xc3\xa9/=\n.jpg", "named"),
          File("sized", "12345"),
          File("last", "")));
}

// Sizes beyond eleven octal digits, as GNU and star write them.
TEST(TarReader, ReadsBinarySizes) {
  TarBuilder tar;
  tar.header("large", 0, '0');
  char* size = tar.last_header() + 124;
  std::fill_n(size, 12, '\0');
  size[0] = static_cast<char>(0x80);
  size[11] = 3;
  tar.fix_checksum();
  tar.body("abc");
  EXPECT_THAT(files_of(tar.finish()), ElementsAre(File("large", "abc")));
  std::fill_n(size = tar.last_header() + 124, 12, '\xFF');
  tar.fix_checksum();
  expect_message(error_of(tar.finish()), {});
}

TEST(TarReader, PassesOverWhatIsNoFile) {
  TarBuilder tar(TarBuilder::Format::kGnu);
  tar.header("link", /*size=*/4096, '2'); // has no bytes in spite of its size
  tar.header("hard link", 0, '1');
  tar.header("device", 0, '3');
  tar.header("pipe", 0, '6');
  tar.member("volume", "label", 'V');
  tar.file("a/../../etc/passwd", "out");
  tar.file("a..b/..c", "in");
  tar.pax("GNU.sparse.major", "1");
  tar.file("sparse 1", "map");
  // An old sparse file: two more blocks of its map, then its bytes.
  tar.header("sparse 2", 3, 'S');
  tar.last_header()[482] = 1;
  tar.fix_checksum();
  std::string map(1024, 'm');
  map[504] = 1;
  map[512 + 504] = 0;
  tar.body(map);
  tar.body("xyz");
  tar.file("last", "here");
  const std::string bytes = tar.finish();
  EXPECT_THAT(
      files_of(bytes),
      ElementsAre(File("a..b/..c", "in"), File("last", "here")));
  TarReader reader = open(bytes);
  for (TarMember member; reader.next(member);) {
  }
  const TarReader::Skipped& skipped = reader.skipped();
  EXPECT_EQ(skipped.links, 2);
  EXPECT_EQ(skipped.special, 2);
  EXPECT_EQ(skipped.sparse, 2);
  EXPECT_EQ(skipped.outside, 1);
  EXPECT_EQ(skipped.unknown, 1);
  EXPECT_EQ(skipped.joined, 0);
  EXPECT_EQ(skipped.unclosed, 0);
}

TEST(TarReader, EndsAtTheMark) {
  TarBuilder tar;
  tar.file("a", "1");
  const std::string one = tar.unfinished();
  EXPECT_THAT(
      files_of(one + std::string(512, '\0')), ElementsAre(File("a", "1")));
  EXPECT_THAT(files_of(std::string(1024, '\0')), IsEmpty());
  // Padding of a record may be anything.
  EXPECT_THAT(
      files_of(tar.finish() + std::string(3000, 'x')),
      ElementsAre(File("a", "1")));
}

TarReader::Skipped skipped_in(const std::string& bytes) {
  TarReader reader = open(bytes);
  for (TarMember member; reader.next(member);) {
  }
  return reader.skipped();
}

std::string unpacked(const std::string& hexadecimal) {
  std::string packed;
  for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2) {
    packed.push_back(
        static_cast<char>(std::stoi(hexadecimal.substr(i, 2), nullptr, 16)));
  }
  std::string bytes(1 << 16, '\0');
  uLongf size = bytes.size();
  EXPECT_EQ(
      uncompress(
          reinterpret_cast<Bytef*>(bytes.data()),
          &size,
          reinterpret_cast<const Bytef*>(packed.data()),
          packed.size()),
      Z_OK);
  bytes.resize(size);
  return bytes;
}

// The reader accepts archives that both tar -i and tarfile with ignore_zeros
// read, and refuses archives that one of them refuses
// (tests/golden/data/make_tars.py). It also refuses damage between members,
// which tar reports and skips.
TEST(TarReader, ReadsWhatTarAndTarfileBothRead) {
  std::ifstream csv(
      std::filesystem::path(VITRAIN_SOURCE_DIR) / "tests/golden/data/tars.csv");
  std::string line;
  std::getline(csv, line);
  int cases = 0;
  for (; std::getline(csv, line); ++cases) {
    const std::vector<std::string> row = split(line, ',');
    ASSERT_EQ(row.size(), 4u);
    const std::string bytes = unpacked(row[3]);
    if (row[1].empty() || row[0].starts_with("damaged")) {
      EXPECT_NE(error_of(bytes), "") << row[0];
      continue;
    }
    std::vector<std::string> names;
    for (const auto& [name, content] : files_of(bytes)) {
      names.push_back(name);
      EXPECT_EQ(content, std::string(700, name.front())) << row[0];
    }
    EXPECT_EQ(join(names, " "), row[1]) << row[0];
  }
  EXPECT_EQ(cases, 20);
}

TEST(TarReader, ReadsArchivesBehindOneAnother) {
  TarBuilder a;
  a.file("a", "1");
  TarBuilder b;
  b.file("b", "2");
  const std::string open_a = a.unfinished();
  const std::string zeros(512, '\0');
  const auto both = ElementsAre(File("a", "1"), File("b", "2"));
  for (const std::string& between :
       {std::string(),
        zeros,
        zeros + zeros,
        std::string(10240, '\0'),
        zeros + std::string(512, 'x')}) {
    const std::string bytes = open_a + between + b.finish();
    EXPECT_THAT(files_of(bytes), both) << between.size();
    EXPECT_EQ(skipped_in(bytes).joined, between.empty() ? 0 : 1);
    EXPECT_EQ(skipped_in(bytes).unclosed, 0);
  }
  EXPECT_THAT(files_of(zeros + a.finish()), ElementsAre(File("a", "1")));
  EXPECT_EQ(skipped_in(zeros + a.finish()).joined, 0);
  EXPECT_THAT(files_of(a.finish() + b.unfinished()), both);
  EXPECT_EQ(skipped_in(a.finish() + b.unfinished()).unclosed, 1);
  // A damaged archive after a good one is an error.
  expect_message(error_of(a.finish() + b.finish().substr(0, 700)), {});
  expect_message(
      error_of(
          a.finish() + b.unfinished() + std::string(512, 'x') + a.finish()),
      {});
}

TEST(TarReader, ReadsArchivesWithoutClosingZeros) {
  TarBuilder tar;
  tar.file("a", "1");
  tar.file("b", std::string(700, 'b'));
  const std::string bytes = tar.unfinished();
  const auto both =
      ElementsAre(File("a", "1"), File("b", std::string(700, 'b')));
  for (const std::size_t more : {0, 100, 511}) {
    EXPECT_THAT(files_of(bytes + std::string(more, '\0')), both);
    EXPECT_EQ(skipped_in(bytes + std::string(more, '\0')).unclosed, 1);
  }
  EXPECT_EQ(skipped_in(tar.finish()).unclosed, 0);
  // Cut off within the last block of a member, which tar and tarfile refuse.
  expect_message(error_of(bytes.substr(0, bytes.size() - 100)), {});
  // A header that announces a member which is not there.
  tar.pax("path", "c");
  expect_message(error_of(tar.unfinished()), {});
}

TEST(TarReader, NamesFileOffsetAndReason) {
  TarBuilder tar;
  tar.file("a", "1");
  tar.file("b", std::string(5000, 'b'));
  const std::string whole = tar.finish();
  expect_message(error_of(""), {"x.tar", "0"});
  expect_message(error_of("PK" + std::string(20, 'z')), {"x.tar", "0"});
  expect_message(error_of(whole.substr(0, 900)), {"x.tar", "900", "512"});
  expect_message(
      error_of(whole.substr(0, 3000)), {"x.tar", "1024", "5000", "1464"});
  std::string damaged = whole;
  damaged[1024] = 'c';
  expect_message(error_of(damaged), {"x.tar", "1024"});
  expect_message(error_of("\x1F\x8B" + std::string(600, 'z')), {"x.tar", "0"});
  TarBuilder volumes;
  volumes.file("part", "");
  volumes.member("rest", "", 'M');
  expect_message(error_of(volumes.finish()), {});
  for (const char* records :
       {"99 path=x\n", "8 path=x", "-1 path=x\n", "path=x\n", "3 \n", "x"}) {
    TarBuilder pax;
    pax.member("x", records, 'x');
    pax.file("y", "");
    EXPECT_THAT(error_of(pax.finish()), HasSubstr("byte 0: the pax header"))
        << records;
  }
  TarBuilder size;
  size.pax("size", "99999999999999999999");
  size.file("y", "");
  expect_message(error_of(size.finish()), {"0"});
}

// A file that shrinks while it is read.
TEST(TarReader, NoticesAFileThatEndsEarly) {
  TarBuilder tar;
  tar.file("a", std::string(20000, 'a'));
  tar.file("b", "1");
  const std::string whole = tar.finish();
  const std::string part = whole.substr(0, 4000);
  TarReader reader("x.tar", reader_of(part), 0, std::ssize(whole));
  TarMember member;
  ASSERT_TRUE(reader.next(member));
  expect_message(
      data_error([&] { reader.contents(member, 1 << 20); }), {"x.tar", "4000"});
  expect_message(data_error([&] { reader.next(member); }), {});
}

// Whatever the bytes: files inside the archive, or an error about the data.
void expect_sane(const std::string& bytes) {
  TarReader reader = open(bytes);
  TarMember member;
  int members = 0;
  // Damage gives a data error or is not noticed.
  std::ignore = data_error([&] {
    while (reader.next(member)) {
      ASSERT_GE(member.offset, 512);
      ASSERT_GE(member.size, 0);
      ASSERT_LE(member.offset + member.size, std::ssize(bytes));
      ASSERT_FALSE(member.name.empty());
      ASSERT_FALSE(member.name.starts_with("/"));
      ASSERT_LE(++members, std::ssize(bytes) / 512);
    }
  });
}

TEST(TarReader, SurvivesDamage) {
  TarBuilder tar(TarBuilder::Format::kGnu);
  tar.file("a/1.jpg", std::string(700, '1'));
  tar.long_name(std::string(300, 'n'));
  tar.file("short", "2");
  tar.pax("path", "p/q");
  tar.pax("size", "6");
  tar.file("x", "333333");
  tar.header("sparse", 3, 'S');
  tar.last_header()[482] = 1;
  tar.fix_checksum();
  tar.body(std::string(512, '\0'));
  tar.body("xyz");
  tar.header("link", 0, '2');
  tar.file("last", "4");
  const std::string whole = tar.finish();
  ASSERT_EQ(error_of(whole), "");
  for (std::size_t size = 0; size < whole.size(); size += 37) {
    expect_sane(whole.substr(0, size));
  }
  Random random(7, Purpose::kInit, 0, 0);
  for (int i = 0; i < 4000; ++i) {
    std::string bytes = whole;
    for (std::uint64_t k = random.below(3) + 1; k > 0; --k) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    }
    // Every second case gets correct checksums, so that later checks are
    // reached.
    for (std::size_t at = 0; i % 2 == 0 && at + 512 <= bytes.size();
         at += 512) {
      std::array<char, 512> block;
      bytes.copy(block.data(), block.size(), at);
      if (std::string_view(block.data() + 257, 5) == "ustar") {
        TarBuilder::checksum(block);
        bytes.replace(at, block.size(), block.data(), block.size());
      }
    }
    expect_sane(bytes);
  }
}

} // namespace
} // namespace vitrain::data
