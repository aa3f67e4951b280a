#include "launch/devices/devices.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <ranges>

#include "core/check.h"
#include "core/text.h"

namespace vitrain::launch {
namespace {

// Index of the device whose UUID begins with `beginning`; -1: none or several.
template <typename Devices>
int unique_match(const Devices& devices, std::string_view beginning) {
  const auto matches = [&](const auto& device) {
    return device.uuid.starts_with(beginning);
  };
  const auto found = std::ranges::find_if(devices, matches);
  return std::ranges::count_if(devices, matches) == 1
      ? static_cast<int>(found - devices.begin())
      : -1;
}

// Returns the number at the beginning of an entry, as strtoul reads it ("1gpu"
// is 1); a negative number if there is none.
std::int64_t leading_number(std::string_view entry) {
  if (entry.starts_with('+')) {
    entry.remove_prefix(1);
  }
  std::int64_t value = -1;
  std::from_chars(entry.data(), entry.data() + entry.size(), value);
  return value;
}

// Returns the number of devices that a value of CUDA_VISIBLE_DEVICES names,
// present or not: its entries before a terminator (-1 or any negative number,
// Slurm's NoDevFiles, none, void).
std::int64_t devices_named(const std::string& visible) {
  constexpr std::array<std::string_view, 3> kNoMore{
      "NoDevFiles", "none", "void"};
  std::int64_t count = 0;
  for (const std::string& text : split(visible, ',')) {
    const std::string_view entry = trim(text);
    if (entry.starts_with('-') ||
        std::ranges::find(kNoMore, entry) != kNoMore.end()) {
      break;
    }
    // An empty entry, at which CUDA stops, names no device.
    count += entry.empty() ? 0 : 1;
  }
  return count;
}

std::vector<MigDevice> all_slices(const DriverReport& driver) {
  std::vector<MigDevice> slices;
  for (const PhysicalDevice& device : driver.devices) {
    slices.insert(slices.end(), device.mig.begin(), device.mig.end());
  }
  return slices;
}

CudaDevice whole_device(const DriverReport& driver, int index) {
  const PhysicalDevice& device =
      driver.devices[static_cast<std::size_t>(index)];
  return {
      .index = index,
      .uuid = device.uuid,
      .name = device.name,
      .memory = device.memory,
      .capability = device.capability};
}

// Returns true if an index identifies the model of a GPU. CUDA numbers GPUs by
// speed unless CUDA_DEVICE_ORDER is set; the driver numbers them by bus. So
// with several models of GPU, an index alone does not.
bool indices_are_certain(const DriverReport& driver, bool bus_order) {
  return bus_order ||
      std::ranges::all_of(driver.devices, [&](const PhysicalDevice& device) {
           return device.name == driver.devices.front().name;
         });
}

// Adds visible devices in the order of ordinals; notes why devices are hidden.
class Selection {
 public:
  Selection(const DriverReport& driver, bool bus_order)
      : driver_(driver),
        slices_(all_slices(driver)),
        certain_(indices_are_certain(driver, bus_order)) {}

  void add_all() {
    if (!slices_.empty()) {
      add_slice(&slices_.front(), "");
      return;
    }
    for (int i = 0; i < static_cast<int>(driver_.devices.size()); ++i) {
      add(by_index(i));
    }
  }

  void add_entries(const std::string& visible) {
    const std::vector<std::string> entries = split(visible, ',');
    // In CUDA, the first entry decides whether all entries are indices.
    const std::string_view first = trim(entries.front());
    const bool named = first.starts_with("GPU-") || first.starts_with("MIG-");
    for (const std::string& entry : entries) {
      if (!(named ? add_named(trim(entry)) : add_index(trim(entry)))) {
        break;
      }
    }
  }

  std::vector<CudaDevice> take() { return std::move(devices_); }
  const std::string& note() const { return note_; }

 private:
  void add(CudaDevice device) {
    device.ordinal = static_cast<int>(devices_.size());
    devices_.push_back(std::move(device));
  }

  // Omits the name if it may be wrong.
  CudaDevice by_index(int index) const {
    return certain_ ? whole_device(driver_, index)
                    : CudaDevice{.index = index, .name = "NVIDIA GPU"};
  }

  // Adds a slice as the only device, if possible. Returns false: none follows.
  bool add_slice(const MigDevice* slice, std::string_view entry) {
    if (slice == nullptr || !devices_.empty()) {
      return hide_rest(entry);
    }
    add({.uuid = slice->uuid, .name = slice->name});
    note_ = "a process sees one MIG slice at most";
    return false;
  }

  // Adds a device and returns true. If repeated, removes all and returns false.
  bool add_once(CudaDevice device, std::string_view entry) {
    if (std::ranges::find(devices_, device.index, &CudaDevice::index) !=
        devices_.end()) {
      note_ = fmt::format(
          "'{}' repeats a device, which hides all", printable(entry));
      devices_.clear();
      return false;
    }
    add(std::move(device));
    return true;
  }

  bool hide_rest(std::string_view entry) {
    if (!entry.empty() && entry != "-1") {
      note_ = fmt::format(
          "'{}' names no device, which hides it and what follows",
          printable(entry));
    }
    return false;
  }

  bool add_index(std::string_view entry) {
    const std::int64_t index = leading_number(entry);
    if (index < 0 || index >= std::ssize(driver_.devices)) {
      return hide_rest(entry);
    }
    const PhysicalDevice& physical =
        driver_.devices[static_cast<std::size_t>(index)];
    if (physical.mig_enabled) {
      return add_slice(
          physical.mig.empty() ? nullptr : &physical.mig.front(), entry);
    }
    return add_once(by_index(static_cast<int>(index)), entry);
  }

  bool add_named(std::string_view entry) {
    if (entry.starts_with("MIG-")) {
      const int slice = unique_match(slices_, entry);
      return add_slice(
          slice < 0 ? nullptr : &slices_[static_cast<std::size_t>(slice)],
          entry);
    }
    const int index =
        entry.starts_with("GPU-") ? unique_match(driver_.devices, entry) : -1;
    if (index < 0) {
      return hide_rest(entry);
    }
    return add_once(whole_device(driver_, index), entry);
  }

  const DriverReport& driver_;
  std::vector<MigDevice> slices_;
  bool certain_;
  std::vector<CudaDevice> devices_;
  std::string note_;
};

std::string count_text(std::size_t count, std::string_view what) {
  return count == 0 ? fmt::format("no {}s", what)
                    : counted(static_cast<std::int64_t>(count), what);
}

std::string id_list(const VisibleDevices& visible) {
  std::vector<std::string> ids;
  for (const CudaDevice& device : visible.devices) {
    ids.push_back(
        device.index >= 0 ? std::to_string(device.index) : device.uuid);
  }
  return ids.empty() ? "none" : join(ids, ", ");
}

DeviceSlot cuda_slot(const CudaDevice& device) {
  return {
      .kind = DeviceKind::kCuda,
      .ordinal = device.ordinal,
      .name = device.name,
      .uuid = device.uuid,
      .capability = device.capability};
}

const CudaDevice& find_device(
    const std::string& id,
    const VisibleDevices& visible) {
  const std::string_view text = trim(id);
  std::int64_t index = -1;
  const bool by_index = parse_int(text, index);
  const auto matches = [&](const CudaDevice& device) {
    return by_index ? index >= 0 && device.index == index
                    : !text.empty() && device.uuid.starts_with(text);
  };
  VITRAIN_CHECK(
      std::ranges::count_if(visible.devices, matches) == 1,
      ExitCode::kUsage,
      "no visible CUDA device '{}': {}. Devices that can be named: {}",
      printable(id),
      visible.summary,
      id_list(visible));
  return *std::ranges::find_if(visible.devices, matches);
}

std::vector<DeviceSlot> choose_cuda(
    const DeviceRequest& request,
    const VisibleDevices& visible) {
  VITRAIN_CHECK(
      !visible.devices.empty(),
      ExitCode::kUsage,
      "CUDA devices were asked for, but none is visible: {}. To train on the "
      "CPU give -devices cpu, or -devices cpu:N for N workers (devices.kind: "
      "cpu)",
      visible.summary);
  std::vector<DeviceSlot> slots;
  for (const std::string& id : request.ids) {
    slots.push_back(cuda_slot(find_device(id, visible)));
  }
  if (!request.ids.empty()) {
    VITRAIN_CHECK(
        request.count == -1 ||
            request.count == static_cast<std::int64_t>(slots.size()),
        ExitCode::kUsage,
        "devices.count is {} but devices.ids names {}: leave one of them out",
        request.count,
        count_text(slots.size(), "device"));
    return slots;
  }
  const std::size_t count = visible.devices.size();
  const std::string there_are =
      count == 1 ? "1 is" : fmt::format("{} are", count);
  VITRAIN_CHECK(
      request.count <= static_cast<std::int64_t>(visible.devices.size()),
      ExitCode::kUsage,
      "{} CUDA devices were asked for, but {} visible: {}",
      request.count,
      there_are,
      visible.summary);
  VITRAIN_CHECK(
      request.count != -1 || visible.named <= std::ssize(visible.devices),
      ExitCode::kUsage,
      "CUDA_VISIBLE_DEVICES names {}, of which {} visible: {}. Name what there "
      "is (`env -u CUDA_VISIBLE_DEVICES vitrain devices` lists it), or give "
      "-devices cpu to train on the CPU",
      counted(visible.named, "device"),
      there_are,
      visible.summary);
  const auto wanted =
      request.count == -1 ? std::ssize(visible.devices) : request.count;
  for (const CudaDevice& device : visible.devices | std::views::take(wanted)) {
    slots.push_back(cuda_slot(device));
  }
  return slots;
}

} // namespace

VisibleDevices visible_cuda_devices(
    const DriverReport& driver,
    const std::optional<std::string>& visible,
    bool bus_order) {
  Selection selection(driver, bus_order);
  if (visible.has_value()) {
    selection.add_entries(*visible);
  } else {
    selection.add_all();
  }
  const std::string listed = driver.missing
      ? "and there is " + driver.source
      : fmt::format(
            "{} lists {}",
            driver.source,
            count_text(driver.devices.size(), "GPU"));
  return {
      .devices = selection.take(),
      .named = visible ? devices_named(*visible) : 0,
      .summary = fmt::format(
          "CUDA_VISIBLE_DEVICES is {}, {}{}{}",
          visible ? fmt::format("'{}'", printable(*visible)) : "not set",
          listed,
          selection.note().empty() ? "" : "; ",
          selection.note())};
}

VisibleDevices visible_cuda_devices() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const char* order = std::getenv("CUDA_DEVICE_ORDER");
  return visible_cuda_devices(
      probe_cuda_driver(),
      visible != nullptr ? std::optional<std::string>(visible) : std::nullopt,
      order != nullptr && std::string_view(order) == "PCI_BUS_ID");
}

std::string DeviceSlot::label() const {
  return kind == DeviceKind::kCpu ? "cpu"
      : name.empty()              ? fmt::format("cuda:{}", ordinal)
                                  : fmt::format("cuda:{} ({})", ordinal, name);
}

int default_cpu_workers(int cores) {
  return cores > 1 ? 2 : 1;
}

bool wants_cuda(const DeviceRequest& request, const VisibleDevices& visible) {
  return request.kind == DeviceKind::kCuda ||
      (request.kind == DeviceKind::kAuto &&
       (!visible.devices.empty() || visible.named > 0 || !request.ids.empty()));
}

std::vector<DeviceSlot> choose_devices(
    const DeviceRequest& request,
    const VisibleDevices& visible,
    int cores) {
  VITRAIN_CHECK(
      request.count == -1 || request.count >= 1,
      ExitCode::kUsage,
      "devices.count is {}: expected -1 (all) or at least 1",
      request.count);
  if (wants_cuda(request, visible)) {
    return choose_cuda(request, visible);
  }
  VITRAIN_CHECK(
      request.ids.empty(),
      ExitCode::kUsage,
      "devices.ids names CUDA devices, but devices.kind is cpu: leave one of "
      "them out");
  return std::vector<DeviceSlot>(
      static_cast<std::size_t>(requested_workers(request, visible, cores)),
      {.kind = DeviceKind::kCpu, .ordinal = 0, .name = "cpu"});
}

std::int64_t requested_workers(
    const DeviceRequest& request,
    const VisibleDevices& visible,
    int cores) {
  if (!request.ids.empty()) {
    return std::ssize(request.ids);
  }
  if (request.count != -1 || request.kind == DeviceKind::kCpu) {
    return std::max<std::int64_t>(1, request.count);
  }
  if (wants_cuda(request, visible)) {
    return std::max<std::int64_t>(
        {1, visible.named, std::ssize(visible.devices)});
  }
  return default_cpu_workers(cores);
}

std::string visible_devices_text(const VisibleDevices& visible, int cores) {
  std::string text;
  for (const CudaDevice& device : visible.devices) {
    text += fmt::format(
        "cuda:{}  {}{}{}  {}\n",
        device.ordinal,
        device.name,
        device.memory > 0
            ? "  " + human_bytes(static_cast<double>(device.memory))
            : "",
        device.index >= 0 ? fmt::format("  id {}", device.index) : "",
        device.uuid);
  }
  text += fmt::format(
      "cpu     {} usable by workers\n",
      count_text(static_cast<std::size_t>(cores), "core"));
  return text + visible.summary + "\n";
}

} // namespace vitrain::launch
