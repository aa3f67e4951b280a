#include "launch/processes/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "core/check.h"
#include "launch/devices/memory.h"
#include "support/messages.h"

namespace vitrain::launch {
namespace {

TEST(Environment, CopiesThisProcess) {
  ::setenv("VITRAIN_TEST_VALUE", "a=b=c", 1);
  EXPECT_EQ(current_environment().at("VITRAIN_TEST_VALUE"), "a=b=c");
  ::unsetenv("VITRAIN_TEST_VALUE");
}

TEST(Environment, RanksAndRendezvousReplaceStaleOnes) {
  const Environment user{
      {"RANK", "7"},
      {"MASTER_ADDR", "elsewhere"},
      {"VITRAIN_LISTEN_FD", "3"},
      {"CUDA_VISIBLE_DEVICES", "2,3"},
      {"LC_ALL", "de_DE.UTF-8"}};
  const Environment worker = worker_environment(
      user,
      {.rank = 1,
       .local_rank = 1,
       .world_size = 2,
       .local_world_size = 2,
       .master_port = 4321,
       .cores = 8});
  EXPECT_EQ(worker.at("RANK"), "1");
  EXPECT_EQ(worker.at("LOCAL_RANK"), "1");
  EXPECT_EQ(worker.at("WORLD_SIZE"), "2");
  EXPECT_EQ(worker.at("LOCAL_WORLD_SIZE"), "2");
  EXPECT_EQ(worker.at("MASTER_ADDR"), "127.0.0.1");
  EXPECT_EQ(worker.at("MASTER_PORT"), "4321");
  EXPECT_FALSE(worker.contains("VITRAIN_LISTEN_FD"));
  EXPECT_EQ(worker.at("CUDA_VISIBLE_DEVICES"), "2,3");
  EXPECT_EQ(worker.at("LC_ALL"), "de_DE.UTF-8");
  EXPECT_EQ(worker.at("OMP_NUM_THREADS"), "4");
  EXPECT_EQ(worker.at("MKL_NUM_THREADS"), "4");
  EXPECT_EQ(worker.at("OMP_WAIT_POLICY"), "PASSIVE");
  EXPECT_EQ(worker.at("GLOO_SOCKET_IFNAME"), "lo");
  EXPECT_EQ(worker.at("NCCL_SOCKET_IFNAME"), "lo");
  EXPECT_EQ(worker.at("TORCH_NCCL_ASYNC_ERROR_HANDLING"), "3");
  EXPECT_EQ(worker.at("TORCH_NCCL_DUMP_ON_TIMEOUT"), "0");
  // torch hands cuBLAS its workspaces, which is all that repeats results; with
  // the variable it would read that anew, by a regex, for every product.
  EXPECT_FALSE(worker.contains("CUBLAS_WORKSPACE_CONFIG"));
}

TEST(Environment, WhatTheUserSetStays) {
  const Environment user{
      {"OMP_NUM_THREADS", "3,1"},
      {"MKL_NUM_THREADS", "2"},
      {"GOMP_SPINCOUNT", "7"},
      {"GLOO_SOCKET_IFNAME", "eth0"},
      {"CUBLAS_WORKSPACE_CONFIG", ":16:8"}};
  const Environment worker =
      worker_environment(user, {.local_world_size = 2, .cores = 8});
  for (const auto& [name, value] : user) {
    EXPECT_EQ(worker.at(name), value) << name;
  }
  EXPECT_FALSE(worker.contains("OMP_WAIT_POLICY"));
}

TEST(Environment, OneWorkerSpinsShortlyAndSeveralNodesChooseInterfaces) {
  const Environment worker =
      worker_environment({}, {.own_address = "10.0.0.2", .cores = 8});
  EXPECT_EQ(worker.at("GOMP_SPINCOUNT"), "10000");
  EXPECT_FALSE(worker.contains("OMP_WAIT_POLICY"));
  EXPECT_FALSE(worker.contains("GLOO_SOCKET_IFNAME"));
  EXPECT_FALSE(worker.contains("NCCL_SOCKET_IFNAME"));
}

TEST(Environment, TheAllocatorKeepsItsPagesUnlessTheUserSaysOtherwise) {
  EXPECT_EQ(
      worker_environment({}, {.cores = 2}).at("GLIBC_TUNABLES"),
      "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=17179869184:"
      "glibc.malloc.top_pad=67108864:glibc.malloc.hugetlb=1");
  // Both names of a setting work; variables of other purposes stay.
  EXPECT_EQ(
      worker_environment(
          {{"GLIBC_TUNABLES",
            "glibc.rtld.nns=4:glibc.malloc.hugetlb=0:glibc.malloc.mmap_max=9"},
           {"MALLOC_TOP_PAD_", "1"}},
          {.cores = 2})
          .at("GLIBC_TUNABLES"),
      "glibc.rtld.nns=4:glibc.malloc.hugetlb=0:glibc.malloc.mmap_max=9:"
      "glibc.malloc.trim_threshold=17179869184");
}

TEST(Environment, ThreadsShareTheCoresUnlessTheUserSaysOtherwise) {
  EXPECT_EQ(worker_threads({}, 8, 2), 4);
  EXPECT_EQ(worker_threads({}, 2, 3), 1);
  EXPECT_EQ(worker_threads({{"OMP_NUM_THREADS", " 5 "}}, 2, 2), 5);
  EXPECT_EQ(worker_threads({{"OMP_NUM_THREADS", ""}}, 6, 2), 3);
}

TEST(Environment, AbsurdThreadCountsAreRefusedByName) {
  for (const char* value :
       {"0", "-4", "1000000", "four", "4x", "1e3", "99999999999999999999"}) {
    try {
      worker_threads({{"OMP_NUM_THREADS", value}}, 2, 1);
      ADD_FAILURE() << value;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
      EXPECT_NE(
          std::string(error.what())
              .find(std::string("OMP_NUM_THREADS=") + value),
          std::string::npos)
          << error.what();
    }
  }
  EXPECT_THROW(
      worker_environment({{"MKL_NUM_THREADS", "x"}}, {.cores = 2}), Error);
}

TEST(Environment, WarnsOfMoreThreadsThanCores) {
  EXPECT_TRUE(environment_warnings({}, 2, 4).empty());
  EXPECT_TRUE(environment_warnings({{"OMP_NUM_THREADS", "1"}}, 2, 4).empty());
  EXPECT_EQ(environment_warnings({{"OMP_NUM_THREADS", "4"}}, 4, 2).size(), 1U);
}

TEST(SharedMemory, IsTooSmallInAContainerAsDockerMakesIt) {
  constexpr std::int64_t kDocker = 64 << 20;
  const auto warning = shared_memory_warning(4, kDocker);
  ASSERT_TRUE(warning);
  expect_message(*warning, {"64.0", "256.0", "--shm", "size=1g"});
  EXPECT_FALSE(shared_memory_warning(1, kDocker));
  EXPECT_FALSE(shared_memory_warning(4, std::int64_t{1} << 30));
  // None at all is the least there can be.
  EXPECT_TRUE(shared_memory_warning(2, "/no/such/folder"));
}

} // namespace
} // namespace vitrain::launch
