#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "report/runs/run_record.h"

namespace vitrain::report {

// Returns an HTML page of one run, or a comparison of several. `runs` must not
// be empty.
std::string report_page(std::span<const Run> runs);

// Writes report_page(runs) to `file` atomically: readers see the old or the new
// file. Throws Error(kStorage).
void write_report(std::span<const Run> runs, const std::filesystem::path& file);

// Rewrites a run's report.html, if it exists, after the run has ended. Never
// throws: an old page is better than none.
void close_report(const job::RunDirectory& folder) noexcept;

} // namespace vitrain::report
