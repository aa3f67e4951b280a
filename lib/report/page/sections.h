#pragma once

#include <filesystem>
#include <string>

#include "report/page/page.h"
#include "report/runs/run_record.h"

// Parts of a page, as markup in which everything from outside is escaped.
namespace vitrain::report {

// "done", coloured.
std::string badge(RunState state);

// A table of two columns without the rows whose value is empty.
class PairTable {
 public:
  void add(const std::string& name, const std::string& value);
  // "" for one without rows.
  std::string text() const;

 private:
  std::string rows_;
};

// Name, state, network, data, machine.
std::string run_header(const Run& run);
// The numbers that a run is remembered by.
std::string result_tiles(const Run& run);
// Every evaluation, the newest first, folded.
std::string evaluation_table(const Run& run);
std::string recipe_section(const Run& run);
std::string system_section(const Run& run);
std::string commands_section(const Run& run, const std::string& program);
std::string problems_section(const Run& run);

// The place of the curves, which page/report.js draws: a <section> that the
// caller ends.
std::string curves_section();

// Returns the section on <run>/evaluation: confusion, classes, mistakes,
// reliability; "" without it.
std::string evaluation_section(const Run& run);
// Returns the section with <run>/samples.png, the images of training; ""
// without it.
std::string samples_section(const Run& run);

} // namespace vitrain::report
