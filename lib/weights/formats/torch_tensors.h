#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "weights/archive.h"
#include "weights/formats/pickle.h"

// Tensors as torch.save pickles them: a call of a rebuild function with a
// storage that stands elsewhere in the file.
namespace vitrain::weights {

struct TorchStorage {
  std::string key; // its name in the file
  std::int64_t element_bytes = 0; // 1 for an untyped one
  std::int64_t count = 0; // of elements
};

// ('storage', torch.FloatStorage, '0', 'cpu', 1000). Throws Error(kWeights)
// when it is something else.
TorchStorage torch_storage(
    const PickleValue& persistent,
    const std::string& source);

bool is_torch_tensor(const PickleValue& value);

// The tensors of a pickled checkpoint, every place checked against the size of
// its storage. `keys` become the indices of their storages, for which
// archive.storages gets the bytes.
void add_torch_tensors(
    const Pickle& pickle,
    const std::string& part,
    Archive& archive,
    std::vector<std::string>& keys);

} // namespace vitrain::weights
