#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/json.h"
#include "e2e/program.h"

namespace vitrain::fake_cuda {

// A machine with GPUs that are not there: the real program runs on it, over the
// libraries of this folder. What its processes did is read from their reports.
class Machine {
 public:
  explicit Machine(int devices, e2e::Environment more = {});

  // The program with these arguments, or its training as tiny_run() has it, in
  // runs below output().
  e2e::Command command(const e2e::Words& arguments) const;
  e2e::Command training(const e2e::Options& options) const;
  // Runs a training, which is to end well with nothing broken. Returns its run
  // folder.
  std::filesystem::path train(const e2e::Options& options);
  // Continues a run from its checkpoint of this step, its later ones removed.
  void resume(
      const std::filesystem::path& run,
      const e2e::Options& options,
      int step);

  std::filesystem::path output() const { return folder_ / "runs"; }
  // Reports of the last training's workers, in the order of their devices.
  const std::vector<Json>& reports() const { return reports_; }
  // Reads, checks and removes the reports of a command that has ended.
  void take_reports();

 private:
  TempFolder folder_;
  e2e::Environment environment_;
  std::vector<Json> reports_;
};

// Returns a count for each step except the first two and the last one, which
// includes the run's last line.
std::vector<std::int64_t> per_step(const Json& report, const char* count);

} // namespace vitrain::fake_cuda
