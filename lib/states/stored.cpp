#include "states/stored.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <c10/util/accumulate.h>

#include "states/tensor_type.h"
#include "weights/weights_check.h"

namespace vitrain::states {

StoredReader::StoredReader(
    const weights::Archive& archive,
    const std::vector<const weights::StoredTensor*>& tensors)
    : archive_(archive), uses_(archive.storages.size()) {
  for (const weights::StoredTensor* tensor : tensors) {
    for (const weights::StridedPart& part : tensor->parts) {
      ++uses_[part.storage];
    }
    if (tensor->added) {
      ++uses_[tensor->added->storage];
    }
  }
}

// Throws Error(kWeights) for a byte other than 0 and 1, which is not a valid
// bool in C++.
void StoredReader::check_booleans(const at::Tensor& tensor) const {
  if (tensor.scalar_type() != at::kBool) {
    return;
  }
  const auto* bytes = static_cast<const std::uint8_t*>(tensor.data_ptr());
  VITRAIN_CHECK_WEIGHTS(
      std::all_of(
          bytes, bytes + tensor.numel(), [](std::uint8_t b) { return b < 2; }),
      "{}: a boolean that is neither 0 nor 1",
      archive_.source);
}

at::Tensor StoredReader::storage(std::size_t index) {
  const auto kept = kept_.find(index);
  at::Tensor bytes;
  if (kept != kept_.end()) {
    bytes = kept->second;
  } else {
    bytes = at::empty({archive_.storages[index]}, at::kByte);
    archive_.read(index, bytes.data_ptr());
  }
  if (--uses_[index] > 0) {
    kept_[index] = bytes;
  } else {
    kept_.erase(index);
  }
  return bytes;
}

at::Tensor StoredReader::view(
    const weights::StridedPart& part,
    const weights::DType& type) {
  const at::Tensor bytes = storage(part.storage);
  const std::int64_t whole = bytes.numel() / type.bytes * type.bytes;
  return bytes.narrow(0, 0, whole)
      .view(tensor_type(type))
      .as_strided(part.shape, part.strides, part.offset);
}

// True if the tensor's values are a whole storage, in order, which no other
// tensor needs.
bool StoredReader::is_whole(const weights::StoredTensor& tensor) const {
  if (tensor.parts.size() != 1 || tensor.added) {
    return false;
  }
  const weights::StridedPart& part = tensor.parts.front();
  return part.offset == 0 && uses_[part.storage] == 1 &&
      kept_.find(part.storage) == kept_.end() &&
      part.strides == weights::contiguous_strides(part.shape) &&
      archive_.storages[part.storage] ==
      c10::multiply_integers(part.shape) * tensor.type->bytes;
}

at::Tensor StoredReader::read(const weights::StoredTensor& tensor) {
  at::Tensor value = at::empty(tensor.shape, tensor_type(*tensor.type));
  read_into(tensor, value);
  return value;
}

void StoredReader::read_into(
    const weights::StoredTensor& tensor,
    at::Tensor& target) {
  if (is_whole(tensor) && target.is_contiguous() &&
      target.scalar_type() == tensor_type(*tensor.type)) {
    archive_.read(tensor.parts.front().storage, target.data_ptr());
    check_booleans(target);
    return;
  }
  std::vector<at::Tensor> views;
  for (const weights::StridedPart& part : tensor.parts) {
    views.push_back(view(part, *tensor.type));
    check_booleans(views.back().contiguous());
  }
  at::Tensor all =
      views.size() == 1 ? views.front() : at::cat(views, /*dim=*/0);
  if (tensor.added) { // added in the file's type, as timm does
    const at::Tensor added = view(*tensor.added, *tensor.type);
    all = all + added.reshape(all.sizes());
  }
  target.copy_(all.reshape(target.sizes()));
}

} // namespace vitrain::states
