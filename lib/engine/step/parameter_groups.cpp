#include "engine/step/parameter_groups.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "config/schema/group_rule.h"
#include "core/check.h"
#include "core/text.h"
#include "models/families/family.h"
#include "models/parameter_layers.h"
#include "networks/layers/layers.h"
#include "networks/tensors.h"
#include "optim/grouping.h"
#include "weights/adapters.h"

namespace vitrain::engine {
namespace {

// Line about groups that differ only in weight decay or update rule.
struct RateLine {
  std::string name;
  double lr_scale = 1.0;
  std::int64_t from_epoch = 1;
  std::optional<std::int64_t> until_epoch{};
  std::int64_t values = 0;
  std::map<double, std::int64_t, std::greater<>> by_decay;
};

// Returns the name of a group without the suffixes for decay and fallback:
// "layer 3" for "layer_3_no_decay"; "all" if nothing is left.
std::string name_of_rate(const std::string& group) {
  std::string name = group.substr(0, group.find("_fallback"));
  for (const char* end : {"no_decay", "decay"}) {
    if (name.ends_with(end)) {
      name.resize(name.size() - std::string_view(end).size());
      break;
    }
  }
  while (name.ends_with('_')) {
    name.pop_back();
  }
  std::ranges::replace(name, '_', ' ');
  return name.empty() ? "all" : name;
}

std::vector<RateLine> lines_of(const std::vector<GroupSummary>& groups) {
  std::vector<RateLine> lines;
  for (const GroupSummary& group : groups) {
    const std::string name = name_of_rate(group.settings.name);
    auto line = std::ranges::find(lines, name, &RateLine::name);
    if (line == lines.end()) {
      line = lines.insert(
          line,
          {.name = name,
           .lr_scale = group.settings.lr_scale,
           .from_epoch = group.settings.from_epoch,
           .until_epoch = group.settings.until_epoch});
    }
    line->values += group.values;
    line->by_decay[group.settings.weight_decay] += group.values;
  }
  return lines;
}

// Throws Error(kUsage) unless `pattern`, from the recipe's `key`, matches a
// name.
void check_named(
    const char* key,
    const std::string& pattern,
    const std::string& network,
    const std::vector<std::string>& names) {
  VITRAIN_CHECK(
      std::ranges::any_of(
          names,
          [&](const std::string& name) {
            return config::matches_name(pattern, name);
          }),
      ExitCode::kUsage,
      "{}: no parameter of {} is named like {}; names are like {} and {}",
      key,
      printable(network),
      printable(pattern),
      names.front(),
      names.back());
}

} // namespace

std::vector<std::string> parameter_names(const networks::Model& model) {
  std::vector<std::string> names;
  for (const auto& item : model.named_parameters()) {
    names.push_back(item.key());
  }
  return names;
}

std::vector<std::string> parameter_names(const models::ModelSpec& spec) {
  std::vector<std::string> names;
  for (const networks::TensorInfo& tensor : networks::tensors_of(spec)) {
    if (tensor.kind == networks::TensorInfo::Kind::kParameter) {
      names.push_back(tensor.name);
    }
  }
  return names;
}

std::string idle_no_decay(
    const config::OptimConfig& optim,
    const models::ModelSpec& spec,
    const std::vector<std::string>& names) {
  std::vector<std::string> usual = config::OptimConfig().no_decay;
  // From translated torchvision options.
  usual.emplace_back("relative_position_bias_table");
  std::vector<std::string> idle;
  for (const std::string& end : optim.no_decay) {
    const auto is_exempt = [&](const std::string& name) {
      // Two dimensions, so that only the name decides.
      constexpr std::int64_t kMatrix = 2;
      return optim::is_no_decay(name, kMatrix, {end});
    };
    if (std::ranges::find(usual, end) == usual.end() &&
        std::ranges::none_of(names, is_exempt)) {
      idle.push_back(printable(end));
    }
  }
  return idle.empty()
      ? ""
      : fmt::format(
            "optim.no_decay: of {}, no parameter's name is {}, or ends with it "
            "behind a dot: that exempts nothing from weight decay; names are "
            "like {} and {}",
            printable(spec.name),
            join(idle, " or "),
            names.front(),
            names.back());
}

optim::Grouping parameter_grouping(
    const config::OptimConfig& optim,
    const models::ModelSpec& spec,
    const std::vector<std::string>& names) {
  for (const config::GroupRule& rule : config::group_rules(optim.groups)) {
    check_named("optim.groups", rule.match, spec.name, names);
  }
  if (!optim.layer_decay) {
    return optim::grouping_of(optim);
  }
  const std::vector<int> layers = models::layers_of(spec, names);
  std::map<std::string, int> by_name;
  for (std::size_t i = 0; i < names.size(); ++i) {
    by_name[names[i]] = layers[i];
  }
  return optim::grouping_of(
      optim,
      {.of = [by_name = std::move(by_name)](
                 const std::string& name) { return by_name.at(name); },
       .count = std::ranges::max(layers) + 1});
}

std::vector<std::string> frozen_parameters(
    const config::ModelConfig& model,
    const std::vector<std::string>& names) {
  std::vector<std::string> patterns = model.freeze;
  const bool only_head = std::erase(patterns, config::kAllButHead) > 0;
  std::vector<std::string> frozen;
  for (const std::string& name : names) {
    const bool outside = (only_head || model.lora.active()) &&
        !models::classifies(model.name, name) && !weights::is_adapter(name);
    if (outside ||
        std::ranges::any_of(patterns, [&](const std::string& pattern) {
          return config::matches_name(pattern, name);
        })) {
      frozen.push_back(name);
    }
  }
  for (const std::string& pattern : patterns) {
    check_named("model.freeze", pattern, model.name, names);
  }
  VITRAIN_CHECK(
      frozen.size() < names.size(),
      ExitCode::kUsage,
      "model.freeze: all {} parameters of {} are frozen, and nothing is left "
      "to train",
      names.size(),
      printable(model.name));
  return frozen;
}

void freeze(networks::Model& model, const config::ModelConfig& config) {
  auto parameters = model.named_parameters();
  for (const std::string& name :
       frozen_parameters(config, parameter_names(model))) {
    parameters[name].set_requires_grad(false);
  }
  if (!config.freeze_batchnorm) {
    return;
  }
  for (const auto& module : model.modules(/*include_self=*/false)) {
    auto* norm = dynamic_cast<networks::BatchNorm2d*>(module.get());
    if (norm != nullptr && !norm->weight.requires_grad() &&
        !norm->bias.requires_grad()) {
      norm->freeze();
    }
  }
}

std::vector<GroupSummary> summarize_groups(
    const config::Recipe& recipe,
    const models::ModelSpec& spec) {
  std::vector<networks::TensorInfo> tensors = networks::tensors_of(spec);
  std::erase_if(tensors, [](const networks::TensorInfo& tensor) {
    return tensor.kind != networks::TensorInfo::Kind::kParameter;
  });
  const std::vector<std::string> names = parameter_names(spec);
  const std::vector<std::string> frozen =
      frozen_parameters(recipe.model, names);
  const optim::Grouping grouping =
      parameter_grouping(recipe.optim, spec, names);
  std::vector<GroupSummary> groups;
  for (auto tensor = tensors.rbegin(); tensor != tensors.rend(); ++tensor) {
    if (std::ranges::find(frozen, tensor->name) != frozen.end()) {
      continue;
    }
    optim::GroupSettings settings = grouping(tensor->name, tensor->shape);
    auto group = std::ranges::find_if(groups, [&](const GroupSummary& summary) {
      return summary.settings.name == settings.name;
    });
    if (group == groups.end()) {
      group = groups.insert(group, {.settings = std::move(settings)});
    }
    ++group->parameters;
    group->values += tensor->numel();
  }
  std::ranges::stable_sort(groups, {}, [](const GroupSummary& group) {
    return optim::order_of(group.settings);
  });
  return groups;
}

std::string groups_text(const std::vector<GroupSummary>& groups, double lr) {
  const std::vector<RateLine> lines = lines_of(groups);
  std::size_t width = 0;
  std::size_t digits = 0;
  for (const RateLine& line : lines) {
    width = std::max(width, line.name.size());
    digits = std::max(digits, with_commas(line.values).size());
  }
  std::vector<std::string> texts;
  for (const RateLine& line : lines) {
    std::vector<std::string> decays;
    for (const auto& [decay, values] : line.by_decay) {
      decays.push_back(fmt::format("{:.4g}", decay));
    }
    texts.push_back(fmt::format(
        "{:<{}}  lr {:<9}  {:>{}} values, decay {}{}{}",
        line.name,
        width,
        fmt::format("{:.3g}", lr * line.lr_scale),
        with_commas(line.values),
        digits,
        join(decays, ", "),
        line.from_epoch > 1 ? fmt::format(", from epoch {}", line.from_epoch)
                            : "",
        line.until_epoch ? fmt::format(", until epoch {}", *line.until_epoch)
                         : ""));
  }
  return join(texts, "\n");
}

Json groups_record(const std::vector<GroupSummary>& groups) {
  Json record = Json::array();
  for (const GroupSummary& group : groups) {
    Json& one = record.emplace_back(Json{
        {"name", group.settings.name},
        {"lr_scale", group.settings.lr_scale},
        {"weight_decay", group.settings.weight_decay},
        {"from_epoch", group.settings.from_epoch},
        {"parameters", group.parameters},
        {"values", group.values}});
    if (group.settings.until_epoch) {
      one["until_epoch"] = *group.settings.until_epoch;
    }
  }
  return record;
}

} // namespace vitrain::engine
