#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <ATen/core/Tensor.h>

#include "weights/archive.h"

namespace vitrain::states {

// Reads the values of an archive's tensors, each storage once, and keeps it
// only while a tensor that has not been read needs it.
class StoredReader {
 public:
  // `tensors`: the tensors that will be read, once each.
  StoredReader(
      const weights::Archive& archive,
      const std::vector<const weights::StoredTensor*>& tensors);

  // A contiguous tensor on the CPU, of the stored type and shape. Throws
  // Error(kWeights), also for a boolean that is neither 0 nor 1.
  at::Tensor read(const weights::StoredTensor& tensor);
  // Copies it into `target`, which has as many elements, on the CPU: without
  // another copy where the storage is just what `target` holds.
  void read_into(const weights::StoredTensor& tensor, at::Tensor& target);

 private:
  at::Tensor storage(std::size_t index);
  at::Tensor view(const weights::StridedPart& part, const weights::DType& type);
  bool is_whole(const weights::StoredTensor& tensor) const;
  void check_booleans(const at::Tensor& tensor) const;

  const weights::Archive& archive_;
  std::vector<std::int64_t> uses_; // parts still to be read, by storage
  std::map<std::size_t, at::Tensor> kept_; // bytes
};

} // namespace vitrain::states
