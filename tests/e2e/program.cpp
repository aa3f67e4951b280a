#include "program.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
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

// Limits that tests give in seconds are those of an idle machine, multiplied by
// this. (With six busy processes per core, 3 s of a test became 95 s.)
constexpr double kPatience = 3.0;

void nap() {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

int open_output(const std::filesystem::path& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

} // namespace

Command Command::after(Words before) const {
  before.insert(before.end(), words.begin(), words.end());
  return {.words = std::move(before), .environment = environment};
}

std::string binary() {
  return VITRAIN_BINARY_DIR "/vitrain";
}

Command vitrain(const Words& arguments, const Environment& environment) {
  return Command{.words = arguments, .environment = environment}.after(
      {binary()});
}

Program::Program(const Words& arguments) : Program(vitrain(arguments)) {}

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
    // Tests may run under nohup or in the background of a script.
    for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE}) {
      ::signal(number, SIG_DFL);
    }
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
  std::vector<pid_t> pids = children_of(pid_);
  std::ranges::sort(pids);
  return pids;
}

bool Program::wait_for_record(
    const std::filesystem::path& output,
    const std::string& kind,
    int count,
    double seconds) const {
  const std::string needle = "\"kind\":\"" + kind + "\"";
  const double deadline = now() + kPatience * seconds;
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
  const double deadline = now() + kPatience * seconds;
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (now() > deadline) {
      ADD_FAILURE() << "vitrain still runs after " << kPatience * seconds
                    << " s";
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

Result run(const Words& arguments, double seconds) {
  return Program(arguments).wait(seconds);
}

Options Options::with(const Options& others) const {
  Options all = *this;
  const auto replace = [](auto& one, const auto& other) {
    if (!other.empty()) {
      one = other;
    }
  };
  replace(all.config, others.config);
  replace(all.devices, others.devices);
  replace(all.resume, others.resume);
  replace(all.evaluate, others.evaluate);
  all.set.insert(all.set.end(), others.set.begin(), others.set.end());
  all.more.insert(all.more.end(), others.more.begin(), others.more.end());
  return all;
}

Words Options::words() const {
  Words words;
  const auto add = [&](const std::string& option, const std::string& value) {
    if (!value.empty()) {
      words.insert(words.end(), {option, value});
    }
  };
  add("-cfg", config.empty() ? kTiny : config.native());
  add("-devices", devices);
  for (const std::string& setting : set) {
    add("-set", setting);
  }
  add("-resume", resume);
  if (!evaluate.empty()) {
    words.push_back("-eval");
    add("-pretrained", evaluate);
  }
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Options machine(int rank, int nodes, const std::string& master) {
  return {
      .more = {
          "-nnodes",
          std::to_string(nodes),
          "-node_rank",
          std::to_string(rank),
          "-master",
          master}};
}

Words tiny_run(const std::filesystem::path& output, const Options& options) {
  return options.with({.more = {"-output", output}}).words();
}

void expect_error(const Result& result, int code, const Words& parts) {
  EXPECT_EQ(result.exit_code, code) << result.out << result.err;
  for (const std::string& part : parts) {
    EXPECT_THAT(result.err, testing::HasSubstr(part));
  }
}

std::filesystem::path train(
    const std::filesystem::path& output,
    const Options& options,
    double seconds) {
  const Result result = run(tiny_run(output, options), seconds);
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  return newest_run(output);
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

std::filesystem::path checkpoint(const std::filesystem::path& run, int step) {
  return run / "checkpoints" / fmt::format("step-{:09}", step);
}

std::filesystem::path resume_copy(
    const std::filesystem::path& run,
    const std::filesystem::path& folder,
    const Options& options,
    int step) {
  std::filesystem::create_directories(folder);
  const auto copy = folder / run.filename();
  std::filesystem::copy(
      run,
      copy,
      std::filesystem::copy_options::recursive |
          std::filesystem::copy_options::copy_symlinks);
  const auto last = checkpoint(copy, step);
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
  train(folder, options.with({.resume = last}));
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

std::vector<float> StoredTensor::floats() const {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

std::string bare_safetensors(const std::string& bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  Json header = Json::parse(bytes.substr(sizeof(length), length));
  header.erase("__metadata__");
  const std::string text = header.dump();
  const std::uint64_t size = text.size();
  std::string start(sizeof(size), '\0');
  std::memcpy(start.data(), &size, sizeof(size));
  return start + text + bytes.substr(sizeof(length) + length);
}

std::map<std::string, StoredTensor> read_tensors(
    const std::filesystem::path& file) {
  const std::string bytes = slurp(file);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  Json header = Json::parse(bytes.substr(sizeof(length), length));
  header.erase("__metadata__");
  std::map<std::string, StoredTensor> tensors;
  for (const auto& [name, entry] : header.items()) {
    const std::array<std::size_t, 2> ends = entry.at("data_offsets");
    tensors[name] = {
        .dtype = entry.at("dtype"),
        .shape = entry.at("shape"),
        .bytes =
            bytes.substr(sizeof(length) + length + ends[0], ends[1] - ends[0])};
  }
  return tensors;
}

std::vector<double> losses(const std::filesystem::path& run) {
  std::vector<double> values;
  for (const Json& record : records(run, "train")) {
    values.push_back(record.at("loss"));
  }
  return values;
}

std::int64_t steps_in_order(const std::filesystem::path& run) {
  std::int64_t last = 0;
  for (const Json& record : records(run, "train")) {
    EXPECT_EQ(record.at("step"), ++last);
  }
  return last;
}

void expect_same_training(
    const std::filesystem::path& one,
    const std::filesystem::path& other,
    double tolerance) {
  const auto left = records(one, "train");
  const auto right = records(other, "train");
  ASSERT_EQ(left.size(), right.size());
  ASSERT_GT(left.size(), 0u);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double x = left[i].at("loss");
    const double y = right[i].at("loss");
    EXPECT_LE(std::abs(x - y), tolerance * std::abs(x)) << "step " << i + 1;
    EXPECT_EQ(left[i].at("samples_hash"), right[i].at("samples_hash"));
  }
}

void expect_same_checkpoint(
    const std::filesystem::path& one,
    const std::filesystem::path& other,
    int step) {
  for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
    EXPECT_EQ(
        read_bytes(checkpoint(one, step) / file),
        read_bytes(checkpoint(other, step) / file))
        << file;
  }
}

std::vector<pid_t> training_workers(
    const Program& program,
    const std::filesystem::path& output,
    std::size_t count) {
  EXPECT_TRUE(program.wait_for_record(output, "train", 3, 60));
  const std::vector<pid_t> workers = program.workers();
  EXPECT_EQ(workers.size(), count);
  return workers;
}

std::vector<pid_t> children_of(pid_t pid) {
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", pid));
  return {std::istream_iterator<pid_t>(children), {}};
}

std::set<std::string> listening(const std::vector<pid_t>& pids) {
  std::set<std::string> inodes;
  for (const pid_t pid : pids) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(
             "/proc/" + std::to_string(pid) + "/fd", error)) {
      const auto target =
          std::filesystem::read_symlink(entry.path(), error).native();
      if (target.starts_with("socket:[")) {
        inodes.insert(target.substr(8, target.size() - 9));
      }
    }
  }
  std::set<std::string> addresses;
  for (const char* table : {"tcp", "tcp6"}) {
    std::ifstream file(
        "/proc/" + std::to_string(pids.front()) + "/net/" + table);
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
      std::istringstream words(line);
      std::vector<std::string> fields{
          std::istream_iterator<std::string>(words), {}};
      if (fields.size() > 9 && fields[3] == "0A" &&
          inodes.contains(fields[9])) {
        addresses.insert(fields[1]);
      }
    }
  }
  return addresses;
}

Port::Port() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(fd_, generic, size), 0);
  EXPECT_EQ(::listen(fd_, 1), 0);
  EXPECT_EQ(::getsockname(fd_, generic, &size), 0);
  number_ = std::to_string(ntohs(address.sin_port));
}

Port::~Port() {
  ::close(fd_);
}

} // namespace vitrain::e2e
