#include "record.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include "settings.h"

namespace vitrain::fake_cuda {
namespace {

constexpr auto kCounts = static_cast<std::size_t>(Count::kEnd);
using Counts = std::array<std::int64_t, kCounts>;

// In the order of Count.
constexpr std::array<const char*, kCounts> kNames{
    "launches",
    "products",
    "plans",
    "waits",
    "host_to_device",
    "device_to_host",
    "device_to_device",
    "pageable",
    "host_to_device_bytes",
    "fills",
    "allocations",
    "pinned_allocations",
    "collectives",
    "graph_launches"};

struct Record {
  std::mutex mutex;
  Counts counts{};
  std::vector<Counts> steps; // at the end of each
  bool in_step_kernels = false; // one update may be several launches
  std::unordered_map<const void*, const char*> names;
  std::unordered_map<const void*, std::int64_t> launches;
  std::set<int> devices;
  std::vector<std::string> violations;
};

void write_at_exit();

Record& record() {
  // Never destroyed: see settings().
  static Record* const made = [] {
    std::atexit(&write_at_exit);
    return new Record;
  }();
  return *made;
}

std::string quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
    }
    quoted += c < ' ' ? ' ' : c;
  }
  return quoted + "\"";
}

std::string json(const Counts& counts) {
  std::string text = "{";
  for (std::size_t i = 0; i < kCounts; ++i) {
    text += (i > 0 ? ", \"" : "\"") + std::string(kNames[i]) +
        "\": " + std::to_string(counts[i]);
  }
  return text + "}";
}

template <typename Items, typename Write>
std::string list(const Items& items, const Write& write) {
  std::string text;
  for (const auto& item : items) {
    text += (text.empty() ? "" : ", ") + write(item);
  }
  return text;
}

// Returns the launches of each kernel name; instances of a template share one.
std::map<std::string, std::int64_t> launches_by_name(const Record& record) {
  std::map<std::string, std::int64_t> kernels;
  for (const auto& [function, count] : record.launches) {
    const auto name = record.names.find(function);
    kernels[name == record.names.end() ? "unknown" : name->second] += count;
  }
  return kernels;
}

std::string report(const Record& record) {
  return "{\"counts\": " + json(record.counts) + ",\n\"steps\": [" +
      list(record.steps, [](const Counts& counts) { return json(counts); }) +
      "],\n\"devices\": [" +
      list(record.devices, [](int device) { return std::to_string(device); }) +
      "],\n\"violations\": [" + list(record.violations, &quoted) +
      "],\n\"kernels\": {" +
      list(launches_by_name(record),
           [](const auto& kernel) {
             return quoted(kernel.first) + ": " + std::to_string(kernel.second);
           }) +
      "}}\n";
}

void write_report(const Record& record) {
  // A process that only loaded the libraries has nothing to say.
  if (settings().folder.empty() ||
      (record.devices.empty() && record.violations.empty())) {
    return;
  }
  const std::string path =
      settings().folder + "/" + std::to_string(::getpid()) + ".json";
  if (std::FILE* file = std::fopen(path.c_str(), "w")) {
    const std::string text = report(record);
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
  }
}

void write_at_exit() {
  const std::scoped_lock lock(record().mutex);
  write_report(record());
}

} // namespace

void count(Count what, std::int64_t by) {
  const std::scoped_lock lock(record().mutex);
  record().counts[static_cast<std::size_t>(what)] += by;
}

void count_launch(const void* function) {
  Record& all = record();
  const std::scoped_lock lock(all.mutex);
  const auto name = all.names.find(function);
  const bool step = name != all.names.end() &&
      std::strstr(name->second, settings().step_kernel.c_str()) != nullptr;
  if (all.in_step_kernels && !step) {
    all.steps.push_back(all.counts);
  }
  all.in_step_kernels = step;
  ++all.counts[static_cast<std::size_t>(Count::kLaunches)];
  ++all.launches[function];
}

void use_device(int device) {
  const std::scoped_lock lock(record().mutex);
  record().devices.insert(device);
}

void name_kernel(const void* function, const char* name) {
  const std::scoped_lock lock(record().mutex);
  record().names.emplace(function, name);
}

const char* kernel_name(const void* function) {
  const std::scoped_lock lock(record().mutex);
  const auto name = record().names.find(function);
  return name == record().names.end() ? "" : name->second;
}

void violation(const std::string& text) {
  std::fprintf(stderr, "fake CUDA: violation: %s\n", text.c_str());
  const std::scoped_lock lock(record().mutex);
  record().violations.push_back(text);
}

void fatal_violation(const std::string& text) {
  violation(text);
  write_at_exit();
  std::abort();
}

} // namespace vitrain::fake_cuda

// For the stand-in of libcuda.so.1, which is a library of its own.
extern "C" int fake_cuda_has_context(int device) {
  const std::scoped_lock lock(vitrain::fake_cuda::record().mutex);
  return vitrain::fake_cuda::record().devices.contains(device) ? 1 : 0;
}
