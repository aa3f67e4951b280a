#include "weights/weights_index.h"

#include <string_view>

#include "fuzz/fuzz.h"

// Index of weights that are divided among files: an accepted index names one
// file for each tensor, in the folder of the index.
void vitrain::fuzz::fuzz(std::span<const std::uint8_t> input) {
  const std::string_view text(
      reinterpret_cast<const char*>(input.data()), input.size());
  accepts(
      [&] {
        const weights::WeightsIndex index = weights::parse_index(text, "x");
        expect(!index.tensors.empty(), "there are tensors");
        expect(index.files.size() <= weights::kMostFiles, "files are few");
        for (const auto& [name, file] : index.tensors) {
          expect(file < index.files.size(), "a tensor has a file");
        }
        for (const auto& path : index.paths("folder/index")) {
          expect(
              path.parent_path() == "folder" && path.has_filename() &&
                  path.lexically_normal() == path &&
                  path.native().find('\0') == std::string::npos,
              "a file lies beside the index");
        }
      },
      ExitCode::kWeights);
}
