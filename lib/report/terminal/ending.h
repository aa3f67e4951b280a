#pragma once

#include <filesystem>
#include <string>

#include "logging/banner.h"
#include "report/runs/run_record.h"

namespace vitrain::report {

// Returns the section printed at the end of a run: commands that continue,
// evaluate and show it, for the working folder of this process, and the path of
// its page if that exists.
logging::BannerSection ending_section(const Run& run);

// Returns ending_section() as text in the style and width of standard error; ""
// if the folder is not a run. Never throws.
std::string ending_of(const std::filesystem::path& folder) noexcept;

} // namespace vitrain::report
