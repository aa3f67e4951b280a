#pragma once

#include <span>
#include <string>

#include "report/runs/run_record.h"

namespace vitrain::report {

// Each page is a self-contained file: it contains scripts, style and pictures,
// and its policy lets a browser run only these scripts and load nothing.
struct PageOptions {
  std::string program; // the executable, for the commands on the page
  std::string time; // time of writing
  // Nonce of the page's own scripts: random, base64.
  std::string nonce;
};

// Returns the options for this process and time.
PageOptions page_options();

// One run: results, curves, what its evaluation left, recipe, machine,
// commands.
std::string run_page(const Run& run, const PageOptions& options);

// Several: results side by side, settings that differ, curves over one another.
std::string comparison_page(
    std::span<const Run> runs,
    const PageOptions& options);

} // namespace vitrain::report
