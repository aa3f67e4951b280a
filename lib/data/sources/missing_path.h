#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace vitrain::data {

// The first missing component of a path.
struct MissingPart {
  std::filesystem::path existing; // nearest existing folder above it
  // Path of the first component below it that does not exist.
  std::filesystem::path missing;
  std::string meant; // similar name that `existing` contains, or ""

  bool operator==(const MissingPart&) const = default;
};

// Returns the missing part of a path, after normalisation; nullopt if the path
// exists or cannot be examined.
std::optional<MissingPart> find_missing_part(const std::filesystem::path& path);

// Returns a sentence on the missing part, with a similar name if there is one,
// such as "/data has no 'flowres'. Did you mean 'flowers'?"; "" if the path
// exists.
std::string describe_missing_part(const std::filesystem::path& path);

// Returns a line with the absolute form of a relative path, beginning with a
// line end; "" for an absolute path.
std::string describe_place(const std::filesystem::path& path);

// Returns advice on a dataset that does not exist, to be appended to an error
// message: the missing part of its path, and other data that could be meant; ""
// for a path that exists or is a pattern.
std::string advise_on_missing(const std::filesystem::path& path);

// Returns a path without ".", ".." and double slashes, for messages.
std::filesystem::path normalised(const std::filesystem::path& path);

} // namespace vitrain::data
