#pragma once

#include <filesystem>
#include <string>

namespace vitrain::report {

// Returns the reason why a run ended without an end record: the last error at
// the end of its workers' logs (the last 16 KiB of the logs of the 64 lowest
// ranks), of the lowest rank whose error is not just the consequence of another
// worker's end. If all errors are such consequences, names the lowest rank
// without an error; if every rank has one, returns the first. "" if no log has
// an error.
std::string why_it_failed(const std::filesystem::path& log_folder);

} // namespace vitrain::report
