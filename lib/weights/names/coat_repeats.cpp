#include "weights/names/coat_repeats.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace vitrain::weights {
namespace {

// The first names are cpe1, crpe1, ..., and mlp2.
constexpr auto kShared =
    std::to_array<std::string_view>({".cpe.", ".crpe.", ".mlp3.", ".mlp4."});

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

} // namespace vitrain::weights
