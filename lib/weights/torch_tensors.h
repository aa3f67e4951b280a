#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "weights/archive.h"
#include "weights/pickle.h"

// Tensors as torch.save pickles them: a call of a rebuild function with a
// storage whose bytes are elsewhere in the file.
namespace vitrain::weights {

struct TorchStorage {
  std::string key; // name of the storage in the file
  std::int64_t element_bytes = 0; // 1 for an untyped storage
  std::int64_t count = 0; // number of elements
};

// Returns the storage that the id of `persistent` (of kind kPersistent)
// describes: ('storage', torch.FloatStorage, '0', 'cpu', 1000); further items
// are ignored. Throws Error(kWeights) if the id has another form, an unknown
// type, a key longer than kLongestName, or a size that overflows.
TorchStorage torch_storage(
    const PickleValue& persistent,
    const std::string& source);

// True for a dense tensor, also within a Parameter or a subclass; false for
// sparse and quantised ones.
bool is_torch_tensor(const PickleValue& value);

// Adds the tensors of a pickled checkpoint (`part`: see open_archive()) to
// `archive` and sets its notes; every view is checked against the size of its
// storage. Appends the storages' keys to `keys` and their sizes to
// archive.storages, with the same indices.
void add_torch_tensors(
    const Pickle& pickle,
    const std::string& part,
    Archive& archive,
    std::vector<std::string>& keys);

} // namespace vitrain::weights
