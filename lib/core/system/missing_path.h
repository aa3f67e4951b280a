#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace vitrain {

// The first missing component of a path.
struct MissingPart {
  std::filesystem::path existing; // nearest existing folder above it
  // Path of the first component below it that does not exist.
  std::filesystem::path missing;
  std::string meant; // similar name that `existing` contains, or ""

  bool operator==(const MissingPart&) const = default;
};

// Returns the missing part of a path, made absolute and normalised; nullopt if
// the path is empty, exists, leads through a file or cannot be examined.
std::optional<MissingPart> find_missing_part(const std::filesystem::path& path);

// Returns a sentence on the missing part to be appended to a message, with a
// similar name if there is one: "; /data has no 'flowres'. Did you mean
// 'flowers'?". Returns "" if find_missing_part() returns nullopt, or if only
// the last component is missing and no name is similar.
std::string describe_missing_part(const std::filesystem::path& path);

// Returns the text of an errno of opening a path that a user may have typed,
// and for ENOENT the sentence on its missing part: "No such file or directory;
// /data has no 'flowres'. Did you mean 'flowers'?".
std::string path_error_text(
    const std::filesystem::path& path,
    int error_number);

// Returns a path without ".", double or trailing slashes and, where possible,
// ".."; for messages. Does not look at the file system.
std::filesystem::path normalised(const std::filesystem::path& path);

} // namespace vitrain
