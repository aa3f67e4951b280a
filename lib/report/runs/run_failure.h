#pragma once

#include <filesystem>
#include <string>

namespace vitrain::report {

// Why a run ended without a word in its records: the last line of its workers'
// logs that is an error; of the lowest rank that has one which is more than the
// consequence of another's. "" where none has.
std::string why_it_failed(const std::filesystem::path& log_folder);

} // namespace vitrain::report
