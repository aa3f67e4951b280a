#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace vitrain::launch {

// One machine of -hosts.
struct Host {
  std::string name; // for ssh: host or user@host
  int workers = -1; // -1: one per device
};

// "h1:4,h2:4,user@h3". Throws Error(kUsage), also for a name that is given
// twice or that ssh would take for an option.
std::vector<Host> parse_hosts(const std::string& text);

// Whether the list is this machine alone, so that nothing goes through ssh.
bool is_this_machine(const std::vector<Host>& hosts);

// Command of a host: words for a POSIX shell.
struct HostCommand {
  std::string folder;
  std::string program; // with its arguments

  // One line to be typed there.
  std::string text() const { return "cd " + folder + " && " + program; }
};

// The commands of the hosts, each `program` with `arguments` in `folder`, and
// with the host's place in the run. `master` is HOST:PORT; without it, the
// first host and port 29500.
std::vector<HostCommand> host_commands(
    const std::vector<Host>& hosts,
    const std::filesystem::path& program,
    const std::vector<std::string>& arguments,
    const std::filesystem::path& folder,
    const std::optional<std::string>& master);

// Returns the word, quoted for a POSIX shell if necessary.
std::string shell_word(const std::string& word);

// Runs one command on each host by `ssh` (looked up on PATH), shows their lines
// after "[host] ", and waits for all. SIGTERM, SIGINT and SIGHUP reach the
// commands as SIGTERM, SIGUSR1 as itself; a second one as SIGKILL; when this
// process is gone, they get SIGTERM. Returns the exit code of the first command
// that failed, 7 where ssh itself did, or 0. Throws Error(kUsage) when ssh
// cannot be started.
int run_over_ssh(
    const std::vector<Host>& hosts,
    const std::vector<HostCommand>& commands);

} // namespace vitrain::launch
