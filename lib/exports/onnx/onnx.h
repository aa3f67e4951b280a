#pragma once

#include <string>

#include <torch/csrc/jit/api/module.h>

#include "exports/description.h"
#include "exports/onnx/onnx_model.h"
#include "networks/model.h"

namespace vitrain::exports {

// Names of a network's ends; "" for an input: "images", of vectors "inputs".
struct OnnxNames {
  std::string input;
  std::string output = "logits";
};

// What trace() returned in the words of ONNX: an input and an output whose
// first dimension is "batch"; of images, height and width are "height" and
// "width" where the module takes any size; weights under their names, but for
// those of convolutions that are computed from weights (fold_weights.h); the
// description as metadata. Throws Error(kUsage) naming the operators that have
// no row (rows.h), or a name that a weight has too.
OnnxModel to_onnx(
    const torch::jit::Module& module,
    const Description& description,
    const OnnxNames& names = {});

// The same for a network, which it records: of one image size where some
// operator can be written for that only.
OnnxModel record_onnx(
    networks::Model& model,
    const Description& description,
    const OnnxNames& names = {});

} // namespace vitrain::exports
