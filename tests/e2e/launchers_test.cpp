// Runs started by torchrun, Paddle's launch, horovodrun, mpirun and srun. A
// test is skipped if its launcher is not installed:
//   VITRAIN_TORCH_PYTHON    a Python with torch 2.11
//   VITRAIN_PADDLE_PYTHON   a Python with paddlepaddle 3.3.1
//   VITRAIN_HOROVOD_PYTHON  a Python with horovod 0.28.1
//   mpirun                  on PATH (Debian's openmpi-bin)
//   mpiexec.hydra           on PATH (Debian's mpich)
//   srun                    and a cluster: tests/e2e/with_slurm.sh makes one

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <tuple>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A training of two workers that is over in a second.
Command short_run(const std::filesystem::path& output, const Options& options) {
  const Options common{
      .set = {
          "run.max_steps=30",
          "dist.timeouts.setup=30",
          "checkpoint.every=10st"}};
  return vitrain(tiny_run(output, common.with(options)), kOneThread);
}

// A run that only its end ends.
Command endless_run(const std::filesystem::path& output) {
  return short_run(
      output,
      {.devices = "cpu",
       .set = {"run.epochs=100000", "run.max_steps=1000000"}});
}

// Two workers of our own supervisor.
Json expected_numbers() {
  const TempFolder folder;
  const Result result = run(short_run(folder / "runs", {.devices = "cpu:2"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return numbers_of(folder / "runs");
}

void expect_training_under(const Words& launcher) {
  const TempFolder folder;
  const Command command = short_run(folder / "runs", {.devices = "cpu"});
  const Result result = run(command.after(launcher), 120);
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const Json numbers = numbers_of(folder / "runs");
  EXPECT_GT(numbers.size(), 30u);
  EXPECT_EQ(numbers, expected_numbers());
  // One run folder, and both workers' logs in it.
  const auto run = newest_run(folder / "runs");
  EXPECT_EQ(
      std::distance(
          std::filesystem::directory_iterator(folder / "runs"),
          std::filesystem::directory_iterator()),
      1);
  EXPECT_THAT(slurp(run / "log/workerlog.0"), HasSubstr("rank 0 of 2, cpu"));
  EXPECT_THAT(slurp(run / "log/workerlog.1"), HasSubstr("rank 1 of 2, cpu"));
  EXPECT_THAT(records(run, "start").at(0).dump(), HasSubstr("\"workers\":2"));
}

std::string peer(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

bool is_on_path(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) ==
      0;
}

// Returns torchrun's command with two workers; empty if it is not installed.
Words torchrun() {
  const std::string python = peer("VITRAIN_TORCH_PYTHON");
  if (python.empty()) {
    return {};
  }
  return {
      python,
      "-m",
      "torch.distributed.run",
      "--standalone",
      "--nproc_per_node=2",
      "--no_python"};
}

const Words kMpirun{
    "mpirun",
    "--allow-run-as-root",
    "--oversubscribe",
    "-np",
    "2"};

TEST(Torchrun, TrainsAsUnderOurSupervisor) {
  const Words launcher = torchrun();
  if (launcher.empty()) {
    GTEST_SKIP() << "VITRAIN_TORCH_PYTHON names no Python with torch";
  }
  expect_training_under(launcher);
}

TEST(Torchrun, ReportsOurErrorFile) {
  const Words launcher = torchrun();
  if (launcher.empty()) {
    GTEST_SKIP() << "VITRAIN_TORCH_PYTHON names no Python with torch";
  }
  const TempFolder folder;
  const Command command = short_run(
      folder / "runs", {.devices = "cpu", .set = {"model.num_classes=3"}});
  const Result result = run(command.after(launcher), 120);
  EXPECT_NE(result.exit_code, 0);
  // In the table that torchrun prints of its workers' failures.
  const std::size_t table = result.err.find("Root Cause");
  ASSERT_NE(table, std::string::npos) << result.err;
  EXPECT_THAT(
      result.err.substr(table), HasSubstr("model.num_classes 3 is less"));
  EXPECT_FALSE(std::filesystem::exists(folder / "runs"));
}

TEST(PaddleLaunch, TrainsAsUnderOurSupervisor) {
  const std::string python = peer("VITRAIN_PADDLE_PYTHON");
  if (python.empty()) {
    GTEST_SKIP() << "VITRAIN_PADDLE_PYTHON names no Python with paddlepaddle";
  }
  const TempFolder logs;
  expect_training_under(
      {python,
       "-m",
       "paddle.distributed.launch",
       "--nproc_per_node=2",
       "--log_dir",
       (logs / "log").native()});
  // Rank 0's lines are what Paddle's launcher echoes.
  EXPECT_THAT(slurp(logs / "log/workerlog.0"), HasSubstr("started by paddle"));
}

// horovodrun's `--gloo` is Python alone; it refuses to start when Horovod's own
// library, which nothing here loads, was built without.
TEST(Horovodrun, TrainsAsUnderOurSupervisor) {
  const std::string python = peer("VITRAIN_HOROVOD_PYTHON");
  if (python.empty()) {
    GTEST_SKIP() << "VITRAIN_HOROVOD_PYTHON names no Python with horovod";
  }
  const TempFolder folder;
  std::ofstream(folder / "run.py") << R"(
from horovod.runner import launch
if __name__ == "__main__":
    launch.gloo_built = lambda verbose=False: True
    launch.run_commandline()
)";
  expect_training_under(
      {python, (folder / "run.py").native(), "--gloo", "-np", "2"});
}

TEST(Mpirun, TrainsAsUnderOurSupervisor) {
  if (!is_on_path("mpirun")) {
    GTEST_SKIP() << "mpirun is not installed (Debian: openmpi-bin)";
  }
  expect_training_under(kMpirun);
}

TEST(Mpirun, FindsItsPeersThroughAScript) {
  if (!is_on_path("mpirun")) {
    GTEST_SKIP() << "mpirun is not installed (Debian: openmpi-bin)";
  }
  const TempFolder folder;
  std::ofstream(folder / "wrapper.sh") << "\"$@\"\nexit $?\n";
  Words launcher = kMpirun;
  launcher.insert(launcher.end(), {"sh", (folder / "wrapper.sh").native()});
  expect_training_under(launcher);
}

// Open MPI gives its workers a terminal, whatever becomes of their words.
TEST(Mpirun, PutsPlainLinesIntoAFile) {
  if (!is_on_path("mpirun")) {
    GTEST_SKIP() << "mpirun is not installed (Debian: openmpi-bin)";
  }
  const TempFolder folder;
  Command command = short_run(
      folder / "runs", {.devices = "cpu", .more = {"-max_restarts", "2"}});
  command.environment["TERM"] = "xterm-256color";
  const Result result = run(command.after(kMpirun), 120);
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("done"), Not(HasSubstr("\x1b["))));
  EXPECT_THAT(
      result.err,
      HasSubstr("run.max_restarts: has no effect: openmpi started the "
                "workers"));
}

TEST(Hydra, TrainsAsUnderOurSupervisor) {
  if (!is_on_path("mpiexec.hydra")) {
    GTEST_SKIP() << "mpiexec.hydra is not installed (Debian: mpich)";
  }
  expect_training_under({"mpiexec.hydra", "-np", "2"});
}

TEST(Srun, TrainsAsUnderOurSupervisor) {
  if (std::system("sinfo --noheader >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "there is no Slurm cluster: see tests/e2e/with_slurm.sh";
  }
  expect_training_under({"srun", "--ntasks=2", "--overcommit"});
}

// A worker as torchrun would start it, without its store.
Command
torch_worker(Command command, int rank, int world, const std::string& port) {
  command.environment = {
      {"RANK", std::to_string(rank)},
      {"WORLD_SIZE", std::to_string(world)},
      {"LOCAL_RANK", std::to_string(rank)},
      {"LOCAL_WORLD_SIZE", std::to_string(world)},
      {"MASTER_ADDR", "127.0.0.1"},
      {"MASTER_PORT", port},
      {"OMP_NUM_THREADS", "1"}};
  return command;
}

// As horovodrun starts them: each below a shell of its own, which has no rank.
TEST(Launched, HorovodsWorkersMeetThroughItsServersAddress) {
  const TempFolder folder;
  const std::string port = free_port();
  const auto worker = [&](int rank) {
    Command command = short_run(
        folder / "runs", {.devices = "cpu", .set = {"dist.timeouts.setup=10"}});
    const std::string number = std::to_string(rank);
    return command.after(
        {"sh",
         "-c",
         "env HOROVOD_RANK=" + number +
             " HOROVOD_SIZE=2 HOROVOD_LOCAL_RANK=" + number +
             " HOROVOD_LOCAL_SIZE=2 "
             "HOROVOD_GLOO_RENDEZVOUS_ADDR=127.0.0.1 "
             "HOROVOD_GLOO_RENDEZVOUS_PORT=" +
             port + " \"$@\"; exit $?",
         "sh"});
  };
  Program first(worker(0));
  Program second(worker(1));
  EXPECT_EQ(first.wait(60).exit_code, 0);
  EXPECT_EQ(second.wait(30).exit_code, 0);
  EXPECT_EQ(numbers_of(folder / "runs"), expected_numbers());
}

// A pod of Kubeflow's Trainer, which starts the workers of its pod.
Command pod_of_train_job(
    Command command,
    int rank,
    const std::string& port,
    const std::string& processes) {
  command.environment.merge(Environment{
      {"PET_NNODES", "2"},
      {"PET_NPROC_PER_NODE", processes},
      {"PET_NODE_RANK", std::to_string(rank)},
      {"PET_MASTER_ADDR", "127.0.0.1"},
      {"PET_MASTER_PORT", port}});
  return command;
}

TEST(Launched, PodsOfATrainJobTrainTogether) {
  for (const auto& [processes, devices, workers] :
       {std::tuple("auto", "cpu:1", 2), std::tuple("2", "cpu", 4)}) {
    const TempFolder folder;
    const std::string port = free_port();
    const Command command = short_run(folder / "runs", {.devices = devices});
    Program second(pod_of_train_job(command, 1, port, processes));
    const Result first =
        run(pod_of_train_job(command, 0, port, processes), 120);
    EXPECT_EQ(first.exit_code, 0) << first.err;
    EXPECT_EQ(second.wait(30).exit_code, 0);
    EXPECT_THAT(first.err, HasSubstr("PET_NNODES=2: this is machine 0 of 2"));
    EXPECT_EQ(
        std::distance(
            std::filesystem::directory_iterator(folder / "runs"),
            std::filesystem::directory_iterator()),
        1);
    const auto path = newest_run(folder / "runs");
    EXPECT_EQ(records(path, "start").at(0).at("workers"), workers);
    if (workers == 2) {
      EXPECT_EQ(numbers_of(folder / "runs"), expected_numbers());
    }
  }
}

// Its pod may be started minutes later, and has no name until then.
TEST(Launched, APodWaitsForTheNameOfTheFirst) {
  const TempFolder folder;
  Command command = pod_of_train_job(
      short_run(
          folder / "runs",
          {.devices = "cpu:1", .set = {"dist.timeouts.setup=77"}}),
      1,
      free_port(),
      "auto");
  command.environment["PET_MASTER_ADDR"] = "no such host";
  const Result result = run(command.after({"timeout", "2"}), 30);
  EXPECT_EQ(result.exit_code, 124);
  EXPECT_THAT(result.err, HasSubstr("asking again for 77 s"));
}

// -nnodes and -launcher take precedence.
TEST(Launched, MachinesOfTheCommandLineComeBeforeVariables) {
  const TempFolder folder;
  for (const Words& more :
       {Words{"-nnodes", "1"}, Words{"-launcher", "none"}}) {
    const Command command =
        short_run(folder / "runs", {.devices = "cpu:1", .more = more});
    const Result result =
        run(pod_of_train_job(command, 0, free_port(), "1"), 120);
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
}

TEST(Launched, OneOfSeveralThatCannotJoinTrainsNothing) {
  const TempFolder folder;
  const std::vector<std::pair<std::string, Environment>> cases{
      {"PET_NODE_RANK", {{"PET_NNODES", "2"}, {"PET_NPROC_PER_NODE", "1"}}},
      {"MPI_LOCALRANKID", {{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}},
      {"MV2_COMM_WORLD_LOCAL_RANK",
       {{"MV2_COMM_WORLD_RANK", "1"}, {"MV2_COMM_WORLD_SIZE", "2"}}},
      {"OMPI_COMM_WORLD_LOCAL_RANK",
       {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}}},
      {"HOROVOD_LOCAL_RANK", {{"HOROVOD_RANK", "1"}, {"HOROVOD_SIZE", "2"}}},
      {"PADDLE_RANK",
       {{"PADDLE_NNODES", "2"}, {"PADDLE_MASTER", "127.0.0.1:6170"}}}};
  for (const auto& [missing, environment] : cases) {
    Command command = short_run(folder / "runs", {.devices = "cpu:1"});
    command.environment = environment;
    const Result result = run(command, 30);
    EXPECT_EQ(result.exit_code, 2) << missing;
    EXPECT_THAT(
        result.err, AllOf(HasSubstr(missing), HasSubstr("-launcher none")));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "runs"));
}

TEST(Launched, MoreWorkersThanCoresAreSaidOnce) {
  const TempFolder folder;
  const Command command = short_run(folder / "runs", {.devices = "cpu:2"});
  const Result result = run(command.after({"taskset", "-c", "0"}), 120);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string note = "2 workers share 1 core";
  const std::size_t at = result.err.find(note);
  ASSERT_NE(at, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find(note, at + 1), std::string::npos);
}

TEST(Launched, AMissingPeerIsNamed) {
  const TempFolder folder;
  const std::string port = free_port();
  const auto words = short_run(
      folder / "runs", {.devices = "cpu", .set = {"dist.timeouts.setup=2"}});
  Program first(torch_worker(words, 0, 3, port));
  Program third(torch_worker(words, 2, 3, port));
  const Result result = first.wait(20);
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_THAT(
      result.err,
      AllOf(HasSubstr("rank 0 of 3"), HasSubstr("rank 1 did not come")));
  EXPECT_EQ(third.wait(20).exit_code, 7);
  EXPECT_FALSE(std::filesystem::exists(folder / "runs"));
}

TEST(Launched, AnUnreachableMasterIsNamed) {
  const TempFolder folder;
  const std::string port = free_port();
  const Result result =
      run(torch_worker(
              short_run(
                  folder / "runs",
                  {.devices = "cpu", .set = {"dist.timeouts.setup=2"}}),
              1,
              2,
              port),
          20);
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_THAT(result.err, HasSubstr("rank 1 of 2"));
  EXPECT_THAT(result.err, HasSubstr("127.0.0.1:" + port));
}

TEST(Launched, APortInUseIsNamed) {
  const TempFolder folder;
  const Port port;
  const Result result = run(
      torch_worker(
          short_run(folder / "runs", {.devices = "cpu"}), 0, 2, port.number()),
      20);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("port " + port.number()));
}

// A failed worker ends without destructors, since some may hang.
TEST(Launched, AFailedWorkerReleasesTheRun) {
  const TempFolder folder;
  const Result result = run(torch_worker(
      short_run(
          folder / "runs",
          {.devices = "cpu", .set = {"optim.lr=1e30", "schedule.warmup=0st"}}),
      0,
      1,
      free_port()));
  EXPECT_EQ(result.exit_code, 5) << result.err;
  const auto path = newest_run(folder / "runs");
  EXPECT_FALSE(records(path, "start").empty());
  EXPECT_FALSE(std::filesystem::exists(path / "run.lock"));
}

TEST(Launched, AnotherNumberOfDevicesIsRefused) {
  const TempFolder folder;
  const Result result =
      run(torch_worker(
              short_run(folder / "runs", {.devices = "cpu:3"}), 1, 2, "1234"),
          20);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(
      result.err,
      HasSubstr("3 devices were asked for, but torchrun started 2 workers"));
}

TEST(Launched, NumbersOfMachinesAreTheLaunchersBusiness) {
  const TempFolder folder;
  const Result result = run(
      torch_worker(
          short_run(
              folder / "runs", {.devices = "cpu", .more = {"-nnodes", "2"}}),
          1,
          2,
          "1234"),
      20);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(
      result.err, HasSubstr("devices.nodes is 2: that is for machines"));
}

TEST(Launched, SeveralOnAMachineAreNotMachines) {
  const TempFolder folder;
  const Result result =
      run(torch_worker(
              short_run(
                  folder / "runs",
                  machine(0, 2, "127.0.0.1:1").with({.devices = "cpu"})),
              0,
              2,
              "1234"),
          20);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(
      result.err,
      AllOf(
          HasSubstr("torchrun started 2 on this machine"),
          HasSubstr("-launcher none")));
}

// A launcher that starts one process per machine, which starts the workers.
TEST(Launched, OneOnAMachineMayStartTheWorkers) {
  const TempFolder folder;
  const std::string port = free_port();
  const auto pod = [&](int rank) {
    Command command = torch_worker(
        short_run(
            folder / "runs",
            machine(rank, 2, "127.0.0.1:" + port).with({.devices = "cpu:1"})),
        rank,
        2,
        "1234");
    command.environment["LOCAL_RANK"] = "0";
    command.environment["LOCAL_WORLD_SIZE"] = "1";
    if (rank == 1) { // or says less
      command.environment.erase("LOCAL_RANK");
    }
    return command;
  };
  Program second(pod(1));
  const Result first = run(pod(0), 60);
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(second.wait(30).exit_code, 0);
  EXPECT_EQ(numbers_of(folder / "runs"), expected_numbers());
}

TEST(Launched, RestartsAreTheLaunchersBusiness) {
  const TempFolder folder;
  const Result result = run(
      torch_worker(
          short_run(
              folder / "runs",
              {.devices = "cpu", .more = {"-max_restarts", "2", "-dry_run"}}),
          0,
          2,
          "1234"),
      20);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(
      result.out,
      HasSubstr("run.max_restarts: has no effect: torchrun started the "
                "workers"));
}

// A pod of several, as managers of containers start them.
TEST(Launched, OneOfSeveralDoesNotTrainAlone) {
  const TempFolder folder;
  Command pod = torch_worker(
      short_run(folder / "runs", {.devices = "cpu"}), 1, 2, "1234");
  pod.environment.erase("LOCAL_RANK");
  const Result result = run(pod, 20);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(
      result.err, HasSubstr("-nnodes 2 -node_rank 1 -master 127.0.0.1:1234"));
  EXPECT_FALSE(std::filesystem::exists(folder / "runs"));
}

TEST(Launched, MpiOnSeveralMachinesNeedsAMaster) {
  const TempFolder folder;
  Command worker = short_run(folder / "runs", {.devices = "cpu"});
  worker.environment = {
      {"OMPI_COMM_WORLD_RANK", "0"},
      {"OMPI_COMM_WORLD_SIZE", "4"},
      {"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
      {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
  const Result result = run(worker, 20);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("-master HOST:PORT"));
}

TEST(Launched, NoLauncherMeansOurOwn) {
  const TempFolder folder;
  auto words = short_run(
      folder / "runs", {.devices = "cpu:2", .more = {"-launcher", "none"}});
  EXPECT_EQ(run(torch_worker(words, 1, 3, "1"), 60).exit_code, 0);
}

TEST(Launched, AllSaveAndStopOnARequest) {
  const TempFolder folder;
  const std::string port = free_port();
  const auto words = endless_run(folder / "runs");
  Program first(torch_worker(words, 0, 2, port));
  Program second(torch_worker(words, 1, 2, port));
  ASSERT_TRUE(first.wait_for_record(folder / "runs", "train", 5, 60));
  second.signal(SIGTERM);
  const Result result = first.wait(30);
  EXPECT_EQ(result.exit_code, 75) << result.err;
  EXPECT_THAT(result.out, HasSubstr("stopped on request"));
  EXPECT_EQ(second.wait(30).exit_code, 75);
}

// As `nohup torchrun ...`: the workers inherit what their launcher ignores.
TEST(Launched, IgnoredSignalsStayIgnored) {
  const TempFolder folder;
  const std::string port = free_port();
  const auto words = endless_run(folder / "runs")
                         .after({"sh", "-c", "trap '' HUP; exec \"$@\"", "sh"});
  Program first(torch_worker(words, 0, 2, port));
  Program second(torch_worker(words, 1, 2, port));
  ASSERT_TRUE(first.wait_for_record(folder / "runs", "train", 5, 60));
  first.signal(SIGHUP);
  second.signal(SIGHUP);
  const auto seen = records(newest_run(folder / "runs"), "train").size();
  EXPECT_TRUE(first.wait_for_record(
      folder / "runs", "train", static_cast<int>(seen) + 300, 60));
  second.signal(SIGTERM);
  EXPECT_EQ(first.wait(30).exit_code, 75);
  EXPECT_EQ(second.wait(30).exit_code, 75);
}

// Every process below this one, as far as it has parents that live.
std::vector<pid_t> descendants(pid_t root) {
  std::vector<pid_t> found = children_of(root);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::vector<pid_t> children = children_of(found[i]);
    found.insert(found.end(), children.begin(), children.end());
  }
  return found;
}

bool is_worker(pid_t pid) {
  return slurp("/proc/" + std::to_string(pid) + "/comm")
             .starts_with("vitrain:") &&
      slurp("/proc/" + std::to_string(pid) + "/stat").find(") Z ") ==
      std::string::npos;
}

// Kills a launcher of two workers while they train.
void expect_workers_to_follow(const Words& launcher) {
  const TempFolder folder;
  Command command = endless_run(folder / "runs");
  Program program(command.after(launcher));
  ASSERT_TRUE(program.wait_for_record(folder / "runs", "train", 3, 90));
  const std::vector<pid_t> started = descendants(program.pid());
  ASSERT_EQ(std::ranges::count_if(started, is_worker), 2);
  program.signal(SIGKILL);
  EXPECT_EQ(program.wait(5).exit_code, 128 + SIGKILL);
  bool gone = false;
  for (int i = 0; i < 250 && !gone; ++i) { // 5 s
    ::usleep(20'000);
    gone = std::ranges::none_of(started, is_worker);
  }
  EXPECT_TRUE(gone);
  for (const pid_t pid : started) {
    if (is_worker(pid)) {
      ::kill(pid, SIGKILL);
    }
  }
  EXPECT_THAT(
      slurp(newest_run(folder / "runs") / "log/workerlog.1"),
      HasSubstr("has ended: nobody waits for what it does"));
}

TEST(KilledLauncher, TakesItsWorkersAlongThroughShells) {
  const std::string port = free_port();
  expect_workers_to_follow(
      {VITRAIN_SOURCE_DIR "/tests/e2e/files/launcher.sh", "2", port});
}

TEST(KilledLauncher, MayBeMpirun) {
  if (!is_on_path("mpirun")) {
    GTEST_SKIP() << "mpirun is not installed (Debian: openmpi-bin)";
  }
  Words launcher = kMpirun;
  launcher.insert(launcher.end(), {"bash", "-c", "\"$@\"; exit $?", "bash"});
  expect_workers_to_follow(launcher);
}

TEST(KilledLauncher, MayBeTorchrun) {
  const Words launcher = torchrun();
  if (launcher.empty()) {
    GTEST_SKIP() << "VITRAIN_TORCH_PYTHON names no Python with torch";
  }
  expect_workers_to_follow(launcher);
}

// A hanging rendezvous: another process accepts the connection and sends
// nothing.
TEST(StopInSetUp, EndsWithinTwoSeconds) {
  const TempFolder folder;
  const Port silent;
  const auto words = short_run(folder / "runs", {.devices = "cpu"});
  Program worker(torch_worker(words, 1, 2, silent.number()));
  const Options of_two = machine(1, 2, "127.0.0.1:" + silent.number());
  Program node(short_run(folder / "runs", of_two.with({.devices = "cpu"})));
  for (int i = 0; i < 500 && !is_worker(worker.pid()); ++i) {
    ::usleep(20'000);
  }
  ASSERT_TRUE(is_worker(worker.pid()));
  ::usleep(1'000'000);
  for (Program* program : {&worker, &node}) {
    const auto start = std::chrono::steady_clock::now();
    program->signal(SIGTERM);
    EXPECT_EQ(program->wait(20).exit_code, 128 + SIGTERM);
    EXPECT_LT(
        std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "runs"));
}

TEST(OpenFiles, TheSoftLimitIsRaisedAndTheHardOneExplained) {
  const TempFolder folder;
  const auto limited = [&](const char* limit, const char* devices) {
    Command command = short_run(
        folder / "runs", {.devices = devices, .set = {"data.batch_size=2"}});
    return run(
        command.after(
            {"sh", "-c", std::string("ulimit ") + limit + "; \"$@\"", "sh"}),
        120);
  };
  const Result refused = limited("-n 40", "cpu:8");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("8 workers need "));
  EXPECT_THAT(refused.err, HasSubstr("40 are allowed"));
  EXPECT_EQ(std::ranges::count(refused.err, '\n'), 1) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "runs"));
  const Result raised = limited("-Sn 40", "cpu:4");
  EXPECT_EQ(raised.exit_code, 0) << raised.err;
}

TEST(Restarts, ContinueFromTheLastCheckpoint) {
  const TempFolder folder;
  auto words = short_run(
      folder / "runs",
      {.devices = "cpu:2",
       .set =
           {"run.epochs=50",
            "run.max_steps=1000",
            "eval.every=50ep",
            "checkpoint.every=100st",
            "log.ranks=all"},
       .more = {"-max_restarts", "3", "-log_dir", folder / "logs"}});
  Program program(words);
  ASSERT_TRUE(program.wait_for_record(folder / "runs", "checkpoint", 1, 60));
  const auto workers = program.workers();
  ASSERT_EQ(workers.size(), 2u);
  ::kill(workers[1], SIGKILL);
  const Result result = program.wait(60);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(
      result.err,
      AllOf(
          HasSubstr("rank 1"),
          HasSubstr("SIGKILL"),
          HasSubstr("restart 1 of 3 in 1 s, from step ")));
  const auto run = newest_run(folder / "runs");
  // Every step once, in order: what came after the checkpoint was done again.
  EXPECT_EQ(steps_in_order(run), 1000);
  EXPECT_EQ(records(run, "start").back().at("restarts"), 1);
  const std::string log = slurp(folder / "logs/workerlog.1");
  EXPECT_THAT(log, HasSubstr("rank 1 of 2, cpu, started by vitrain"));
  EXPECT_THAT(log, HasSubstr(", restart 1\n"));
  EXPECT_FALSE(std::filesystem::exists(run / "log"));
  // log.ranks: all
  EXPECT_THAT(result.out, HasSubstr("[rank 0] "));
}

// Another version can be installed while a run trains.
TEST(Restarts, AreOfTheSameBuild) {
  const TempFolder folder;
  const std::filesystem::path built =
      std::filesystem::path(binary()).parent_path();
  for (const char* program : {"vitrain", "vitrain_torch"}) {
    std::filesystem::copy(built / program, folder / program);
  }
  // Beside the programs.
  std::filesystem::create_symlink(built / "torch", folder / "torch");
  Command command = short_run(
      folder / "runs",
      {.devices = "cpu:2",
       .set = {"run.epochs=50", "run.max_steps=1000", "checkpoint.every=100st"},
       .more = {"-max_restarts", "1"}});
  command.words.front() = folder / "vitrain";
  Program program(command);
  ASSERT_TRUE(program.wait_for_record(folder / "runs", "checkpoint", 1, 60));
  const std::filesystem::path with_torch = folder / "vitrain_torch";
  std::filesystem::remove(with_torch);
  std::ofstream(with_torch) << "#!/bin/false\n";
  std::filesystem::permissions(with_torch, std::filesystem::perms::owner_all);
  ::kill(program.workers().at(1), SIGKILL);
  const Result result = program.wait(60);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("restart 1 of 1"));
}

TEST(Restarts, MistakesAreNotRepeated) {
  const TempFolder folder;
  const Result result = run(short_run(
      folder / "runs",
      {.devices = "cpu:2",
       .set = {"model.num_classes=3"},
       .more = {"-max_restarts", "3"}}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, Not(HasSubstr("restart")));
}

} // namespace
} // namespace vitrain::e2e
