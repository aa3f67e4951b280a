#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "exports/emitter.h"

namespace vitrain::exports {

// Translations of aten's operators to ONNX, in this order: elementwise
// operators and products; shapes, slices and copies; layers over images and
// norms; sliding windows.
std::span<const OnnxRow> math_rows();
std::span<const OnnxRow> shape_rows();
std::span<const OnnxRow> layer_rows();
std::span<const OnnxRow> window_rows();

// A string as a template argument.
template <std::size_t kSize>
struct Name {
  char text[kSize];
  constexpr Name(const char (&name)[kSize]) { std::copy_n(name, kSize, text); }
};

// Sets the result of `call` to the value `name` reshaped to the shape in the
// result's type. If several sizes are unknown there, takes the shape from the
// argument `sizes` of the call; without `sizes` (null), throws Error(kUsage).
void give_reshaped(
    const Call& call,
    const std::string& name,
    const char* sizes = nullptr);

// Adds a slice of the value `name` along an axis: every `step`-th element from
// `start` to before `end`. Returns its name.
std::string sliced(
    Emitter& e,
    const std::string& name,
    std::int64_t axis,
    std::int64_t start,
    std::int64_t end,
    std::int64_t step = 1);

} // namespace vitrain::exports
