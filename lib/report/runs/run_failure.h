#pragma once

#include <filesystem>
#include <string>

namespace vitrain::report {

// Why a run ended without a word in its records: the last error in its workers'
// logs, of the lowest rank that has one which is more than the consequence of
// another worker's end. If all errors are such consequences, names the rank
// that has none. "" if no log has an error.
std::string why_it_failed(const std::filesystem::path& log_folder);

} // namespace vitrain::report
