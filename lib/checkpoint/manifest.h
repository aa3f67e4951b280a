#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"

namespace vitrain::checkpoint {

// Increased when older programs can no longer read checkpoints.
inline constexpr std::int64_t kFormatVersion = 1;
inline constexpr const char* kManifestName = "manifest.json";
// Weights of a checkpoint.
inline constexpr const char* kModelFile = "model.safetensors";
// Averaged weights (train.ema) of a checkpoint, if it has any.
inline constexpr const char* kEmaFile = "ema.safetensors";

// Manifest entry of a file.
struct ManifestFile {
  std::string name; // file name in the checkpoint folder, without path
  std::int64_t size = 0;
  std::string xxh3; // 128 bits, 32 hexadecimal digits

  bool operator==(const ManifestFile&) const = default;
};

// Content of manifest.json, which is written last, so that a folder with one is
// complete. It does not depend on time or place of writing.
struct Manifest {
  std::int64_t format_version = kFormatVersion;
  std::string vitrain_version;
  std::int64_t step = 0; // number of completed optimizer steps
  std::int64_t epoch = 0; // number of completed epochs
  std::int64_t world_size = 1; // number of workers
  std::string config_hash; // config::recipe_hash()
  std::optional<double> metric; // nullopt: not evaluated, or not finite
  std::string metric_name; // "top1, ema"; "": not recorded (older versions)
  std::vector<ManifestFile> files;
  Json state = Json::object(); // the trainer's part (job::read_saved_state())

  // Returns the text of the file. It ends with a hash of the preceding bytes,
  // which detects damage and edits, not a forged hash. A metric that is not
  // finite becomes null.
  std::string text() const;
};

// True if the manifest lists a file of this name.
bool lists(const Manifest& manifest, std::string_view file);

// Parses the result of text() and checks the hash. Throws Error(kWeights) with
// `source` and the reason; for a newer format version the message says so.
Manifest parse_manifest(const std::string& text, const std::string& source);

// Reads and parses <checkpoint>/manifest.json. Throws Error(kWeights).
Manifest read_manifest(const std::filesystem::path& checkpoint);

} // namespace vitrain::checkpoint
