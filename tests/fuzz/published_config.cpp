#include "checkpoint/published_config.h"

#include <string_view>

#include "config/load/preprocess_values.h"
#include "fuzz/fuzz.h"
#include "support/files.h"

// Config files of timm and transformers: no content throws, and the recipe
// accepts every value that is read.
void vitrain::fuzz::fuzz(std::span<const std::uint8_t> input) {
  static const TempFolder folder;
  const std::string_view text(
      reinterpret_cast<const char*>(input.data()), input.size());
  for (const char* name : {"config.json", "preprocessor_config.json"}) {
    const auto file = folder.write(name, text);
    for (const auto use :
         {checkpoint::WeightsUse::kTraining,
          checkpoint::WeightsUse::kEvaluation}) {
      const auto found =
          checkpoint::read_published_config(folder / "model.pth", use);
      if (found) {
        config::Recipe recipe;
        config::Origins origins;
        config::use_preprocess_values(
            found->keys,
            "weights",
            config::PreprocessUse::kAdopt,
            recipe,
            origins);
        expect(
            found->classes.empty() ||
                std::ssize(found->classes) == found->num_classes,
            "each class has a name");
      }
    }
    std::filesystem::remove(file);
  }
}
