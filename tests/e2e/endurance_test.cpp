// A long run does not grow in memory, threads or descriptors.

#include <gtest/gtest.h>

#include <fstream>

#include "program.h"

namespace vitrain::e2e {
namespace {

struct Usage {
  double resident = 0; // KiB
  std::int64_t threads = 0;
  std::int64_t descriptors = 0;
  std::int64_t shared_mappings = 0;
};

Usage usage_of(pid_t pid) {
  Usage usage;
  const std::string process = "/proc/" + std::to_string(pid);
  std::ifstream status(process + "/status");
  std::string word;
  while (status >> word) {
    if (word == "VmRSS:") {
      status >> usage.resident;
    } else if (word == "Threads:") {
      status >> usage.threads;
    }
  }
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator(process + "/fd")) {
    ++usage.descriptors;
  }
  std::ifstream maps(process + "/maps");
  std::string line;
  while (std::getline(maps, line)) {
    usage.shared_mappings += line.find("/memfd:") != std::string::npos ||
        line.find("/dev/shm") != std::string::npos;
  }
  return usage;
}

TEST(Endurance, NothingGrowsOverTwoThousandSteps) {
  const TempFolder folder;
  const auto output = folder / "runs";
  Program program(tiny_run(
      output,
      {.devices = "cpu:2",
       .set = {
           "run.epochs=1000",
           "run.max_steps=100000",
           "eval.every=1000ep",
           "checkpoint.every=1000ep"}}));
  // The first steps fill caches and allocators.
  ASSERT_TRUE(program.wait_for_record(output, "train", 400, 120));
  const auto workers = program.workers();
  ASSERT_EQ(workers.size(), 2u);
  std::vector<Usage> before;
  for (const pid_t worker : workers) {
    before.push_back(usage_of(worker));
  }
  ASSERT_TRUE(program.wait_for_record(output, "train", 2400, 150));
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const Usage after = usage_of(workers[i]);
    ASSERT_GT(before[i].resident, 0);
    EXPECT_NEAR(after.resident / before[i].resident, 1.0, 0.02)
        << "worker " << i << ": " << before[i].resident << " -> "
        << after.resident << " KiB";
    EXPECT_EQ(after.threads, before[i].threads);
    EXPECT_EQ(after.descriptors, before[i].descriptors);
    EXPECT_EQ(after.shared_mappings, before[i].shared_mappings);
  }
}

} // namespace
} // namespace vitrain::e2e
