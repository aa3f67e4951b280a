#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "weights/formats/pickle.h"

namespace vitrain::weights {

// The tensors of one dictionary in a pickled checkpoint.
struct StateDict {
  std::vector<std::pair<std::string, PickleValue::Ref>> tensors;
  std::vector<std::string> notes; // what was chosen, for people
};

// Chooses it: the object itself, or of those within (two levels deep) the one
// that `part` names ("model", "outer.inner"); with part "" by the usual names,
// averaged weights first as timm does, or the only one. The object itself is
// not taken where a usual name has more tensors than stand beside it. A pickled
// torch module counts as its state_dict(). `is_tensor` knows the format's
// tensors; others of torch, and those whose key is no text, are left out with a
// note. Throws Error(kWeights) that lists what is there, and for
// dictionaries that stand within each other so often that looking would not
// end.
StateDict find_state_dict(
    const PickleValue& root,
    const std::function<bool(const PickleValue&)>& is_tensor,
    const std::string& part,
    const std::string& source);

} // namespace vitrain::weights
