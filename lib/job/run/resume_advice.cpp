#include "job/run/resume_advice.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "checkpoint/find.h"
#include "checkpoint/folder.h"
#include "core/text.h"
#include "data/image_inputs.h"
#include "job/run/enclosing_run.h"

namespace vitrain::job {
namespace {

namespace fs = std::filesystem;

// Content of a folder, judged by its first entries.
struct Content {
  // Newest by name, which ends with the start time.
  std::optional<fs::path> newest_run;
  bool has_images = false;
};

Content look_into(const fs::path& folder) {
  constexpr int kMostEntries = 5000;
  constexpr int kDeepest = 2; // folder levels, for PATH/train/class/a.jpg
  Content content;
  int entries = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator
           it(folder, fs::directory_options::skip_permission_denied, error),
       end;
       !error && it != end && ++entries < kMostEntries;
       it.increment(error)) {
    std::error_code ignored;
    const bool is_folder = it->is_directory(ignored);
    if (is_folder && it.depth() >= kDeepest) {
      it.disable_recursion_pending();
    }
    if (is_folder && it.depth() == 0 &&
        fs::exists(RunDirectory{it->path()}.config(), ignored)) {
      it.disable_recursion_pending();
      const auto& newest = content.newest_run;
      content.newest_run = newest ? std::max(*newest, it->path()) : it->path();
    }
    content.has_images |=
        !is_folder && data::is_image_name(it->path().filename().native());
  }
  return content;
}

} // namespace

std::string finished_text(const Job& job) {
  const config::RunConfig& run = job.recipe.run;
  const bool by_steps = run.max_steps && job.resumed_step >= *run.max_steps;
  const std::int64_t length = by_steps ? *run.max_steps : run.epochs;
  const char* key = by_steps ? "run.max_steps" : "run.epochs";
  const std::string folder = printable(job.run_directory);
  return fmt::format(
      "{} has all its {} steps: nothing to do. To train it longer, raise {} "
      "from {}: vitrain -resume {} -set {}={}",
      folder,
      with_commas(job.resumed_step),
      key,
      length,
      folder,
      key,
      2 * length);
}

bool is_no_run(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) && !enclosing_run(path) &&
      !fs::exists(RunDirectory{path}.config(), error) &&
      !checkpoint::is_checkpoint(path) && !checkpoint::is_pointer(path) &&
      checkpoint::list_steps(path).empty() &&
      !checkpoint::folder_step((path / "").parent_path().filename().native());
}

std::string describe_no_run(const fs::path& path) {
  const std::string name = printable(path.native());
  const std::string what = "is no run folder and no checkpoint";
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return fmt::format(
        "{}: it is a file. -resume takes a run folder, as `vitrain runs` lists "
        "them; to start a new run from a file of weights: -pretrained {}",
        what,
        name);
  }
  const Content content = look_into(path);
  if (content.newest_run) {
    return fmt::format(
        "{}: it holds runs, the newest of which is {}. To continue that: "
        "-resume {}",
        what,
        printable(content.newest_run->filename().native()),
        printable(content.newest_run->native()));
  }
  if (content.has_images) {
    return fmt::format(
        "{}: it holds images. To train on them: -data_path {}; to continue a "
        "run: -resume RUN, as `vitrain runs` lists them",
        what,
        name);
  }
  return fmt::format(
      "{}: it has neither config.yaml nor checkpoints/. To continue a run: "
      "-resume RUN, as `vitrain runs` lists them",
      what);
}

} // namespace vitrain::job
