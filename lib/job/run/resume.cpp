#include "job/run/resume.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "checkpoint/find.h"
#include "checkpoint/folder.h"
#include "checkpoint/place.h"
#include "config/load/preprocess_values.h"
#include "config/load_recipe.h"
#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"
#include "core/url.h"
#include "job/run/leftovers.h"
#include "job/run/mirror.h"

namespace vitrain::job {
namespace {

namespace fs = std::filesystem;

// Keys that may differ between the recipe and the run to resume: kPlaces
// always; kPlacesAndLength if `-resume auto` finds no run of the same length.
constexpr std::array<std::string_view, 2> kPlaces{
    "data.train.path",
    "data.eval.path"};
constexpr std::array<std::string_view, 4> kPlacesAndLength{
    "data.train.path",
    "data.eval.path",
    "run.epochs",
    "run.max_steps"};

// True if all differences that change training are in `keys`.
bool only_these(
    const std::vector<config::Difference>& differences,
    std::span<const std::string_view> keys) {
  return std::ranges::none_of(differences, [&](const auto& difference) {
    return difference.changes_training &&
        std::ranges::find(keys, difference.key) == keys.end();
  });
}

constexpr std::size_t kLargestRecipe = std::size_t{16} << 20; // bytes
constexpr std::size_t kLargestRecords = std::size_t{4} << 30; // bytes

config::Recipe recorded_recipe(const RunDirectory& run) {
  return config::from_yaml(
      remove_user_info(
          read_file(run.config(), kLargestRecipe, ExitCode::kStorage)),
      printable(run.config().native()));
}

// Returns the runs called `name` in the folder `output`, newest first.
std::vector<fs::path> runs_of(const fs::path& output, const std::string& name) {
  std::vector<fs::path> runs;
  std::error_code error;
  for (fs::directory_iterator it(output, error), end; !error && it != end;
       it.increment(error)) {
    const std::string folder = it->path().filename().native();
    const std::string prefix = name + "-";
    // The rest must be a time stamp: "a-20260101-..." is not a run of "a-2026".
    const bool ours = folder.starts_with(prefix) &&
        folder.find_first_not_of("0123456789-", prefix.size()) ==
            std::string::npos;
    std::error_code ignored;
    if (ours && fs::exists(RunDirectory{it->path()}.config(), ignored)) {
      runs.push_back(absolute_path(it->path()));
    }
  }
  std::ranges::sort(runs, std::greater());
  return runs;
}

// Runs `change`, which sets an error code, and throws Error(kStorage) if it
// did. `what` and `path` are for the message.
void change_file(
    const char* what,
    const fs::path& path,
    const std::function<void(std::error_code&)>& change) {
  std::error_code error;
  change(error);
  VITRAIN_CHECK(
      !error,
      ExitCode::kStorage,
      "cannot {} {}: {}",
      what,
      printable(path.native()),
      error.message());
}

// Returns true if a run's file exists. Throws Error(kStorage) if it cannot be
// examined.
bool has_file(const fs::path& file) {
  bool found = false;
  change_file("read", file, [&](std::error_code& error) {
    found = fs::exists(file, error);
  });
  return found;
}

// Creates a new folder replaced-N in a run folder.
RunDirectory make_replaced(const RunDirectory& run) {
  for (int number = 1;; ++number) {
    const fs::path path = run.path / fmt::format("replaced-{}", number);
    bool made = false;
    change_file("create", path, [&](std::error_code& error) {
      made = fs::create_directory(path, error);
    });
    if (made) {
      return {path};
    }
  }
}

// Copies a file, if it exists, durably: its original is cut afterwards.
void copy_into(const RunDirectory& replaced, const fs::path& file) {
  if (has_file(file)) {
    write_file_atomically(
        replaced.path / file.filename(),
        read_file(file, kLargestRecords, ExitCode::kStorage));
  }
}

std::string steps_text(const std::map<std::int64_t, fs::path>& checkpoints) {
  std::vector<std::string> steps;
  for (const auto& [step, path] : checkpoints) {
    steps.push_back(with_commas(step));
  }
  return fmt::format(
      "checkpoint{} of step{} {}",
      steps.size() == 1 ? "" : "s",
      steps.size() == 1 ? "" : "s",
      join(steps, ", "));
}

// Returns a note about the later checkpoints that were moved, and about which
// of them a run can resume from.
std::string moved_text(
    const std::map<std::int64_t, fs::path>& moved,
    const RunDirectory& replaced,
    std::int64_t step) {
  std::vector<std::string> damaged;
  std::optional<std::int64_t> newest;
  for (const auto& [later, path] : moved) {
    try {
      checkpoint::verify(replaced.checkpoints() / path.filename());
      newest = later;
    } catch (const Error& error) {
      damaged.push_back(error.what());
    }
  }
  const std::string name = printable(replaced.path.native());
  std::string text = fmt::format(
      "the {}, with the records of the steps after {}, {} now in {}",
      steps_text(moved),
      with_commas(step),
      moved.size() == 1 ? "is" : "are",
      name);
  if (newest) {
    text += fmt::format(
        "; -resume {} goes on from {}",
        name,
        damaged.empty() ? "there" : "step " + with_commas(*newest));
  }
  return damaged.empty()
      ? text
      : fmt::format("{}; damaged: {}", text, join(damaged, "; "));
}

// Where the files `latest` and `best` exist: makes `latest` name the checkpoint
// of `step` (none at step 0), and removes `best` if its checkpoint was moved.
void point_back(const RunDirectory& run, std::int64_t step) {
  for (const char* name : {checkpoint::kLatest, checkpoint::kBest}) {
    const fs::path pointer = run.checkpoints() / name;
    if (!checkpoint::is_pointer(pointer)) {
      continue;
    }
    const bool latest = name == checkpoint::kLatest;
    const auto named =
        checkpoint::folder_step(checkpoint::read_pointer(pointer));
    if (!named || *named == step || (!latest && *named < step)) {
      continue;
    }
    if (latest && step > 0) {
      checkpoint::point(run.checkpoints(), name, step);
    } else {
      std::error_code ignored;
      fs::remove(pointer, ignored);
    }
  }
}

std::map<std::int64_t, fs::path> steps_after(
    const RunDirectory& run,
    std::int64_t step) {
  auto later = checkpoint::list_steps(run.checkpoints());
  later.erase(later.begin(), later.upper_bound(step));
  return later;
}

// Copies the records, then moves the checkpoints, last one first, so that at
// any instant the remaining ones are the beginning of one run.
void move_checkpoints(
    const std::map<std::int64_t, fs::path>& checkpoints,
    const RunDirectory& run,
    const RunDirectory& replaced) {
  for (const fs::path& file :
       {run.metrics(), run.summary(), run.bad_samples()}) {
    copy_into(replaced, file);
  }
  make_folders(replaced.checkpoints());
  sync_folder(run.path); // makes `replaced` itself durable
  for (auto it = checkpoints.rbegin(); it != checkpoints.rend(); ++it) {
    const fs::path target = replaced.checkpoints() / it->second.filename();
    change_file("move", it->second, [&](std::error_code& error) {
      fs::rename(it->second, target, error);
    });
  }
  sync_folder(replaced.checkpoints());
  sync_folder(run.checkpoints());
}

// Moves a mirror's checkpoints after `step` to a new folder replaced-N.
void leave_branch(const RunDirectory& mirror, std::int64_t step) {
  checkpoint::remove_leftovers(mirror.checkpoints());
  if (const auto later = steps_after(mirror, step); !later.empty()) {
    move_checkpoints(later, mirror, make_replaced(mirror));
    point_back(mirror, step);
  }
}

} // namespace

bool same_recipe(const std::vector<config::Difference>& differences) {
  return only_these(differences, kPlaces);
}

std::string listed(const std::vector<config::Difference>& differences) {
  std::string text;
  for (const config::Difference& difference : differences) {
    text += fmt::format(
        "\n  {}: {} -> {}",
        difference.key,
        difference.before,
        difference.after);
  }
  return text;
}

namespace {

// True if `name` means the weights file that a run has recorded: the file
// itself, its folder, its name without extension, or its repository in the
// cache.
bool means(const std::string& name, const std::string& recorded) {
  constexpr std::string_view kTimm = "timm:";
  if (name.starts_with(kTimm)) {
    const std::string repository =
        "models--timm--" + without_prefix(name.substr(kTimm.size()), "timm/");
    const std::size_t found = recorded.find(repository);
    const std::size_t end = found + repository.size();
    return found != recorded.npos && end < recorded.size() &&
        (recorded[end] == '/' || recorded[end] == '.');
  }
  const bool folder = name.ends_with('/');
  return recorded.starts_with(name) &&
      (recorded.size() == name.size() || folder ||
       recorded[name.size()] == '/' || recorded[name.size()] == '.');
}

} // namespace

void adopt_values_of_weights(
    const RunDirectory& run,
    config::Recipe& recipe,
    config::Origins& origins) {
  if (!recipe.model.pretrained) {
    return;
  }
  const config::Recipe recorded = recorded_recipe(run);
  config::use_preprocess_values(
      config::preprocess_values(recorded),
      printable(run.config().native()),
      config::PreprocessUse::kAdopt,
      recipe,
      origins);
  const std::optional<std::string>& weights = recorded.model.pretrained;
  if (weights && means(*recipe.model.pretrained, *weights)) {
    recipe.model.pretrained = weights;
  }
  const auto named = origins.find("model.name");
  if (named == origins.end() ||
      named->second.origin == config::Origin::kDefault) {
    recipe.model.name = recorded.model.name;
  }
}

std::vector<config::Difference> changes_to(
    const RunDirectory& run,
    const config::Recipe& recipe,
    const config::Origins& origins) {
  config::Recipe compared = recipe;
  config::Origins places = origins;
  adopt_values_of_weights(run, compared, places);
  return config::differences(recorded_recipe(run), compared);
}

bool has_checkpoints(const RunDirectory& run) {
  return !checkpoint::list_steps(run.checkpoints()).empty() ||
      checkpoint::is_pointer(run.checkpoints() / checkpoint::kLatest);
}

NewestRun newest_run(
    const config::Recipe& recipe,
    const std::string& name,
    const config::Origins& origins) {
  NewestRun newest;
  std::optional<fs::path> begun; // of this recipe, without a checkpoint
  for (const fs::path& path : runs_of(recipe.run.output, name)) {
    const bool can_go_on = has_checkpoints({path});
    std::string reason;
    try {
      const auto changes = changes_to({path}, recipe, origins);
      if (same_recipe(changes)) {
        if (can_go_on) {
          return {.path = path, .other = {}, .reason = {}};
        }
        begun = begun.value_or(path);
      }
      if (can_go_on && only_these(changes, kPlacesAndLength)) {
        newest.path = newest.path.value_or(path);
        continue;
      }
      reason = listed(changes);
    } catch (const Error& error) {
      reason = fmt::format("\n  {}", error.what());
    }
    if (can_go_on && !newest.other) {
      newest.other = path;
      newest.reason = std::move(reason);
    }
  }
  if (!newest.path) {
    newest.path = begun;
  }
  return newest;
}

std::vector<std::string> prepare_to_resume(
    const RunDirectory& run,
    const config::Recipe& recipe,
    std::int64_t step) {
  const auto later = steps_after(run, step);
  const std::string yaml = config::to_yaml(recipe);
  const bool recorded = has_file(run.config());
  const bool changed = !recorded ||
      read_file(run.config(), kLargestRecipe, ExitCode::kStorage) != yaml;
  std::vector<std::string> told = remove_leftovers(run);
  if (!later.empty() || (recorded && changed)) {
    const RunDirectory replaced = make_replaced(run);
    if (recorded) { // older versions stored user names and passwords of URLs
      write_file_atomically(
          replaced.config(),
          remove_user_info(
              read_file(run.config(), kLargestRecipe, ExitCode::kStorage)));
    }
    if (!later.empty()) {
      move_checkpoints(later, run, replaced);
      told.push_back(moved_text(later, replaced, step));
    }
    if (recorded && changed) {
      told.push_back(fmt::format(
          "{} is the recipe of the steps after {}; the one before is {}",
          printable(run.config().native()),
          with_commas(step),
          printable(replaced.config().native())));
    }
  }
  point_back(run, step);
  if (changed) {
    write_file_atomically(run.config(), yaml);
  }
  if (const auto mirror = mirror_of(recipe, run)) {
    try {
      leave_branch(*mirror, step);
    } catch (const Error& error) {
      told.push_back(fmt::format(
          "warning: checkpoint.mirror: copies of steps after {} may be taken "
          "for this run's: {}",
          with_commas(step),
          error.what()));
    }
  }
  return told;
}

} // namespace vitrain::job
