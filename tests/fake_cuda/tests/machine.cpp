#include "machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <utility>

namespace vitrain::fake_cuda {

Machine::Machine(int devices, e2e::Environment more)
    : environment_(std::move(more)) {
  std::filesystem::create_directories(folder_ / "reports");
  const std::string libraries = VITRAIN_BINARY_DIR "/tests/fake_cuda";
  environment_.merge(e2e::Environment{
      {"FAKE_CUDA_DEVICES", std::to_string(devices)},
      {"FAKE_CUDA_FOLDER", (folder_ / "reports").string()},
      {"LD_LIBRARY_PATH", libraries},
      {"LD_PRELOAD", libraries + "/libfake_cuda.so"},
      {"OMP_NUM_THREADS", "1"}});
}

e2e::Command Machine::command(const e2e::Words& arguments) const {
  return e2e::vitrain(arguments, environment_);
}

e2e::Command Machine::training(const e2e::Options& options) const {
  return command(e2e::tiny_run(output(), options));
}

std::filesystem::path Machine::train(const e2e::Options& options) {
  const e2e::Result result = e2e::run(training(options));
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  take_reports();
  return e2e::newest_run(output());
}

void Machine::resume(
    const std::filesystem::path& run,
    const e2e::Options& options,
    int step) {
  for (const auto& entry :
       std::filesystem::directory_iterator(run / "checkpoints")) {
    if (entry.path() > e2e::checkpoint(run, step)) {
      std::filesystem::remove_all(entry.path());
    }
  }
  train(options.with({.resume = e2e::checkpoint(run, step)}));
}

void Machine::take_reports() {
  reports_.clear();
  for (const auto& entry :
       std::filesystem::directory_iterator(folder_ / "reports")) {
    std::ifstream file(entry.path());
    ASSERT_EQ(entry.path().extension(), ".json") << "left: " << entry.path();
    reports_.push_back(Json::parse(file));
    EXPECT_EQ(reports_.back().at("violations"), Json::array());
    std::filesystem::remove(entry.path());
  }
  std::ranges::sort(reports_, {}, [](const Json& report) {
    return report.at("devices").dump();
  });
}

std::vector<std::int64_t> per_step(const Json& report, const char* count) {
  std::vector<std::int64_t> taken;
  const Json& steps = report.at("steps");
  for (std::size_t i = 2; i + 1 < steps.size(); ++i) {
    taken.push_back(
        steps[i].at(count).get<std::int64_t>() -
        steps[i - 1].at(count).get<std::int64_t>());
  }
  return taken;
}

} // namespace vitrain::fake_cuda
