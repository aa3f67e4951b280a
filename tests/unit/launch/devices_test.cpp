#include "launch/devices/devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/check.h"
#include "support/errors.h"
#include "support/messages.h"
#include "trial.h"

namespace vitrain::launch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

DriverReport four_gpus() {
  DriverReport driver{.source = "a test driver", .devices = {}};
  for (const char* uuid :
       {"GPU-aaa1-0000", "GPU-aaa2-1111", "GPU-bbb1-2222", "GPU-ccc1-3333"}) {
    driver.devices.push_back(
        {.uuid = uuid, .name = "NVIDIA H200", .memory = 1 << 30});
  }
  return driver;
}

DriverReport mig_gpus() {
  DriverReport driver = four_gpus();
  driver.devices[1].mig_enabled = true;
  driver.devices[1].mig = {
      {.uuid = "MIG-0001", .name = "slice 1"},
      {.uuid = "MIG-0002", .name = "slice 2"}};
  return driver;
}

std::vector<int> indices(
    const DriverReport& driver,
    const std::optional<std::string>& visible) {
  std::vector<int> found;
  int ordinal = 0;
  for (const auto& device : visible_cuda_devices(driver, visible).devices) {
    EXPECT_EQ(device.ordinal, ordinal++);
    found.push_back(device.index);
  }
  return found;
}

[[nodiscard]] std::string usage_error(auto&& call) {
  return error_of(ExitCode::kUsage, call);
}

TEST(VisibleDevices, AllWithoutTheVariableAndNoneWhenItIsEmpty) {
  EXPECT_THAT(indices(four_gpus(), std::nullopt), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(indices(four_gpus(), ""), IsEmpty());
  EXPECT_THAT(indices(four_gpus(), "-1"), IsEmpty());
  EXPECT_THAT(indices(four_gpus(), "none"), IsEmpty());
  EXPECT_THAT(indices({}, std::nullopt), IsEmpty());
  EXPECT_THAT(indices({}, "0"), IsEmpty());
}

TEST(VisibleDevices, OrderDefinesOrdinals) {
  EXPECT_THAT(indices(four_gpus(), "3,0, 2"), ElementsAre(3, 0, 2));
  EXPECT_THAT(indices(four_gpus(), "1gpu,2x"), ElementsAre(1, 2));
}

TEST(VisibleDevices, FirstInvalidEntryHidesTheRest) {
  EXPECT_THAT(indices(four_gpus(), "1,-1,2"), ElementsAre(1));
  EXPECT_THAT(indices(four_gpus(), "1,4,2"), ElementsAre(1));
  EXPECT_THAT(indices(four_gpus(), "1,,2"), ElementsAre(1));
  EXPECT_THAT(indices(four_gpus(), "1,GPU-aaa1,2"), ElementsAre(1));
  EXPECT_THAT(indices(four_gpus(), "99999999999999999999"), IsEmpty());
  EXPECT_THAT(
      visible_cuda_devices(four_gpus(), "1,4\n,2").summary,
      HasSubstr("'4' names no device, which hides it and what follows"));
}

TEST(VisibleDevices, RepeatedEntryHidesAll) {
  EXPECT_THAT(indices(four_gpus(), "0,1,0"), IsEmpty());
  EXPECT_THAT(indices(four_gpus(), "GPU-bbb,GPU-bbb1"), IsEmpty());
}

TEST(VisibleDevices, UniqueBeginningOfAUuidIsEnough) {
  EXPECT_THAT(indices(four_gpus(), "GPU-ccc,GPU-aaa2"), ElementsAre(3, 1));
  EXPECT_THAT(indices(four_gpus(), "GPU-aaa"), IsEmpty()); // two of them
  EXPECT_THAT(indices(four_gpus(), "GPU-bbb,GPU-ddd,GPU-ccc"), ElementsAre(2));
  EXPECT_THAT(indices(four_gpus(), "GPU-bbb,0"), ElementsAre(2));
}

TEST(VisibleDevices, OneMigSliceAtMost) {
  const auto uuids = [](const std::optional<std::string>& visible) {
    std::vector<std::string> found;
    for (const auto& device :
         visible_cuda_devices(mig_gpus(), visible).devices) {
      found.push_back(device.uuid);
    }
    return found;
  };
  EXPECT_THAT(uuids(std::nullopt), ElementsAre("MIG-0001"));
  EXPECT_THAT(uuids("MIG-0002,MIG-0001"), ElementsAre("MIG-0002"));
  EXPECT_THAT(uuids("MIG-000"), IsEmpty());
  EXPECT_THAT(uuids("1"), ElementsAre("MIG-0001"));
  EXPECT_THAT(uuids("0,2"), ElementsAre("GPU-aaa1-0000", "GPU-bbb1-2222"));
}

TEST(VisibleDevices, NoNameIsGuessedAmongSeveralModels) {
  DriverReport driver = four_gpus();
  driver.devices[0].name = "NVIDIA T4";
  EXPECT_EQ(visible_cuda_devices(driver, "0").devices[0].name, "NVIDIA GPU");
  EXPECT_EQ(
      visible_cuda_devices(driver, "0", /*bus_order=*/true).devices[0].name,
      "NVIDIA T4");
  EXPECT_EQ(
      visible_cuda_devices(driver, "GPU-aaa1").devices[0].name, "NVIDIA T4");
}

TEST(VisibleDevices, HostileVariableCannotForgeLines) {
  const auto visible = visible_cuda_devices(four_gpus(), "\x1b[31m\nfake");
  EXPECT_THAT(visible.devices, IsEmpty());
  EXPECT_EQ(visible.summary.find('\n'), std::string::npos);
  EXPECT_EQ(visible.summary.find('\x1b'), std::string::npos);
}

TEST(ChooseDevices, AutoTakesGpusElseTheCpu) {
  const auto gpus =
      choose_devices({}, visible_cuda_devices(four_gpus(), "2,3"), 8);
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[1].label(), "cuda:1 (NVIDIA H200)");
  const VisibleDevices nothing = visible_cuda_devices({}, std::nullopt);
  const auto none = choose_devices({}, nothing, 1);
  ASSERT_EQ(none.size(), 1U);
  EXPECT_EQ(none[0].label(), "cpu");
  EXPECT_EQ(choose_devices({.count = 3}, nothing, 1).size(), 3U);
  // The default is two workers, or one if they would share a core.
  EXPECT_EQ(choose_devices({}, nothing, 2).size(), 2U);
  EXPECT_EQ(choose_devices({}, nothing, 64).size(), 2U);
  EXPECT_EQ(choose_devices({.kind = DeviceKind::kCpu}, nothing, 64).size(), 1U);
}

TEST(ChooseDevices, IdsAreThoseOfTheDriver) {
  const auto visible = visible_cuda_devices(four_gpus(), "3,1,2");
  const auto slots =
      choose_devices({.ids = {"2", "GPU-ccc", "1", "1"}}, visible, 8);
  std::vector<int> ordinals;
  for (const auto& slot : slots) {
    EXPECT_EQ(slot.kind, DeviceKind::kCuda);
    ordinals.push_back(slot.ordinal);
  }
  EXPECT_THAT(ordinals, ElementsAre(2, 0, 1, 1));
}

TEST(ChooseDevices, MessagesNameWhatThereIs) {
  const auto visible = visible_cuda_devices(four_gpus(), "3,1");
  for (const char* id : {"0", "-1", "", "GPU-", "GPU-bbb", "cpu"}) {
    EXPECT_THAT(
        usage_error([&] { choose_devices({.ids = {id}}, visible, 8); }),
        HasSubstr("Devices that can be named: 3, 1"))
        << id;
  }
  expect_message(
      usage_error([&] { choose_devices({.count = 3}, visible, 8); }),
      {"2", "'3,1'", "4"});
  expect_message(
      usage_error([&] {
        choose_devices({.count = 1, .ids = {"3", "1"}}, visible, 8);
      }),
      {"devices.count", "1", "devices.ids", "2"});
  expect_message(
      usage_error([&] {
        choose_devices(
            {.kind = DeviceKind::kCuda},
            visible_cuda_devices(four_gpus(), ""),
            8);
      }),
      {});
  expect_message(
      usage_error([&] {
        choose_devices({.kind = DeviceKind::kCpu, .ids = {"3"}}, visible, 8);
      }),
      {"devices.kind"});
  for (const std::int64_t count : {0, -2}) {
    EXPECT_NE(
        usage_error([&] { choose_devices({.count = count}, visible, 8); }), "");
  }
}

TEST(ChooseDevices, CpuWorkersIgnoreGpus) {
  const auto slots = choose_devices(
      {.kind = DeviceKind::kCpu, .count = 2},
      visible_cuda_devices(four_gpus(), std::nullopt),
      8);
  ASSERT_EQ(slots.size(), 2U);
  EXPECT_EQ(slots[0].kind, DeviceKind::kCpu);
}

// Training on less than was asked for, without a word, is the worst answer.
TEST(ChooseDevices, TheVariableAsksForWhatItNames) {
  const auto refusal = [](const DriverReport& driver, const char* value) {
    return usage_error(
        [&] { choose_devices({}, visible_cuda_devices(driver, value), 8); });
  };
  DriverReport missing{
      .source = "no NVIDIA driver", .missing = true, .devices = {}};
  for (const char* value : {"0", "0,1,2,3", "GPU-aaa1", "all", "7"}) {
    EXPECT_THAT(
        refusal(missing, value),
        AllOf(
            HasSubstr(fmt::format(
                "none is visible: CUDA_VISIBLE_DEVICES is '{}', and there is "
                "no NVIDIA driver",
                value)),
            HasSubstr("-devices cpu")))
        << value;
  }
  expect_message(refusal(four_gpus(), "0,1,2,3,4"), {"5", "'4'", "-devices"});
  expect_message(refusal(four_gpus(), "1,,2"), {"2"});
  expect_message(refusal(four_gpus(), "1,GPU-aaa1"), {"1"});
  expect_message(refusal(four_gpus(), "1,1"), {});
  expect_message(refusal(mig_gpus(), "MIG-0001,MIG-0002"), {});
  // "No more than these" and "none" are no requests.
  for (const char* value : {"", " ", "-1", "-1,0,1", "NoDevFiles", "none"}) {
    const auto slots =
        choose_devices({}, visible_cuda_devices(missing, value), 8);
    EXPECT_EQ(slots.front().kind, DeviceKind::kCpu) << value;
  }
  for (const char* value : {"0,1", "0,1,", "0,1,-1,2", "0,1,NoDevFiles"}) {
    EXPECT_EQ(
        choose_devices({}, visible_cuda_devices(four_gpus(), value), 8).size(),
        2U)
        << value;
  }
  // Saying otherwise.
  const VisibleDevices more = visible_cuda_devices(four_gpus(), "0,1,7");
  EXPECT_EQ(
      choose_devices({.kind = DeviceKind::kCpu}, more, 8).front().kind,
      DeviceKind::kCpu);
  EXPECT_EQ(choose_devices({.count = 2}, more, 8).size(), 2U);
  EXPECT_EQ(choose_devices({.ids = {"1"}}, more, 8).size(), 1U);
}

TEST(RequestedWorkers, CountsWhatIsAskedForWhetherItIsHereOrNot) {
  const VisibleDevices gpus = visible_cuda_devices(four_gpus(), "2,3");
  const VisibleDevices none = visible_cuda_devices({}, std::nullopt);
  EXPECT_EQ(requested_workers({}, gpus, 8), 2);
  EXPECT_EQ(requested_workers({}, none, 8), 2);
  EXPECT_EQ(requested_workers({}, none, 1), 1);
  EXPECT_EQ(requested_workers({}, visible_cuda_devices({}, "0,1,2"), 8), 3);
  EXPECT_EQ(requested_workers({.kind = DeviceKind::kCuda}, none, 8), 1);
  EXPECT_EQ(requested_workers({.count = 8}, none, 8), 8);
  EXPECT_EQ(requested_workers({.ids = {"0", "1", "2"}}, gpus, 8), 3);
  EXPECT_EQ(requested_workers({.kind = DeviceKind::kCpu}, gpus, 8), 1);
  EXPECT_EQ(
      requested_workers({.kind = DeviceKind::kCpu, .count = 3}, gpus, 8), 3);
}

TEST(DescribeDevices, AMissingDriverListsNothing) {
  DriverReport driver = read_proc_driver("/no/such/root");
  driver.source += " (no library)";
  EXPECT_EQ(
      visible_cuda_devices(driver, std::nullopt).summary,
      "CUDA_VISIBLE_DEVICES is not set, and there is no NVIDIA driver (no "
      "library)");
}

TEST(DescribeDevices, ListsWhatCanBeNamed) {
  EXPECT_EQ(
      visible_devices_text(visible_cuda_devices(four_gpus(), "2"), 8),
      "cuda:0  NVIDIA H200  1.0 GiB  id 2  GPU-bbb1-2222\n"
      "cpu     8 cores usable by workers\n"
      "CUDA_VISIBLE_DEVICES is '2', a test driver lists 4 GPUs\n");
}

TEST(ProcDriver, ReadsInBusOrderAndSkipsWhatHasNoFile) {
  TempFolder root;
  const auto add = [&](const std::string& bus, const std::string& minor) {
    const auto folder = root.path() / "proc/driver/nvidia/gpus" / bus;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "information")
        << "Model: \t\t NVIDIA A100\nIRQ:   \t\t 42\nGPU UUID: \t GPU-" << bus
        << "\nBus Location: \t 0000:" << bus << "\nDevice Minor: \t " << minor
        << "\n";
  };
  EXPECT_THAT(read_proc_driver(root.path()).devices, IsEmpty());
  EXPECT_EQ(read_proc_driver(root.path()).source, "no NVIDIA driver");
  add("0000:81:00.0", "0");
  add("0000:04:00.0", "1");
  add("0000:c1:00.0", "2");
  std::filesystem::create_directories(root.path() / "dev");
  std::ofstream(root.path() / "dev/nvidia0");
  std::ofstream(root.path() / "dev/nvidia1");
  const DriverReport report = read_proc_driver(root.path());
  ASSERT_EQ(report.devices.size(), 2U);
  EXPECT_EQ(report.devices[0].uuid, "GPU-0000:04:00.0");
  EXPECT_EQ(report.devices[1].uuid, "GPU-0000:81:00.0");
  EXPECT_EQ(report.devices[0].name, "NVIDIA A100");
  EXPECT_EQ(report.source, "/proc/driver/nvidia");
}

TEST(CudaDriver, AsksNvml) {
  const std::string library = VITRAIN_BINARY_DIR "/tests/fake_nvml.so";
  const DriverReport report = probe_cuda_driver(library);
  EXPECT_EQ(
      report.source, "NVML (driver 580.1, GPU 1: Insufficient Permissions)");
  ASSERT_EQ(report.devices.size(), 3U);
  EXPECT_EQ(report.devices[0].uuid, "GPU-zero");
  EXPECT_EQ(report.devices[0].memory, std::int64_t{80} << 30);
  EXPECT_EQ(report.devices[0].capability, 75);
  EXPECT_FALSE(report.devices[0].mig_enabled);
  EXPECT_TRUE(report.devices[1].mig_enabled);
  ASSERT_EQ(report.devices[1].mig.size(), 2U);
  EXPECT_EQ(report.devices[1].mig[1].uuid, "MIG-b");
  EXPECT_EQ(report.devices[2].name, "NVIDIA Test\\x0a");
}

TEST(CudaDriver, BrokenLibraryIsAReasonNotAnError) {
  const DriverReport report = probe_cuda_driver("/no/such/nvml.so");
  EXPECT_THAT(report.source, HasSubstr("/no/such/nvml.so: cannot open"));
  // A library that lacks the functions.
  expect_message(probe_cuda_driver("libm.so.6").source, {});
}

TEST(CudaDriver, ProbeAnswersOnAnyMachine) {
  const DriverReport report = probe_cuda_driver();
  EXPECT_FALSE(report.source.empty());
  for (const auto& device : report.devices) {
    EXPECT_FALSE(device.name.empty());
  }
}

} // namespace
} // namespace vitrain::launch
