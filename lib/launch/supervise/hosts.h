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

// Parses "h1:4,h2:4,user@h3". Throws Error(kUsage), also for a repeated name
// and for one that ssh would take for an option.
std::vector<Host> parse_hosts(const std::string& text);

// Returns true if the list, which must not be empty, has only this machine, as
// localhost, 127.0.0.1 or its host name, so that ssh is not needed.
bool is_this_machine(const std::vector<Host>& hosts);

// The command to run on one host; both members are quoted for a POSIX shell.
struct HostCommand {
  std::string folder;
  std::string program; // with its arguments

  // Returns the line to be typed on the host.
  std::string text() const { return "cd " + folder + " && " + program; }
};

// Returns the commands of the hosts (at least one): `program` with `arguments`
// in `folder`, and options for the host's position in the run and its number of
// workers. `master` is HOST:PORT;
// nullopt: the first host and port 29500.
std::vector<HostCommand> host_commands(
    const std::vector<Host>& hosts,
    const std::filesystem::path& program,
    const std::vector<std::string>& arguments,
    const std::filesystem::path& folder,
    const std::optional<std::string>& master);

// Runs one command on each host by `ssh` (looked up on PATH), prints their
// output lines after "[host] ", and waits for all. SIGTERM, SIGINT and SIGHUP
// are forwarded to the commands as SIGTERM, SIGUSR1 as itself; a second signal
// is forwarded as SIGKILL. If this process dies, the commands get SIGTERM. If
// ssh fails for one host, the other commands get SIGTERM. Returns the exit code
// of the first command that failed, 7 (kWorkerDied) instead if that is because
// ssh failed, or 0. Throws Error(kUsage) if ssh cannot be started.
int run_over_ssh(
    const std::vector<Host>& hosts,
    const std::vector<HostCommand>& commands);

} // namespace vitrain::launch
