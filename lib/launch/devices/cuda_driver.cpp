#include "launch/devices/cuda_driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/check.h"
#include "core/system/system.h"
#include "core/text.h"

namespace vitrain::launch {
namespace {

// The functions of NVML's C interface that are used, declared here so that
// building needs no CUDA (names and signatures: NVML API reference).
using NvmlDevice = struct NvmlDeviceHandle*;

struct NvmlMemory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

constexpr int kNvmlSuccess = 0;
constexpr unsigned kNvmlMigEnabled = 1;

class Nvml {
 public:
  explicit Nvml(const std::string& library)
      : library_(::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) {
      const char* reason = ::dlerror();
      failure_ = printable(reason != nullptr ? reason : "no NVML");
      return;
    }
    load(init, "nvmlInit_v2");
    load(shutdown, "nvmlShutdown");
    load(error_string, "nvmlErrorString");
    load(driver_version, "nvmlSystemGetDriverVersion");
    load(device_count, "nvmlDeviceGetCount_v2");
    load(device_handle, "nvmlDeviceGetHandleByIndex_v2");
    load(device_name, "nvmlDeviceGetName");
    load(device_uuid, "nvmlDeviceGetUUID");
    load(device_memory, "nvmlDeviceGetMemoryInfo");
    if (!failure_.empty()) {
      return;
    }
    // Missing in older drivers; then these facts stay unknown.
    find(capability, "nvmlDeviceGetCudaComputeCapability");
    find(mig_mode, "nvmlDeviceGetMigMode");
    find(mig_count, "nvmlDeviceGetMaxMigDeviceCount");
    find(mig_handle, "nvmlDeviceGetMigDeviceHandleByIndex");
    if (const int code = init(); code != kNvmlSuccess) {
      failure_ = fmt::format("NVML: {}", error_string(code));
      return;
    }
    initialised_ = true;
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() {
    if (initialised_) {
      shutdown();
    }
    if (library_ != nullptr) {
      ::dlclose(library_);
    }
  }

  // Returns why NVML cannot be used; "" if it can.
  const std::string& failure() const { return failure_; }

  // Returns the text that an NVML function writes to a buffer; "" if it fails.
  template <typename Function, typename... Args>
  static std::string text(Function function, Args... args) {
    std::array<char, 256> buffer{};
    if (function(args..., buffer.data(), buffer.size() - 1) != kNvmlSuccess) {
      return "";
    }
    return printable(buffer.data());
  }

  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*device_count)(unsigned*) = nullptr;
  int (*device_handle)(unsigned, NvmlDevice*) = nullptr;
  int (*device_name)(NvmlDevice, char*, unsigned) = nullptr;
  int (*device_uuid)(NvmlDevice, char*, unsigned) = nullptr;
  int (*device_memory)(NvmlDevice, NvmlMemory*) = nullptr;
  int (*capability)(NvmlDevice, int*, int*) = nullptr;
  int (*mig_mode)(NvmlDevice, unsigned*, unsigned*) = nullptr;
  int (*mig_count)(NvmlDevice, unsigned*) = nullptr;
  int (*mig_handle)(NvmlDevice, unsigned, NvmlDevice*) = nullptr;

 private:
  template <typename Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(library_, name));
  }
  template <typename Function>
  void load(Function& function, const char* name) {
    find(function, name);
    if (function == nullptr) {
      failure_ = fmt::format("NVML has no {}", name);
    }
  }

  void* library_;
  std::string failure_;
  bool initialised_ = false;
};

std::vector<MigDevice> mig_devices(const Nvml& nvml, NvmlDevice device) {
  std::vector<MigDevice> found;
  unsigned count = 0;
  if (nvml.mig_count == nullptr || nvml.mig_handle == nullptr ||
      nvml.mig_count(device, &count) != kNvmlSuccess) {
    return found;
  }
  for (unsigned i = 0; i < count; ++i) {
    NvmlDevice slice = nullptr;
    if (nvml.mig_handle(device, i, &slice) == kNvmlSuccess) {
      found.push_back(
          {.uuid = Nvml::text(nvml.device_uuid, slice),
           .name = Nvml::text(nvml.device_name, slice)});
    }
  }
  return found;
}

PhysicalDevice describe_device(const Nvml& nvml, NvmlDevice handle) {
  PhysicalDevice device;
  device.uuid = Nvml::text(nvml.device_uuid, handle);
  device.name = Nvml::text(nvml.device_name, handle);
  NvmlMemory memory{};
  if (nvml.device_memory(handle, &memory) == kNvmlSuccess) {
    device.memory = static_cast<std::int64_t>(memory.total);
  }
  int major = 0;
  int minor = 0;
  if (nvml.capability != nullptr &&
      nvml.capability(handle, &major, &minor) == kNvmlSuccess) {
    device.capability = 10 * major + minor;
  }
  unsigned now = 0;
  unsigned after_reset = 0;
  if (nvml.mig_mode != nullptr &&
      nvml.mig_mode(handle, &now, &after_reset) == kNvmlSuccess &&
      now == kNvmlMigEnabled) {
    device.mig_enabled = true;
    device.mig = mig_devices(nvml, handle);
  }
  return device;
}

std::optional<DriverReport> ask_nvml(
    const std::string& library,
    std::string& failure) {
  const Nvml nvml(library);
  unsigned count = 0;
  failure = nvml.failure();
  if (failure.empty()) {
    if (const int code = nvml.device_count(&count); code != kNvmlSuccess) {
      failure = fmt::format("NVML: {}", nvml.error_string(code));
    }
  }
  if (!failure.empty()) {
    return std::nullopt;
  }
  DriverReport report;
  std::string refused;
  for (unsigned i = 0; i < count; ++i) {
    NvmlDevice handle = nullptr;
    const int code = nvml.device_handle(i, &handle);
    if (code == kNvmlSuccess) {
      report.devices.push_back(describe_device(nvml, handle));
    } else {
      refused += fmt::format(", GPU {}: {}", i, nvml.error_string(code));
    }
  }
  report.source = fmt::format(
      "NVML (driver {}{})", Nvml::text(nvml.driver_version), refused);
  return report;
}

// Returns the value of a "Key: \t value" line of
// /proc/driver/nvidia/gpus/<bus>/information; "" if there is none.
std::string information(const std::filesystem::path& file, const char* key) {
  return printable(value_after(file, key).value_or(""));
}

} // namespace

DriverReport read_proc_driver(const std::filesystem::path& root) {
  DriverReport report;
  std::error_code error;
  const auto folder = root / "proc/driver/nvidia/gpus";
  std::vector<std::filesystem::path> buses;
  for (std::filesystem::directory_iterator entry(folder, error), end;
       !error && entry != end;
       entry.increment(error)) {
    buses.push_back(entry->path());
  }
  std::sort(buses.begin(), buses.end()); // names are PCI addresses
  for (const auto& bus : buses) {
    const auto file = bus / "information";
    const std::string minor = information(file, "Device Minor:");
    if (!minor.empty() &&
        !std::filesystem::exists(root / "dev" / ("nvidia" + minor), error)) {
      continue;
    }
    report.devices.push_back(
        {.uuid = information(file, "GPU UUID:"),
         .name = information(file, "Model:")});
  }
  report.missing = buses.empty();
  report.source = buses.empty() ? "no NVIDIA driver" : "/proc/driver/nvidia";
  return report;
}

DriverReport probe_cuda_driver(const std::string& library) {
  std::string failure;
  if (auto report = ask_nvml(library, failure)) {
    return *std::move(report);
  }
  DriverReport report = read_proc_driver("/");
  report.source += fmt::format(" ({})", failure);
  return report;
}

} // namespace vitrain::launch
