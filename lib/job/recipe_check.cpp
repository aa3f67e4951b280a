#include "job/recipe_check.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

#include "config/load_recipe.h"
#include "config/schema/schema.h"
#include "core/check.h"
#include "core/system/missing_path.h"
#include "core/text.h"
#include "data/kinds/datasets.h"
#include "data/sources/missing_path.h"
#include "data/sources/source.h"
#include "job/data_options.h"
#include "job/find_weights.h"
#include "job/prepared_job.h"
#include "job/resolve_devices.h"
#include "job/run/run_directory.h"
#include "launch/devices/cores.h"
#include "launch/devices/devices.h"
#include "models/published_name.h"
#include "models/rules.h"
#include "models/teacher.h"

#include <fmt/format.h>

namespace vitrain::job {
namespace {

config::Position position_of(
    const config::Origins& origins,
    const std::string& key) {
  const auto origin = origins.find(key);
  return origin == origins.end() ? config::Position{} : origin->second;
}

// Returns the shape of the data as far as the recipe alone determines it.
models::DataShape shape_of(const config::SourceConfig& source) {
  models::DataShape unknown{
      .outputs = models::kNotKnown,
      .features = source.kind == SourceKind::kVectors ? models::kNotKnown : 0};
  if (!config::is_generated(source)) {
    return unknown;
  }
  data::SourceOptions options = source_options(source, /*train=*/false);
  options.count = 1; // all samples have the same shape
  try {
    return data_shape(data::list(options));
  } catch (const Error&) {
    return unknown; // listing the data reports the error
  }
}

// Returns "model.depth, optim.lr" for those of `keys` that the schema has; a
// text without names if they are more than kMost.
std::string named_keys(const std::set<std::string>& keys) {
  constexpr std::size_t kMost = 8;
  config::Recipe recipe;
  const config::Schema schema = config::schema_of(recipe);
  std::vector<std::string> known;
  for (const std::string& key : keys) {
    if (std::ranges::count(schema.fields, key, &config::Field::path) > 0 ||
        std::ranges::count(schema.sections, key, &config::Section::path) > 0) {
      known.push_back(key);
    }
  }
  return known.size() > kMost ? "keys whose values are not known"
                              : join(known, ", ");
}

// True if the path is used literally. (Paths of tar files may be patterns.)
bool is_plain(const config::SourceConfig& source) {
  return source.path && !source.path->empty() &&
      source.kind != SourceKind::kTar;
}

// Returns findings on missing paths of keys for which wanted(key) is true, and
// on all weights whose name means several files or published weights that are
// not here. The missing part of a path is described once.
std::vector<config::Finding> missing(
    const config::Recipe& recipe,
    bool training,
    const std::function<bool(const std::string& key)>& wanted) {
  std::vector<config::Finding> findings;
  std::set<std::string> described;
  const auto look = [&](const std::string& key, const std::string& path) {
    std::error_code error;
    if (std::filesystem::exists(path, error) || !wanted(key)) {
      return;
    }
    const auto whole = std::filesystem::absolute(path, error);
    std::string text =
        printable(normalised(whole).native()) + ": no such file or folder";
    const std::string part = describe_missing_part(path);
    text += described.insert(part).second ? part : "";
    findings.push_back({key, text, {key}});
  };
  const auto look_for_weights = [&](const std::string& key,
                                    const std::string& name) {
    std::string path;
    try {
      path = resolve_weights(name, key);
    } catch (const Error& error) { // reported with the other findings
      findings.push_back(
          {key, std::string(without_prefix(error.what(), key + ": ")), {key}});
      return;
    }
    if (std::error_code error;
        !std::filesystem::exists(path, error) && is_published(path)) {
      findings.push_back({key, not_here(path), {key}});
    } else {
      look(key, path);
    }
  };
  if (training && is_plain(recipe.data.train)) {
    look("data.train.path", *recipe.data.train.path);
  }
  if (is_plain(recipe.data.eval)) {
    look("data.eval.path", *recipe.data.eval.path);
  }
  if (recipe.eval.subset) {
    look("eval.subset", *recipe.eval.subset);
  }
  if (recipe.eval.real_labels) {
    look("eval.real_labels", *recipe.eval.real_labels);
  }
  if (recipe.model.pretrained && !recipe.model.pretrained->empty()) {
    look_for_weights("model.pretrained", *recipe.model.pretrained);
  }
  const config::DistillConfig& distill = recipe.train.distill;
  if (training && distill.active() && distill.pretrained) {
    look_for_weights("train.distill.pretrained", *distill.pretrained);
  }
  return findings;
}

} // namespace

config::PartialRecipe load_recipe(
    const config::LoadRequest& request,
    config::Problems& problems) {
  config::LoadRequest known_request = request;
  known_request.is_record =
      request.file && run_of_config(request.file->native()).has_value();
  config::PartialRecipe loaded = config::read(known_request, problems);
  const config::CheckContext known{.unread = loaded.unread};
  if (!known.is_unread("model.name")) {
    for (std::string& note : models::use_published_names(loaded)) {
      loaded.notes.push_back(std::move(note));
    }
    for (std::string& note : models::leave_other_families(loaded)) {
      loaded.notes.push_back(std::move(note));
    }
    models::average_colours(loaded.recipe, loaded.notes);
  }
  return loaded;
}

config::PartialRecipe load_recipe(const config::LoadRequest& request) {
  config::Problems problems;
  config::PartialRecipe loaded = load_recipe(request, problems);
  problems.throw_if_any();
  return loaded;
}

config::CheckContext circumstances_here(
    const config::PartialRecipe& loaded,
    bool training) {
  const config::DevicesConfig& devices = loaded.recipe.devices;
  const launch::VisibleDevices visible = launch::visible_cuda_devices();
  const launch::DeviceRequest request = device_request(devices);
  config::CheckContext here{
      // Assumes that other machines are like this one.
      .workers = devices.nodes *
          launch::requested_workers(
                     request, visible, launch::available_cores()),
      .cuda = launch::wants_cuda(request, visible),
      .training = training,
      .unread = loaded.unread};
  if (here.is_unread("devices")) {
    here.workers = config::kWorkersUnknown;
  }
  return here;
}

void check_rules(
    const config::Recipe& recipe,
    const config::Origins& origins,
    const config::CheckContext& context,
    config::Problems problems) {
  config::validate(recipe, context, origins, problems);
  const models::DataShape data = shape_of(recipe.data.eval);
  config::add_findings(
      models::check(recipe.model, data), origins, context, problems);
  config::add_findings(
      models::check_class_weights(recipe, data), origins, context, problems);
  config::add_findings(models::check_loss(recipe), origins, context, problems);
  config::add_findings(
      models::check_channels(recipe, context.training),
      origins,
      context,
      problems);
  if (context.training) {
    config::add_findings(
        models::check_training_size(recipe), origins, context, problems);
    config::add_findings(
        models::check_teacher(recipe), origins, context, problems);
  }
  if (problems.empty()) {
    return;
  }
  const auto is_given = [&](const std::string& key) {
    return position_of(origins, key).origin != config::Origin::kDefault;
  };
  config::add_findings(
      missing(recipe, context.training, is_given), origins, context, problems);
  const std::string unread = named_keys(context.unread);
  fail(
      ExitCode::kUsage,
      "{}{}",
      problems.text(),
      unread.empty() ? ""
                     : fmt::format(
                           "\nNot checked: rules that depend on {}, until that "
                           "can be read.",
                           unread));
}

void check_network(
    const config::Recipe& recipe,
    const config::Origins& origins,
    const models::DataShape& data) {
  config::Problems problems;
  config::add_findings(
      models::check(recipe.model, data), origins, {}, problems);
  config::add_findings(
      models::check_class_weights(recipe, data), origins, {}, problems);
  problems.throw_if_any();
}

std::vector<std::string> missing_paths(
    const config::Recipe& recipe,
    const config::Origins& origins,
    bool training) {
  std::vector<std::string> sentences;
  for (const config::Finding& finding :
       missing(recipe, training, [](const std::string&) { return true; })) {
    const std::string place = position_of(origins, finding.key).text();
    sentences.push_back(fmt::format(
        "{}{}{}: {}",
        place,
        place.empty() ? "" : ": ",
        finding.key,
        finding.text));
  }
  return sentences;
}

} // namespace vitrain::job
