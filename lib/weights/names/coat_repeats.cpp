#include "weights/names/coat_repeats.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"

namespace vitrain::weights {
namespace {

constexpr auto kShared =
    std::to_array<std::string_view>({".cpe.", ".crpe.", ".mlp3.", ".mlp4."});

// Collects other names of tensors: add() maps `place` + rest to `first` + rest
// for every name that begins with `first`.
class Repeats {
 public:
  explicit Repeats(const std::vector<std::string>& names) : names_(names) {}

  void add(const std::string& place, const std::string& first) {
    for (const std::string& name : names_) {
      if (name.starts_with(first)) {
        all_[place + name.substr(first.size())] = name;
      }
    }
  }

  std::map<std::string, std::string> take() { return std::move(all_); }

 private:
  const std::vector<std::string>& names_;
  std::map<std::string, std::string> all_;
};

} // namespace

void drop_coat_repeats(Archive& archive) {
  if (!archive.tensors.contains("cpe1.proj.weight")) {
    return;
  }
  std::erase_if(archive.tensors, [](const auto& tensor) {
    return std::ranges::any_of(kShared, [&](std::string_view layer) {
      return tensor.first.find(layer) != tensor.first.npos;
    });
  });
}

std::map<std::string, std::string> coat_repeats(
    const std::vector<std::string>& names) {
  Repeats repeats(names);
  if (std::ranges::find(names, "cpe1.proj.weight") == names.end()) {
    return repeats.take();
  }
  for (const std::string& name : names) {
    const std::vector<std::string> parts = split(name, '.');
    if (parts.size() < 4) {
      continue;
    }
    const std::string block = parts[0] + "." + parts[1] + ".";
    if (parts[0].starts_with("serial_blocks") && parts[2] == "norm1" &&
        parts[3] == "weight") {
      const char scale = parts[0].back();
      repeats.add(block + "cpe.", fmt::format("cpe{}.", scale));
      repeats.add(
          block + "factoratt_crpe.crpe.", fmt::format("crpe{}.", scale));
    } else if (name == block + parts[2] + ".qkv.weight") {
      repeats.add(
          block + parts[2] + ".crpe.", fmt::format("crpe{}.", parts[2].back()));
    } else if (name == block + "mlp2.fc1.weight") {
      repeats.add(block + "mlp3.", block + "mlp2.");
      repeats.add(block + "mlp4.", block + "mlp2.");
    }
  }
  return repeats.take();
}

} // namespace vitrain::weights
