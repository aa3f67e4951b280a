#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/json.h"
#include "support/files.h"

namespace vitrain::e2e {

using Words = std::vector<std::string>;
using Environment = std::map<std::string, std::string>;

inline const std::string kTiny =
    VITRAIN_SOURCE_DIR "/tests/e2e/files/tiny.yaml";
inline const std::string kTinyResNet =
    VITRAIN_SOURCE_DIR "/tests/e2e/files/tiny_resnet.yaml";
// One thread each, whatever a launcher binds workers to: threads change bits.
inline const Environment kOneThread{{"OMP_NUM_THREADS", "1"}};

struct Result {
  int exit_code = -1; // 128 + n when killed by signal n
  std::string out;
  std::string err;
  double seconds = 0.0;
};

// Another program, or ours under other circumstances.
struct Command {
  Words words; // the program first, looked up on PATH
  Environment environment; // added to this one

  // Returns the command with words before it: a launcher and its options.
  Command after(Words before) const;
};

// The path of the real binary.
std::string binary();
// The real binary with arguments.
Command vitrain(const Words& arguments, const Environment& environment = {});

// The real binary, started with stdout and stderr in files. Killed with its
// workers when the object goes while it runs.
class Program {
 public:
  explicit Program(const Words& arguments);
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
  // Waits for its end; kills it and fails the test after `seconds`, which hold
  // for an idle machine (kPatience in program.cpp).
  Result wait(double seconds = 60.0);

 private:
  pid_t pid_ = -1;
  TempFolder streams_;
  double started_ = 0.0;
};

Result run(const Command& command, double seconds = 60.0);
Result run(const Words& arguments, double seconds = 60.0);
// Expects this exit code, and each part (a key, number or place) in the
// messages.
void expect_error(const Result& result, int code, const Words& parts);

// Options of a training or evaluation, in this order; empty ones are omitted.
struct Options {
  std::filesystem::path config = {}; // files/tiny.yaml where empty
  std::string devices = {};
  Words set = {}; // settings of the recipe: "optim.lr=0.1"
  std::filesystem::path resume = {};
  std::filesystem::path evaluate = {}; // the weights that -eval evaluates
  Words more = {}; // other options

  // Returns these options with others: `set` and `more` are appended, other
  // fields replaced.
  Options with(const Options& others) const;
  Words words() const;
};

// Returns the options of one of several machines.
Options machine(int rank, int nodes, const std::string& master);

// These words, and where runs go.
Words tiny_run(
    const std::filesystem::path& output,
    const Options& options = {});
// Runs that and expects it to end well. Returns the newest run folder there.
std::filesystem::path train(
    const std::filesystem::path& output,
    const Options& options = {},
    double seconds = 120.0);

// The newest run folder under `output`.
std::filesystem::path newest_run(const std::filesystem::path& output);
// A checkpoint of a run.
std::filesystem::path checkpoint(const std::filesystem::path& run, int step);
// Resumes a copy of `run` in `folder` from the checkpoint of `step`, without
// later checkpoints; expects success. Returns the copy.
std::filesystem::path resume_copy(
    const std::filesystem::path& run,
    const std::filesystem::path& folder,
    const Options& options,
    int step);

// Records of a run's metrics.jsonl, all or of one kind; every line must parse.
std::vector<Json> records(
    const std::filesystem::path& run,
    const std::string& kind = "");
// Losses of its records of training.
std::vector<double> losses(const std::filesystem::path& run);
// The last of its steps, of which each is recorded once and in order.
std::int64_t steps_in_order(const std::filesystem::path& run);
// Returns the exact results of training and evaluation of the newest run in
// `output`.
Json numbers_of(const std::filesystem::path& output);

struct StoredTensor {
  std::string dtype; // "F32"
  std::vector<std::int64_t> shape;
  std::string bytes;

  std::vector<float> floats() const; // of an F32
};
// Returns the bytes of a .safetensors file without metadata, as other programs
// write it.
std::string bare_safetensors(const std::string& bytes);
// Returns the tensors of a .safetensors file, by name.
std::map<std::string, StoredTensor> read_tensors(
    const std::filesystem::path& file);

// Both trained with the same samples, and losses are equal but for this part.
void expect_same_training(
    const std::filesystem::path& one,
    const std::filesystem::path& other,
    double tolerance = 0.0);
// Both have the same bits in their checkpoints of this step.
void expect_same_checkpoint(
    const std::filesystem::path& one,
    const std::filesystem::path& other,
    int step);

// The workers of a program that trains below `output`, after some steps.
std::vector<pid_t> training_workers(
    const Program& program,
    const std::filesystem::path& output,
    std::size_t count);
// Processes that this one has started.
std::vector<pid_t> children_of(pid_t pid);

// Local addresses of listening sockets of these processes, which share a
// network: "0100007F:1F90".
std::set<std::string> listening(const std::vector<pid_t>& pids);

// A TCP port of 127.0.0.1, in use while the object lives.
class Port {
 public:
  Port();
  ~Port();
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  const std::string& number() const { return number_; }

 private:
  int fd_;
  std::string number_;
};

// One that was free a moment ago.
inline std::string free_port() {
  return Port().number();
}

} // namespace vitrain::e2e
