#pragma once

#include <cstdint>
#include <span>

#include "data/sources/index.h"

namespace vitrain::data {

// Returns true for the kinds that select() supports: images with names, and
// vectors.
constexpr bool is_selectable(SourceKind kind) {
  return kind == SourceKind::kFolder || kind == SourceKind::kList ||
      kind == SourceKind::kTar || kind == SourceKind::kVectors;
}

// Returns the contents of an index with only these samples, in this order, and
// with all classes and notes. For selectable kinds.
Index::Contents select(
    const Index& index,
    std::span<const std::int64_t> samples);

// Returns the contents of an index with all its samples. For selectable kinds.
Index::Contents select_all(const Index& index);

} // namespace vitrain::data
