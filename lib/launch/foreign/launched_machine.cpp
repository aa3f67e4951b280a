#include "launch/foreign/launched_machine.h"

#include <array>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "core/text.h"
#include "launch/foreign/variables.h"

namespace vitrain::launch {
namespace {

constexpr std::int64_t kMaxNodes = 1 << 16;
constexpr std::int64_t kMaxWorkers = 1 << 20;

// Values of a launcher's variables; "" for those that are not set.
struct Given {
  std::string nodes;
  std::string node_rank;
  std::string master; // HOST:PORT
};

// Names of the variables of one launcher.
struct MachineRow {
  const char* name;
  const char* nodes;
  const char* workers;
  const char* rank; // for messages
  const char* master; // for messages
  Given (*read)(const Variables&);
};

std::string text_or_nothing(const Variables& variables, const char* name) {
  return variables.has(name) ? variables.text(name) : "";
}

Given read_torch(const Variables& variables) {
  Given given{
      .nodes = text_or_nothing(variables, "PET_NNODES"),
      .node_rank = text_or_nothing(variables, "PET_NODE_RANK"),
      .master = text_or_nothing(variables, "PET_MASTER_ADDR")};
  if (!given.master.empty()) {
    // torchrun's default port.
    given.master += variables.has("PET_MASTER_PORT")
        ? fmt::format(":{}", variables.number("PET_MASTER_PORT", 1, 65535))
        : ":29500";
  }
  return given;
}

Given read_paddle(const Variables& variables) {
  Given given{
      .nodes = text_or_nothing(variables, "PADDLE_NNODES"),
      .node_rank = text_or_nothing(variables, "PADDLE_RANK"),
      .master = text_or_nothing(variables, "PADDLE_MASTER")};
  // Paddle's launch reads the machine's number from PADDLE_TRAINER_ID. But if
  // PADDLE_TRAINERS_NUM is not the number of machines, that variable has a
  // worker's number.
  if (given.node_rank.empty() &&
      (!variables.has("PADDLE_TRAINERS_NUM") ||
       variables.text("PADDLE_TRAINERS_NUM") == given.nodes)) {
    given.node_rank = text_or_nothing(variables, "PADDLE_TRAINER_ID");
  }
  constexpr std::string_view kHttp = "http://";
  if (given.master.starts_with(kHttp)) {
    given.master.erase(0, kHttp.size());
  }
  if (given.master.find("://") != std::string::npos) {
    given.master.clear(); // an etcd server, which assigns ranks
  }
  return given;
}

constexpr std::array kMachineRows{
    MachineRow{
        "torchrun",
        "PET_NNODES",
        "PET_NPROC_PER_NODE",
        "PET_NODE_RANK",
        "PET_MASTER_ADDR",
        &read_torch},
    MachineRow{
        "paddle",
        "PADDLE_NNODES",
        "PADDLE_NPROC_PER_NODE",
        "PADDLE_RANK",
        "PADDLE_MASTER (HOST:PORT)",
        &read_paddle}};

// Parses a number of machines: "2", or "2:2" as launchers write a range. For a
// range of several numbers, returns 0 and sets `most` to its last. Throws Error
// for another text.
int number_of_nodes(const MachineRow& row, const std::string& text, int& most) {
  const std::vector<std::string> ends = split(text, ':');
  std::vector<int> numbers;
  for (const std::string& end : ends) {
    const Environment one{{row.nodes, end}};
    numbers.push_back(Variables(one, row.name).number(row.nodes, 1, kMaxNodes));
  }
  most = numbers.back();
  return numbers.size() <= 2 && numbers.front() == numbers.back() ? most : 0;
}

std::string incomplete_message(
    const MachineRow& row,
    const Given& given,
    const std::string& what) {
  return fmt::format(
      "{}={} says that this is one of several machines, but {}: set what is "
      "missing, or add -nnodes {} -node_rank {} -master {}; `-launcher none` "
      "trains on this machine alone",
      row.nodes,
      printable(given.nodes),
      what,
      given.nodes.find(':') == std::string::npos ? printable(given.nodes) : "N",
      given.node_rank.empty() ? "R" : printable(given.node_rank),
      given.master.empty() ? "HOST:PORT" : printable(given.master));
}

std::optional<int> workers_of(
    const MachineRow& row,
    const Variables& variables) {
  const std::string text = text_or_nothing(variables, row.workers);
  if (text.empty() || text == "auto" || text == "gpu" || text == "cpu") {
    return std::nullopt; // this program chooses the number
  }
  return variables.number(row.workers, 1, kMaxWorkers);
}

FoundMachine find_by(const MachineRow& row, const Environment& environment) {
  const Variables variables(environment, row.name);
  if (!variables.has(row.nodes)) {
    return {};
  }
  const Given given = row.read(variables);
  int most = 0;
  LaunchedMachine machine{
      .nodes_variable = row.nodes, .workers_variable = row.workers};
  machine.nodes = number_of_nodes(row, given.nodes, most);
  if (machine.nodes == 0) {
    return {
        .machine = {},
        .incomplete = incomplete_message(
            row, given, "a number that may change is not offered")};
  }
  std::vector<std::string> missing;
  if (machine.nodes > 1 && given.node_rank.empty()) {
    missing.emplace_back(row.rank);
  }
  if (machine.nodes > 1 && given.master.empty()) {
    missing.emplace_back(row.master);
  }
  if (!missing.empty()) {
    return {
        .machine = {},
        .incomplete = incomplete_message(
            row,
            given,
            join(missing, " and ") +
                (missing.size() == 1 ? " is not set" : " are not set"))};
  }
  machine.workers = workers_of(row, variables);
  if (machine.nodes > 1) {
    const Environment one{{row.rank, given.node_rank}};
    machine.node_rank =
        Variables(one, row.name).number(row.rank, 0, machine.nodes - 1);
    machine.master = parse_host_port(given.master, row.master);
  }
  return {.machine = machine, .incomplete = {}};
}

} // namespace

FoundMachine find_launched_machine(const Environment& environment) {
  for (const MachineRow& row : kMachineRows) {
    FoundMachine found = find_by(row, environment);
    if (found.machine || !found.incomplete.empty()) {
      return found;
    }
  }
  return {};
}

} // namespace vitrain::launch
