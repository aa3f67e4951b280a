#include "weights/names/dino_positions.h"

#include "weights/weights_check.h"

namespace vitrain::weights {

void add_class_position(Archive& archive, const DinoNames& names) {
  const auto positions = archive.tensors.find(names.positions);
  const auto token = archive.tensors.find(names.token);
  if (!archive.tensors.contains(names.registers) ||
      positions == archive.tensors.end() || token == archive.tensors.end()) {
    return;
  }
  StoredTensor& all = positions->second;
  const auto is_rows = [](const StoredTensor& tensor) {
    return tensor.shape.size() == 3 && tensor.shape[0] == 1 &&
        tensor.shape[1] > 0 && tensor.parts.front().shape == tensor.shape;
  };
  VITRAIN_CHECK_WEIGHTS(
      is_rows(all) && is_rows(token->second) && token->second.shape[1] == 1 &&
          token->second.shape[2] == all.shape[2] &&
          token->second.type == all.type,
      "{}: '{}' and '{}' are not [1, positions, width] and [1, 1, width] of "
      "one type, as DINOv2 has them",
      archive.source,
      names.positions,
      names.token);
  StridedPart& part = all.parts.front();
  StridedPart first = part;
  first.shape[1] = 1;
  token->second.added = std::move(first);
  --all.shape[1];
  --part.shape[1];
  // If no position remains, there is no element after the first.
  part.offset += part.shape[1] > 0 ? part.strides[1] : 0;
}

} // namespace vitrain::weights
