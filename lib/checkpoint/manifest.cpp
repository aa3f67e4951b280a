#include "checkpoint/manifest.h"

#include <algorithm>
#include <cmath>

#include "core/hash.h"
#include "core/json_reader.h"
#include "core/system/files.h"
#include "core/text.h"
#include "weights/weights_check.h"

namespace vitrain::checkpoint {
namespace {

constexpr std::size_t kSizeLimit = std::size_t{16} << 20;
constexpr std::size_t kHashDigits = 32;
// Text before and after the hash at the end of the file.
constexpr std::string_view kBeforeHash = ",\n  \"xxh3\": \"";
constexpr std::string_view kAfterHash = "\"\n}\n";

std::string hash_of(std::string_view bytes) {
  Hasher hasher;
  hasher.update(bytes.data(), bytes.size());
  return hasher.hex();
}

Json files_json(const std::vector<ManifestFile>& files) {
  Json list = Json::array();
  for (const ManifestFile& file : files) {
    list.push_back(
        {{"name", file.name}, {"size", file.size}, {"xxh3", file.xxh3}});
  }
  return list;
}

// True if the last member is the hash of everything before it.
bool hash_agrees(std::string_view text) {
  const std::size_t tail = kBeforeHash.size() + kHashDigits + kAfterHash.size();
  if (text.size() < tail || !text.ends_with(kAfterHash)) {
    return false;
  }
  const std::string_view body = text.substr(0, text.size() - tail);
  const std::string_view rest = text.substr(body.size());
  return rest.starts_with(kBeforeHash) &&
      rest.substr(kBeforeHash.size(), kHashDigits) == hash_of(body);
}

// True for a file name without path, so that the file is in the folder itself.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name.front() != '.' &&
      name.find('/') == std::string::npos &&
      name.find('\0') == std::string::npos && name != kManifestName;
}

Manifest from_json(const JsonReader& json) {
  Manifest manifest;
  manifest.format_version = json.integer("format_version");
  manifest.vitrain_version = json.text("vitrain_version");
  manifest.step = json.integer("step");
  manifest.epoch = json.integer("epoch");
  manifest.world_size = json.integer("world_size");
  manifest.config_hash = json.text("config_hash");
  if (!json.is_null("metric")) {
    manifest.metric = json.number("metric");
  }
  if (json.has("metric_name")) {
    manifest.metric_name = json.text("metric_name");
  }
  for (const JsonReader& file : json.objects("files")) {
    manifest.files.push_back(
        {.name = file.text("name"),
         .size = file.integer("size"),
         .xxh3 = file.text("xxh3")});
  }
  manifest.state = json.object("state").json();
  return manifest;
}

} // namespace

std::string Manifest::text() const {
  const bool has_metric = metric && std::isfinite(*metric);
  Json json = {
      {"format_version", format_version},
      {"vitrain_version", vitrain_version},
      {"step", step},
      {"epoch", epoch},
      {"world_size", world_size},
      {"config_hash", config_hash},
      {"metric", has_metric ? Json(*metric) : Json(nullptr)}};
  if (!metric_name.empty()) {
    json["metric_name"] = metric_name;
  }
  json["files"] = files_json(files);
  json["state"] = state;
  std::string body =
      json.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
  body.resize(body.size() - 2); // removes "\n}", the end of the object
  return fmt::format("{}{}{}{}", body, kBeforeHash, hash_of(body), kAfterHash);
}

bool lists(const Manifest& manifest, std::string_view file) {
  return std::ranges::find(manifest.files, file, &ManifestFile::name) !=
      manifest.files.end();
}

Manifest parse_manifest(const std::string& text, const std::string& source) {
  const Json json = parse_json(text, source, ExitCode::kWeights);
  VITRAIN_CHECK_WEIGHTS(
      json.is_object(), "{}: is not a JSON object: damaged or cut off", source);
  // Checked before the hash, which a later format may store elsewhere.
  const auto version = json.find("format_version");
  VITRAIN_CHECK_WEIGHTS(
      version == json.end() || !version->is_number_integer() ||
          version->get<std::int64_t>() <= kFormatVersion,
      "{}: was written by a newer version of vitrain (checkpoint format {}, "
      "this "
      "program reads up to {}); update vitrain",
      source,
      version->dump(),
      kFormatVersion);
  VITRAIN_CHECK_WEIGHTS(
      hash_agrees(text),
      "{}: its hash does not agree with its content: damaged or edited",
      source);
  Manifest manifest = from_json({json, source, ExitCode::kWeights});
  VITRAIN_CHECK_WEIGHTS(
      manifest.step >= 0 &&
          std::ranges::all_of(
              manifest.files, is_plain_name, &ManifestFile::name),
      "{}: a negative step, or a file name with a path",
      source);
  return manifest;
}

Manifest read_manifest(const std::filesystem::path& checkpoint) {
  const std::filesystem::path path = checkpoint / kManifestName;
  return parse_manifest(
      read_file(path, kSizeLimit, ExitCode::kWeights),
      printable(path.native()));
}

} // namespace vitrain::checkpoint
