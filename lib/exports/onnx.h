#pragma once

#include <string>

#include <torch/csrc/jit/api/module.h>

#include "exports/description.h"
#include "exports/onnx_model.h"
#include "networks/model.h"

namespace vitrain::exports {

// Names of a network's input and output. Input "": "images", for vectors
// "inputs".
struct OnnxNames {
  std::string input;
  std::string output = "logits";
};

// Converts the result of trace() to ONNX. It has one input and one output,
// whose first dimension is "batch"; for images, "height" and "width" are free
// if the module accepts any size. Weights keep their names, except those of
// convolutions that are computed from other weights (fold_weights.h). The
// description is stored as metadata. Throws Error(kUsage) naming operators
// without a translation (onnx_rows.h), or a name in `names` that a weight has,
// too.
OnnxModel to_onnx(
    const torch::jit::Module& module,
    const Description& description,
    const OnnxNames& names = {});

// Records a network by trace(), checks the recording by check_same_outputs()
// (trace.h), and converts it by to_onnx(). The image size is fixed if the
// network depends on it or an operator can be translated only for a fixed size.
// Throws as these functions.
OnnxModel record_onnx(
    networks::Model& model,
    const Description& description,
    const OnnxNames& names = {});

} // namespace vitrain::exports
