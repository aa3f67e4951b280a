#include "checkpoint/preprocess.h"

#include "core/check.h"
#include "core/text.h"
#include "weights/archive.h"

namespace vitrain::checkpoint {

Json read_preprocess(const std::filesystem::path& weights) {
  const auto metadata = weights::read_metadata(weights);
  const auto found = metadata.find(kPreprocessKey);
  if (found == metadata.end()) {
    return nullptr;
  }
  Json record =
      Json::parse(found->second, /*cb=*/nullptr, /*allow_exceptions=*/false);
  VITRAIN_CHECK(
      record.is_object(),
      ExitCode::kWeights,
      "{}: its metadata has a '{}' that is no JSON object",
      printable(weights.native()),
      kPreprocessKey);
  return record;
}

} // namespace vitrain::checkpoint
