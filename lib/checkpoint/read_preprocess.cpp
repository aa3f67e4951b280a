#include "checkpoint/read_preprocess.h"

#include "core/text.h"
#include "weights/archive.h"
#include "weights/weights_check.h"

namespace vitrain::checkpoint {

Json read_preprocess(const std::filesystem::path& weights) {
  const auto metadata = weights::read_metadata(weights);
  const auto found = metadata.find(kPreprocessKey);
  if (found == metadata.end()) {
    return nullptr;
  }
  Json record =
      Json::parse(found->second, /*cb=*/nullptr, /*allow_exceptions=*/false);
  VITRAIN_CHECK_WEIGHTS(
      record.is_object(),
      "{}: its metadata has a '{}' that is no JSON object",
      printable(weights.native()),
      kPreprocessKey);
  return record;
}

} // namespace vitrain::checkpoint
