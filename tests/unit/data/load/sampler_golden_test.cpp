// torch's, Paddle's and timm's samplers, index for index: the checksums of
// tests/golden/data/make_samplers.py, which runs the originals.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <string>

#include <zlib.h>

#include "core/error.h"
#include "data/load/mt_permutation.h"
#include "data/load/sampler.h"

namespace vitrain::data {
namespace {

using testing::ElementsAre;

// The batches of every worker as the script writes them.
std::string text_of(
    std::int64_t samples,
    const SamplerOptions& options,
    const BatchGeometry& geometry,
    std::int64_t epoch) {
  std::unique_ptr<Sampler> sampler;
  try {
    sampler = std::make_unique<Sampler>(samples, options, geometry);
  } catch (const Error&) {
    // Not one step: the originals give nothing at all then.
  }
  std::string text;
  for (int rank = 0; rank < geometry.world; ++rank) {
    for (std::int64_t step = 0;
         sampler != nullptr && step < sampler->steps_per_epoch();
         ++step) {
      const char* separator = "";
      for (const Draw& draw : sampler->micro_batch(epoch, step, rank)) {
        text += separator + std::to_string(draw.sample);
        separator = " ";
      }
      text += "\n";
    }
    text += "rank\n";
  }
  return text;
}

// The ways of dropping that the script goes through, in its order.
std::vector<SamplerOptions> variants(const std::string& sampler) {
  std::vector<SamplerOptions> variants;
  const auto add = [&](SamplerOptions options) {
    for (const LastBatch last : {LastBatch::kKeep, LastBatch::kDrop}) {
      options.last_batch = last;
      variants.push_back(options);
    }
  };
  if (sampler == "torch") {
    add({.policy = SamplerPolicy::kTorch, .drop_tail = false});
    add({.policy = SamplerPolicy::kTorch, .drop_tail = true});
  } else if (sampler == "paddle") {
    add({.policy = SamplerPolicy::kPaddle});
  } else {
    const SamplerPolicy policy = SamplerPolicy::kRepeated;
    add({.policy = policy, .repeats = 3.0, .round = 256});
    add({.policy = policy, .repeats = 2.0, .round = 0});
    add({.policy = policy, .repeats = 2.5, .round = 100});
  }
  return variants;
}

std::uint32_t checksum(const std::string& sampler, std::int64_t samples) {
  uLong crc = 0;
  for (const std::int64_t batch : {1, 3, 32}) {
    for (int world = 1; world <= 8; ++world) {
      for (const bool shuffle : {false, true}) {
        for (SamplerOptions options : variants(sampler)) {
          options.shuffle = shuffle;
          options.seed = static_cast<std::uint64_t>(samples) * 31;
          const std::string text =
              text_of(samples, options, {batch, world, 1}, samples % 7);
          crc = crc32(
              crc,
              reinterpret_cast<const Bytef*>(text.data()),
              static_cast<uInt>(text.size()));
        }
      }
    }
  }
  return static_cast<std::uint32_t>(crc);
}

// All sizes would take ten seconds. Compares the small ones and an irregular
// part of the large ones; under sanitizers only the small ones.
bool is_compared(std::int64_t samples) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return samples <= 70;
#else
  return samples <= 70 || samples * 7919 % 5 == 0;
#endif
}

class ReferenceSampler : public testing::TestWithParam<const char*> {};

TEST_P(ReferenceSampler, GivesTheOriginalsIndices) {
  std::ifstream file(VITRAIN_SOURCE_DIR "/tests/golden/data/samplers.csv");
  std::string line;
  int rows = 0;
  while (std::getline(file, line)) {
    const std::size_t first = line.find(',');
    const std::size_t second = line.find(',', first + 1);
    if (line.substr(0, first) != GetParam()) {
      continue;
    }
    ++rows;
    const std::int64_t samples = std::stoll(line.substr(first + 1));
    if (!is_compared(samples)) {
      continue;
    }
    ASSERT_EQ(
        checksum(GetParam(), samples),
        std::stoul(line.substr(second + 1), nullptr, 16))
        << GetParam() << " with " << samples << " samples";
  }
  EXPECT_EQ(rows, 1000);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    ReferenceSampler,
    testing::Values("torch", "paddle", "repeated"));

// torch.randperm(10, generator=torch.Generator().manual_seed(0)) and
// numpy.random.RandomState(0).shuffle(list(range(10))).
TEST(MtPermutation, KnownResults) {
  EXPECT_THAT(torch_randperm(10, 0), ElementsAre(4, 1, 7, 5, 3, 9, 0, 8, 6, 2));
  std::vector<std::int64_t> list{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  numpy_shuffle(list, 0);
  EXPECT_THAT(list, ElementsAre(2, 8, 4, 9, 1, 6, 7, 3, 0, 5));
}

} // namespace
} // namespace vitrain::data
