#include "weights/names/wrapper_parts.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "weights/weights_check.h"

namespace vitrain::weights {
namespace {

constexpr auto kParts = std::to_array<std::string_view>(
    {"_orig_mod", // torch.compile
     "_fsdp_wrapped_module",
     "_fpw_module", // FSDP before PyTorch 2.0
     "_checkpoint_wrapped_module",
     "_forward_module"}); // Lightning Fabric

// Returns `name` without the components in kParts.
std::string without_wrappers(std::string_view name) {
  std::string plain;
  while (!name.empty()) {
    const std::size_t dot = name.find('.');
    const bool last = dot == name.npos;
    const std::string_view part = name.substr(0, dot);
    if (last || std::ranges::find(kParts, part) == kParts.end()) {
      plain += name.substr(0, last ? name.npos : dot + 1);
    }
    name.remove_prefix(last ? name.size() : dot + 1);
  }
  return plain;
}

} // namespace

void remove_wrapper_parts(Archive& archive) {
  const bool wrapped =
      std::ranges::any_of(archive.tensors, [](const auto& one) {
        return std::ranges::any_of(kParts, [&](std::string_view part) {
          return one.first.find(part) != one.first.npos;
        });
      });
  if (!wrapped) {
    return;
  }
  std::map<std::string, StoredTensor> plain;
  for (auto& [name, tensor] : archive.tensors) {
    const auto [place, fresh] =
        plain.try_emplace(without_wrappers(name), std::move(tensor));
    VITRAIN_CHECK_WEIGHTS(
        fresh,
        "{}: two tensors have the name '{}' once '{}' is without the parts of "
        "wrappers (_orig_mod and its like): keep one of them in the file",
        archive.source,
        printable(place->first),
        printable(name));
  }
  archive.tensors = std::move(plain);
}

} // namespace vitrain::weights
