#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/json.h"
#include "core/text.h"
#include "launch/processes/heartbeat.h"
#include "launch/supervise/supervise.h"
#include "support/files.h"

namespace vitrain::launch {

inline const std::filesystem::path kFakeWorker =
    std::filesystem::path(VITRAIN_BINARY_DIR) / "tests/fake_worker";

// One list of commands (tests/support/fake_worker.cpp) for each rank.
using Script = std::vector<std::string>;
using Scripts = std::vector<Script>;

inline std::string job_of(const Scripts& scripts) {
  return Json{{"ranks", scripts}}.dump();
}

// Runs the real supervisor with fake workers, in this process.
class Trial {
 public:
  explicit Trial(const Scripts& scripts) {
    options.executable = kFakeWorker;
    options.arguments = {"fake_worker", "--worker"};
    options.devices.resize(
        scripts.size(),
        {.kind = DeviceKind::kCpu, .ordinal = 0, .name = "cpu"});
    options.job = job_of(scripts);
    options.log_folder = folder_.path() / "log";
    options.cores = 2;
    options.notice = [this](const std::string& line) {
      notices += line + "\n";
    };
  }

  SuperviseResult run() {
    const double start = monotonic_seconds();
    const SuperviseResult outcome = supervise(options);
    end_ = monotonic_seconds();
    seconds = end_ - start;
    return outcome;
  }

  std::string log(int rank) const {
    return slurp(options.log_folder / ("workerlog." + std::to_string(rank)));
  }

  // From a worker's command `mark` to the end of the run.
  double seconds_since_mark(int rank) const {
    const std::string text = log(rank);
    const std::size_t mark = text.rfind("at ");
    double time = 0;
    EXPECT_TRUE(
        mark != std::string::npos &&
        parse_double(trim(std::string_view(text).substr(mark + 3)), time))
        << text;
    return end_ - time;
  }

  SupervisorOptions options;
  std::string notices;
  double seconds = 0; // of run()

 private:
  TempFolder folder_;
  double end_ = 0;
};

} // namespace vitrain::launch
