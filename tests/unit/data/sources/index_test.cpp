#include "data/kinds/datasets.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "core/system/files.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

Index example(const TempFolder& folder) {
  folder.write("a/1.jpg");
  folder.write("a/x.txt");
  folder.write("b\nc/22.png");
  folder.write("b\nc/d/333.png");
  SourceOptions options;
  options.path = folder.path().native();
  options.train = false;
  return list(options);
}

void expect_equal(const Index& a, const Index& b) {
  EXPECT_EQ(a.size(), b.size());
  EXPECT_EQ(a.classes(), b.classes());
  EXPECT_EQ(a.notes(), b.notes());
  EXPECT_EQ(a.fingerprint(), b.fingerprint());
  EXPECT_EQ(a.options().path, b.options().path);
  EXPECT_EQ(a.options().train, b.options().train);
  ASSERT_EQ(a.names_count(), b.names_count());
  for (std::int64_t i = 0; i < a.names_count(); ++i) {
    EXPECT_STREQ(a.name(i), b.name(i));
    EXPECT_EQ(a.label(i), b.label(i));
  }
}

TEST(Index, SurvivesTheWayThroughAMemfd) {
  const TempFolder folder;
  const Index index = example(folder);
  Fd fd(::memfd_create("index", MFD_CLOEXEC));
  ASSERT_TRUE(fd);
  ASSERT_EQ(write_all(fd.get(), index.bytes().data(), index.bytes().size()), 0);
  const Index mapped = Index::map(fd.get());
  fd.reset();
  expect_equal(mapped, index);
  EXPECT_NE(mapped.bytes().data(), index.bytes().data());
}

TEST(Index, CopiesShareTheirBytes) {
  const TempFolder folder;
  auto index = std::make_unique<Index>(example(folder));
  const Index copy = *index;
  EXPECT_EQ(copy.bytes().data(), index->bytes().data());
  index.reset();
  EXPECT_STREQ(copy.name(1), "b\nc/22.png");
}

TEST(Index, FingerprintFollowsContentNotPlace) {
  const TempFolder one;
  const TempFolder two;
  const auto first = example(one).fingerprint();
  EXPECT_EQ(example(two).fingerprint(), first);
  two.write("a/2.jpg");
  EXPECT_NE(example(two).fingerprint(), first);
  SourceOptions shapes;
  shapes.kind = SourceKind::kShapes;
  const auto fingerprint = list(shapes).fingerprint();
  shapes.seed = 1;
  EXPECT_NE(list(shapes).fingerprint(), fingerprint);
  shapes.seed = 0;
  shapes.count += 10;
  EXPECT_NE(list(shapes).fingerprint(), fingerprint);
}

// Bytes of another program, or damaged ones, are refused; never a crash.
TEST(Index, RefusesDamagedBytes) {
  const TempFolder folder;
  const Index index = example(folder);
  const std::string whole(index.bytes());
  const auto attach = [](std::string bytes) {
    auto owner = std::make_shared<std::string>(std::move(bytes));
    const Index damaged({owner->data(), owner->size()}, owner);
    for (std::int64_t i = 0; i < damaged.names_count(); ++i) {
      EXPECT_LT(std::strlen(damaged.name(i)), damaged.bytes().size());
    }
  };
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{8}, std::size_t{100}, whole.size() - 8}) {
    EXPECT_THROW(attach(whole.substr(0, size)), Error) << size;
  }
  EXPECT_THROW(attach(whole + std::string(8, '\0')), Error);
  Random random(1, Purpose::kInit, 0, 0);
  for (int i = 0; i < 500; ++i) {
    std::string bytes = whole;
    bytes[random.below(120)] ^= static_cast<char>(1 + random.below(255));
    try {
      attach(bytes);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kInternal);
    }
  }
}

} // namespace
} // namespace vitrain::data
