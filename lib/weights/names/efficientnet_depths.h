#pragma once

#include <array>
#include <cstdint>

#include "weights/archive.h"

namespace vitrain::weights {

// Numbers of blocks per stage of each EfficientNet, for programs that number
// blocks consecutively over all stages. Each total is different, so that it
// identifies the row. Larger networks come first, because their files contain
// all names of smaller ones, too.
using EfficientNetDepths = std::array<std::int64_t, 7>;
inline constexpr EfficientNetDepths kEfficientNetDepths[] = {
    {4, 8, 8, 11, 11, 15, 4}, // B8
    {4, 7, 7, 10, 10, 13, 4}, // B7
    {3, 6, 6, 8, 8, 11, 3}, // B6
    {3, 5, 5, 7, 7, 9, 3}, // B5
    {2, 4, 4, 6, 6, 8, 2}, // B4
    {1, 4, 4, 6, 6, 8, 1}, // Lite4
    {2, 3, 3, 5, 5, 6, 2}, // B3
    {1, 3, 3, 5, 5, 6, 1}, // Lite3
    {2, 3, 3, 4, 4, 5, 2}, // B1, B2
    {1, 3, 3, 4, 4, 5, 1}, // Lite1, Lite2
    {1, 2, 2, 3, 3, 4, 1}, // B0, Lite0
};

// Convention::prepare of programs whose EfficientNets use TensorFlow's padding.
inline void mark_tensorflow_padding(Archive& archive) {
  archive.tensorflow_padding = true;
}

} // namespace vitrain::weights
