#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/augment/draw.h"

namespace vitrain::data {

inline std::vector<std::int64_t> indices_of(std::span<const Draw> draws) {
  std::vector<std::int64_t> indices;
  for (const Draw& draw : draws) {
    indices.push_back(draw.sample);
  }
  return indices;
}

} // namespace vitrain::data
