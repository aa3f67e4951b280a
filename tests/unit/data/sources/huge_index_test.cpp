// A dataset of a million images is an index of them, not more: what listing,
// order of samples and start of a loader need together stays below 200 MB.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/system/files.h"
#include "data/kinds/image_tree.h"
#include "data/kinds/tar_reader.h"
#include "data/load/loader.h"
#include "data/load/sampler.h"
#include "image/operations/canvas.h"
#include "unit/data/kinds/tar_builder.h"

namespace vitrain::data {
namespace {

constexpr std::int64_t kImages = 1'000'000;
constexpr std::int64_t kClasses = 1000;
constexpr std::int64_t kEach = 1024; // bytes of a header and a small image

// Bytes of an archive of a million images, which are made when they are read.
std::size_t read_archive(std::int64_t offset, std::span<char> into) {
  for (std::size_t done = 0; done < into.size(); done += 512) {
    const std::int64_t at = offset + static_cast<std::int64_t>(done);
    std::array<char, 512> block{};
    if (at % kEach == 0 && at / kEach < kImages) {
      const std::int64_t image = at / kEach;
      const std::int64_t label = image % kClasses;
      std::snprintf(
          block.data(),
          100,
          "train/n%08lld/n%08lld_%lld.JPEG",
          static_cast<long long>(label * 7919),
          static_cast<long long>(label * 7919),
          static_cast<long long>(image));
      TarBuilder::octal(block.data() + 124, 12, 500);
      block[156] = '0';
      TarBuilder::checksum(block);
    }
    std::memcpy(
        into.data() + done,
        block.data(),
        std::min(into.size() - done, block.size()));
  }
  return into.size();
}

Index list_archive() {
  ImageTree tree;
  TarReader reader("x.tar", read_archive, 0, kImages * kEach + 1024);
  for (TarMember member; reader.next(member);) {
    tree.add(
        member.name,
        {member.offset, static_cast<std::uint32_t>(member.size), 0});
  }
  tree.strip_common_folders();
  Index::Contents contents;
  contents.options.kind = SourceKind::kTar;
  std::move(tree).fill(ClassOrder::kTorchvision, {}, contents);
  contents.name_starts.push_back(contents.names.size());
  contents.names.append("x.tar").push_back('\0');
  return Index(std::move(contents));
}

// As the supervisor hands an index to its workers.
std::shared_ptr<const Index> handed_over(const Index& index) {
  const Fd fd(::memfd_create("index", MFD_CLOEXEC));
  return write_all(fd.get(), index.bytes().data(), index.bytes().size()) == 0
      ? std::make_shared<const Index>(Index::map(fd.get()))
      : nullptr;
}

class EmptyRows final : public Rows {
 public:
  using Rows::Rows;
  std::size_t bytes() const override { return std::size_t{3} * 32 * 32; }
  RowDefects fill(
      const Draw& /*draw*/,
      std::span<std::uint8_t> /*out*/,
      Scratch& /*scratch*/) const override {
    return {};
  }
  std::string describe(std::int64_t sample) const override {
    return std::to_string(sample);
  }
};

long peak_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Runs in a process of its own: another test's memory must not count.
int use_a_million_images() {
  const long before = peak_kib();
  std::shared_ptr<const Index> index;
  {
    const Index listed = list_archive();
    index = handed_over(listed);
  }
  bool right = index->size() == kImages &&
      std::ssize(index->classes()) == kClasses &&
      std::string_view(index->name(1)) == "n00000000/n00000000_1000.JPEG" &&
      index->place(1).offset == 1000 * kEach + 512;
  for (const SamplerPolicy policy :
       {SamplerPolicy::kGlobal, SamplerPolicy::kTorch}) {
    const Sampler sampler(
        index->size(), {.policy = policy}, {.per_device = 256, .world = 2});
    const EmptyRows rows(index);
    Loader loader(
        rows,
        [&](std::int64_t sequence, std::vector<Draw>& draws) {
          draws = sampler.micro_batch(0, sequence, 0);
          return true;
        },
        {.threads = 2, .depth = 2, .capacity = 256});
    right = right && loader.next() != nullptr && loader.next() != nullptr;
  }
  const long mib = (peak_kib() - before) / 1024;
  std::fprintf(stderr, "right=%d, grew by %ld MiB\n", right, mib);
  return right && mib < 190 ? 0 : 1;
}

TEST(HugeIndex, AMillionImagesNeedLessThan200Megabytes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need memory of their own";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      std::_Exit(use_a_million_images()),
      testing::ExitedWithCode(0),
      "right=1, grew by");
}

} // namespace
} // namespace vitrain::data
