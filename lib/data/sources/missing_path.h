#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace vitrain::data {

// The part of a path from which on nothing is there.
struct MissingPart {
  std::filesystem::path existing; // the nearest folder above that is there
  std::filesystem::path missing; // the first part below it that is not
  std::string
      meant; // a name in `existing` that is nearly the missing one, or ""

  bool operator==(const MissingPart&) const = default;
};

// Returns the missing part of a path, normalised; nullopt if the path exists or
// cannot be examined.
std::optional<MissingPart> find_missing_part(const std::filesystem::path& path);

// Returns a sentence on the missing part, with the name that may have been
// meant, such as "/data has no 'flowres'. Did you mean 'flowers'?"; "" if the
// path exists.
std::string describe_missing_part(const std::filesystem::path& path);

// Returns where a relative path was looked for, as a line of its own that
// begins with a line end; "" for an absolute path.
std::string describe_place(const std::filesystem::path& path);

// Returns advice on a dataset that does not exist, to be added to its message:
// the part of its path that is missing, and other data that could be meant; ""
// for a path that exists or is a pattern.
std::string advise_on_missing(const std::filesystem::path& path);

// Returns a path without "." and ".." and double slashes, for messages.
std::filesystem::path normalised(const std::filesystem::path& path);

} // namespace vitrain::data
