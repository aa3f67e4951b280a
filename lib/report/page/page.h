#pragma once

#include <span>
#include <string>

#include "report/runs/run_record.h"

namespace vitrain::report {

// Pages are one file each that needs nothing beside itself: scripts, style and
// pictures are in it, and its policy lets a browser run these scripts only and
// load nothing.
struct PageOptions {
  std::string program; // the executable, for the commands that go on
  std::string time; // at which it is written
  // Lets the page's own scripts run: a text that nobody can guess, base64.
  std::string nonce;
};

// Of this process and moment.
PageOptions page_options();

// One run: results, curves, what its evaluation left, recipe, machine,
// commands.
std::string run_page(const Run& run, const PageOptions& options);

// Several: results side by side, settings that differ, curves over one another.
std::string comparison_page(
    std::span<const Run> runs,
    const PageOptions& options);

} // namespace vitrain::report
