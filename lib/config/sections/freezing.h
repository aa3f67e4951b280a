#pragma once

#include <string>
#include <vector>

namespace vitrain::config {

// Word in model.freeze for all parameters outside the classifier.
inline constexpr const char* kAllButHead = "all_but_head";

// Keys of `model` that choose parts of the network that are not trained.
template <typename Visitor>
void visit_freezing(
    Visitor& v,
    std::vector<std::string>& freeze,
    bool& freeze_batchnorm) {
  v.field(
       "freeze",
       freeze,
       "Parameters that are not trained: `all_but_head` (all but the "
       "classifier's), or by name, as in `[patch_embed, \"blocks.?.*\"]`: `*` "
       "is any text, `?` any character, and a pattern stands for all names "
       "that begin with it and a dot, too.")
      .one_or_list();
  v.field(
       "freeze_batchnorm",
       freeze_batchnorm,
       "BatchNorm layers whose weight and bias are both frozen normalise by "
       "their running statistics, which stay as they are (torch's eval() of "
       "these layers); false: they use and update statistics of the batches, "
       "as layers that are trained.")
      .needs("model.freeze", [&freeze] { return !freeze.empty(); });
}

} // namespace vitrain::config
