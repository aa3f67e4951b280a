#include "launch/devices/cores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/devices/cgroup.h"
#include "launch/devices/memory.h"
#include "trial.h"

namespace vitrain::launch {
namespace {

class FakeRoot {
 public:
  void write(const std::string& file, const std::string& text) const {
    const auto path = folder_.path() / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TempFolder folder_;
};

TEST(Cores, AtLeastOneAndNoMoreThanTheQuota) {
  EXPECT_GE(available_cores(), 1);
  FakeRoot root;
  EXPECT_GE(available_cores(root.path()), 1); // no /proc, no /sys
  root.write("proc/self/cgroup", "0::/job\n");
  root.write("sys/fs/cgroup/job/cpu.max", "50000 100000\n");
  EXPECT_EQ(available_cores(root.path()), 1);
}

// Workers that another launcher has started in a container with a quota.
TEST(Cores, AreSharedUpToTheQuota) {
  FakeRoot root;
  root.write("proc/self/cgroup", "0::/job\n");
  const std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(share_cores({all, all}, root.path()).all, 8);
  root.write("sys/fs/cgroup/job/cpu.max", "350000 100000\n");
  const SharedCores two = share_cores({all, all}, root.path());
  EXPECT_EQ(two.all, 4);
  EXPECT_THAT(two.each, testing::ElementsAre(2, 2));
  EXPECT_THAT(
      share_cores({{0}, all}, root.path()).each, testing::ElementsAre(1, 2));
  EXPECT_EQ(share_cores({all}, root.path()).each.front(), 4);
}

TEST(Cores, MoreWorkersThanCoresAreSaid) {
  EXPECT_FALSE(crowding_note(1, 1));
  EXPECT_FALSE(crowding_note(2, 2));
  const auto note = crowding_note(8, 2);
  ASSERT_TRUE(note);
  EXPECT_THAT(
      *note,
      testing::AllOf(
          testing::HasSubstr("8 workers"),
          testing::HasSubstr("2 cores"),
          testing::HasSubstr("-np 2"),
          testing::Not(testing::HasSubstr("\n"))));
}

TEST(Cgroup, SecondVersionTakesTheTightestQuotaOnTheWayUp) {
  FakeRoot root;
  root.write("proc/self/cgroup", "0::/outer/inner\n");
  root.write("sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
  EXPECT_FALSE(Cgroup(root.path()).cpu_quota().has_value());
  root.write("sys/fs/cgroup/outer/cpu.max", "250000 100000\n");
  EXPECT_DOUBLE_EQ(Cgroup(root.path()).cpu_quota().value(), 2.5);
  root.write("sys/fs/cgroup/outer/inner/cpu.max", "150000 100000\n");
  EXPECT_DOUBLE_EQ(Cgroup(root.path()).cpu_quota().value(), 1.5);
  root.write(
      "sys/fs/cgroup/outer/inner/memory.events",
      "low 0\noom 3\noom_kill 2\noom_group_kill 9\n");
  EXPECT_EQ(Cgroup(root.path()).oom_kills().value(), 2);
}

TEST(Memory, IsWhatTheMachineAndTheGroupHaveLeft) {
  FakeRoot root;
  EXPECT_EQ(available_memory(root.path()), std::nullopt);
  root.write(
      "proc/meminfo",
      "MemTotal:       24689764 kB\nMemFree:          100000 kB\n"
      "MemAvailable:    2000 kB\n");
  EXPECT_EQ(available_memory(root.path()), 2'048'000);
  root.write("proc/self/cgroup", "0::/outer/inner\n");
  root.write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  root.write("sys/fs/cgroup/outer/inner/memory.current", "900\n");
  EXPECT_EQ(available_memory(root.path()), 2'048'000);
  root.write("sys/fs/cgroup/outer/memory.max", "1000\n");
  root.write("sys/fs/cgroup/outer/memory.current", "700\n");
  EXPECT_EQ(available_memory(root.path()), 300);
  root.write(
      "sys/fs/cgroup/outer/memory.stat", "file 500\ninactive_file 200\n");
  EXPECT_EQ(available_memory(root.path()), 500);
  root.write("sys/fs/cgroup/outer/memory.current", "2700\n");
  EXPECT_EQ(available_memory(root.path()), 0);

  FakeRoot first;
  first.write("proc/self/cgroup", "5:memory:/a\n");
  first.write(
      "sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
  first.write("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1\n");
  EXPECT_EQ(available_memory(first.path()), std::nullopt);
  first.write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "41\n");
  EXPECT_EQ(available_memory(first.path()), 40);
}

TEST(Cgroup, FirstVersion) {
  FakeRoot root;
  root.write(
      "proc/self/cgroup",
      "5:memory:/a:b\n4:cpu,cpuacct:/c\n1:name=systemd:/\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "-1\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(Cgroup(root.path()).cpu_quota().has_value());
  root.write("sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "300000\n");
  EXPECT_DOUBLE_EQ(Cgroup(root.path()).cpu_quota().value(), 3);
  root.write(
      "sys/fs/cgroup/memory/a:b/memory.oom_control",
      "oom_kill_disable 0\nunder_oom 0\noom_kill 7\n");
  EXPECT_EQ(Cgroup(root.path()).oom_kills().value(), 7);
}

TEST(Cgroup, ContainerWhosePathIsTheHosts) {
  FakeRoot root;
  root.write("proc/self/cgroup", "0::/docker/0123abcd\n");
  root.write("sys/fs/cgroup/cpu.max", "400000 100000\n");
  EXPECT_DOUBLE_EQ(Cgroup(root.path()).cpu_quota().value(), 4);
}

TEST(Cgroup, NonsenseMeansUnknown) {
  FakeRoot root;
  root.write("proc/self/cgroup", "garbage\n::\n0::/x\n");
  root.write("sys/fs/cgroup/x/cpu.max", "a b c\n");
  root.write("sys/fs/cgroup/x/memory.events", "oom_kill many\noom_killer 5\n");
  EXPECT_FALSE(Cgroup(root.path()).cpu_quota().has_value());
  EXPECT_FALSE(Cgroup(root.path()).oom_kills().has_value());
}

} // namespace
} // namespace vitrain::launch
