#include <unistd.h>

#include <cstdio>
#include <optional>

#include <fmt/format.h>

#include "core/text.h"
#include "job/fetch_weights.h"
#include "logging/console.h"
#include "logging/progress.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {

int weights_fetch(const config::Arguments& arguments) {
  logging::Console console({.log_fd = -1, .terminal_fd = STDERR_FILENO});
  for (const std::string& name : arguments.data.files) {
    std::optional<logging::WorkProgress> line;
    std::string shown; // file in the progress line
    const job::FetchedWeights fetched = job::fetch_weights(
        name,
        [&](const std::string& file, std::int64_t done, std::int64_t all) {
          if (file != shown) {
            line.emplace(console, fmt::format("{} (bytes)", printable(file)));
            shown = file;
          }
          line->update(done, all);
        });
    line.reset();
    std::printf(
        "%s\n",
        fmt::format(
            "{}: {}",
            printable(fetched.weights.native()),
            fetched.bytes == 0
                ? "is there already"
                : human_bytes(static_cast<double>(fetched.bytes)) + " fetched")
            .c_str());
  }
  return 0;
}

} // namespace vitrain::verbs
