#pragma once

#include <filesystem>
#include <string>

namespace vitrain::report {

// Why a run ended without a word in its records: the last line of its workers'
// logs that is an error; of the worker with the lowest rank that has one. ""
// where none has.
std::string why_it_failed(const std::filesystem::path& log_folder);

} // namespace vitrain::report
