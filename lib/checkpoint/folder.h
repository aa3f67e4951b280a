#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Entries of a run's checkpoints/ besides checkpoints: partial ones, and
// pointers.
namespace vitrain::checkpoint {

inline constexpr const char* kLatest = "latest";
inline constexpr const char* kBest = "best";
// Part of the names of folders being written or removed, ".<name>.tmp-<pid>",
// and of pointers written by write_file_atomically.
inline constexpr std::string_view kTemporary = ".tmp-";
inline constexpr std::string_view kReplaced = "replaced-";

// Returns the process of a save's temporary name; nullopt for other names.
std::optional<std::int64_t> temporary_owner(const std::string& name);

// Removes partial checkpoints of dead processes and of earlier saves of this
// process.
void remove_stale(const std::filesystem::path& folder);

struct Leftovers {
  std::int64_t folders = 0; // unfinished checkpoints
  double bytes = 0.0;
};

// Removes all partial checkpoints of any process; only for the process that
// owns this folder. Returns the counts.
Leftovers remove_leftovers(const std::filesystem::path& folder);

// A folder in the place of `latest` or `best`, which would make every save
// fail, goes: an empty one is removed, another one renamed. Returns a sentence
// for each. Throws Error(kStorage).
std::vector<std::string> repair_pointers(const std::filesystem::path& folder);

} // namespace vitrain::checkpoint
