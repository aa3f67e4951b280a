#include "models/layers.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <regex>
#include <string_view>

#include "core/check.h"
#include "core/text.h"
#include "models/families/family.h"

namespace vitrain::models {
namespace {

// Where a parameter stands: layers are in the order of these lists of numbers.
using Place = std::vector<double>;

// Last number of places that belong to the layer before them.
constexpr double kWithPrevious = 99999.0;
const Place kBehindAll{std::numeric_limits<double>::infinity()};

// Names that begin so stand in part `part`, at the numbers that the pattern
// captures, and then at `last`.
struct Rule {
  double part;
  const char* pattern;
  std::vector<double> last{};
};

struct FamilyLayers {
  std::string_view family;
  std::vector<Rule> rules; // the first that matches counts; none: runs
};

const std::vector<double>& with_previous() {
  static const std::vector<double> last{kWithPrevious};
  return last;
}

// A stem, numbered blocks and what stands behind them.
std::vector<Rule>
in_blocks(const char* stem, const char* blocks, const char* end) {
  return {{0, stem}, {1, blocks}, {1, end, with_previous()}};
}

// The same in stages that begin with a layer of their own.
std::vector<Rule> in_stages(
    const char* stem,
    const char* downsample,
    const char* blocks,
    const char* end) {
  return {
      {0, stem}, {1, downsample, {0}}, {1, blocks}, {1, end, with_previous()}};
}

// Four times a stem and blocks, and blocks over all of them.
std::vector<Rule> in_coat() {
  return {
      {0, "cls_token1|patch_embed1|crpe1|cpe1"},
      {1, R"(serial_blocks1\.(\d+))"},
      {2, "cls_token2|patch_embed2|crpe2|cpe2"},
      {3, R"(serial_blocks2\.(\d+))"},
      {4, "cls_token3|patch_embed3|crpe3|cpe3"},
      {5, R"(serial_blocks3\.(\d+))"},
      {6, "cls_token4|patch_embed4|crpe4|cpe4"},
      {7, R"(serial_blocks4\.(\d+))"},
      {8, R"(parallel_blocks\.(\d+))"},
      {8, "norm|aggregate", with_previous()}};
}

const std::vector<FamilyLayers>& tables() {
  constexpr const char* kBlock = R"(blocks\.(\d+))";
  constexpr const char* kDownsample = R"(stages\.(\d+)\.downsample)";
  constexpr const char* kStageBlock = R"(stages\.(\d+)\.blocks\.(\d+))";
  constexpr const char* kTokens = "cls_token|pos_embed|patch_embed";
  const std::vector<Rule> in_runs{};
  const std::vector<Rule> vit = in_blocks(
      "cls_token|reg_token|dist_token|pos_embed|patch_embed|norm_pre",
      kBlock,
      "norm");
  const std::vector<Rule> swin = in_stages(
      "absolute_pos_embed|patch_embed",
      R"(layers\.(\d+)\.downsample)",
      R"(layers\.(\d+)\.\w+\.(\d+))",
      "norm");
  const std::vector<Rule> byob =
      in_blocks("stem", R"(stages\.(\d+)\.(\d+))", "final_conv");
  static const std::vector<FamilyLayers> all{
      {"vit", vit},
      {"deit", vit},
      {"mae", vit},
      {"beit",
       in_blocks(
           "cls_token|pos_embed|patch_embed|rel_pos_bias", kBlock, "norm")},
      {"crossvit", in_blocks(kTokens, kBlock, "norm")},
      {"mixer", in_blocks("stem", kBlock, "norm")},
      {"convmixer", {{0, "stem"}, {1, kBlock}}},
      {"swin", swin},
      {"swin_v2", swin},
      {"convnext", in_stages("stem", kDownsample, kStageBlock, "norm_pre")},
      {"levit", {{0, "stem"}, {1, kDownsample, {0}}, {1, kStageBlock}}},
      {"resnet", {{0, "conv1|bn1"}, {1, R"(layer(\d+)\.(\d+))"}}},
      {"regnet", {{0, "stem"}, {1, R"(s(\d+)\.b(\d+))"}}},
      {"efficientnet",
       in_blocks("conv_stem|bn1", R"(blocks\.(\d+)\.(\d+))", "conv_head|bn2")},
      {"mobileone", byob},
      {"mobilevit", byob},
      {"halonet", byob},
      {"botnet", byob},
      {"pvt_v2", {{0, "patch_embed"}, {1, R"(stages\.(\d+))"}}},
      {"xcit",
       {{0, kTokens},
        {1, kBlock},
        {2, R"(cls_attn_blocks\.(\d+))"},
        {2, "norm", with_previous()}}},
      {"volo",
       {{0, kTokens},
        {1, R"(network\.(\d+)\.(\d+))"},
        {1, R"(network\.(\d+))", {0}},
        {2, R"(post_network\.(\d+))"},
        {2, "norm", with_previous()}}},
      {"coat", in_coat()},
      {"pit", in_runs},
      {"poolformer", in_runs},
      {"cifarnet", in_runs},
      {"convnet", in_runs},
      {"mlp", in_runs},
  };
  return all;
}

// The number behind `prefix` in a name that begins with it, else -1.
int number_behind(const std::string& name, std::string_view prefix) {
  std::int64_t number = 0;
  if (!name.starts_with(prefix)) {
    return -1;
  }
  const std::string rest = name.substr(prefix.size());
  return parse_int(rest.substr(0, rest.find('.')), number)
      ? static_cast<int>(number)
      : -1;
}

// CaiT's two kinds of blocks end together.
std::vector<Place> places_of_cait(const std::vector<std::string>& names) {
  int blocks = 0;
  int token_blocks = 0;
  for (const std::string& name : names) {
    blocks = std::max(blocks, number_behind(name, "blocks.") + 1);
    token_blocks =
        std::max(token_blocks, number_behind(name, "blocks_token_only.") + 1);
  }
  std::vector<Place> places;
  for (const std::string& name : names) {
    const int block = number_behind(name, "blocks.");
    const int token_block = number_behind(name, "blocks_token_only.");
    const bool stem = name.starts_with("cls_token") ||
        name.starts_with("pos_embed") || name.starts_with("patch_embed");
    const int place = stem ? 0
        : block >= 0       ? block + 1
        : token_block >= 0 ? token_block + blocks - token_blocks + 1
                           : blocks;
    places.push_back(
        stem || block >= 0 || token_block >= 0 || name.starts_with("norm.")
            ? Place{static_cast<double>(place)}
            : kBehindAll);
  }
  return places;
}

std::vector<Place> places_by_rules(
    const std::vector<Rule>& rules,
    const std::vector<std::string>& names) {
  std::vector<std::regex> patterns;
  for (const Rule& rule : rules) {
    patterns.emplace_back(rule.pattern);
  }
  std::vector<Place> places;
  for (const std::string& name : names) {
    Place place = kBehindAll;
    for (std::size_t i = 0; i < rules.size() && place == kBehindAll; ++i) {
      std::smatch match;
      if (!std::regex_search(
              name,
              match,
              patterns[i],
              std::regex_constants::match_continuous)) {
        continue;
      }
      place = {rules[i].part};
      for (auto group = std::next(match.begin()); group != match.end();
           ++group) {
        place.push_back(std::stod(group->str()));
      }
      place.insert(place.end(), rules[i].last.begin(), rules[i].last.end());
    }
    places.push_back(std::move(place));
  }
  return places;
}

std::vector<Place> places_by_count(
    const Family& family,
    const std::vector<std::string>& names) {
  constexpr int kRun = 12;
  int seen = 0;
  std::vector<Place> places;
  for (const std::string& name : names) {
    const bool head = std::ranges::any_of(
        family.classifier,
        [&](const std::string& start) { return name.starts_with(start); });
    const int run = head ? 0 : seen++ / kRun;
    places.push_back(head ? kBehindAll : Place{static_cast<double>(run)});
  }
  return places;
}

std::vector<Place> places_of(
    const Family& family,
    const std::vector<std::string>& names) {
  const std::string_view name = family.name;
  if (name == "cait") {
    return places_of_cait(names);
  }
  const auto table = std::ranges::find(tables(), name, &FamilyLayers::family);
  VITRAIN_CHECK(
      table != tables().end(),
      ExitCode::kInternal,
      "models/layers.cpp has no layers of {}",
      name);
  return table->rules.empty() ? places_by_count(family, names)
                              : places_by_rules(table->rules, names);
}

} // namespace

std::vector<int> layers_of(
    const ModelSpec& spec,
    const std::vector<std::string>& parameters) {
  const std::vector<Place> places = places_of(*spec.family, parameters);
  std::map<Place, int> layers;
  for (const Place& place : places) {
    layers[place] = 0;
  }
  int layer = -1;
  for (auto& [place, number] : layers) {
    layer += layer < 0 || place.back() != kWithPrevious ? 1 : 0;
    number = layer;
  }
  std::vector<int> result;
  for (const Place& place : places) {
    result.push_back(layers.at(place));
  }
  return result;
}

} // namespace vitrain::models
