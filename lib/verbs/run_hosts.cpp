#include "verbs/run_hosts.h"

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"
#include "job/recipe_check.h"
#include "launch/processes/rendezvous.h"

namespace vitrain::verbs {
namespace {

constexpr const char* kOption = "-hosts";
constexpr const char* kCount = "devices.count";

// Returns the number of workers of all hosts; nullopt if it is not given for a
// host.
std::optional<std::int64_t> total_of(const std::vector<launch::Host>& hosts) {
  std::int64_t total = 0;
  for (const launch::Host& host : hosts) {
    if (host.workers <= 0) {
      return std::nullopt;
    }
    total += host.workers;
  }
  return total;
}

// Checks the hosts' workers against -np, the total number on all hosts.
void check_total(
    const std::vector<launch::Host>& hosts,
    std::int64_t expected) {
  for (const launch::Host& host : hosts) {
    VITRAIN_CHECK(
        host.workers > 0,
        ExitCode::kUsage,
        "-np {}: say in -hosts how many workers {} has",
        expected,
        host.name);
  }
  const std::int64_t total = *total_of(hosts);
  VITRAIN_CHECK(
      total == expected,
      ExitCode::kUsage,
      "-np is {}, but -hosts has {}: leave -np out, or make them agree",
      expected,
      counted(total, "worker"));
}

// Checks the hosts' workers against other options, such as -devices cpu:2,
// which give the number for each host.
void check_counts(
    const std::vector<launch::Host>& hosts,
    const std::vector<config::Override>& overrides) {
  for (const config::Override& given : overrides) {
    std::int64_t count = -1;
    if (given.key != kCount || !parse_int(given.value, count) || count < 1) {
      continue; // the recipe's check refuses invalid counts
    }
    for (const launch::Host& host : hosts) {
      VITRAIN_CHECK(
          host.workers <= 0 || host.workers == count,
          ExitCode::kUsage,
          "{} asks for {} on each machine, but -hosts for {} on {}: say it in "
          "one place",
          given.source,
          counted(count, "worker"),
          host.workers,
          host.name);
    }
  }
}

void check_for_hosts(
    const config::Arguments& arguments,
    const std::vector<launch::Host>& hosts) {
  for (const launch::Host& host : hosts) {
    config::LoadRequest request = arguments.load_request();
    request.overrides.push_back(
        {"devices.nodes", std::to_string(hosts.size()), kOption});
    if (host.workers > 0) {
      request.overrides.push_back(
          {kCount, std::to_string(host.workers), kOption});
    }
    config::Problems problems;
    const config::PartialRecipe loaded = job::load_recipe(request, problems);
    job::check_rules(
        loaded.recipe,
        loaded.origins,
        {.workers = total_of(hosts).value_or(config::kWorkersUnknown),
         // The hosts' devices are unknown here; GPUs are assumed by default.
         .cuda = loaded.recipe.devices.kind != DeviceKind::kCpu,
         .training = arguments.verb == config::Verb::kTrain,
         .unread = loaded.unread},
        problems);
    problems.throw_if_any();
  }
  if (arguments.launch.master) {
    launch::parse_host_port(*arguments.launch.master, "-master");
  }
}

// Returns the working folder, which must exist on the other hosts too.
std::filesystem::path folder_here() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::current_path(error);
  VITRAIN_CHECK(
      !error,
      ExitCode::kUsage,
      "{}: the folder in which this was started cannot be named ({}); start it "
      "in one that all hosts have",
      kOption,
      error.message());
  return folder;
}

} // namespace

std::vector<launch::Host> named_hosts(const config::Arguments& arguments) {
  if (!arguments.launch.hosts) {
    return {};
  }
  std::vector<launch::Host> hosts =
      launch::parse_hosts(*arguments.launch.hosts);
  if (arguments.launch.workers) {
    check_total(hosts, *arguments.launch.workers);
  }
  check_counts(hosts, arguments.overrides);
  return hosts;
}

int run_hosts(
    const config::Arguments& arguments,
    const std::vector<launch::Host>& hosts) {
  check_for_hosts(arguments, hosts);
  const std::vector<launch::HostCommand> commands = launch::host_commands(
      hosts,
      program_path(),
      arguments.launch.shared,
      folder_here(),
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

} // namespace vitrain::verbs
