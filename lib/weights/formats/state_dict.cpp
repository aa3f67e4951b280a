#include "weights/formats/state_dict.h"

#include <algorithm>
#include <array>
#include <ranges>

#include <fmt/ranges.h>

#include "core/text/text.h"
#include "weights/weights_check.h"

namespace vitrain::weights {
namespace {

using Kind = PickleValue::Kind;
using Ref = PickleValue::Ref;
using IsTensor = std::function<bool(const PickleValue&)>;
using Tensors = std::vector<std::pair<std::string, Ref>>;

// What trainers call the weights, the first that is there: timm, DeiT, Swin,
// MMEngine, Lightning, DINO, PaddleViT.
constexpr auto kUsualNames = std::to_array<std::string_view>(
    {"state_dict_ema",
     "model_ema",
     "ema_state_dict",
     "ema",
     "state_dict",
     "model_state_dict",
     "model",
     "module",
     "net",
     "network",
     "params",
     "teacher",
     "student"});
constexpr std::size_t kAveraged = 4; // of them

constexpr int kModuleDepth = 64;

// The pairs of a dictionary or of an object that is one (OrderedDict).
std::vector<std::pair<Ref, Ref>> entries_of(const PickleValue& value) {
  auto entries = value.entries;
  // Python 2: OrderedDict([[name, value], ...]).
  if (value.is_call("collections.OrderedDict") &&
      value.arguments->items.size() == 1) {
    for (const Ref pair : value.arguments->items.front()->items) {
      if (pair->items.size() == 2) {
        entries.emplace_back(pair->items[0], pair->items[1]);
      }
    }
  }
  return entries;
}

Ref member(const PickleValue& value, std::string_view name) {
  Ref found = nullptr;
  for (const auto& [key, item] : entries_of(value)) {
    if (key->is(Kind::kText) && key->text == name) {
      found = item;
    }
  }
  return found;
}

// state_dict() of a pickled torch.nn.Module.
void add_module(
    const PickleValue& module,
    const std::string& prefix,
    const IsTensor& is_tensor,
    int depth,
    Tensors& tensors) {
  if (!module.is(Kind::kCall) || module.state == nullptr ||
      depth > kModuleDepth) {
    return;
  }
  for (const char* list : {"_parameters", "_buffers"}) {
    if (const Ref named = member(*module.state, list)) {
      for (const auto& [key, value] : entries_of(*named)) {
        if (is_tensor(*value)) {
          tensors.emplace_back(prefix + std::string(key->text), value);
        }
      }
    }
  }
  if (const Ref children = member(*module.state, "_modules")) {
    for (const auto& [key, child] : entries_of(*children)) {
      add_module(
          *child,
          fmt::format("{}{}.", prefix, key->text),
          is_tensor,
          depth + 1,
          tensors);
    }
  }
}

Tensors tensors_of(const PickleValue& value, const IsTensor& is_tensor) {
  Tensors tensors;
  if (value.is(Kind::kCall) && value.state != nullptr &&
      member(*value.state, "_modules") != nullptr) {
    add_module(value, "", is_tensor, 0, tensors);
    return tensors;
  }
  for (const auto& [key, item] : entries_of(value)) {
    if (key->is(Kind::kText) && is_tensor(*item)) {
      tensors.emplace_back(key->text, item);
    }
  }
  return tensors;
}

struct Candidate {
  std::string path;
  Tensors tensors;
};

std::vector<Candidate> candidates_in(
    const PickleValue& root,
    const IsTensor& is_tensor,
    const std::string& prefix,
    int levels) {
  std::vector<Candidate> found;
  for (const auto& [key, item] : entries_of(root)) {
    if (!key->is(Kind::kText)) {
      continue;
    }
    const std::string path = prefix + std::string(key->text);
    Tensors tensors = tensors_of(*item, is_tensor);
    if (!tensors.empty()) {
      found.push_back({path, std::move(tensors)});
    } else if (levels > 1) {
      std::ranges::move(
          candidates_in(*item, is_tensor, path + ".", levels - 1),
          std::back_inserter(found));
    }
  }
  return found;
}

const Candidate* choose(
    const std::vector<Candidate>& candidates,
    const std::string& part) {
  const auto at = [&](std::string_view path) -> const Candidate* {
    const auto found = std::ranges::find(candidates, path, &Candidate::path);
    return found == candidates.end() ? nullptr : &*found;
  };
  if (!part.empty()) {
    return at(part);
  }
  for (const std::string_view name : kUsualNames) {
    if (const Candidate* found = at(name)) {
      return found;
    }
  }
  return candidates.size() == 1 ? &candidates.front() : nullptr;
}

} // namespace

StateDict find_state_dict(
    const PickleValue& root,
    const IsTensor& is_tensor,
    const std::string& part,
    const std::string& source) {
  Tensors own = tensors_of(root, is_tensor);
  if (part.empty() && !own.empty()) {
    return {.tensors = std::move(own), .notes = {}};
  }
  const auto candidates = candidates_in(root, is_tensor, "", /*levels=*/2);
  const auto list = [&](const std::string* but) {
    std::vector<std::string> paths;
    for (const Candidate& candidate : candidates) {
      if (but == nullptr || candidate.path != *but) {
        paths.push_back(fmt::format("'{}'", printable(candidate.path)));
      }
    }
    return join(paths, ", ");
  };
  VITRAIN_CHECK_WEIGHTS(
      !candidates.empty(),
      "{}: there is no dictionary of tensors in it{}",
      source,
      own.empty() ? "" : " but the file itself, which has no part");
  const Candidate* chosen = choose(candidates, part);
  VITRAIN_CHECK_WEIGHTS(
      chosen != nullptr,
      "{}: {}; it has {}. Say which with model.pretrained_part",
      source,
      part.empty() ? "which of its dictionaries has the weights is not clear"
                   : fmt::format("has no tensors in '{}'", printable(part)),
      list(nullptr));
  StateDict dict{.tensors = chosen->tensors, .notes = {}};
  const auto averaged_names = kUsualNames | std::views::take(kAveraged);
  const bool averaged =
      std::ranges::find(averaged_names, chosen->path) != averaged_names.end();
  const std::string others = list(&chosen->path);
  dict.notes.push_back(fmt::format(
      "took '{}'{}{}",
      printable(chosen->path),
      averaged ? " (averaged weights)" : "",
      others.empty() ? "" : "; the file also has " + others));
  return dict;
}

} // namespace vitrain::weights
