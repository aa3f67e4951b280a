#include "engine/train/bad_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "data/kinds/datasets.h"
#include "support/errors.h"
#include "support/files.h"
#include "support/messages.h"
#include "support/ranks.h"

namespace vitrain::engine {
namespace {

using vitrain::testing::Rank;
using vitrain::testing::run_ranks;

BadSamples ledger_of(std::int64_t samples, std::int64_t limit) {
  data::SourceOptions options;
  options.kind = data::SourceKind::kShapes;
  options.count = samples;
  options.size = 8;
  return {
      std::make_shared<data::Index>(data::list(options)),
      {.count = limit, .fraction = 1.0}};
}

// Returns a loader's report of a bad sample.
data::BadSample bad(std::int64_t epoch, std::int64_t sample) {
  return {
      .epoch = epoch,
      .sample = sample,
      .replacement = sample + 100 * (epoch + 1),
      .where = "image " + std::to_string(sample),
      .reason = "is bad"};
}

// Twelve bad samples of 24 in each of two epochs, 4 in a step, dealt to `size`
// ranks that meet every `every` steps; returns what rank 0 has listed.
std::string list_on(int size, std::int64_t every) {
  const TempFolder folder;
  const auto file = folder / "bad_samples.jsonl";
  run_ranks(size, [&](Rank& rank) {
    BadSamples samples = ledger_of(1000, 100);
    if (rank.rank() == 0) {
      samples.write_to(file, /*step=*/0);
    }
    std::int64_t found = 0;
    for (std::int64_t step = 1; step <= 12; ++step) {
      const std::int64_t epoch = (step - 1) / 6;
      for (std::int64_t i = 0; i < 4; ++i) {
        const std::int64_t sample = 4 * ((step - 1) % 6) + i;
        if (i % size == rank.rank() && sample % 2 == 1) {
          samples.take(step, std::vector{bad(epoch, sample)});
        }
      }
      if (step % every == 0) {
        const GatheredBadSamples gathered = samples.gather(rank.control());
        found += gathered.found;
        EXPECT_EQ(gathered.total, samples.total());
      }
    }
    EXPECT_EQ(found, 12);
    EXPECT_EQ(samples.total(), 12);
    EXPECT_EQ(samples.to_json().size(), 12u);
  });
  return slurp(file);
}

TEST(BadSamplesOfARun, AreListedOnceWhateverTheWorkersAndTheirMeetings) {
  const std::string one = list_on(1, 1);
  EXPECT_EQ(std::ranges::count(one, '\n'), 12);
  EXPECT_EQ(
      one.substr(0, one.find('\n')),
      "{\"step\":1,\"epoch\":1,\"sample\":1,\"path\":\"image 1\",\"reason\":"
      "\"is bad\",\"replacement\":101}");
  EXPECT_EQ(list_on(1, 4), one);
  EXPECT_EQ(list_on(2, 1), one);
  EXPECT_EQ(list_on(3, 6), one);
}

TEST(BadSamplesOfARun, AreCountedOverAllWorkers) {
  run_ranks(2, [](Rank& rank) {
    BadSamples samples = ledger_of(1000, 3);
    // Two on each: every worker alone is within the limit.
    for (std::int64_t i = 0; i < 2; ++i) {
      samples.take(1, std::vector{bad(0, 10 * rank.rank() + i)});
    }
    EXPECT_EQ(samples.take_replaced(), 2);
    EXPECT_EQ(samples.take_replaced(), 0);
    expect_message(
        error_of(ExitCode::kData, [&] { samples.gather(rank.control()); }),
        {"4", "1,000"});
  });
}

TEST(BadSamplesOfARun, EndItWithoutAMeetingWhenOneWorkerHasTooMany) {
  BadSamples samples = ledger_of(1000, 1);
  samples.take(1, std::vector{bad(0, 1), bad(0, 1)});
  EXPECT_THROW(samples.take(2, std::vector{bad(0, 2)}), Error);
}

TEST(BadSamplesOfARun, GoOnWhereACheckpointWas) {
  const TempFolder folder;
  const auto file = folder / "bad_samples.jsonl";
  run_ranks(1, [&](Rank& rank) {
    BadSamples first = ledger_of(1000, 100);
    first.write_to(file, 0);
    first.take(1, std::vector{bad(0, 1)});
    first.gather(rank.control());
    const auto saved = first.to_json().get<std::vector<std::int64_t>>();
    const std::string listed = slurp(file);
    // After the checkpoint, and lost with the process.
    first.take(2, std::vector{bad(0, 2)});
    first.gather(rank.control());
    EXPECT_NE(slurp(file), listed);

    BadSamples second = ledger_of(1000, 100);
    second.restore(saved);
    second.write_to(file, 1);
    EXPECT_EQ(slurp(file), listed);
    second.take(2, std::vector{bad(0, 1), bad(0, 3)});
    EXPECT_EQ(second.gather(rank.control()).found, 1);
    EXPECT_EQ(second.total(), 2);
    EXPECT_EQ(std::ranges::count(slurp(file), '\n'), 2);
  });
}

} // namespace
} // namespace vitrain::engine
