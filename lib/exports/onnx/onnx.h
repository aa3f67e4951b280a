#pragma once

#include <torch/csrc/jit/api/module.h>

#include "exports/description.h"
#include "exports/onnx/onnx_model.h"

namespace vitrain::exports {

// What trace() returned in the words of ONNX: input "images" (of vectors
// "inputs") and output "logits", whose first dimension is "batch"; weights
// under their names; the description as metadata. Throws Error(kUsage) naming
// the operators that have no row (rows.h).
OnnxModel to_onnx(
    const torch::jit::Module& module,
    const Description& description);

} // namespace vitrain::exports
