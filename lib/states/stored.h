#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <ATen/core/Tensor.h>

#include "weights/archive.h"

namespace vitrain::states {

// Reads the values of an archive's tensors. Reads each storage once, and keeps
// it only as long as an unread tensor needs it.
class StoredReader {
 public:
  // `archive` must outlive the reader. `tensors`: the tensors that will be
  // read, once each.
  StoredReader(
      const weights::Archive& archive,
      const std::vector<const weights::StoredTensor*>& tensors);

  // Returns a contiguous tensor on the CPU, of the stored type and shape.
  // Throws Error(kWeights), also for a boolean that is neither 0 nor 1.
  at::Tensor read(const weights::StoredTensor& tensor);
  // Copies the values into `target`, a CPU tensor with the same number of
  // elements, and converts them to its dtype. Reads directly into `target` if
  // it is contiguous, of the stored type, and the values are a whole storage.
  // Throws as read().
  void read_into(const weights::StoredTensor& tensor, at::Tensor& target);

 private:
  at::Tensor storage(std::size_t index);
  at::Tensor view(const weights::StridedPart& part, const weights::DType& type);
  bool is_whole(const weights::StoredTensor& tensor) const;
  void check_booleans(const at::Tensor& tensor) const;

  const weights::Archive& archive_;
  std::vector<std::int64_t> uses_; // number of unread parts of each storage
  std::map<std::size_t, at::Tensor> kept_; // bytes of storages by index
};

} // namespace vitrain::states
