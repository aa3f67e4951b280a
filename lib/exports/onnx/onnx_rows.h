#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "exports/onnx/emitter.h"

namespace vitrain::exports {

// The operators of aten that can be written as ONNX: number by number and
// products; shapes, parts and copies; layers over images and their norms.
std::span<const OnnxRow> math_rows();
std::span<const OnnxRow> shape_rows();
std::span<const OnnxRow> layer_rows();
std::span<const OnnxRow> window_rows();

// A name as a template's argument.
template <std::size_t kSize>
struct Name {
  char text[kSize];
  constexpr Name(const char (&name)[kSize]) { std::copy_n(name, kSize, text); }
};

// The result of `call` as the reshaped value of this name, in the shape that
// its type says, or else that its argument `sizes` says.
void give_reshaped(
    const Call& call,
    const std::string& name,
    const char* sizes = nullptr);

// Every `step`th of x's numbers from `start` to before `end` along an axis.
std::string sliced(
    Emitter& e,
    const std::string& name,
    std::int64_t axis,
    std::int64_t start,
    std::int64_t end,
    std::int64_t step = 1);

} // namespace vitrain::exports
