#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/json.h"

namespace vitrain::checkpoint {

// Increased when a checkpoint can no longer be read by older programs.
inline constexpr std::int64_t kFormatVersion = 1;
inline constexpr const char* kManifestName = "manifest.json";
// The file of the weights in a checkpoint.
inline constexpr const char* kModelFile = "model.safetensors";
// Averaged weights (train.ema), if there are any.
inline constexpr const char* kEmaFile = "ema.safetensors";

// A file of a checkpoint.
struct ManifestFile {
  std::string name; // within the folder, no separators
  std::int64_t size = 0;
  std::string xxh3; // 128 bits, 32 hexadecimal digits

  bool operator==(const ManifestFile&) const = default;
};

// manifest.json, written last, so that a folder with one is complete. Its
// content does not depend on time or place of writing.
struct Manifest {
  std::int64_t format_version = kFormatVersion;
  std::string vitrain_version;
  std::int64_t step = 0;
  std::int64_t epoch = 0;
  std::int64_t world_size = 1;
  std::string config_hash;
  std::optional<double> metric;
  std::string metric_name; // what `metric` is of; "": not said
  std::vector<ManifestFile> files;
  Json state = Json::object();

  // Returns the file's text, which ends with a hash of the preceding bytes to
  // detect any change.
  std::string text() const;
};

// Returns true if a file of this name belongs to the checkpoint.
bool lists(const Manifest& manifest, std::string_view file);

// Parses text() and checks the hash. Throws Error(kWeights) with `source` and
// the reason; a newer format version is refused by name.
Manifest parse_manifest(const std::string& text, const std::string& source);

// Reads and parses <checkpoint>/manifest.json. Throws Error(kWeights).
Manifest read_manifest(const std::filesystem::path& checkpoint);

} // namespace vitrain::checkpoint
