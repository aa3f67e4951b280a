#include "launch/foreign/launchers.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/check.h"
#include "core/text.h"
#include "launch/foreign/exec_worker.h"
#include "launch/foreign/launched_device.h"
#include "support/errors.h"
#include "support/messages.h"

namespace vitrain::launch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Rank 3 of 4 on two machines with two workers each, as each launcher says it.
Environment torchrun() {
  return {
      {"RANK", "3"},
      {"WORLD_SIZE", "4"},
      {"LOCAL_RANK", "1"},
      {"LOCAL_WORLD_SIZE", "2"},
      {"GROUP_RANK", "1"},
      {"MASTER_ADDR", "node0"},
      {"MASTER_PORT", "29500"},
      {"TORCHELASTIC_USE_AGENT_STORE", "True"},
      {"TORCHELASTIC_RESTART_COUNT", "2"}};
}
Environment paddle() {
  return {
      {"PADDLE_TRAINER_ID", "3"},
      {"PADDLE_TRAINERS_NUM", "4"},
      {"PADDLE_TRAINER_ENDPOINTS",
       "10.0.0.1:6070,10.0.0.1:6071,10.0.0.2:6070,10.0.0.2:6071"},
      {"PADDLE_CURRENT_ENDPOINT", "10.0.0.2:6071"},
      {"FLAGS_selected_gpus", "5"}};
}
Environment horovodrun() {
  return {
      {"HOROVOD_RANK", "3"},
      {"HOROVOD_SIZE", "4"},
      {"HOROVOD_LOCAL_RANK", "1"},
      {"HOROVOD_LOCAL_SIZE", "2"},
      {"HOROVOD_CROSS_RANK", "1"}};
}
Environment openmpi() {
  return {
      {"OMPI_COMM_WORLD_RANK", "3"},
      {"OMPI_COMM_WORLD_SIZE", "4"},
      {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
      {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
}
Environment hydra() {
  return {
      {"PMI_RANK", "3"},
      {"PMI_SIZE", "4"},
      {"MPI_LOCALRANKID", "1"},
      {"MPI_LOCALNRANKS", "2"}};
}
Environment slurm() {
  return {
      {"SLURM_JOB_ID", "77"},
      {"SLURM_STEP_ID", "0"},
      {"SLURM_PROCID", "3"},
      {"SLURM_LOCALID", "1"},
      {"SLURM_NODEID", "1"},
      {"SLURM_STEP_NUM_TASKS", "4"},
      {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"},
      {"SLURM_STEP_NODELIST", "gpu[07,09]"},
      {"SLURM_NTASKS", "4"}};
}

struct Known {
  const char* name;
  Environment (*environment)();
};
const std::vector<Known> kAll{
    {"torchrun", &torchrun},
    {"paddle", &paddle},
    {"horovodrun", &horovodrun},
    {"openmpi", &openmpi},
    {"hydra", &hydra},
    {"slurm", &slurm}};

std::string refusal(const Environment& environment, const char* wanted) {
  return error_of(
      ExitCode::kUsage, [&] { detect_launcher(environment, wanted); });
}

TEST(Launchers, EachIsRecognised) {
  for (const Known& known : kAll) {
    for (const char* wanted : {"auto", known.name}) {
      const Detected found = detect_launcher(known.environment(), wanted);
      ASSERT_TRUE(found.place) << known.name;
      EXPECT_EQ(found.place->launcher, known.name);
      EXPECT_EQ(found.place->rank, 3) << known.name;
      EXPECT_EQ(found.place->world_size, 4) << known.name;
      EXPECT_EQ(found.place->local_rank, 1) << known.name;
      EXPECT_EQ(found.place->local_world_size, 2) << known.name;
      EXPECT_FALSE(found.place->one_node()) << known.name;
    }
    EXPECT_FALSE(detect_launcher(known.environment(), "none").place);
  }
  EXPECT_FALSE(detect_launcher({}).place);
  EXPECT_THAT(detect_launcher({}).notes, IsEmpty());
}

TEST(Launchers, WithoutAnyOneVariableItIsNoLaunchOrAnError) {
  // Never a place with a made-up rank.
  const std::vector<std::string> needed{
      "RANK",
      "WORLD_SIZE",
      "LOCAL_RANK",
      "LOCAL_WORLD_SIZE",
      "MASTER_ADDR",
      "MASTER_PORT",
      "PADDLE_TRAINER_ID",
      "PADDLE_TRAINERS_NUM",
      "PADDLE_TRAINER_ENDPOINTS",
      "SLURM_STEP_ID",
      "SLURM_STEP_NUM_TASKS",
      "SLURM_PROCID",
      "SLURM_LOCALID"};
  for (const Known& known : kAll) {
    for (const auto& [name, value] : known.environment()) {
      Environment environment = known.environment();
      environment.erase(name);
      const bool own =
          (name.starts_with("HOROVOD") && name != "HOROVOD_CROSS_RANK") ||
          name.starts_with("OMPI") || name.starts_with("PMI") ||
          name.starts_with("MPI_");
      if (!own && std::ranges::find(needed, name) == needed.end()) {
        EXPECT_TRUE(detect_launcher(environment).place) << name;
        continue;
      }
      try {
        EXPECT_FALSE(detect_launcher(environment).place) << name;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::kUsage);
        EXPECT_THAT(error.what(), HasSubstr(name));
      }
    }
  }
}

TEST(Launchers, NumbersThatContradictAreUsageErrors) {
  for (const Known& known : kAll) {
    for (const auto& [name, value] : known.environment()) {
      const bool rank = name == "RANK" || name.ends_with("_RANK") ||
          name == "PADDLE_TRAINER_ID" || name == "SLURM_PROCID";
      if (!rank || name == "GROUP_RANK" || name == "HOROVOD_CROSS_RANK") {
        continue;
      }
      for (const char* bad : {"4", "-1", "x", "1e3", "99999999999999999999"}) {
        Environment environment = known.environment();
        environment[name] = bad;
        EXPECT_THAT(refusal(environment, known.name), HasSubstr(name));
      }
    }
  }
  expect_message(refusal(torchrun(), "slurm"), {});
  expect_message(refusal({}, "mpi"), {"'mpi'"});
  Environment few = paddle();
  few["PADDLE_TRAINER_ENDPOINTS"] = "a:1,b:1";
  expect_message(refusal(few, "auto"), {"2"});
}

TEST(Launchers, WhereToMeet) {
  const auto place = [](const Environment& environment) {
    return *detect_launcher(environment).place;
  };
  EXPECT_EQ(place(torchrun()).master_address, "node0");
  EXPECT_EQ(place(torchrun()).master_port, 29500);
  EXPECT_TRUE(place(torchrun()).store_is_running);
  EXPECT_EQ(place(torchrun()).attempt, 2);
  EXPECT_EQ(place(paddle()).master_address, "10.0.0.1");
  EXPECT_EQ(place(paddle()).master_port, 6070);
  EXPECT_EQ(place(paddle()).device, 5);
  EXPECT_EQ(place(slurm()).master_address, "gpu07");
  EXPECT_GE(place(slurm()).master_port, 20000);
  EXPECT_LT(place(slurm()).master_port, 30000);
  EXPECT_EQ(place(openmpi()).master_port, 0);
  for (auto environment : {openmpi(), hydra(), horovodrun(), slurm()}) {
    environment["MASTER_ADDR"] = "h";
    environment["MASTER_PORT"] = "123";
    EXPECT_EQ(place(environment).master_address, "h");
    EXPECT_EQ(place(environment).master_port, 123);
    EXPECT_FALSE(place(environment).store_is_running);
  }
}

TEST(Launchers, HorovodrunIsKnownByItsServer) {
  const auto launch_id = [](const Environment& environment) {
    return detect_launcher(environment).place->launch_id;
  };
  auto environment = horovodrun();
  EXPECT_EQ(launch_id(environment), "");
  environment["HOROVOD_GLOO_RENDEZVOUS_ADDR"] = "10.0.0.1";
  EXPECT_EQ(launch_id(environment), "");
  environment["HOROVOD_GLOO_RENDEZVOUS_PORT"] = "4711";
  EXPECT_EQ(launch_id(environment), "10.0.0.1:4711");
  EXPECT_EQ(launch_id(openmpi()), "");
}

TEST(Launchers, TheInnerOneCounts) {
  // mpirun and torchrun in a Slurm allocation start one daemon per node by
  // srun, whose variables the workers inherit.
  Environment both = slurm();
  both.merge(openmpi());
  EXPECT_EQ(detect_launcher(both).place->launcher, "openmpi");
  both.merge(torchrun());
  EXPECT_EQ(detect_launcher(both).place->launcher, "torchrun");
}

TEST(Launchers, InheritedVariablesAreNoLaunch) {
  // The script of sbatch: a rank and a number of tasks, but no step.
  Environment batch = slurm();
  batch.erase("SLURM_STEP_ID");
  batch.erase("SLURM_STEP_NUM_TASKS");
  const Detected found = detect_launcher(batch);
  EXPECT_FALSE(found.place);
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("SLURM_NTASKS is 4")));
  // The special steps of Slurm, such as salloc's shell.
  for (const char* step : {"4294967291", "4294967290"}) {
    Environment special = slurm();
    special["SLURM_STEP_ID"] = step;
    EXPECT_FALSE(detect_launcher(special).place);
  }
  // srun --pty bash
  Environment terminal = slurm();
  terminal["SLURM_PTY_PORT"] = "4000";
  EXPECT_FALSE(detect_launcher(terminal).place);
  // A lone task uses all devices that it sees.
  Environment lone = slurm();
  lone["SLURM_STEP_NUM_TASKS"] = "1";
  EXPECT_FALSE(detect_launcher(lone).place);
  // Containers of Kubernetes: a rank per machine.
  Environment pod = torchrun();
  pod.erase("LOCAL_RANK");
  EXPECT_FALSE(detect_launcher(pod).place);
  // Without a place to meet they may mean anything.
  pod.erase("MASTER_ADDR");
  EXPECT_EQ(detect_launcher(pod).incomplete, "");
  EXPECT_THAT(
      detect_launcher(pod).notes,
      ElementsAre(HasSubstr("not LOCAL_RANK, MASTER_ADDR, as torchrun")));
  // A process that one of our own workers starts.
  Environment own = torchrun();
  own["VITRAIN_JOB_FD"] = "7";
  EXPECT_FALSE(detect_launcher(own).place);
}

TEST(Launchers, OneOfSeveralDoesNotTrainAlone) {
  // As Kubeflow's PyTorchJob sets them, for each pod.
  Environment pod{
      {"RANK", "1"},
      {"WORLD_SIZE", "2"},
      {"MASTER_ADDR", "job-master-0"},
      {"MASTER_PORT", "23456"}};
  const Detected found = detect_launcher(pod);
  EXPECT_FALSE(found.place);
  EXPECT_THAT(found.notes, IsEmpty());
  expect_message(
      found.incomplete,
      {"-nnodes", "-node_rank", "1", "-master", "0", "23456", "-launcher"});
  EXPECT_EQ(detect_launcher(pod, "none").incomplete, "");
  pod.erase("MASTER_PORT");
  expect_message(detect_launcher(pod).incomplete, {});
  pod["WORLD_SIZE"] = "1"; // a job of one pod
  EXPECT_EQ(detect_launcher(pod).incomplete, "");
  Environment trainer = paddle();
  trainer.erase("PADDLE_TRAINER_ENDPOINTS");
  expect_message(
      detect_launcher(trainer).incomplete, {"-nnodes", "4", "-node_rank", "3"});
  trainer["PADDLE_TRAINERS_NUM"] = "1";
  trainer["PADDLE_TRAINER_ID"] = "0";
  EXPECT_EQ(detect_launcher(trainer).incomplete, "");
}

TEST(Launchers, SlurmLists) {
  EXPECT_EQ(first_slurm_host("n1"), "n1");
  EXPECT_EQ(first_slurm_host("n1,n2"), "n1");
  EXPECT_EQ(first_slurm_host("n[010-012,20],m1"), "n010");
  EXPECT_EQ(first_slurm_host("r[1-2]n[3-4]-ib"), "r1n3-ib");
  EXPECT_EQ(first_slurm_host("a[3"), "a3");
  EXPECT_EQ(first_slurm_host(""), "");
  EXPECT_EQ(slurm_tasks_of_node("2(x3),1", 0), 2);
  EXPECT_EQ(slurm_tasks_of_node("2(x3),1", 2), 2);
  EXPECT_EQ(slurm_tasks_of_node("2(x3),1", 3), 1);
  EXPECT_EQ(slurm_tasks_of_node("2(x3),1", 4), 0);
  EXPECT_EQ(slurm_tasks_of_node("4", 0), 4);
  for (const char* broken : {"", "x", "2(", "2()", "2(y3)", "2(x3", "2(xx)"}) {
    EXPECT_EQ(slurm_tasks_of_node(broken, 0), 0) << broken;
  }
}

TEST(Launchers, TorchrunsThreadLimitIsTakenBack) {
  const Environment limited{{"OMP_NUM_THREADS", "1"}, {"A", "b"}};
  EXPECT_FALSE(without_launcher_defaults(limited, {{"A", "b"}})
                   .contains("OMP_NUM_THREADS"));
  // A value of the user stays, and so does one of unknown origin.
  EXPECT_TRUE(without_launcher_defaults(limited, {{"OMP_NUM_THREADS", "1"}})
                  .contains("OMP_NUM_THREADS"));
  EXPECT_TRUE(
      without_launcher_defaults(limited, {}).contains("OMP_NUM_THREADS"));
  EXPECT_TRUE(
      without_launcher_defaults({{"OMP_NUM_THREADS", "4"}}, {{"A", "b"}})
          .contains("OMP_NUM_THREADS"));
}

VisibleDevices gpus(int count) {
  VisibleDevices visible{.devices = {}, .summary = "as seen"};
  for (int i = 0; i < count; ++i) {
    visible.devices.push_back(
        {.ordinal = i, .index = i, .uuid = fmt::format("GPU-{}", i)});
  }
  return visible;
}

int ordinal(
    LaunchedPlace place,
    const VisibleDevices& visible,
    const DeviceRequest& request = {}) {
  place.launcher = "torchrun";
  place.world_size = 8;
  return choose_launched_device(place, request, visible).ordinal;
}

TEST(LaunchedDevice, FollowsTheLocalRank) {
  const LaunchedPlace second{.local_rank = 1, .local_world_size = 2};
  EXPECT_EQ(ordinal(second, gpus(2)), 1);
  EXPECT_EQ(ordinal(second, gpus(4)), 1);
  // srun shows each task the one device that is its own.
  EXPECT_EQ(ordinal(second, gpus(1)), 0);
  EXPECT_EQ(ordinal(second, gpus(4), {.ids = {"3", "2"}}), 2);
  EXPECT_EQ(ordinal(second, gpus(2), {.count = 2}), 1);
  // Paddle's choice, an index into the visible ones.
  LaunchedPlace chosen = second;
  chosen.device = 3;
  EXPECT_EQ(ordinal(chosen, gpus(4)), 3);
  EXPECT_EQ(
      choose_launched_device(chosen, {}, gpus(4)).uuid, std::string("GPU-3"));
  EXPECT_EQ(choose_launched_device(second, {}, gpus(0)).kind, DeviceKind::kCpu);
  EXPECT_EQ(
      choose_launched_device(second, {.kind = DeviceKind::kCpu}, gpus(2)).kind,
      DeviceKind::kCpu);
}

// Without a request the CPU is used. The launcher's choice is a request.
TEST(LaunchedDevice, WhatTheLauncherGaveHasToBeThere) {
  LaunchedPlace given{.local_rank = 1, .local_world_size = 2};
  EXPECT_EQ(choose_launched_device(given, {}, gpus(0)).kind, DeviceKind::kCpu);
  given.device = 1;
  EXPECT_THROW(ordinal(given, gpus(0)), Error);
  EXPECT_THROW(ordinal(given, gpus(1)), Error);
  EXPECT_EQ(
      choose_launched_device(given, {.kind = DeviceKind::kCpu}, gpus(0)).kind,
      DeviceKind::kCpu);
  VisibleDevices named = gpus(2);
  named.named = 4; // CUDA_VISIBLE_DEVICES=0,1,2,3
  EXPECT_THROW(ordinal(given, named), Error);
}

TEST(LaunchedDevice, OneIsNoPlural) {
  const LaunchedPlace only{.local_rank = 0, .local_world_size = 1};
  try {
    ordinal(only, gpus(4), {.count = 3});
    ADD_FAILURE();
  } catch (const Error& error) {
    expect_message(error.what(), {"3", "1"});
  }
}

TEST(LaunchedDevice, TooFewDevicesAreAUsageError) {
  const LaunchedPlace third{.local_rank = 2, .local_world_size = 4};
  const LaunchedPlace first{.local_rank = 0, .local_world_size = 4};
  EXPECT_THROW(ordinal(third, gpus(2)), Error);
  // Every worker refuses, otherwise some would wait for the rest.
  EXPECT_THROW(ordinal(first, gpus(2)), Error);
  EXPECT_THROW(ordinal(first, gpus(4), {.count = 2}), Error);
  EXPECT_THROW(ordinal(first, gpus(4), {.ids = {"0", "1"}}), Error);
  EXPECT_THROW(ordinal(first, gpus(0), {.kind = DeviceKind::kCuda}), Error);
}

} // namespace
} // namespace vitrain::launch
