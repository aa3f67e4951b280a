// Several machines: processes connected over loopback, and two network
// namespaces (root only).

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "named_pipe.h"
#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Options of a run that only its end ends.
const Options kEndless{
    .devices = "cpu:1",
    .set = {"run.epochs=100000", "run.max_steps=1000000"}};

Command training(const std::filesystem::path& output, const Options& options) {
  const Options common{.set = {"run.max_steps=30", "dist.timeouts.setup=60"}};
  return vitrain(tiny_run(output, common.with(options)), kOneThread);
}

Command node(
    const std::filesystem::path& output,
    int rank,
    int nodes,
    const std::string& master,
    const Options& options) {
  return training(output, machine(rank, nodes, master).with(options));
}

Json one_machine(const std::string& devices) {
  const TempFolder folder;
  const Result result =
      run(training(folder / "runs", {.devices = devices}), 60);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return numbers_of(folder / "runs");
}

TEST(Nodes, TrainAsOneMachineWithAsManyWorkers) {
  const TempFolder folder;
  const std::string master = "127.0.0.1:" + free_port();
  // They need not have equally many.
  Program second(node(folder / "runs", 1, 2, master, {.devices = "cpu:2"}));
  Program first(node(folder / "runs", 0, 2, master, {.devices = "cpu:1"}));
  const Result result = first.wait(60);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(second.wait(30).exit_code, 0);
  EXPECT_THAT(
      records(newest_run(folder / "runs"), "start")
          .at(0)
          .at("devices")
          .get<std::string>(),
      HasSubstr("node 1 (127.0.0.1): 2 CPU workers"));
  const Json numbers = numbers_of(folder / "runs");
  EXPECT_EQ(numbers.size(), 26u + 2u); // steps and evaluations
  EXPECT_EQ(numbers, one_machine("cpu:3"));
  // One run folder for all, and a log of each worker in it.
  const auto run = newest_run(folder / "runs");
  for (const char* log : {"workerlog.0", "workerlog.1", "workerlog.2"}) {
    EXPECT_THAT(slurp(run / "log" / log), HasSubstr(" of 3, cpu"));
  }
}

// Differences between machines are found before the first step.
TEST(Nodes, ThatDoNotAgreeAreNamedWithBothValues) {
  const TempFolder folder;
  const std::string master = "127.0.0.1:" + free_port();
  Program first(node(folder / "runs", 0, 2, master, {.devices = "cpu:2"}));
  Program second(node(
      folder / "runs",
      1,
      2,
      master,
      {.devices = "cpu:1", .set = {"optim.lr=0.5", "data.train.count=639"}}));
  const Result result = first.wait(30);
  EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
  EXPECT_THAT(
      result.err,
      AllOf(
          HasSubstr("the workers do not agree on what to train"),
          HasSubstr("optim.lr: 0.001 on rank 0, 1; 0.5 on rank 2"),
          HasSubstr("training data: 640 samples"),
          HasSubstr("639 samples")));
  EXPECT_EQ(second.wait(30).exit_code, 2);
}

TEST(Nodes, AFailureOnOneEndsAllAndIsNamed) {
  const TempFolder folder;
  const std::string master = "127.0.0.1:" + free_port();
  Program first(node(folder / "runs", 0, 2, master, kEndless));
  Program second(node(folder / "runs", 1, 2, master, kEndless));
  ASSERT_TRUE(first.wait_for_record(folder / "runs", "train", 5, 60));
  const auto workers = second.workers();
  ASSERT_EQ(workers.size(), 1u);
  ::kill(workers[0], SIGKILL);
  const Result result = first.wait(20);
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_THAT(
      result.err,
      AllOf(
          HasSubstr("node 1 (127.0.0.1)"),
          HasSubstr("rank 1"),
          HasSubstr("SIGKILL"),
          // Its last words: the log is on the other machine.
          HasSubstr("workerlog.1")));
  const Result other = second.wait(20);
  EXPECT_EQ(other.exit_code, 7);
  EXPECT_THAT(other.err, HasSubstr("rank 1"));
}

TEST(Nodes, ALostMachineEndsTheRun) {
  const TempFolder folder;
  const std::string master = "127.0.0.1:" + free_port();
  Program first(node(folder / "runs", 0, 2, master, kEndless));
  Program second(node(folder / "runs", 1, 2, master, kEndless));
  ASSERT_TRUE(first.wait_for_record(folder / "runs", "train", 5, 60));
  second.signal(SIGKILL); // with its workers
  const Result result = first.wait(20);
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_THAT(
      result.err, HasSubstr("node 1 (127.0.0.1): its supervisor is gone"));
}

TEST(Nodes, RestartTogetherFromTheLastCheckpoint) {
  const TempFolder folder;
  const std::string master = "127.0.0.1:" + free_port();
  const Options restarting{
      .devices = "cpu:1",
      .set =
          {"run.epochs=50",
           "run.max_steps=600",
           "eval.every=50ep",
           "checkpoint.every=50st"},
      .more = {"-max_restarts", "1"}};
  Program first(node(folder / "runs", 0, 2, master, restarting));
  Program second(node(folder / "runs", 1, 2, master, restarting));
  ASSERT_TRUE(first.wait_for_record(folder / "runs", "checkpoint", 1, 60));
  const auto workers = second.workers();
  ASSERT_EQ(workers.size(), 1u);
  ::kill(workers[0], SIGKILL);
  const Result result = first.wait(60);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("restart 1 of 1"));
  EXPECT_EQ(second.wait(30).exit_code, 0);
  EXPECT_EQ(steps_in_order(newest_run(folder / "runs")), 600);
}

TEST(Nodes, GroupsOfAMachineNeedEqualOnes) {
  const TempFolder folder;
  const std::string master = "127.0.0.1:" + free_port();
  const auto start = [&](int rank, const char* devices) {
    return node(
        folder / "runs",
        rank,
        2,
        master,
        {.devices = devices, .set = {"dist.sync.mode=post_local_sgd"}});
  };
  Program second(start(1, "cpu:2"));
  const Result result = run(start(0, "cpu:1"), 20);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("1 here and 2 on another"));
  EXPECT_EQ(second.wait(20).exit_code, 2);
}

struct Mistake {
  const char* name;
  Options options;
  int exit_code;
  const char* words;
};
void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.name;
}
class NodeMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(NodeMistakes, EndWithinSeconds) {
  const TempFolder folder;
  const Options common{.devices = "cpu:1", .set = {"dist.timeouts.setup=2"}};
  const Result result =
      run(training(folder / "runs", common.with(GetParam().options)), 20);
  EXPECT_EQ(result.exit_code, GetParam().exit_code) << result.err;
  EXPECT_LT(result.seconds, 15);
  EXPECT_THAT(result.err, HasSubstr(GetParam().words));
  EXPECT_FALSE(std::filesystem::exists(folder / "runs"));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    NodeMistakes,
    testing::Values(
        Mistake{"NoRank", {.more = {"-nnodes", "2"}}, 2, "-node_rank"},
        Mistake{
            "NoMaster",
            {.more = {"-nnodes", "2", "-node_rank", "0"}},
            2,
            "-master HOST:PORT"},
        Mistake{
            "RankOutOfRange",
            {.more =
                 {"-nnodes", "2", "-node_rank", "2", "-master", "127.0.0.1:1"}},
            2,
            "-node_rank 2: with 2 machines it is 0 to 1"},
        Mistake{
            "RankWithoutMachines",
            {.more = {"-node_rank", "1"}},
            2,
            "-node_rank 1: the run has one machine"},
        Mistake{
            "NoPort",
            {.more =
                 {"-nnodes", "2", "-node_rank", "1", "-master", "127.0.0.1"}},
            2,
            "-master: expected HOST:PORT"},
        Mistake{
            "UnreachableMaster",
            {.more =
                 {"-nnodes", "2", "-node_rank", "1", "-master", "127.0.0.1:1"}},
            7,
            "node 1 of 2 could not reach node 0 at 127.0.0.1:1"},
        Mistake{
            "PortZero",
            {.more =
                 {"-nnodes", "3", "-node_rank", "0", "-master", "127.0.0.1:0"}},
            2,
            "-master"},
        Mistake{
            "Range",
            {.more = {"-nnodes", "2:4"}},
            2,
            "a range of machines is not offered"},
        Mistake{"NoMachines", {.more = {"-nnodes", "0"}}, 2, "devices.nodes"},
        Mistake{
            "MasterWithoutMachines",
            {.more = {"-master", "127.0.0.1:29500"}},
            2,
            "-master 127.0.0.1:29500: the run has one machine; give -nnodes"},
        Mistake{
            "UnknownMaster",
            {.more =
                 {"-nnodes",
                  "2",
                  "-node_rank",
                  "1",
                  "-master",
                  "no such host:1"}},
            2,
            "no address for the master 'no such host'"},
        // Reported before the other machines, which never connect.
        Mistake{
            "SenselessMode",
            {.set = {"dist.sync.mode=hogwild"},
             .more =
                 {"-nnodes", "2", "-node_rank", "0", "-master", "127.0.0.1:1"}},
            2,
            "dist.sync.mode: hogwild shares the weights"}),
    [](const auto& mistake) { return mistake.param.name; });

TEST(Nodes, AMissingMachineIsNamed) {
  const TempFolder folder;
  const Result result =
      run(node(
              folder / "runs",
              0,
              3,
              "127.0.0.1:" + free_port(),
              {.devices = "cpu:1", .set = {"dist.timeouts.setup=2"}}),
          20);
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_THAT(
      result.err,
      AllOf(
          HasSubstr("waiting for nodes 1, 2 of 3 at port"),
          HasSubstr("nodes 1, 2 of 3 did not come")));
}

TEST(Nodes, OneMachineOfOneNeedsNoOthers) {
  const TempFolder folder;
  const Result result =
      run(node(
              folder / "runs",
              0,
              1,
              "127.0.0.1:" + free_port(),
              {.devices = "cpu:1"}),
          60);
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

// Stands for ssh: runs the command here.
void write_fake_ssh(const std::filesystem::path& folder) {
  std::ofstream(folder / "ssh")
      << "#!/bin/sh\n"
         "[ \"$1 $2 $3\" = '-T -o BatchMode=yes' ] || exit 255\n"
         "case $4 in unreachable*) echo no route >&2; exit 255;; esac\n"
         "exec sh -c \"$5\"\n";
  std::filesystem::permissions(
      folder / "ssh", std::filesystem::perms::owner_all);
}

Command over_hosts(
    const TempFolder& folder,
    const std::string& hosts,
    const Options& more) {
  write_fake_ssh(folder.path());
  const Options options{
      .devices = "cpu",
      .more = {"-hosts", hosts, "-master", "127.0.0.1:" + free_port()}};
  Command command = training(folder / "runs", options.with(more));
  command.environment["PATH"] =
      folder.path().native() + ":" + std::getenv("PATH");
  return command;
}

TEST(Hosts, ArePrinted) {
  const TempFolder folder;
  const Result result = run(over_hosts(folder, "one:2,two:1", {}), 20);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(
      result.out,
      AllOf(
          HasSubstr("# on one\n"),
          HasSubstr("-nnodes 2 -node_rank 1 -master 127.0.0.1:"),
          HasSubstr("devices.count=2")));
  EXPECT_FALSE(std::filesystem::exists(folder / "runs"));
}

TEST(Hosts, AreRunOverSsh) {
  const TempFolder folder;
  const Result result = run(
      over_hosts(folder, "one:2,two:1", {.more = {"-np", "3", "-ssh"}}), 60);
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("[one] "));
  EXPECT_EQ(numbers_of(folder / "runs"), one_machine("cpu:3"));
}

TEST(Hosts, SignalsAndExitCodesTravel) {
  const TempFolder folder;
  Program program(over_hosts(
      folder,
      "one:1,two:1",
      {.set = {"run.epochs=100000", "run.max_steps=1000000"},
       .more = {"-ssh"}}));
  ASSERT_TRUE(program.wait_for_record(folder / "runs", "train", 5, 60));
  program.signal(SIGTERM);
  const Result result = program.wait(30);
  EXPECT_EQ(result.exit_code, 75) << result.out << result.err;
}

TEST(Hosts, AStalledReaderIsNotWaitedFor) {
  const TempFolder folder;
  NamedPipe pipe;
  pipe.fill_up();
  Program program(redirected(
      over_hosts(
          folder,
          "one:1,two:1",
          {.set = {"run.epochs=100000", "run.max_steps=1000000"},
           .more = {"-ssh"}}),
      ">" + pipe.path().native() + " 2>&1"));
  ASSERT_TRUE(program.wait_for_record(folder / "runs", "train", 500, 60));
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait(30).exit_code, 75);
}

TEST(Hosts, MistakesAreNamed) {
  const TempFolder folder;
  const Command nowhere =
      over_hosts(folder, "one:2,two:1", {})
          .after(
              {"bash",
               "-c",
               "mkdir \"$0\" && cd \"$0\" && rmdir \"$0\" && \"$@\"",
               folder / "gone"});
  const Result gone = run(nowhere, 20);
  EXPECT_EQ(gone.exit_code, 2) << gone.out;
  EXPECT_THAT(gone.err, HasSubstr("-hosts: the folder in which this was"));
  const Result total =
      run(over_hosts(folder, "one:2,two:1", {.more = {"-np", "4"}}), 20);
  EXPECT_EQ(total.exit_code, 2);
  EXPECT_THAT(total.err, HasSubstr("-np is 4, but -hosts has 3 workers"));
  const Result twice =
      run(over_hosts(folder, "one:2,two:1", {.set = {"devices.count=2"}}), 20);
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(
      twice.err,
      HasSubstr("asks for 2 workers on each machine, but -hosts for 1 on two"));
  // No command is printed for a run that cannot be.
  for (const std::string broken : {"optim.lr=x", "dist.sync.mode=hogwild"}) {
    const Result result =
        run(over_hosts(folder, "one:2,two:1", {.set = {broken}}), 20);
    EXPECT_EQ(result.exit_code, 2) << broken;
    EXPECT_EQ(result.out, "") << broken;
  }
  const Result unreachable =
      run(over_hosts(folder, "unreachable:1,two:1", {.more = {"-ssh"}}), 40);
  EXPECT_EQ(unreachable.exit_code, 7);
  EXPECT_THAT(unreachable.err, HasSubstr("unreachable: ssh failed"));
}

TEST(Hosts, OneHostThatIsThisOneTrainsHere) {
  const TempFolder folder;
  Command command =
      training(folder / "runs", {.more = {"-np", "2", "-H", "localhost:2"}});
  EXPECT_EQ(run(command, 60).exit_code, 0);
  const Result both = run(
      training(
          folder / "runs", {.devices = "cpu:3", .more = {"-H", "localhost:2"}}),
      20);
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("-devices asks for 3 workers"));
  EXPECT_EQ(numbers_of(folder / "runs"), one_machine("cpu:2"));
}

enum class Family { kIPv4, kIPv6 };

// Two network namespaces, connected by a pair of virtual cards, as two
// machines: 10.231.N.1 and 10.231.N.2, or fd00:N::1 and fd00:N::2.
class TwoMachines {
 public:
  explicit TwoMachines(Family family) : family_(family) {
    const std::string number = std::to_string(::getpid() % 250);
    net_ = family == Family::kIPv4 ? "10.231." + number + "."
                                   : "fd00:" + number + "::";
    // No waiting for other owners of the address.
    const std::string length = family == Family::kIPv4 ? "/24" : "/64 nodad";
    for (int i = 0; i < 2; ++i) {
      names_[i] =
          "vitrain" + std::to_string(::getpid()) + "-" + std::to_string(i);
    }
    const std::string card = "vt" + std::to_string(::getpid() % 100000);
    good_ = shell("ip netns add " + names_[0]) &&
        shell("ip netns add " + names_[1]) &&
        shell("ip link add " + card + "a netns " + names_[0] +
              " type veth peer name " + card + "b netns " + names_[1]);
    for (int i = 0; i < 2 && good_; ++i) {
      const std::string inside = "ip -n " + names_[i] + " ";
      const std::string end = card + (i == 0 ? "a" : "b");
      good_ =
          shell(inside + "addr add " + address(i) + length + " dev " + end) &&
          shell(inside + "link set " + end + " up") &&
          shell(inside + "link set lo up");
    }
  }
  ~TwoMachines() {
    shell("ip netns del " + names_[0]);
    shell("ip netns del " + names_[1]);
  }
  TwoMachines(const TwoMachines&) = delete;
  TwoMachines& operator=(const TwoMachines&) = delete;

  bool good() const { return good_; }
  std::string address(int i) const { return net_ + std::to_string(i + 1); }
  // As -master has it.
  std::string master(const std::string& port) const {
    return (family_ == Family::kIPv4 ? address(0) : "[" + address(0) + "]") +
        ":" + port;
  }
  std::vector<std::string> inside(int i) const {
    return {"ip", "netns", "exec", names_[i]};
  }

 private:
  static bool shell(const std::string& command) {
    return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
  }

  Family family_;
  std::string net_;
  std::string names_[2];
  bool good_ = false;
};

class TwoNamespaces : public testing::TestWithParam<Family> {};

INSTANTIATE_TEST_SUITE_P(
    Over,
    TwoNamespaces,
    testing::Values(Family::kIPv4, Family::kIPv6),
    [](const auto& test) {
      return test.param == Family::kIPv4 ? "IPv4" : "IPv6";
    });

TEST_P(TwoNamespaces, TrainAsOneMachine) {
  const TwoMachines machines(GetParam());
  if (!machines.good()) {
    GTEST_SKIP() << "no network namespaces: needs root and `ip netns`";
  }
  const TempFolder folder;
  const std::string master = machines.master("29511");
  Program second(node(folder / "runs", 1, 2, master, {.devices = "cpu:1"})
                     .after(machines.inside(1)));
  Program first(node(folder / "runs", 0, 2, master, {.devices = "cpu:1"})
                    .after(machines.inside(0)));
  const Result result = first.wait(60);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(second.wait(30).exit_code, 0);
  EXPECT_THAT(
      records(newest_run(folder / "runs"), "start")
          .at(0)
          .at("devices")
          .get<std::string>(),
      HasSubstr("node 1 (" + machines.address(1) + ")"));
  EXPECT_EQ(numbers_of(folder / "runs"), one_machine("cpu:2"));
}

TEST_P(TwoNamespaces, ListenAtTheAddressTowardsEachOther) {
  const TwoMachines machines(GetParam());
  if (!machines.good()) {
    GTEST_SKIP() << "no network namespaces: needs root and `ip netns`";
  }
  const TempFolder folder;
  const std::string master = machines.master("29513");
  const Options endless{
      .devices = "cpu:1",
      .set = {"run.epochs=100000", "run.max_steps=1000000"}};
  Program second(
      node(folder / "runs", 1, 2, master, endless).after(machines.inside(1)));
  Program first(
      node(folder / "runs", 0, 2, master, endless).after(machines.inside(0)));
  ASSERT_TRUE(first.wait_for_record(folder / "runs", "train", 3, 60));
  std::vector<pid_t> processes = first.workers();
  processes.push_back(first.pid());
  const auto addresses = listening(processes);
  EXPECT_FALSE(addresses.empty());
  for (const std::string& address : addresses) {
    EXPECT_THAT(address, testing::Not(testing::StartsWith("00000000")));
  }
  first.signal(SIGTERM);
  EXPECT_EQ(first.wait(30).exit_code, 75);
  EXPECT_EQ(second.wait(30).exit_code, 75);
}

TEST_P(TwoNamespaces, AreFoundByRoutingUnderAnotherLauncherToo) {
  const TwoMachines machines(GetParam());
  if (!machines.good()) {
    GTEST_SKIP() << "no network namespaces: needs root and `ip netns`";
  }
  const TempFolder folder;
  const auto worker = [&](int rank) {
    Command command = training(folder / "runs", {.devices = "cpu"});
    command.environment = {
        {"RANK", std::to_string(rank)},
        {"WORLD_SIZE", "2"},
        {"LOCAL_RANK", "0"},
        {"LOCAL_WORLD_SIZE", "1"},
        {"MASTER_ADDR", machines.address(0)},
        {"MASTER_PORT", "29512"},
        {"OMP_NUM_THREADS", "1"}};
    return command.after(machines.inside(rank));
  };
  Program first(worker(0));
  Program second(worker(1));
  const Result result = first.wait(60);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(second.wait(30).exit_code, 0);
  EXPECT_EQ(numbers_of(folder / "runs"), one_machine("cpu:2"));
}

} // namespace
} // namespace vitrain::e2e
