#pragma once

#include <cstdint>
#include <span>

#include "data/sources/index.h"

namespace vitrain::data {

// True for kinds that select() supports: those that name or contain every
// sample.
constexpr bool is_selectable(SourceKind kind) {
  return kind == SourceKind::kFolder || kind == SourceKind::kList ||
      kind == SourceKind::kTar || kind == SourceKind::kVectors;
}

// A listed dataset of these samples alone, in this order, with all its classes
// and notes. For selectable kinds.
Index::Contents select(
    const Index& index,
    std::span<const std::int64_t> samples);

// All of its samples.
Index::Contents select_all(const Index& index);

} // namespace vitrain::data
