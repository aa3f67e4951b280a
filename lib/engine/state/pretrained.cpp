#include "engine/state/pretrained.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string_view>

#include "checkpoint/find.h"
#include "checkpoint/read_preprocess.h"
#include "core/check.h"
#include "core/text.h"
#include "engine/state/padding.h"
#include "engine/state/similar_networks.h"
#include "job/checkpoint_weights.h"
#include "job/find_weights.h"
#include "models/families/family.h"
#include "networks/tensors.h"
#include "states/load_tensors.h"
#include "weights/adapters.h"
#include "weights/archive.h"
#include "weights/match.h"
#include "weights/names/timm_names.h"

namespace vitrain::engine {
namespace {

weights::HeadPolicy head_policy(config::HeadInit init, PretrainedUse purpose) {
  if (purpose != PretrainedUse::kTrain) {
    return weights::HeadPolicy::kLoad;
  }
  switch (init) {
    case config::HeadInit::kLoad:
      return weights::HeadPolicy::kLoad;
    case config::HeadInit::kFresh:
      return weights::HeadPolicy::kFresh;
    case config::HeadInit::kAuto:
      return weights::HeadPolicy::kAuto;
  }
  return weights::HeadPolicy::kAuto;
}

// A weights file, verified if it has a manifest.
struct Source {
  std::filesystem::path file;
  std::string name; // for messages
  std::string part{}; // part of the file; see weights::open_archive
  std::string names = "auto"; // see weights::to_timm_names
};

std::unique_ptr<weights::Archive> open(const Source& source) {
  auto archive =
      weights::merge_adapters(weights::open_archive(source.file, source.part));
  weights::to_timm_names(*archive, source.names);
  return archive;
}

Source source_in(
    const std::filesystem::path& checkpoint,
    const std::string& part,
    std::string_view key = job::kPretrained) {
  const std::string part_key = fmt::format("{}_part", key);
  job::CheckpointWeights found =
      job::weights_in(checkpoint, part, part_key.c_str());
  return {.file = std::move(found.file), .name = std::move(found.name)};
}

Source find_source(const config::ModelConfig& config, PretrainedUse purpose) {
  const std::string_view key = purpose == PretrainedUse::kTeach
      ? job::kTeacherPretrained
      : job::kPretrained;
  job::check_exists(config.pretrained, key);
  const std::filesystem::path path = *config.pretrained;
  if (job::is_checkpoint_path(path)) {
    return source_in(
        job::find_checkpoint(path, /*best=*/true), config.pretrained_part, key);
  }
  checkpoint::verify_named(path);
  return {
      .file = path,
      .name = printable(path.native()),
      .part = config.pretrained_part,
      .names = config.pretrained_names};
}

// Returns true if vitrain wrote these weights: their record names the network,
// and so the padding.
bool is_own(const Source& source) {
  return !checkpoint::read_preprocess(source.file).is_null();
}

std::vector<std::string> lines_of(
    const weights::LoadReport& report,
    const char* verb,
    const models::ModelSpec& spec,
    const Source& source,
    const weights::Archive& archive) {
  std::vector<std::string> lines{fmt::format(
      "{} {} tensors of {} ({})",
      verb,
      with_commas(report.loaded),
      source.name,
      archive.format)};
  std::ranges::copy(archive.notes, std::back_inserter(lines));
  if (std::string warning = padding_warning(spec, source.file, archive);
      !warning.empty() && !is_own(source)) {
    lines.push_back(std::move(warning));
  }
  for (const std::string& line : report.lines()) {
    lines.push_back(line);
  }
  return lines;
}

weights::Layouts layouts_of(const models::ModelSpec& spec) {
  using Kind = networks::TensorInfo::Kind;
  weights::Layouts layouts;
  for (const networks::TensorInfo& tensor : networks::tensors_of(spec)) {
    if (!weights::is_adapter(tensor.name)) {
      layouts[tensor.name] = {
          .shape = tensor.shape,
          .type = weights::find_dtype(
              tensor.kind == Kind::kCounter ? "I64" : "F32")};
    }
  }
  return layouts;
}

// Throws Error(kWeights) if a teacher's classifier has another number of
// classes than the student: a newly initialised one would teach nothing.
void check_classifier(
    const models::ModelSpec& spec,
    const Source& source,
    const weights::Archive& archive) {
  const weights::Layouts given = weights::layouts_of(archive);
  for (const auto& [name, own] : layouts_of(spec)) {
    const auto found = given.find(name);
    if (!models::classifies(*spec.family, name) || found == given.end() ||
        own.shape.empty() || own.shape.front() != spec.num_classes ||
        found->second.shape.empty()) {
      continue;
    }
    VITRAIN_CHECK(
        found->second.shape.front() == spec.num_classes,
        ExitCode::kWeights,
        "{}: its classifier '{}' has {} outputs, and the student {}: a teacher "
        "has the student's classes, in the same order",
        source.name,
        name,
        found->second.shape.front(),
        spec.num_classes);
  }
}

// Returns the image size stored with vitrain's weights; nullopt for other
// weights, or if it is no valid size.
std::optional<ImageSize> image_size_in(const Source& source) {
  const Json record = checkpoint::read_preprocess(source.file);
  const Json::json_pointer place("/keys/model.image_size");
  const Json size = record.contains(place) ? record.at(place) : Json(nullptr);
  constexpr std::int64_t kMost = 1 << 16;
  const auto is_side = [](const Json& side) {
    return side.is_number_integer() && side > 0 && side <= kMost;
  };
  if (is_side(size)) {
    return ImageSize(size.get<std::int64_t>());
  }
  if (size.is_array() && size.size() == 2 && is_side(size[0]) &&
      is_side(size[1])) {
    return ImageSize(size[0].get<std::int64_t>(), size[1].get<std::int64_t>());
  }
  return std::nullopt;
}

weights::LoadOptions load_options(
    const models::ModelSpec& spec,
    const Source& source,
    weights::HeadPolicy head,
    Resampling resampling) {
  const bool as_family =
      resampling == Resampling::kTimm && spec.family->resampling != nullptr;
  weights::LoadOptions options{
      .head = head,
      .head_prefixes = spec.family->classifier,
      .resampling = as_family ? spec.family->resampling(spec) : resampling};
  if (spec.family->grid != nullptr) {
    options.grid = [spec](const std::string& tensor) {
      return std::optional(spec.family->grid(spec, tensor));
    };
    if (const auto size = image_size_in(source)) {
      models::ModelSpec saved = spec;
      saved.image_size = *size;
      options.file_grid = [saved](const std::string& tensor) {
        return std::optional(saved.family->grid(saved, tensor));
      };
    }
  }
  return options;
}

weights::LoadOptions options_of(
    const models::ModelSpec& spec,
    const Source& source,
    const config::ModelConfig& config,
    PretrainedUse purpose) {
  return load_options(
      spec,
      source,
      head_policy(config.head_init, purpose),
      config.pretrained_resampling);
}

// Returns the result of `load`. If the weights do not fit, its Error also says
// which network they look like, at the front, because the supervisor shows only
// the first lines of a worker's message.
template <typename Load>
auto with_similar(
    const models::ModelSpec& spec,
    const std::string& source,
    const weights::Archive& archive,
    const Load& load) {
  try {
    return load();
  } catch (const Error& error) {
    const std::string text =
        similar_networks_text(weights::layouts_of(archive), spec.name, source);
    fail(error.code(), "{}{}{}", text, text.empty() ? "" : "\n", error.what());
  }
}

std::vector<std::string> match(
    const models::ModelSpec& spec,
    const Source& source,
    const weights::LoadOptions& options,
    PretrainedUse purpose = PretrainedUse::kTrain) {
  const auto archive = open(source);
  if (purpose == PretrainedUse::kTeach) {
    check_classifier(spec, source, *archive);
  }
  const weights::Match match = with_similar(spec, source.name, *archive, [&] {
    return weights::match_weights(
        layouts_of(spec), weights::layouts_of(*archive), options, source.name);
  });
  return lines_of(match.report, "would load", spec, source, *archive);
}

} // namespace

PretrainedUse purpose_of(const job::Job& job) {
  return job.mode == job::JobMode::kEval ? PretrainedUse::kEvaluate
                                         : PretrainedUse::kTrain;
}

std::vector<std::string> load_pretrained(
    networks::Model& model,
    const models::ModelSpec& spec,
    const config::ModelConfig& config,
    PretrainedUse purpose) {
  const Source source = find_source(config, purpose);
  const auto archive = open(source);
  if (purpose == PretrainedUse::kTeach) {
    check_classifier(spec, source, *archive);
  }
  const weights::LoadReport report =
      with_similar(spec, source.name, *archive, [&] {
        return states::load_weights(
            model,
            *archive,
            options_of(spec, source, config, purpose),
            source.name);
      });
  return lines_of(report, "loaded", spec, source, *archive);
}

std::vector<std::string> match_pretrained(
    const models::ModelSpec& spec,
    const config::ModelConfig& config,
    PretrainedUse purpose) {
  const Source source = find_source(config, purpose);
  return match(
      spec, source, options_of(spec, source, config, purpose), purpose);
}

std::vector<std::string> match_checkpoint(
    const models::ModelSpec& spec,
    const std::filesystem::path& folder) {
  const Source source = source_in(folder, "model");
  return match(
      spec,
      source,
      load_options(
          spec, source, weights::HeadPolicy::kLoad, Resampling::kTimm));
}

} // namespace vitrain::engine
