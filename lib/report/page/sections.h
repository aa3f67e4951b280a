#pragma once

#include <filesystem>
#include <string>

#include "report/page/page.h"
#include "report/runs/run_record.h"

// Sections of a page as markup. All texts from outside are escaped.
namespace vitrain::report {

// Returns the name of the state ("done") as a coloured badge.
std::string badge(RunStatus state);

// A table of two columns. Rows with an empty value are left out.
class PairTable {
 public:
  void add(const std::string& name, const std::string& value);
  // Returns "" if there are no rows.
  std::string text() const;

 private:
  std::string rows_;
};

// Returns name and state with its reason, network, data, devices and precision.
std::string run_header(const Run& run);
// Returns the main results of a run.
std::string result_tiles(const Run& run);
// Returns a folded table of the evaluations Run::judged(), newest first, at
// most 500; "" if there are fewer than two.
std::string evaluation_table(const Run& run);
// Return "" if there is nothing to show. `program`: the executable, for
// commands.
std::string recipe_section(const Run& run);
std::string system_section(const Run& run);
std::string commands_section(const Run& run, const std::string& program);
std::string problems_section(const Run& run);

// Returns the <section> in which page/report.js draws the curves, without its
// end tag.
std::string curves_section();

// Returns the section on <run>/evaluation: confusion, classes, mistakes,
// reliability; "" if there is no such folder.
std::string evaluation_section(const Run& run);
// Returns the section with <run>/samples.png, the training images; "" if there
// is no such file.
std::string samples_section(const Run& run);

} // namespace vitrain::report
