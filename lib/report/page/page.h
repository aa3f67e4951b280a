#pragma once

#include <span>
#include <string>

#include "report/runs/run_record.h"

namespace vitrain::report {

// Options of a page. Each page is a self-contained file with scripts, style and
// pictures; its content security policy lets a browser run only these scripts
// and load nothing.
struct PageOptions {
  std::string program; // the executable, in commands on the page
  std::string time; // local time of writing: "2026-01-31 12:00:00"
  // Nonce of the page's own scripts: random, base64.
  std::string nonce;
};

// Returns the options for this process and time.
PageOptions page_options();

// Returns the page of one run: results, curves, files of its evaluation,
// recipe, machine, commands.
std::string run_page(const Run& run, const PageOptions& options);

// Returns a comparison of runs (at least one): results side by side, differing
// settings, overlaid curves.
std::string comparison_page(
    std::span<const Run> runs,
    const PageOptions& options);

} // namespace vitrain::report
