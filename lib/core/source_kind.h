#pragma once

#include <cstdint>

#include "core/enum_names.h"

namespace vitrain {

// All kinds of data source that a recipe can name: enumerator and name.
// lib/data has list_NAME() and open_NAME() for each (data/kinds/kinds.h). The
// order determines the numbers in the bytes of an index and in the fingerprints
// of checkpoints: add new kinds at the end.
#define VITRAIN_SOURCE_KINDS(KIND) \
  KIND(kFolder, folder)            \
  KIND(kShapes, shapes)            \
  KIND(kCifar, cifar)              \
  KIND(kRandom, random)            \
  KIND(kList, list)                \
  KIND(kMnist, mnist)              \
  KIND(kVectors, vectors)          \
  KIND(kTar, tar)

enum class SourceKind : std::int32_t {
#define VITRAIN_ENUMERATOR(enumerator, name) enumerator,
  VITRAIN_SOURCE_KINDS(VITRAIN_ENUMERATOR)
#undef VITRAIN_ENUMERATOR
};

constexpr auto names_of(SourceKind) {
  return enum_names<SourceKind>({
#define VITRAIN_NAME(enumerator, name) {SourceKind::enumerator, #name},
      VITRAIN_SOURCE_KINDS(VITRAIN_NAME)
#undef VITRAIN_NAME
  });
}

} // namespace vitrain
