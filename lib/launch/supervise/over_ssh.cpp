#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"
#include "launch/processes/descriptors.h"
#include "launch/processes/signal_queue.h"
#include "launch/processes/signals.h"
#include "launch/processes/spawn.h"
#include "launch/supervise/hosts.h"
#include "logging/stream_output.h"

namespace vitrain::launch {
namespace {

constexpr int kSshFailed = 255;

// Returns the script that a host runs: the command, and in parallel a reader of
// signal names from ssh's input, because a signal to the local ssh does not
// reach the other machine. The end of the input means that this machine is
// gone.
std::string with_signals(const HostCommand& command) {
  const std::string script = fmt::format(
      "exec 3<&0\n"
      "(cd {} && exec {}) </dev/null & pid=$!\n"
      "(while read -r name <&3; do kill -\"$name\" $pid; done; kill $pid)"
      " >/dev/null 2>&1 & reader=$!\n"
      "wait $pid; code=$?\n"
      "kill $reader 2>/dev/null\n"
      "exit $code\n",
      command.folder,
      command.program);
  return "sh -c " + shell_word(script);
}

// A running ssh process.
struct Remote {
  std::string name;
  pid_t pid = 0;
  Fd input; // pipe for names of signals
  Fd output;
  std::string rest; // an incomplete line
  bool ended = false;

  void tell(const char* signal) const {
    const std::string line = std::string(signal) + "\n";
    [[maybe_unused]] const int error =
        write_all(input.get(), line.data(), line.size());
  }

  void show(logging::StreamOutput& to, bool last) {
    char buffer[8192];
    ssize_t got = 0;
    while ((got = ::read(output.get(), buffer, sizeof buffer)) > 0) {
      rest.append(buffer, static_cast<std::size_t>(got));
    }
    const std::size_t end = last ? rest.size() : rest.rfind('\n') + 1;
    const std::string text =
        prefixed(rest.substr(0, end), fmt::format("[{}] ", name));
    rest.erase(0, end);
    to.write(text);
  }
};

Remote start(const Host& host, const HostCommand& command) {
  Pipe input = make_pipe("ssh");
  Pipe output = make_pipe("ssh");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input.read.get(), 0);
  ::posix_spawn_file_actions_adddup2(&actions, output.write.get(), 1);
  ::posix_spawn_file_actions_adddup2(&actions, output.write.get(), 2);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  // A separate process group: Ctrl-C reaches vitrain, which forwards it through
  // the input.
  ::posix_spawnattr_setflags(
      &attributes,
      POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  const sigset_t defaults = output_signals();
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  std::vector<std::string> words{
      "ssh", "-T", "-o", "BatchMode=yes", host.name, with_signals(command)};
  Remote remote{.name = host.name};
  const int error = ::posix_spawnp(
      &remote.pid,
      "ssh",
      &actions,
      &attributes,
      exec_pointers(words).data(),
      environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  VITRAIN_CHECK(
      error == 0, ExitCode::kUsage, "cannot start ssh: {}", error_text(error));
  remote.input = std::move(input.write);
  remote.output = std::move(output.read);
  ::fcntl(remote.output.get(), F_SETFL, O_NONBLOCK);
  return remote;
}

// Returns the exit code of a command that has ended since the last call, or
// kSshFailed if a signal ended its ssh; nullopt while it runs, and once its end
// has been returned.
std::optional<int> ending_of(Remote& remote, logging::StreamOutput& output) {
  int status = 0;
  if (remote.ended || ::waitpid(remote.pid, &status, WNOHANG) != remote.pid) {
    return std::nullopt;
  }
  remote.ended = true;
  remote.show(output, /*last=*/true);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSshFailed;
}

} // namespace

int run_over_ssh(
    const std::vector<Host>& hosts,
    const std::vector<HostCommand>& commands) {
  logging::StreamOutput output(STDOUT_FILENO);
  SignalQueue signals;
  ignore_output_signals(); // SIGPIPE also occurs if a host is gone
  std::vector<Remote> remotes;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    remotes.push_back(start(hosts[i], commands[i]));
  }
  const auto tell_all = [&](const char* signal) {
    for (const Remote& remote : remotes) {
      if (!remote.ended) {
        remote.tell(signal);
      }
    }
  };
  int code = 0;
  int requests = 0;
  std::size_t running = remotes.size();
  while (running > 0) {
    constexpr double kTickSeconds = 0.05;
    output.flush();
    logging::standard_error().flush();
    for (const int number : signals.wait(kTickSeconds)) {
      ++requests;
      tell_all(requests > 1 ? "KILL" : number == SIGUSR1 ? "USR1" : "TERM");
    }
    for (Remote& remote : remotes) {
      if (!remote.ended) {
        remote.show(output, /*last=*/false);
      }
      const std::optional<int> ended = ending_of(remote, output);
      if (!ended) {
        continue;
      }
      --running;
      if (*ended == kSshFailed) {
        logging::standard_error().message(fmt::format(
            "{}: ssh failed; ending the others\n", printable(remote.name)));
        tell_all("TERM");
      }
      if (code == 0) {
        code = *ended == kSshFailed ? static_cast<int>(ExitCode::kWorkerDied)
                                    : *ended;
      }
    }
  }
  return code;
}

} // namespace vitrain::launch
