#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "report/runs/run_record.h"

namespace vitrain::report {

// The page of one run, or the comparison of several: HTML.
std::string report_page(std::span<const Run> runs);

// Writes it such that a reader sees the old file or the new one. Throws
// Error(kStorage).
void write_report(std::span<const Run> runs, const std::filesystem::path& file);

// Rewrites a run's report.html, if it exists, after the run has ended. Never
// throws: an old page is better than none.
void close_report(const job::RunDirectory& folder) noexcept;

} // namespace vitrain::report
