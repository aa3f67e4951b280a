#include "launch/foreign/launched_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/foreign/launchers.h"
#include "support/errors.h"
#include "support/messages.h"

namespace vitrain::launch {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Pod 1 of 2 of a TrainJob of Kubeflow's Trainer.
Environment train_job() {
  return {
      {"PET_NNODES", "2"},
      {"PET_NPROC_PER_NODE", "4"},
      {"PET_NODE_RANK", "1"},
      {"PET_MASTER_ADDR", "job-node-0-0.job"},
      {"PET_MASTER_PORT", "29400"}};
}
// Pod 1 of 2 of Paddle's operator.
Environment paddle_pod() {
  return {
      {"PADDLE_NNODES", "2"},
      {"PADDLE_NPROC_PER_NODE", "4"},
      {"PADDLE_RANK", "1"},
      {"PADDLE_MASTER", "10.0.0.1:6170"}};
}

Environment without(Environment environment, const std::string& name) {
  environment.erase(name);
  return environment;
}
Environment
with(Environment environment, const std::string& name, const char* value) {
  environment[name] = value;
  return environment;
}

LaunchedMachine machine_of(const Environment& environment) {
  const Detected found = detect_launcher(environment);
  EXPECT_FALSE(found.place);
  EXPECT_EQ(found.incomplete, "");
  EXPECT_TRUE(found.machine);
  return found.machine.value_or(LaunchedMachine{});
}

void expect_incomplete(
    const Environment& environment,
    const testing::Matcher<std::string>& message) {
  const Detected found = detect_launcher(environment);
  EXPECT_FALSE(found.place);
  EXPECT_FALSE(found.machine);
  EXPECT_THAT(found.incomplete, message);
  expect_message(found.incomplete, {"-launcher"});
  EXPECT_EQ(detect_launcher(environment, "none").incomplete, "");
}

TEST(LaunchedMachine, PodsOfATrainJobJoin) {
  const LaunchedMachine machine = machine_of(train_job());
  EXPECT_EQ(machine.nodes_variable, "PET_NNODES");
  EXPECT_EQ(machine.nodes, 2);
  EXPECT_EQ(machine.node_rank, 1);
  EXPECT_EQ(machine.master.host, "job-node-0-0.job");
  EXPECT_EQ(machine.master.port, 29400);
  EXPECT_EQ(machine.workers, 4);
  EXPECT_FALSE(detect_launcher(train_job(), "none").machine);
  // torchrun's default port, and its words for "as many as there are devices".
  EXPECT_EQ(
      machine_of(without(train_job(), "PET_MASTER_PORT")).master.port, 29500);
  for (const char* word : {"auto", "gpu", "cpu"}) {
    EXPECT_FALSE(
        machine_of(with(train_job(), "PET_NPROC_PER_NODE", word)).workers);
  }
  EXPECT_FALSE(machine_of(without(train_job(), "PET_NPROC_PER_NODE")).workers);
  EXPECT_EQ(machine_of(with(train_job(), "PET_NNODES", "2:2")).nodes, 2);
}

TEST(LaunchedMachine, OneMachineNeedsNoMaster) {
  const LaunchedMachine machine =
      machine_of({{"PET_NNODES", "1"}, {"PET_NPROC_PER_NODE", "3"}});
  EXPECT_EQ(machine.nodes, 1);
  EXPECT_EQ(machine.workers, 3);
}

// Its RANK is the number of the pod, and WORLD_SIZE counts processes.
TEST(LaunchedMachine, PodsOfAPyTorchJobWithSeveralProcessesJoin) {
  Environment pod = train_job();
  pod.merge(Environment{
      {"RANK", "1"},
      {"WORLD_SIZE", "8"},
      {"MASTER_ADDR", "job-master-0"},
      {"MASTER_PORT", "23456"}});
  const LaunchedMachine machine = machine_of(pod);
  EXPECT_EQ(machine.nodes, 2);
  EXPECT_EQ(machine.node_rank, 1);
  EXPECT_EQ(machine.workers, 4);
  // An older operator does not set the number of pods.
  for (const char* name :
       {"PET_NNODES", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"}) {
    pod.erase(name);
  }
  expect_incomplete(
      pod, HasSubstr("-nnodes 2 -node_rank 1 -master job-master-0:23456"));
}

TEST(LaunchedMachine, TorchrunsOwnWorkersAreNoMachines) {
  Environment worker = train_job();
  worker.merge(Environment{
      {"RANK", "5"},
      {"WORLD_SIZE", "8"},
      {"LOCAL_RANK", "1"},
      {"LOCAL_WORLD_SIZE", "4"},
      {"MASTER_ADDR", "job-node-0-0.job"},
      {"MASTER_PORT", "29400"}});
  const Detected found = detect_launcher(worker);
  ASSERT_TRUE(found.place);
  EXPECT_EQ(found.place->rank, 5);
  EXPECT_FALSE(found.machine);
  // A process that one of our own workers starts.
  EXPECT_FALSE(
      detect_launcher(with(train_job(), "VITRAIN_JOB_FD", "7")).machine);
}

TEST(LaunchedMachine, PodsOfPaddleJoin) {
  const LaunchedMachine machine = machine_of(paddle_pod());
  EXPECT_EQ(machine.nodes_variable, "PADDLE_NNODES");
  EXPECT_EQ(machine.nodes, 2);
  EXPECT_EQ(machine.node_rank, 1);
  EXPECT_EQ(machine.master.host, "10.0.0.1");
  EXPECT_EQ(machine.master.port, 6170);
  EXPECT_EQ(machine.workers, 4);
  EXPECT_EQ(
      machine_of(with(paddle_pod(), "PADDLE_MASTER", "http://m:80"))
          .master.host,
      "m");
  // Paddle's launch takes it for the number of the machine.
  const Environment trainer =
      with(without(paddle_pod(), "PADDLE_RANK"), "PADDLE_TRAINER_ID", "0");
  EXPECT_EQ(machine_of(trainer).node_rank, 0);
  expect_incomplete(
      with(trainer, "PADDLE_TRAINERS_NUM", "8"), HasSubstr("PADDLE_RANK"));
}

TEST(LaunchedMachine, WithoutANumberOrAMasterNobodyTrainsAlone) {
  expect_incomplete(
      without(train_job(), "PET_NODE_RANK"),
      AllOf(HasSubstr("PET_NNODES=2"), HasSubstr("PET_NODE_RANK is not set")));
  expect_incomplete(
      without(train_job(), "PET_MASTER_ADDR"), HasSubstr("PET_MASTER_ADDR"));
  expect_incomplete({{"PET_NNODES", "1:3"}}, HasSubstr("PET_NNODES=1:3"));
  expect_incomplete(
      without(paddle_pod(), "PADDLE_RANK"), HasSubstr("PADDLE_RANK"));
  expect_incomplete(
      without(paddle_pod(), "PADDLE_MASTER"), HasSubstr("PADDLE_MASTER"));
  expect_incomplete(
      with(paddle_pod(), "PADDLE_MASTER", "etcd://10.0.0.1:2379"),
      HasSubstr("PADDLE_MASTER"));
  expect_incomplete(
      with(paddle_pod(), "PADDLE_NNODES", "2:4"), HasSubstr("2:4"));
}

TEST(LaunchedMachine, NumbersThatContradictAreUsageErrors) {
  const auto refusal = [](const Environment& environment) {
    return error_of(
        ExitCode::kUsage, [&] { detect_launcher(environment, "auto"); });
  };
  for (const char* bad :
       {"0", "-1", "x", "1e3", "2:", "99999999999999999999"}) {
    expect_message(refusal(with(train_job(), "PET_NNODES", bad)), {});
  }
  for (const char* bad : {"2", "-1", "x"}) {
    expect_message(refusal(with(train_job(), "PET_NODE_RANK", bad)), {});
    expect_message(refusal(with(paddle_pod(), "PADDLE_RANK", bad)), {});
  }
  for (const char* bad : {"0", "70000", "x"}) {
    expect_message(refusal(with(train_job(), "PET_MASTER_PORT", bad)), {});
  }
  for (const char* bad : {"0", "-1", "many"}) {
    expect_message(refusal(with(train_job(), "PET_NPROC_PER_NODE", bad)), {});
  }
  expect_message(refusal(with(paddle_pod(), "PADDLE_MASTER", "10.0.0.1")), {});
}

// A process that has a rank among several and no place on its machine.
TEST(IncompleteLaunch, OneOfSeveralWithoutALocalRankDoesNotTrainAlone) {
  struct Launcher {
    const char* rank;
    const char* world;
    const char* local_rank;
  };
  for (const Launcher& launcher :
       {Launcher{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
        Launcher{
            "MV2_COMM_WORLD_RANK",
            "MV2_COMM_WORLD_SIZE",
            "MV2_COMM_WORLD_LOCAL_RANK"},
        Launcher{
            "OMPI_COMM_WORLD_RANK",
            "OMPI_COMM_WORLD_SIZE",
            "OMPI_COMM_WORLD_LOCAL_RANK"},
        Launcher{"HOROVOD_RANK", "HOROVOD_SIZE", "HOROVOD_LOCAL_RANK"}}) {
    const Environment several{{launcher.rank, "0"}, {launcher.world, "2"}};
    expect_incomplete(several, HasSubstr(launcher.local_rank));
    expect_incomplete(without(several, launcher.rank), HasSubstr("_RANK is"));
    expect_incomplete({{launcher.rank, "1"}}, HasSubstr(launcher.world));
    // One alone is one alone.
    const Environment lone{{launcher.rank, "0"}, {launcher.world, "1"}};
    EXPECT_EQ(detect_launcher(lone).incomplete, "");
    EXPECT_EQ(detect_launcher({{launcher.rank, "0"}}).incomplete, "");
    // A process that one of vitrain's workers started.
    EXPECT_EQ(
        detect_launcher(with(several, "VITRAIN_JOB_FD", "7")).incomplete, "");
  }
  expect_incomplete({{"PMIX_RANK", "1"}}, Not(IsEmpty()));
  EXPECT_EQ(detect_launcher({{"PMIX_RANK", "0"}}).incomplete, "");
  // A shell that srun has started among other tasks.
  EXPECT_EQ(
      detect_launcher({{"PMI_RANK", "0"},
                       {"PMI_SIZE", "4"},
                       {"SLURM_STEP_ID", "0"},
                       {"SLURM_PTY_PORT", "4000"}})
          .incomplete,
      "");
}

TEST(IncompleteLaunch, OthersOfMpichsFamilyJoin) {
  for (const char* prefix : {"MV2_COMM_WORLD_", "PMI_"}) {
    const std::string name = prefix;
    Environment environment{
        {name + "RANK", "3"},
        {name + "SIZE", "4"},
        {name + "LOCAL_RANK", "1"},
        {name + "LOCAL_SIZE", "2"}};
    for (const char* wanted : {"auto", "hydra"}) {
      const Detected found = detect_launcher(environment, wanted);
      ASSERT_TRUE(found.place) << name;
      EXPECT_EQ(found.place->launcher, "hydra");
      EXPECT_EQ(found.place->rank, 3);
      EXPECT_EQ(found.place->world_size, 4);
      EXPECT_EQ(found.place->local_rank, 1);
      EXPECT_EQ(found.place->local_world_size, 2);
      EXPECT_EQ(found.place->rank_variable, name + "RANK");
    }
  }
}

} // namespace
} // namespace vitrain::launch
