// A worker without torch, for tests of the supervisor. The job is JSON: for
// each rank a list of commands, run in order; the end of the list is exit 0.
//   say TEXT          writes a line to the log
//   terminal TEXT     writes a line to the terminal
//   mark              logs "at <monotonic seconds>"
//   enter PHASE, beat STEP, done, failed: calls of Heartbeat
//   beating SECONDS   beats for this time
//   doing PART        begins a part of the work (Doing)
//   waits PART        begins a part that waits for other workers
//   sleep SECONDS     sleeps without a beat
//   hang              sleeps for ever
//   await FILE        waits, without a beat, until the file exists
//   exit CODE         ends at once
//   raise SIGNAL      sends itself a signal (19 stops the process)
//   handle_stop       from here on, a stop signal sets a flag
//   set_up_stop       from here on, it ends the worker: nothing to save
//   until_stop CODE   beats until the flag is set, then exits
//   connect           connects every rank to rank 0, by the rendezvous
//   lose_peer         exits with 7 when a connection breaks
//   write FILE TEXT   replaces a file
//   env NAME, fds, ignored: logs what the worker has inherited
// `fake_worker --supervise FOLDER` is a supervisor: reads FOLDER/job.json (its
// key "step_timeout", too), runs the workers and writes FOLDER/report: lines
// "notice: TEXT", the report, "exit CODE". Ends with that code.

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/check.h"
#include "core/json.h"
#include "core/system/activity.h"
#include "launch/devices/cores.h"
#include "launch/processes/descriptors.h"
#include "launch/processes/heartbeat.h"
#include "launch/processes/signals.h"
#include "launch/processes/worker_process.h"
#include "launch/supervise/supervise.h"

namespace vitrain::launch {
namespace {

void sleep_for(double seconds) {
  const double end = monotonic_seconds() + seconds;
  while (monotonic_seconds() < end) {
    ::usleep(5000);
  }
}

class FakeWorker {
 public:
  explicit FakeWorker(WorkerContext context)
      : context_(std::move(context)),
        heartbeat_(
            context_.heartbeat.get(),
            context_.local_rank,
            context_.local_world_size) {}

  int run() {
    heartbeat_.lead();
    const Json job = Json::parse(context_.job);
    for (const auto& command :
         job.at("ranks").at(static_cast<std::size_t>(context_.rank))) {
      std::istringstream words(command.get<std::string>());
      std::string verb;
      std::string argument;
      words >> verb >> std::ws;
      std::getline(words, argument);
      step(verb, argument);
    }
    return 0;
  }

 private:
  void step(const std::string& verb, const std::string& argument) {
    if (verb == "say") {
      say(argument);
    } else if (verb == "write") {
      const std::size_t space = argument.find(' ');
      std::ofstream(argument.substr(0, space))
          << argument.substr(space + 1) << "\n";
    } else if (verb == "mark") {
      say(fmt::format("at {}", monotonic_seconds()));
    } else if (verb == "terminal") {
      const std::string line = argument + "\n";
      write_all(context_.terminal.get(), line.data(), line.size());
    } else if (verb == "enter") {
      const std::map<std::string, RunPhase> phases{
          {"setup", RunPhase::kSetup},
          {"step", RunPhase::kStep},
          {"eval", RunPhase::kEval},
          {"checkpoint", RunPhase::kCheckpoint}};
      heartbeat_.enter(phases.at(argument));
    } else if (verb == "beat") {
      heartbeat_.beat(std::stoll(argument));
    } else if (verb == "doing" || verb == "waits") {
      parts_.push_back(std::make_unique<Doing>(argument, verb == "waits"));
    } else if (verb == "done") {
      heartbeat_.done();
    } else if (verb == "failed") {
      heartbeat_.failed();
    } else if (verb == "beating") {
      const double end = monotonic_seconds() + std::stod(argument);
      while (monotonic_seconds() < end) {
        heartbeat_.beat();
        ::usleep(5000);
      }
    } else if (verb == "sleep") {
      sleep_for(std::stod(argument));
    } else if (verb == "await") {
      while (::access(argument.c_str(), F_OK) != 0) {
        ::usleep(5000);
      }
    } else if (verb == "hang") {
      sleep_for(1e6);
    } else if (verb == "exit") {
      ::_exit(std::stoi(argument));
    } else if (verb == "raise") {
      ::raise(std::stoi(argument));
    } else if (verb == "handle_stop") {
      stop_.emplace(::getppid());
    } else if (verb == "set_up_stop") {
      stop_at_once(true);
      stop_.emplace(::getppid());
    } else if (verb == "until_stop") {
      until_stop(std::stoi(argument));
    } else if (verb == "connect") {
      connect_peers();
    } else if (verb == "lose_peer") {
      lose_peer();
    } else {
      show(verb, argument);
    }
  }

  void show(const std::string& verb, const std::string& argument) {
    if (verb == "env") {
      const char* value = std::getenv(argument.c_str());
      say(argument + "=" + (value != nullptr ? value : "(not set)"));
    } else if (verb == "ignored") {
      for (int number = 1; number < 32; ++number) {
        struct sigaction action {};
        if (::sigaction(number, nullptr, &action) == 0 &&
            action.sa_handler == SIG_IGN) {
          say(fmt::format("ignored {}", number));
        }
      }
    } else if (verb == "fds") {
      DIR* folder = ::opendir("/proc/self/fd");
      while (const dirent* entry = ::readdir(folder)) {
        char target[256] = {};
        if (::readlinkat(
                ::dirfd(folder), entry->d_name, target, sizeof target - 1) >
            0) {
          say(fmt::format("fd {} {}", entry->d_name, target));
        }
      }
      ::closedir(folder);
    } else {
      say("unknown command " + verb);
      ::_exit(2);
    }
  }

  static void say(const std::string& text) {
    const std::string line = text + "\n";
    write_all(STDOUT_FILENO, line.data(), line.size());
  }

  void until_stop(int code) {
    while (!stop_->requested()) {
      heartbeat_.beat();
      ::usleep(2000);
    }
    say(fmt::format(
        "stopping for {}",
        stop_->run_failed() ? "a failure" : signal_name(stop_->signal())));
    ::_exit(code);
  }

  void connect_peers() {
    if (context_.rank == 0) {
      for (int i = 1; i < context_.world_size; ++i) {
        peers_.emplace_back(::accept(context_.listen.get(), nullptr, nullptr));
      }
      return;
    }
    Fd fd(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(context_.master_port));
    ::inet_pton(AF_INET, context_.master_address.c_str(), &address.sin_addr);
    const int error = ::connect(
        fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    VITRAIN_CHECK(
        error == 0, ExitCode::kInternal, "connect: {}", error_text(errno));
    peers_.push_back(std::move(fd));
  }

  [[noreturn]] void lose_peer() {
    std::vector<pollfd> watched;
    for (const Fd& peer : peers_) {
      watched.push_back({.fd = peer.get(), .events = POLLIN, .revents = 0});
    }
    ::poll(watched.data(), watched.size(), -1);
    ::_exit(7);
  }

  WorkerContext context_;
  Heartbeat heartbeat_;
  std::optional<StopRequest> stop_;
  std::vector<Fd> peers_;
  std::vector<std::unique_ptr<Doing>> parts_;
};

int supervise(const std::filesystem::path& folder) {
  open_missing_standard_streams();
  std::ofstream report(folder / "report");
  const Json job =
      Json::parse(read_file(folder / "job.json", 1 << 20, ExitCode::kUsage));
  SupervisorOptions options;
  options.arguments = {"fake_worker", "--worker"};
  options.devices.resize(job.at("ranks").size(), {.name = "cpu"});
  options.job = job.dump();
  options.log_folder = folder / "log";
  options.cores = available_cores();
  options.timeouts.step = job.value("step_timeout", options.timeouts.step);
  options.notice = [&](const std::string& line) {
    report << "notice: " << line << std::endl;
  };
  const SuperviseResult outcome = supervise(std::move(options));
  report << outcome.report << "exit " << outcome.exit_code << std::endl;
  return outcome.exit_code;
}

} // namespace
} // namespace vitrain::launch

int main(int argc, char** argv) {
  using namespace vitrain::launch;
  try {
    if (argc == 3 && std::string_view(argv[1]) == "--supervise") {
      return supervise(argv[2]);
    }
    return FakeWorker(read_worker_context()).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fake_worker: %s\n", error.what());
    return static_cast<int>(vitrain::exit_code_of(error));
  }
}
