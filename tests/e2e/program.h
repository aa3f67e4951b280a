#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/json.h"
#include "support/files.h"

namespace vitrain::e2e {

struct Result {
  int exit_code = -1; // 128 + n when killed by signal n
  std::string out;
  std::string err;
  double seconds = 0.0;
};

// Another program, or ours under other circumstances.
struct Command {
  std::vector<std::string> words; // the program first, looked up on PATH
  std::map<std::string, std::string> environment; // added to this one

  // The same command with words before its own: a launcher and its options.
  Command after(std::vector<std::string> before) const;
};

// The path of the real binary.
std::string binary();

// The real binary, started with stdout and stderr in files. Killed with its
// workers when the object goes while it runs.
class Program {
 public:
  explicit Program(const std::vector<std::string>& arguments);
  explicit Program(const Command& command);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  // Pids of its workers, in the order of ranks as far as they have started.
  std::vector<pid_t> workers() const;
  // Waits until a metrics record of this kind is in a run under `output`.
  bool wait_for_record(
      const std::filesystem::path& output,
      const std::string& kind,
      int count,
      double seconds) const;
  // Waits for its end; kills it and fails the test after `seconds`.
  Result wait(double seconds = 60.0);

 private:
  pid_t pid_ = -1;
  TempFolder streams_;
  double started_ = 0.0;
};

Result run(const Command& command, double seconds = 60.0);
Result run(const std::vector<std::string>& arguments, double seconds = 60.0);

// The newest run folder under `output`.
std::filesystem::path newest_run(const std::filesystem::path& output);
// Copies a run folder into `folder`, without the checkpoints after one
// ("step-000000014"), so that it can be continued from there. Returns the copy.
std::filesystem::path copy_until(
    const std::filesystem::path& run,
    const std::filesystem::path& folder,
    const std::string& checkpoint);
// Records of a run's metrics.jsonl, all or of one kind; every line must parse.
std::vector<Json> records(
    const std::filesystem::path& run,
    const std::string& kind = "");

// Arguments of files/tiny.yaml with its output under `output`, and `more`
// (which may bring its own -cfg).
std::vector<std::string> tiny_run(
    const std::filesystem::path& output,
    const std::vector<std::string>& more = {});

// What training and evaluation of the newest run in `output` gave, to the last
// bit.
Json numbers_of(const std::filesystem::path& output);

} // namespace vitrain::e2e
