#pragma once

#include <filesystem>
#include <string>

#include "logging/terminal/banner.h"
#include "report/runs/run_record.h"

namespace vitrain::report {

// What the end of a run shows: commands that continue it, evaluate it and look
// at it, in the working folder of this process, and where its page is.
logging::BannerSection ending_section(const Run& run);

// The same as text for the standard error stream: wrapped if that is a
// terminal. "" for a folder that is no run. Never throws.
std::string ending_of(const std::filesystem::path& folder) noexcept;

} // namespace vitrain::report
