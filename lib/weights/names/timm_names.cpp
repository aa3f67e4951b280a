#include "weights/names/timm_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include <fmt/ranges.h>

#include "core/check.h"
#include "core/text.h"
#include "weights/names/coat_repeats.h"
#include "weights/names/convention.h"

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

// Buffers that programs save and timm computes.
constexpr auto kComputed = std::to_array<std::string_view>(
    {"relative_position_index",
     "attention_bias_idxs",
     "attn_mask",
     "relative_coords_table",
     "position_ids",
     "total_ops",
     "total_params"});

// What a pattern stood for.
struct Captured {
  std::vector<std::int64_t> numbers;
  std::string_view word;
};

std::optional<Captured> match(std::string_view pattern, std::string_view name) {
  Captured captured;
  while (!pattern.empty()) {
    const char next = pattern.front();
    pattern.remove_prefix(1);
    if (next == '#') {
      std::int64_t number = 0;
      const auto [end, error] =
          std::from_chars(name.data(), name.data() + name.size(), number);
      if (error != std::errc() || number < 0 || name.front() == '-') {
        return std::nullopt;
      }
      name.remove_prefix(static_cast<std::size_t>(end - name.data()));
      captured.numbers.push_back(number);
    } else if (next == '*') {
      if (name.empty() || name.find_first_of("./") != name.npos) {
        return std::nullopt;
      }
      captured.word = name;
      name = {};
    } else {
      if (!name.starts_with(next)) {
        return std::nullopt;
      }
      name.remove_prefix(1);
    }
  }
  return name.empty() ? std::optional(captured) : std::nullopt;
}

// What a sign of a rule makes of a number; none: it stands for itself.
std::optional<std::int64_t> counted(char sign, std::int64_t number) {
  switch (sign) {
    case '#':
      return number;
    case '+':
      return number + 1;
    case '-':
      return number - 1;
    case '~':
      return number - 3;
    case '%':
      return number / 2;
    default:
      return std::nullopt;
  }
}

std::string fill_in(std::string_view to, const Captured& captured) {
  std::string name;
  std::size_t next = 0;
  for (const char c : to) {
    if (counted(c, 0)) {
      name += std::to_string(*counted(c, captured.numbers.at(next++)));
    } else if (c == '!') {
      ++next;
    } else if (c == '*') {
      name += captured.word;
    } else {
      name += c;
    }
  }
  return name;
}

void permute(StridedPart& part, std::initializer_list<std::size_t> order) {
  const StridedPart old = part;
  for (std::size_t i = 0; i < order.size(); ++i) {
    part.shape[i] = old.shape[order.begin()[i]];
    part.strides[i] = old.strides[order.begin()[i]];
  }
}

// Patch merging of nn.Unfold has the columns of a patch as [C, row, column];
// timm's as [column, row, C].
void refold(StoredTensor& tensor) {
  StridedPart& part = tensor.parts.front();
  const std::int64_t stride = part.strides.back();
  const std::int64_t channels = part.shape.back() / 4;
  part.shape.pop_back();
  part.strides.pop_back();
  part.shape.insert(part.shape.end(), {2, 2, channels});
  part.strides.insert(part.strides.end(), {stride, 2 * stride, 4 * stride});
}

// As a linear layer of timm: [out, in].
void heads_to_rows(StoredTensor& tensor) {
  StridedPart& part = tensor.parts.front();
  const std::size_t rank = part.shape.size();
  if (rank == 3) { // [in, heads, width]
    permute(part, {1, 2, 0});
    tensor.shape = {part.shape[0] * part.shape[1], part.shape[2]};
  } else if (rank == 2) { // a bias: [heads, width]
    tensor.shape = {part.shape[0] * part.shape[1]};
  }
}

void heads_to_columns(StoredTensor& tensor) {
  StridedPart& part = tensor.parts.front();
  if (part.shape.size() == 3) { // [heads, width, out]
    permute(part, {2, 0, 1});
    tensor.shape = {part.shape[0], part.shape[1] * part.shape[2]};
  }
}

// A tensor of one part, of the layout, as timm has it. One of another rank than
// the layout is for stays as it is: its shape will be refused by its name.
StoredTensor arranged(StoredTensor tensor, Layout layout) {
  StridedPart& part = tensor.parts.front();
  const std::size_t rank = part.shape.size();
  switch (layout) {
    case Layout::kSame:
      break;
    case Layout::kTransposed:
      if (rank == 2) {
        permute(part, {1, 0});
        tensor.shape = part.shape;
      }
      break;
    case Layout::kHwio:
      if (rank == 4) {
        permute(part, {3, 2, 0, 1});
        tensor.shape = part.shape;
      }
      break;
    case Layout::kHeadsOut:
      heads_to_rows(tensor);
      break;
    case Layout::kHeadsIn:
      heads_to_columns(tensor);
      break;
    case Layout::kFlat:
      std::erase(tensor.shape, 1);
      break;
    case Layout::kUnfolded:
      if (rank >= 1 && part.shape.back() % 4 == 0) {
        refold(tensor);
      }
      break;
  }
  return tensor;
}

// Rows of a tensor of one part: its third number `index`. One that has no
// thirds stays whole: its shape will be refused by its name.
StoredTensor third(StoredTensor tensor, std::int64_t index) {
  StridedPart& part = tensor.parts.front();
  if (!tensor.shape.empty() && tensor.shape == part.shape &&
      tensor.shape[0] % 3 == 0) {
    tensor.shape[0] /= 3;
    part.shape[0] /= 3;
    part.offset += index * part.shape[0] * part.strides[0];
  }
  return tensor;
}

// Wrappers of modules in Python put their name in front of every name.
void unwrap(std::map<std::string, StoredTensor>& tensors) {
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view prefix : {"module.", "_orig_mod."}) {
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
  return std::ranges::all_of(
      convention.signature, [&](std::string_view pattern) {
        return std::ranges::any_of(archive.tensors, [&](const auto& tensor) {
          const std::string_view name = tensor.first;
          return match(pattern, name) ||
              std::ranges::any_of(
                     convention.prefixes, [&](std::string_view prefix) {
                       return name.starts_with(prefix) &&
                           match(pattern, name.substr(prefix.size()));
                     });
        });
      });
}

// The tensors that become one, by their number.
using Parts = std::vector<std::pair<int, StoredTensor>>;

// Whether they are query, key and value, or key and value.
bool can_join(const Parts& parts) {
  if (parts.size() != 2 && parts.size() != 3) {
    return false;
  }
  int number = 4 - static_cast<int>(parts.size());
  const StoredTensor& first = parts.front().second;
  return std::ranges::all_of(parts, [&](const auto& part) {
    return part.first == number++ && part.second.shape == first.shape &&
        part.second.type == first.type;
  });
}

// `name` with the number of a block as that of its stage and that in the stage;
// as it is where there is no such block.
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
        if (rule.part < 0) {
          parts_[to].emplace_back(
              0, third(arranged(tensor, rule.layout), -rule.part - 1));
          divided = true;
          continue;
        }
        if (!to.empty()) {
          auto& parts = parts_[to];
          parts.emplace_back(
              rule.part, arranged(std::move(tensor), rule.layout));
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
      VITRAIN_CHECK(
          whole || can_join(parts),
          ExitCode::kWeights,
          "{}: {} tensors stand for '{}' ({}'s {}), which is made of query, "
          "key and value (or of the last two) of one shape and type, or of one "
          "tensor",
          source,
          parts.size(),
          printable(name),
          convention_.program,
          convention_.family);
      StoredTensor& tensor = tensors[name] = std::move(parts[0].second);
      if (!whole) {
        tensor.shape[0] *= std::ssize(parts);
        for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
          tensor.parts.push_back(part->second.parts.front());
        }
      }
    }
    return tensors;
  }

 private:
  const Convention& convention_;
  std::map<std::string, Parts> parts_;
};

// PaddlePaddle's linear layers are [in, out], and its BatchNorm has its own
// names, whatever the model.
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
  unwrap(archive.tensors);
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
    VITRAIN_CHECK(
        program == "auto",
        ExitCode::kWeights,
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
