#include "weights/state_dict.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <string_view>
#include <unordered_map>

#include <fmt/ranges.h>

#include "core/text.h"
#include "weights/archive.h"
#include "weights/weights_check.h"

namespace vitrain::weights {
namespace {

using Kind = PickleValue::Kind;
using Ref = PickleValue::Ref;
using IsTensor = std::function<bool(const PickleValue&)>;

// Readable tensors of a dictionary, and a description of its other tensors.
struct Tensors {
  std::vector<std::pair<std::string, Ref>> read;
  std::vector<std::string> left_out; // first unreadable ones, for messages
  std::int64_t all_left_out = 0;
};

// Usual names of state dicts in files of timm, DeiT, Swin, MMEngine, Lightning,
// DINO and PaddleViT. The first name present is used.
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
// Number of names at the beginning of kUsualNames that are of averages.
constexpr std::size_t kAveraged = 4;

constexpr int kModuleDepth = 64;
// Limit of dictionaries or tensors in a message.
constexpr std::size_t kListed = 10;

// True for torch's tensors of forms that are not read: quantised, sparse, ...
bool is_other_tensor(const PickleValue& value) {
  return value.is(Kind::kCall) && value.callee->is(Kind::kGlobal) &&
      (value.callee->text.starts_with("torch._utils._rebuild_") ||
       value.callee->text.starts_with("torch._tensor._rebuild_"));
}

struct Candidate {
  std::string path;
  const Tensors* tensors = nullptr;
};

// Searches a pickle for tensors. A small file can refer to one dictionary a
// thousand times, so visited and stored values are limited; throws
// Error(kWeights) beyond the limit.
class Search {
 public:
  Search(const IsTensor& is_tensor, const std::string& source)
      : is_tensor_(is_tensor), source_(source) {}

  // Returns the tensors directly in a dictionary, or of a pickled module and
  // its children, by name; empty for other values. The reference is valid as
  // long as this object.
  const Tensors& tensors_of(const PickleValue& value) {
    if (!value.is(Kind::kDict) && !value.is(Kind::kCall)) {
      return none_;
    }
    const auto [found, fresh] = known_.try_emplace(&value);
    if (fresh) {
      found->second = find_tensors(value);
    }
    return found->second;
  }

  // Returns the last value with this key in a dictionary; null if there is
  // none.
  Ref member(const PickleValue& value, std::string_view name) {
    Ref found = nullptr;
    each_entry(value, [&](const PickleValue& key, const PickleValue& item) {
      if (key.is(Kind::kText) && key.text == name) {
        found = &item;
      }
    });
    return found;
  }

  // Returns all dictionaries and modules with tensors within `root`, up to
  // `levels` levels deep, without those inside another result.
  std::vector<Candidate> candidates_in(
      const PickleValue& root,
      const std::string& prefix,
      int levels) {
    std::vector<Candidate> found;
    each_entry(root, [&](const PickleValue& key, const PickleValue& item) {
      const bool holds = item.is(Kind::kDict) || item.is(Kind::kCall);
      if (!key.is(Kind::kText) || !holds || is_tensor_(item)) {
        return;
      }
      const Tensors& tensors = tensors_of(item);
      if (!tensors.read.empty()) {
        found.push_back({name_of(prefix, key.text), &tensors});
      } else if (levels > 1) {
        std::ranges::move(
            candidates_in(item, name_of(prefix, key.text) + ".", levels - 1),
            std::back_inserter(found));
      }
    });
    return found;
  }

 private:
  // Visits the entries of a dictionary, or of an object that is one
  // (OrderedDict).
  template <typename Visit>
  void each_entry(const PickleValue& value, const Visit& visit) {
    count(value.entries.size());
    for (const auto& [key, item] : value.entries) {
      visit(*key, *item);
    }
    // Python 2: OrderedDict([[name, value], ...]).
    if (value.is_call("collections.OrderedDict") &&
        value.arguments->items.size() == 1) {
      const auto& pairs = value.arguments->items.front()->items;
      count(pairs.size());
      for (const Ref pair : pairs) {
        if (pair->items.size() == 2) {
          visit(*pair->items[0], *pair->items[1]);
        }
      }
    }
  }

  void count(std::size_t entries) {
    constexpr std::size_t kMost = 10'000'000;
    entries_ += entries;
    VITRAIN_CHECK_WEIGHTS(
        entries_ <= kMost,
        "{}: its dictionaries, which stand within each other, have more than "
        "{} entries",
        source_,
        with_commas(kMost));
  }

  // Returns the joined name, and limits the total size of names. (100,000
  // tensors have 10 MB of names.)
  std::string name_of(const std::string& prefix, std::string_view name) {
    constexpr std::size_t kMost = 64 << 20;
    constexpr std::size_t kOverhead = 64; // overhead per entry
    check_name_length(name, source_);
    std::string whole = prefix;
    whole += name;
    check_name_length(whole, source_);
    bytes_ += whole.size() + kOverhead;
    VITRAIN_CHECK_WEIGHTS(
        bytes_ <= kMost,
        "{}: the names of its tensors have more than {}",
        source_,
        human_bytes(static_cast<double>(kMost)));
    return whole;
  }

  Tensors find_tensors(const PickleValue& value) {
    Tensors tensors;
    if (value.is(Kind::kCall) && value.state != nullptr &&
        member(*value.state, "_modules") != nullptr) {
      add_module(value, "", /*depth=*/0, tensors);
    } else {
      add_entries(value, "", tensors);
    }
    return tensors;
  }

  void add_entries(
      const PickleValue& named,
      const std::string& prefix,
      Tensors& tensors) {
    each_entry(named, [&](const PickleValue& key, const PickleValue& item) {
      const bool tensor = is_tensor_(item);
      if (key.is(Kind::kText) && tensor) {
        tensors.read.emplace_back(name_of(prefix, key.text), &item);
      } else if (tensor || is_other_tensor(item)) {
        leave_out(prefix, key, item, tensors);
      }
    });
  }

  void leave_out(
      const std::string& prefix,
      const PickleValue& key,
      const PickleValue& tensor,
      Tensors& tensors) {
    // Limit in bytes: an untrusted file determines the length.
    constexpr std::size_t kShownKind = 60;
    ++tensors.all_left_out;
    if (tensors.left_out.size() < kListed) {
      tensors.left_out.push_back(
          key.is(Kind::kText)
              ? fmt::format(
                    "'{}' ({})",
                    printable(name_of(prefix, key.text)),
                    printable(std::string_view(tensor.callee->text)
                                  .substr(0, kShownKind)))
              : key.is(Kind::kInteger)
              ? fmt::format("the one with the number {} for name", key.integer)
              : "one without a name");
    }
  }

  // Adds the state_dict() of a pickled torch.nn.Module.
  void add_module(
      const PickleValue& module,
      const std::string& prefix,
      int depth,
      Tensors& tensors) {
    if (!module.is(Kind::kCall) || module.state == nullptr ||
        depth > kModuleDepth) {
      return;
    }
    for (const char* list : {"_parameters", "_buffers"}) {
      if (const Ref named = member(*module.state, list)) {
        add_entries(*named, prefix, tensors);
      }
    }
    if (const Ref children = member(*module.state, "_modules")) {
      each_entry(
          *children, [&](const PickleValue& key, const PickleValue& child) {
            add_module(
                child, name_of(prefix, key.text) + ".", depth + 1, tensors);
          });
    }
  }

  const IsTensor& is_tensor_;
  const std::string& source_;
  const Tensors none_;
  std::unordered_map<Ref, Tensors> known_;
  std::size_t entries_ = 0; // visited entries
  std::size_t bytes_ = 0; // size of the names
};

// Checks only names of chosen tensors; unused tensors may have any name.
void check_names(const Tensors& chosen, const std::string& source) {
  for (const auto& [name, tensor] : chosen.read) {
    check_tensor_name(name, source);
  }
}

// Adds a note about tensors of the chosen state dict that cannot be read.
void note_left_out(const Tensors& tensors, std::vector<std::string>& notes) {
  if (tensors.all_left_out > 0) {
    notes.push_back(fmt::format(
        "left out, of a kind that is not read: {}: {}{}",
        counted(tensors.all_left_out, "tensor"),
        join(tensors.left_out, ", "),
        tensors.all_left_out > std::ssize(tensors.left_out) ? ", ..." : ""));
  }
}

struct Choice {
  const Candidate* candidate = nullptr; // null: not found
  bool averaged = false;
};

// Dictionaries of tensors in a file, and whether they are averages.
class Candidates {
 public:
  Candidates(const PickleValue& root, Search& search)
      : all(search.candidates_in(root, "", /*levels=*/2)) {
    // MMEngine's averaging hook swaps both when saving: "state_dict" contains
    // the averages, and "ema_state_dict" the trained weights.
    swapped_ = at("state_dict").candidate != nullptr &&
        at("ema_state_dict").candidate != nullptr &&
        (search.member(root, "message_hub") != nullptr ||
         search.member(root, "meta") != nullptr);
  }

  Choice at(std::string_view path) const {
    const auto found = std::ranges::find(all, path, &Candidate::path);
    const auto averaged = kUsualNames | std::views::take(kAveraged);
    return {
        .candidate = found == all.end() ? nullptr : &*found,
        .averaged = swapped_
            ? path == "state_dict"
            : std::ranges::find(averaged, path) != averaged.end()};
  }

  // Returns the dictionary with the first of the usual names; a Choice without
  // candidate if there is none.
  Choice usual() const {
    if (swapped_) {
      return at("state_dict");
    }
    for (const std::string_view name : kUsualNames) {
      if (const Choice found = at(name); found.candidate != nullptr) {
        return found;
      }
    }
    return {};
  }

  // Returns "'a', 'b' and 3 more": up to kListed names, except that of
  // `chosen`, and the number of further ones.
  std::string list(const Candidate* chosen) const {
    std::vector<std::string> paths;
    for (const Candidate& candidate : all) {
      if (&candidate != chosen && paths.size() < kListed) {
        paths.push_back(fmt::format("'{}'", printable(candidate.path)));
      }
    }
    const std::size_t others = all.size() - (chosen == nullptr ? 0 : 1);
    return join(paths, ", ") +
        (others > kListed ? " and " +
                 with_commas(static_cast<std::int64_t>(others - kListed)) +
                 " more"
                          : "");
  }

  const std::vector<Candidate> all;

 private:
  bool swapped_ = false;
};

} // namespace

StateDict find_state_dict(
    const PickleValue& root,
    const IsTensor& is_tensor,
    const std::string& part,
    const std::string& source) {
  Search search(is_tensor, source);
  const Tensors& own = search.tensors_of(root);
  const Candidates candidates(root, search);
  Choice chosen = part.empty() ? candidates.usual() : candidates.at(part);
  // If the root has tensors, too, but fewer than the state dict (such as an
  // accuracy), the state dict is chosen.
  const bool beside = chosen.candidate != nullptr &&
      own.read.size() < chosen.candidate->tensors->read.size();
  if (part.empty() && !own.read.empty() && !beside) {
    check_names(own, source);
    StateDict dict{.tensors = own.read, .notes = {}};
    note_left_out(own, dict.notes);
    return dict;
  }
  VITRAIN_CHECK_WEIGHTS(
      !candidates.all.empty(),
      "{}: there is no dictionary of tensors in it{}",
      source,
      own.read.empty() ? "" : " but the file itself, which has no part");
  if (part.empty() && candidates.all.size() == 1) {
    chosen.candidate = &candidates.all.front();
  }
  VITRAIN_CHECK_WEIGHTS(
      chosen.candidate != nullptr,
      "{}: {}; it has {}. Say which with model.pretrained_part",
      source,
      part.empty() ? "which of its dictionaries has the weights is not clear"
                   : fmt::format("has no tensors in '{}'", printable(part)),
      candidates.list(nullptr));
  check_names(*chosen.candidate->tensors, source);
  StateDict dict{.tensors = chosen.candidate->tensors->read, .notes = {}};
  const std::string others = candidates.list(chosen.candidate);
  dict.notes.push_back(fmt::format(
      "took '{}'{}{}",
      printable(chosen.candidate->path),
      chosen.averaged ? " (averaged weights)" : "",
      others.empty() ? "" : "; the file also has " + others));
  note_left_out(*chosen.candidate->tensors, dict.notes);
  return dict;
}

} // namespace vitrain::weights
