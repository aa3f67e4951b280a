#include "launch/supervise/hosts.h"

#include <algorithm>

#include "core/check.h"
#include "core/system/system.h"
#include "core/text.h"

namespace vitrain::launch {

std::vector<Host> parse_hosts(const std::string& text) {
  std::vector<Host> hosts;
  for (const std::string& piece : split(text, ',')) {
    const std::string entry(trim(piece));
    const std::size_t colon = entry.rfind(':');
    Host host{.name = entry.substr(0, colon)};
    std::int64_t workers = -1;
    const bool counted = colon == std::string::npos ||
        (parse_int(entry.substr(colon + 1), workers) && workers >= 1 &&
         workers <= 4096);
    const bool plain = !host.name.empty() && host.name[0] != '-' &&
        std::ranges::none_of(host.name, [](unsigned char c) {
          return c <= ' ' || c == 0x7f || c == '/'; // a URL is not a host name
        });
    VITRAIN_CHECK(
        counted && plain,
        ExitCode::kUsage,
        "-hosts: expected HOST or HOST:WORKERS, as in h1:4,h2:4, got '{}'",
        printable(entry));
    VITRAIN_CHECK(
        std::ranges::find(hosts, host.name, &Host::name) == hosts.end(),
        ExitCode::kUsage,
        "-hosts: {} is given twice",
        printable(host.name));
    host.workers = static_cast<int>(workers);
    hosts.push_back(std::move(host));
  }
  return hosts;
}

bool is_this_machine(const std::vector<Host>& hosts) {
  const std::string& name = hosts.front().name;
  return hosts.size() == 1 &&
      (name == "localhost" || name == "127.0.0.1" || name == host_name());
}

std::vector<HostCommand> host_commands(
    const std::vector<Host>& hosts,
    const std::filesystem::path& program,
    const std::vector<std::string>& arguments,
    const std::filesystem::path& folder,
    const std::optional<std::string>& master) {
  const std::string& first = hosts.front().name;
  const std::string meeting =
      master.value_or(first.substr(first.find('@') + 1) + ":29500");
  std::vector<HostCommand> commands;
  for (std::size_t node = 0; node < hosts.size(); ++node) {
    std::vector<std::string> words{program.native()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    if (hosts.size() > 1) {
      words.insert(
          words.end(),
          {"-nnodes",
           std::to_string(hosts.size()),
           "-node_rank",
           std::to_string(node),
           "-master",
           meeting});
    }
    if (hosts[node].workers > 0) {
      words.insert(
          words.end(),
          {"-set", fmt::format("devices.count={}", hosts[node].workers)});
    }
    std::transform(words.begin(), words.end(), words.begin(), &shell_word);
    commands.push_back(
        {.folder = shell_word(folder.native()), .program = join(words, " ")});
  }
  return commands;
}

} // namespace vitrain::launch
