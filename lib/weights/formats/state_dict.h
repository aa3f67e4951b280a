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
  std::vector<std::string> notes; // notes for the user on the choice
};

// Chooses the state dict: the object itself, or, of the dictionaries within it
// (two levels deep), the one named by `part` ("model", "outer.inner"). With
// part "": the first usual name, averaged weights first as in timm, or the only
// dictionary. The object itself is not taken if a usual name has more tensors
// than the object has directly. A pickled torch module counts as its
// state_dict(). `is_tensor` recognises the format's tensors; other tensors of
// torch, and tensors whose key is no text, are left out with a note. Throws
// Error(kWeights) that lists the candidates, and for excessively nested
// dictionaries.
StateDict find_state_dict(
    const PickleValue& root,
    const std::function<bool(const PickleValue&)>& is_tensor,
    const std::string& part,
    const std::string& source);

} // namespace vitrain::weights
