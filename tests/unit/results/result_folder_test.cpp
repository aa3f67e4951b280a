#include "results/result_folder.h"

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "support/files.h"

namespace vitrain::results {
namespace {

TEST(ResultFolder, ReplacesAFolder) {
  const TempFolder folder;
  for (const char* text : {"before", "after"}) {
    const ResultFolder results(folder / "x");
    results.write("a.csv", text);
    results.finish();
    EXPECT_EQ(slurp(folder / "x/a.csv"), text);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "x.part"));
}

// The former results were removed before the new ones had their name.
TEST(ResultFolder, HasResultsAtAnyTime) {
  const TempFolder folder;
  // Takes long to remove, and the file that is looked for is among the rest.
  for (int i = 0; i < 5000; ++i) {
    folder.write("x/" + std::to_string(i));
  }
  folder.write("x/a.csv", "before");
  const ResultFolder results(folder / "x");
  results.write("a.csv", "after");
  std::atomic<bool> finished = false;
  std::atomic<std::int64_t> missing = 0;
  std::jthread reader([&] {
    while (!finished) {
      missing += std::filesystem::exists(folder / "x/a.csv") ? 0 : 1;
    }
  });
  results.finish();
  finished = true;
  reader.join();
  EXPECT_EQ(missing, 0);
}

} // namespace
} // namespace vitrain::results
