#include "weights/names/timm_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <set>
#include <vector>

#include <fmt/ranges.h>

#include "core/text.h"
#include "weights/names/coat_repeats.h"
#include "weights/names/convention.h"
#include "weights/names/layout.h"
#include "weights/names/pattern.h"
#include "weights/names/wrapper_parts.h"
#include "weights/weights_check.h"

namespace vitrain::weights {
namespace {

std::vector<Convention> all_conventions() {
  std::vector<Convention> all;
  for (const auto conventions :
       {torchvision_conventions(),
        transformers_conventions(),
        mmpretrain_conventions(),
        original_conventions(),
        flax_conventions(),
        paddlevit_conventions(),
        efficientnet_pytorch_conventions()}) {
    all.insert(all.end(), conventions.begin(), conventions.end());
  }
  return all;
}

// Buffers that some programs save and timm computes.
constexpr auto kComputed = std::to_array<std::string_view>(
    {"relative_position_index",
     "attention_bias_idxs",
     "attn_mask",
     "relative_coords_table",
     "position_ids",
     "total_ops",
     "total_params"});

// Update counters that torch's AveragedModel and MMEngine's averages save next
// to the network ("module").
constexpr auto kUpdates =
    std::to_array<std::string_view>({"n_averaged", "steps"});

bool counts_updates(std::string_view name) {
  return std::ranges::find(kUpdates, name) != kUpdates.end();
}

void drop_updates(std::map<std::string, StoredTensor>& tensors) {
  const bool averages = std::ranges::all_of(tensors, [](const auto& tensor) {
    return counts_updates(tensor.first) || tensor.first.starts_with("module.");
  });
  if (averages) {
    std::erase_if(tensors, [](const auto& tensor) {
      return counts_updates(tensor.first);
    });
  }
}

// Prefixes that wrapper modules add to every name; Lightning modules add the
// name of the member that contains the network.
constexpr auto kWrappers =
    std::to_array<std::string_view>({"module.", "model.", "net."});

// Members of Lightning modules that contain a network (averages first, as in
// pickled checkpoints), followed by other members.
constexpr auto kMembers = std::to_array<std::string_view>(
    {"model_ema",
     "ema_model",
     "ema",
     "model",
     "net",
     "network",
     "module",
     "teacher",
     "student"});
constexpr std::size_t kAveragedMembers = 3;
constexpr auto kBeside = std::to_array<std::string_view>(
    {"criterion", "loss", "loss_fn", "loss_func", "loss_function"});

std::string_view member_of(std::string_view name) {
  const std::size_t dot = name.find('.');
  return dot == name.npos ? std::string_view() : name.substr(0, dot);
}

// If the tensors belong to two or more members, all in kMembers or kBeside,
// keeps only those of the first member in kMembers, and removes its name from
// theirs.
void take_member(Archive& archive) {
  std::set<std::string, std::less<>> there;
  for (const auto& [name, tensor] : archive.tensors) {
    there.emplace(member_of(name));
  }
  const auto is_in = [](const auto& list, std::string_view name) {
    return std::ranges::find(list, name) != list.end();
  };
  const bool known = std::ranges::all_of(there, [&](const std::string& name) {
    return is_in(kMembers, name) || is_in(kBeside, name);
  });
  const auto chosen = std::ranges::find_if(
      kMembers, [&](std::string_view name) { return there.contains(name); });
  if (!known || there.size() < 2 || chosen == kMembers.end()) {
    return;
  }
  std::map<std::string, StoredTensor> plain;
  for (auto& [name, tensor] : archive.tensors) {
    if (member_of(name) == *chosen) {
      plain[name.substr(chosen->size() + 1)] = std::move(tensor);
    }
  }
  archive.tensors = std::move(plain);
  there.erase(std::string(*chosen));
  archive.notes.push_back(fmt::format(
      "took '{}.*'{}; the file also has '{}.*'",
      *chosen,
      chosen - kMembers.begin() < static_cast<std::ptrdiff_t>(kAveragedMembers)
          ? " (averaged weights)"
          : "",
      fmt::join(there, ".*', '")));
}

void unwrap(Archive& archive) {
  remove_wrapper_parts(archive);
  take_member(archive);
  auto& tensors = archive.tensors;
  for (bool found = true; found;) {
    found = false;
    drop_updates(tensors);
    for (const std::string_view prefix : kWrappers) {
      const bool everywhere = !tensors.empty() &&
          std::ranges::all_of(tensors, [&](const auto& tensor) {
            return tensor.first.starts_with(prefix);
          });
      if (everywhere) {
        std::map<std::string, StoredTensor> plain;
        for (auto& [name, tensor] : tensors) {
          plain[name.substr(prefix.size())] = std::move(tensor);
        }
        tensors = std::move(plain);
        found = true;
      }
    }
  }
}

bool follows(const Archive& archive, const Convention& convention) {
  const auto is_there = [&](std::string_view pattern) {
    return std::ranges::any_of(archive.tensors, [&](const auto& tensor) {
      const std::string_view name = tensor.first;
      return match(pattern, name) ||
          std::ranges::any_of(
                 convention.prefixes, [&](std::string_view prefix) {
                   return name.starts_with(prefix) &&
                       match(pattern, name.substr(prefix.size()));
                 });
    });
  };
  return std::ranges::all_of(convention.signature, is_there) &&
      std::ranges::none_of(convention.without, is_there);
}

// Tensors to be joined, with their numbers: 1 query, 2 key, 3 value.
using Parts = std::vector<std::pair<int, StoredTensor>>;

// True if the tensors are query, key and value, or key and value, in this
// order, and have equal shapes and types.
bool can_join(const Parts& parts) {
  const StoredTensor& first = parts.front().second;
  if ((parts.size() != 2 && parts.size() != 3) || first.shape.empty()) {
    return false;
  }
  int number = 4 - static_cast<int>(parts.size());
  return std::ranges::all_of(parts, [&](const auto& part) {
    return part.first == number++ && part.second.shape == first.shape &&
        part.second.type == first.type;
  });
}

// Concatenates tensors along the rows. Checks that the joined size does not
// overflow: empty tensors may have huge dimensions. `what` names the tensor in
// Error(kWeights).
StoredTensor joined(Parts parts, const std::string& what) {
  StoredTensor all = std::move(parts.front().second);
  constexpr std::int64_t kMostBytes = 8; // largest element size
  std::int64_t bytes = kMostBytes * std::ssize(parts);
  bool fits = true;
  for (const std::int64_t size : all.shape) {
    fits = fits &&
        !__builtin_mul_overflow(bytes, std::max<std::int64_t>(size, 1), &bytes);
  }
  VITRAIN_CHECK_WEIGHTS(fits, "{}: the number of its elements overflows", what);
  all.shape[0] *= std::ssize(parts);
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    all.parts.push_back(std::move(part->second.parts.front()));
  }
  return all;
}

// Replaces the number of a block in `name` by its stage and its number in the
// stage; returns other names unchanged.
std::string by_stages(const Convention& convention, std::string_view name) {
  if (convention.counted.empty() || !name.starts_with(convention.counted)) {
    return std::string(name);
  }
  const std::string_view rest = name.substr(convention.counted.size());
  std::int64_t block = 0;
  const auto [end, error] =
      std::from_chars(rest.data(), rest.data() + rest.size(), block);
  if (error != std::errc() || block < 0) {
    return std::string(name);
  }
  for (std::size_t stage = 0; stage < convention.depths.size(); ++stage) {
    if (block < convention.depths[stage]) {
      return fmt::format(
          "{}{}.{}{}",
          convention.counted,
          stage,
          block,
          rest.substr(static_cast<std::size_t>(end - rest.data())));
    }
    block -= convention.depths[stage];
  }
  return std::string(name);
}

class Renaming {
 public:
  explicit Renaming(const Convention& convention) : convention_(convention) {}

  void add(std::string_view name, StoredTensor tensor) {
    for (const std::string_view prefix : convention_.prefixes) {
      if (name.starts_with(prefix)) {
        name.remove_prefix(prefix.size());
        break;
      }
    }
    bool divided = false;
    const std::string staged = by_stages(convention_, name);
    for (const NameRule& rule : convention_.rules) {
      if (const auto captured = match(rule.from, staged)) {
        const std::string to = fill_in(rule.to, *captured);
        if (rule.third > 0) {
          const bool two = rule.third == kKeyAndValue;
          parts_[to].emplace_back(
              0,
              thirds(
                  arranged(tensor, rule.layout),
                  two ? 1 : rule.third - 1,
                  two ? 2 : 1));
          divided = true;
          continue;
        }
        if (!to.empty()) {
          auto& parts = parts_[to];
          parts.emplace_back(
              captured->part, arranged(std::move(tensor), rule.layout));
        }
        return;
      }
    }
    if (!divided) {
      parts_[std::string(name)].emplace_back(0, std::move(tensor));
    }
  }

  std::map<std::string, StoredTensor> result(const std::string& source) {
    std::map<std::string, StoredTensor> tensors;
    for (auto& [name, parts] : parts_) {
      std::ranges::sort(parts, {}, [](const auto& one) { return one.first; });
      const bool whole = parts.size() == 1 && parts[0].first == 0;
      VITRAIN_CHECK_WEIGHTS(
          whole || can_join(parts),
          "{}: {} tensors stand for '{}' ({}'s {}), which is made of query, "
          "key and value (or of the last two) of one shape and type, or of one "
          "tensor",
          source,
          parts.size(),
          printable(name),
          convention_.program,
          convention_.family);
      tensors[name] = whole
          ? std::move(parts[0].second)
          : joined(
                std::move(parts),
                fmt::format("{}: '{}'", source, printable(name)));
    }
    return tensors;
  }

 private:
  const Convention& convention_;
  std::map<std::string, Parts> parts_;
};

// Converts PaddlePaddle's general differences from torch: linear layers are
// [in, out], and BatchNorm's statistics have other names.
void from_paddle(Archive& archive) {
  std::map<std::string, StoredTensor> tensors;
  for (auto& [given, tensor] : archive.tensors) {
    std::string name = given;
    for (const auto& [from, to] :
         {std::pair("._mean", ".running_mean"),
          std::pair("._variance", ".running_var")}) {
      if (name.ends_with(from)) {
        name.replace(name.rfind('.'), name.npos, to);
      }
    }
    const bool linear = name.ends_with(".weight") && tensor.shape.size() == 2;
    tensors[name] = arranged(
        std::move(tensor), linear ? Layout::kTransposed : Layout::kSame);
  }
  archive.tensors = std::move(tensors);
}

} // namespace

void to_timm_names(Archive& archive, std::string_view program) {
  unwrap(archive);
  drop_coat_repeats(archive);
  std::erase_if(archive.tensors, [](const auto& tensor) {
    return std::ranges::any_of(kComputed, [&](std::string_view computed) {
      return tensor.first == computed ||
          tensor.first.ends_with("." + std::string(computed));
    });
  });
  if (std::string_view(archive.format) == "PaddlePaddle") {
    from_paddle(archive);
  }
  if (program == "timm") {
    return;
  }
  const std::vector<Convention> conventions = all_conventions();
  const auto found = std::ranges::find_if(conventions, [&](const auto& one) {
    return (program == "auto" || program == one.program) &&
        follows(archive, one);
  });
  if (found == conventions.end()) {
    VITRAIN_CHECK_WEIGHTS(
        program == "auto",
        "{}: its names are not those of {}; model.pretrained_names: auto finds "
        "whose they are",
        archive.source,
        program);
    return;
  }
  found->prepare(archive);
  Renaming renaming(*found);
  for (auto& [name, tensor] : archive.tensors) {
    renaming.add(name, std::move(tensor));
  }
  archive.tensors = renaming.result(archive.source);
  archive.notes.push_back(fmt::format(
      "names and layouts of {}'s {}", found->program, found->family));
}

std::string known_programs() {
  std::vector<std::string_view> names{"auto", "timm"};
  for (const Convention& convention : all_conventions()) {
    if (std::ranges::find(names, convention.program) == names.end()) {
      names.push_back(convention.program);
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

bool is_program(std::string_view name) {
  const std::vector<Convention> all = all_conventions();
  return name == "auto" || name == "timm" ||
      std::ranges::find(all, name, &Convention::program) != all.end();
}

} // namespace vitrain::weights
