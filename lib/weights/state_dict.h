#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "weights/pickle.h"

namespace vitrain::weights {

// The tensors of the chosen dictionary of a pickled checkpoint.
struct StateDict {
  std::vector<std::pair<std::string, PickleValue::Ref>> tensors;
  std::vector<std::string> notes; // messages for the user about the choice
};

// Chooses a state dict: the object itself or a dictionary within it, up to two
// levels deep. `part` names the dictionary ("model", "outer.inner"). With part
// "": the first usual name ("state_dict_ema", "model", ...), averaged weights
// first as in timm, or else the only dictionary. The object itself is chosen
// only if no dictionary with a usual name has more tensors than the object has
// directly. A pickled torch module counts as its state_dict(). `is_tensor`
// recognises the format's tensors; other torch tensors, and tensors whose key
// is not a text, are left out with a note. Throws Error(kWeights) that lists
// the candidates if none is chosen, and for excessively nested dictionaries.
StateDict find_state_dict(
    const PickleValue& root,
    const std::function<bool(const PickleValue&)>& is_tensor,
    const std::string& part,
    const std::string& source);

} // namespace vitrain::weights
