#include "program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

namespace vitrain::e2e {
namespace {

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Asks whether a child has ended and leaves it to be waited for.
constexpr int kPeek = WEXITED | WNOHANG | WNOWAIT;

void nap() {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

int open_output(const std::filesystem::path& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

} // namespace

Command Command::after(std::vector<std::string> before) const {
  before.insert(before.end(), words.begin(), words.end());
  return {.words = std::move(before), .environment = environment};
}

std::string binary() {
  return VITRAIN_BINARY_DIR "/vitrain";
}

Program::Program(const std::vector<std::string>& arguments)
    : Program(
          Command{.words = arguments, .environment = {}}.after({binary()})) {}

Program::Program(const Command& command) : started_(now()) {
  std::vector<char*> argv;
  for (const std::string& word : command.words) {
    argv.push_back(const_cast<char*>(word.c_str()));
  }
  argv.push_back(nullptr);
  const int out = open_output(streams_ / "out");
  const int err = open_output(streams_ / "err");
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(out, 1);
    ::dup2(err, 2);
    for (const auto& [name, value] : command.environment) {
      ::setenv(name.c_str(), value.c_str(), 1);
    }
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(out);
  ::close(err);
}

Program::~Program() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL); // its workers die with it
    ::waitpid(pid_, nullptr, 0);
  }
}

void Program::signal(int number) const {
  ::kill(pid_, number);
}

std::vector<pid_t> Program::workers() const {
  std::ifstream children(
      "/proc/" + std::to_string(pid_) + "/task/" + std::to_string(pid_) +
      "/children");
  std::vector<pid_t> pids;
  pid_t pid = 0;
  while (children >> pid) {
    pids.push_back(pid);
  }
  std::ranges::sort(pids);
  return pids;
}

bool Program::wait_for_record(
    const std::filesystem::path& output,
    const std::string& kind,
    int count,
    double seconds) const {
  const std::string needle = "\"kind\":\"" + kind + "\"";
  const double deadline = now() + seconds;
  while (now() < deadline) {
    siginfo_t ended{};
    ::waitid(P_PID, pid_, &ended, kPeek);
    if (ended.si_pid != 0) {
      return false; // it will write no more
    }
    const auto run = newest_run(output);
    if (!run.empty()) {
      const std::string text = slurp(run / "metrics.jsonl");
      int found = 0;
      for (std::size_t at = text.find(needle); at != std::string::npos;
           at = text.find(needle, at + 1)) {
        ++found;
      }
      if (found >= count) {
        return true;
      }
    }
    nap();
  }
  return false;
}

Result Program::wait(double seconds) {
  Result result;
  int status = 0;
  const double deadline = now() + seconds;
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (now() > deadline) {
      ADD_FAILURE() << "vitrain still runs after " << seconds << " s";
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, &status, 0);
      break;
    }
    nap();
  }
  pid_ = -1;
  result.seconds = now() - started_;
  result.exit_code =
      WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = slurp(streams_ / "out");
  result.err = slurp(streams_ / "err");
  return result;
}

Result run(const Command& command, double seconds) {
  return Program(command).wait(seconds);
}

Result run(const std::vector<std::string>& arguments, double seconds) {
  return Program(arguments).wait(seconds);
}

std::filesystem::path newest_run(const std::filesystem::path& output) {
  std::filesystem::path newest;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(output, error)) {
    if (entry.is_directory() &&
        (newest.empty() ||
         std::filesystem::last_write_time(entry.path() / "config.yaml", error) >
             std::filesystem::last_write_time(newest / "config.yaml", error))) {
      newest = entry.path();
    }
  }
  return newest;
}

std::filesystem::path copy_until(
    const std::filesystem::path& run,
    const std::filesystem::path& folder,
    const std::string& checkpoint) {
  std::filesystem::create_directories(folder);
  const auto copy = folder / run.filename();
  std::filesystem::copy(run, copy, std::filesystem::copy_options::recursive);
  const auto last = copy / "checkpoints" / checkpoint;
  EXPECT_TRUE(std::filesystem::exists(last)) << last;
  std::vector<std::filesystem::path> later;
  for (const auto& entry :
       std::filesystem::directory_iterator(copy / "checkpoints")) {
    // Names of one length: in the order of steps.
    if (entry.is_directory() && entry.path() > last) {
      later.push_back(entry.path());
    }
  }
  for (const auto& path : later) {
    std::filesystem::remove_all(path);
  }
  return copy;
}

std::vector<Json> records(
    const std::filesystem::path& run,
    const std::string& kind) {
  std::vector<Json> all;
  std::ifstream file(run / "metrics.jsonl");
  std::string line;
  while (std::getline(file, line)) {
    Json record = Json::parse(line);
    if (kind.empty() || record.at("kind") == kind) {
      all.push_back(std::move(record));
    }
  }
  return all;
}

Json numbers_of(const std::filesystem::path& output) {
  const auto run = newest_run(output);
  Json numbers = Json::array();
  for (const Json& record : records(run, "train")) {
    numbers.push_back({record.at("samples_hash"), record.at("loss")});
  }
  for (const Json& record : records(run, "eval")) {
    numbers.push_back({record.at("correct1"), record.at("loss")});
  }
  return numbers;
}

std::vector<std::string> tiny_run(
    const std::filesystem::path& output,
    const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"-output", output.native()};
  if (std::ranges::find(more, "-cfg") == more.end()) {
    arguments.insert(
        arguments.end(),
        {"-cfg", VITRAIN_SOURCE_DIR "/tests/e2e/files/tiny.yaml"});
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

} // namespace vitrain::e2e
