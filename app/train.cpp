#include <cstdio>
#include <filesystem>

#include "config/writer.h"
#include "core/check.h"
#include "core/files.h"
#include "engine/launch_job.h"
#include "engine/launched_job.h"
#include "launch/hosts.h"
#include "launch/launchers.h"
#include "launch/rendezvous.h"
#include "verbs.h"

namespace vitrain::app {
namespace {

// -hosts: prints or runs the command of each host.
int run_hosts(
    const config::Arguments& arguments,
    const std::vector<launch::Host>& hosts) {
  const std::vector<launch::HostCommand> commands = launch::host_commands(
      hosts,
      executable_path(),
      arguments.launch.shared,
      std::filesystem::current_path(),
      arguments.launch.master);
  if (arguments.launch.ssh && !arguments.dry_run) {
    return launch::run_over_ssh(hosts, commands);
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    std::printf(
        "# on %s\n%s\n", hosts[i].name.c_str(), commands[i].text().c_str());
  }
  return 0;
}

// -np says how many workers there are on all hosts together.
void check_total(
    const std::vector<launch::Host>& hosts,
    std::int64_t expected) {
  std::int64_t total = 0;
  for (const launch::Host& host : hosts) {
    VITRAIN_CHECK(
        host.workers > 0,
        ExitCode::kUsage,
        "-np {}: say in -hosts how many workers {} has",
        expected,
        host.name);
    total += host.workers;
  }
  VITRAIN_CHECK(
      total == expected,
      ExitCode::kUsage,
      "-np is {}, but -hosts has {} workers: leave -np out, or make them agree",
      expected,
      total);
}

// Who started this process; -master says where it is to meet the others when
// that launcher does not.
launch::Detected find_launcher(const config::LaunchArguments& arguments) {
  if (arguments.node_rank) {
    return {}; // started by hand or by a script, once per machine
  }
  launch::Detected detected = launch::detect_launcher(
      launch::current_environment(), arguments.launcher);
  if (detected.place && arguments.master) {
    const launch::HostPort master =
        launch::parse_host_port(*arguments.master, "-master");
    detected.place->master_address = master.host;
    detected.place->master_port = master.port;
  }
  return detected;
}

} // namespace

int train(const config::Arguments& given, const std::string& command_line) {
  config::Arguments arguments = given;
  std::vector<launch::Host> hosts;
  if (arguments.launch.hosts) {
    hosts = launch::parse_hosts(*arguments.launch.hosts);
    if (arguments.launch.workers) {
      check_total(hosts, *arguments.launch.workers);
    }
    if (launch::is_this_machine(hosts)) {
      arguments.overrides.push_back(
          {"devices.count", std::to_string(hosts.front().workers), "-hosts"});
      hosts.clear();
    }
  }
  if (arguments.print_config) {
    const config::Loaded loaded = config::load(arguments.load_request());
    for (const std::string& note : loaded.notes) {
      std::fprintf(stderr, "%s\n", note.c_str());
    }
    std::fputs(config::to_yaml(loaded.recipe).c_str(), stdout);
    return 0;
  }
  if (!hosts.empty()) {
    return run_hosts(arguments, hosts);
  }
  const launch::Detected detected = find_launcher(arguments.launch);
  if (detected.place) {
    return engine::run_launched(
        arguments, *detected.place, command_line, VITRAIN_VERSION);
  }
  engine::PreparedJob prepared =
      engine::prepare(arguments, command_line, VITRAIN_VERSION);
  prepared.notes.insert(
      prepared.notes.end(), detected.notes.begin(), detected.notes.end());
  if (arguments.dry_run) {
    for (const std::string& note : prepared.notes) {
      std::printf("%s\n", note.c_str());
    }
    std::fputs(engine::dry_run(prepared).c_str(), stdout);
    return 0;
  }
  return engine::launch(prepared);
}

} // namespace vitrain::app
