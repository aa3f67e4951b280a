#include "settings.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace vitrain::fake_cuda {
namespace {

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

// -1: no such device.
int physical_of(const std::string& entry, int devices) {
  for (int device = 0; device < devices; ++device) {
    if (entry == std::to_string(device) ||
        (entry.size() > 4 && device_uuid(device).starts_with(entry))) {
      return device;
    }
  }
  return -1;
}

// A process sees one slice, the first that is named, and no whole device: the
// index of one means its first slice.
std::vector<int> visible_slice(int devices, int slices) {
  const char* value = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string list = value != nullptr ? value : "0";
  const std::string entry = list.substr(0, list.find(','));
  for (int device = 0; device < devices; ++device) {
    if (entry == std::to_string(device)) {
      return {device};
    }
    for (int slice = 0; slice < slices; ++slice) {
      if (entry.starts_with("MIG-") &&
          slice_uuid(device, slice).starts_with(entry)) {
        return {device};
      }
    }
  }
  return {};
}

// As CUDA reads it: what follows an unknown entry is hidden, and a device named
// twice hides all.
std::vector<int> visible_devices(int devices) {
  std::vector<int> visible;
  const char* value = std::getenv("CUDA_VISIBLE_DEVICES");
  if (value == nullptr) {
    for (int device = 0; device < devices; ++device) {
      visible.push_back(device);
    }
    return visible;
  }
  std::stringstream entries(value);
  for (std::string entry; std::getline(entries, entry, ',');) {
    const int device = physical_of(entry, devices);
    if (device < 0) {
      break;
    }
    if (std::ranges::find(visible, device) != visible.end()) {
      return {};
    }
    visible.push_back(device);
  }
  return visible;
}

// "kind:device:call".
void read_fault(const std::string& text, Settings& settings) {
  struct Row {
    std::string_view name;
    Fault fault;
  };
  constexpr std::array<Row, 5> kRows{
      {{"oom", Fault::kOutOfMemory},
       {"sticky", Fault::kSticky},
       {"lost", Fault::kLost},
       {"nccl", Fault::kCollective},
       {"dies", Fault::kDies}}};
  std::stringstream parts(text);
  std::string kind;
  std::string device;
  std::string call;
  std::getline(parts, kind, ':');
  std::getline(parts, device, ':');
  std::getline(parts, call, ':');
  const auto row = std::ranges::find(kRows, kind, &Row::name);
  if (row != kRows.end() && !call.empty()) {
    settings.fault = row->fault;
    settings.fault_device = std::stoi(device);
    settings.fault_call = std::stoll(call);
  } else if (!text.empty()) {
    std::fprintf(stderr, "fake CUDA: no such fault '%s'\n", text.c_str());
    std::abort();
  }
}

Settings read_settings() {
  Settings settings;
  settings.physical_devices = std::stoi(variable("FAKE_CUDA_DEVICES", "1"));
  settings.slices = std::stoi(variable("FAKE_CUDA_SLICES", "0"));
  settings.visible = settings.slices > 0
      ? visible_slice(settings.physical_devices, settings.slices)
      : visible_devices(settings.physical_devices);
  const std::string capability = variable("FAKE_CUDA_CAPABILITY", "9.0");
  settings.major = std::stoi(capability);
  settings.minor = std::stoi(capability.substr(capability.find('.') + 1));
  settings.driver = std::stoi(variable("FAKE_CUDA_DRIVER", "13000"));
  settings.folder = variable("FAKE_CUDA_FOLDER", "");
  settings.step_kernel = variable("FAKE_CUDA_STEP", "FusedAdam");
  settings.order = variable("FAKE_CUDA_ORDER", "1") != std::string("0");
  read_fault(variable("FAKE_CUDA_FAULT", ""), settings);
  return settings;
}

} // namespace

const Settings& settings() {
  // Never destroyed: destructors of other libraries call this one after its own
  // destructors.
  static const auto* read = new Settings(read_settings());
  return *read;
}

std::string device_uuid(int physical) {
  std::array<char, 48> text{};
  std::snprintf(
      text.data(), text.size(), "GPU-00000000-0000-0000-0000-%012d", physical);
  return text.data();
}

std::string slice_uuid(int physical, int slice) {
  std::array<char, 64> text{};
  std::snprintf(
      text.data(),
      text.size(),
      "MIG-00000000-0000-0000-%04d-%012d",
      slice,
      physical);
  return text.data();
}

} // namespace vitrain::fake_cuda
