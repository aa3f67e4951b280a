#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "logging/terminal_style.h"

namespace vitrain::logging {

// A label and a text of a banner: "  <label>  <text>". Newlines in the text
// begin new lines in its column; other control characters are printed as \xHH.
struct BannerLine {
  std::string label;
  std::string text;
  // Each line of the text is a shell command: it is wrapped between words, with
  // a backslash at each break, so that it can be copied.
  bool command = false;
};

using BannerSection = std::vector<BannerLine>;

// Returns the banner of a run: a title, a rule, and sections separated by empty
// lines, with labels and texts in two columns. Texts are wrapped between words
// at style.columns, longer words after `/`, `,` and `=`. Empty sections and
// lines with an empty text are left out. Ends with a newline.
std::string banner(
    const std::string& title,
    const std::vector<BannerSection>& sections,
    const TerminalStyle& style);

// Returns the sections as banner() prints them, without title and rule; "" if
// all texts are empty.
std::string sections_text(
    const std::vector<BannerSection>& sections,
    const TerminalStyle& style);

// Result of an evaluation over `count` samples: `loss` is their mean loss,
// `correct1` and `correct5` are numbers of samples.
struct Reached {
  double loss = 0.0;
  // nullopt if there are no classes.
  std::optional<std::int64_t> correct1;
  // nullopt if there are fewer than six classes.
  std::optional<std::int64_t> correct5;
  std::optional<double> map; // in percent; multi-label data only
  std::int64_t count = 0;
};

// How a run ended.
struct Closing {
  std::string outcome; // "done", "stopped on request", "evaluated"
  bool failed = false; // the run did not succeed
  double seconds = 0.0; // time of this process
  // Seconds of earlier processes; 0: this process did not resume the run. It
  // resumed after step `resumed`.
  double earlier_seconds = 0.0;
  std::int64_t resumed = 0;
  std::int64_t steps = 0; // completed steps; 0: only an evaluation
  std::int64_t total_steps = 0; // steps of the whole run
  std::int64_t epochs = 0; // complete epochs
  // Partial epoch after the complete ones: its completed and all its steps.
  std::int64_t begun_steps = 0;
  std::int64_t epoch_steps = 0;
  double images_per_second = 0.0; // training speed; 0: unknown
  std::optional<Reached> last; // last evaluation
  std::optional<std::string> best; // "top1 97.50 at epoch 9"
  std::string pruned{}; // "80.0 % of 1,234 weights are zero"
  std::optional<std::string> checkpoint; // checkpoint to resume from
  // Sentences for the user: "3 lines to the log file dropped: ...".
  std::vector<std::string> problems;
  BannerSection commands{}; // how to continue, evaluate and look at the run
  std::string folder; // run folder
};

// Returns the block that ends a run: lines about training, best evaluation,
// checkpoint and problems; end.commands; then a line with outcome, result and
// run folder: "done: top1 97.31 % (9,731 of 10,000), top5 99.95 %, loss 0.1034
// in runs/x". If that is wider than min(80, style.columns), the result in the
// last line is short or missing, or the folder is missing; what is not complete
// there is printed above it. Ends with a newline.
std::string closing(const Closing& end, const TerminalStyle& style);

} // namespace vitrain::logging
