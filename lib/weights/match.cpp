#include "weights/match.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <string_view>

#include <fmt/ranges.h>

#include "core/check.h"
#include "core/text.h"
#include "weights/dtype.h"

namespace vitrain::weights {
namespace {

constexpr std::string_view kCounter = "num_batches_tracked";

// Tensor that identifies a masked autoencoder, in its decoder (He et al., CVPR
// 2022).
constexpr const char* kDecoder = "decoder_pred.weight";

bool is_of_decoder(std::string_view name) {
  return name == "mask_token" || name.starts_with("decoder_");
}

// Attention pooling, which SigLIP's files contain also for networks without it
// (vit_*_siglip_gap_*); timm ignores it there.
constexpr std::string_view kAttentionPool = "attn_pool.";

// Last norm of vision transformers: before the pooling, or after it.
constexpr std::string_view kNorm = "norm.";
constexpr std::string_view kPooledNorm = "fc_norm.";

std::string shape_text(const TensorLayout& tensor) {
  return fmt::format("[{}]", fmt::join(tensor.shape, ", "));
}

// True if values of one type can be converted to the other.
bool convertible(const DType& from, const DType& to) {
  using enum DType::Kind;
  return (from.kind == to.kind &&
          (from.kind == kFloat || from.kind == kInteger)) ||
      &from == &to;
}

class Matcher {
 public:
  Matcher(const Layouts& own, const Layouts& given, const LoadOptions& options)
      : own_(own), given_(given), options_(options) {
    const bool keep_head = !loads_head();
    const bool decoder = given_.contains(kDecoder) && !own_.contains(kDecoder);
    const bool moves_norm = keep_head && moves_last_norm();
    const bool pools = has(own_, kAttentionPool);
    for (const auto& [name, tensor] : own_) {
      if ((keep_head && is_head(name)) ||
          (moves_norm && name.starts_with(kPooledNorm))) {
        result_.report.fresh.push_back(name);
      } else {
        match(name, tensor);
      }
    }
    for (const auto& [name, tensor] : given_) {
      if (own_.contains(name) || (keep_head && is_head(name))) {
        continue;
      }
      if ((decoder && is_of_decoder(name)) ||
          (!pools && keep_head && name.starts_with(kAttentionPool)) ||
          (moves_norm && name.starts_with(kNorm))) {
        result_.report.left_out.push_back(name);
      } else {
        add_problem(
            name,
            fmt::format(
                "unexpected '{}' {}", printable(name), shape_text(tensor)));
      }
    }
  }

  // Returns the match. Throws Error(kWeights) with what add_problem()
  // collected.
  Match result(const std::string& source) {
    constexpr std::size_t kShown = 10;
    if (problems_.empty()) {
      result_.report.loaded = std::ssize(result_.copies);
      return std::move(result_);
    }
    const std::size_t more =
        problems_.size() - std::min(problems_.size(), kShown);
    fail(
        ExitCode::kWeights,
        "{}: does not fit the model ({} of its {} tensors loadable). {}:\n  "
        "{}{}",
        source,
        with_commas(std::ssize(result_.copies)),
        with_commas(std::ssize(own_)),
        only_head_
            ? "Only the classifier differs: take data and model.num_classes "
              "that these weights were trained for, or train a new classifier "
              "(model.head_init: fresh)"
            : "The weights must be of the same architecture, with timm's names "
              "or those of another program that model.pretrained_names lists; "
              "is model.name right? What differs",
        fmt::join(problems_ | std::views::take(kShown), "\n  "),
        more == 0 ? ""
                  : fmt::format(
                        "\n  and {} more",
                        with_commas(static_cast<std::int64_t>(more))));
  }

 private:
  bool is_head(const std::string& name) const {
    return std::ranges::any_of(
        options_.head_prefixes,
        [&](const std::string& prefix) { return name.starts_with(prefix); });
  }

  static bool has(const Layouts& layouts, std::string_view start) {
    const auto found = layouts.lower_bound(std::string(start));
    return found != layouts.end() && found->first.starts_with(start);
  }

  // True if the last norm is after the pooling in the model and before the
  // pooling in the file, as when masked autoencoders are fine-tuned.
  bool moves_last_norm() const {
    return has(own_, kPooledNorm) && !has(own_, kNorm) && has(given_, kNorm) &&
        !has(given_, kPooledNorm);
  }

  void add_problem(const std::string& name, std::string text) {
    only_head_ = only_head_ && is_head(name);
    problems_.push_back(std::move(text));
  }

  bool loads_head() const {
    if (options_.head != HeadPolicy::kAuto) {
      return options_.head == HeadPolicy::kLoad;
    }
    return std::ranges::none_of(own_, [&](const auto& item) {
      const auto found = given_.find(item.first);
      return is_head(item.first) &&
          (found == given_.end() || found->second.shape != item.second.shape);
    });
  }

  void match(const std::string& name, const TensorLayout& own) {
    const auto found = given_.find(name);
    if (found == given_.end()) {
      if (!name.ends_with(kCounter)) {
        add_problem(
            name, fmt::format("missing '{}' {}", name, shape_text(own)));
      }
      return;
    }
    const TensorLayout& value = found->second;
    if (!convertible(*value.type, *own.type)) {
      // In files converted to fp16 as a whole, batch counters are not integers;
      // the model keeps its own.
      if (name.ends_with(kCounter)) {
        result_.report.left_out.push_back(name);
        return;
      }
      add_problem(
          name,
          fmt::format(
              "'{}' is {}, the model's is {}",
              name,
              value.type->name,
              own.type->name));
      return;
    }
    const bool same = same_values(value.shape, own.shape) &&
        !has_another_grid(name, value, own);
    if (!same && !can_resize(name, value, own) &&
        !can_adapt(name, value.shape, own.shape)) {
      add_problem(
          name,
          fmt::format(
              "'{}' is {}, the model's is {}",
              name,
              shape_text(value),
              shape_text(own)));
      return;
    }
    if (value.type != own.type) {
      result_.report.converted.push_back(
          fmt::format("{}: {} -> {}", name, value.type->name, own.type->name));
    }
    result_.copies.emplace_back(name, found->first);
  }

  std::optional<Positions> positions(
      const std::string& name,
      const TensorLayout& value,
      const TensorLayout& own) const {
    return positions_of(
        name,
        value.shape,
        own.shape,
        options_.grid(name),
        options_.file_grid(name));
  }

  // True if file and model have different grids with equal numbers of
  // positions, such as 9 x 16 and 16 x 9.
  bool has_another_grid(
      const std::string& name,
      const TensorLayout& value,
      const TensorLayout& own) const {
    if (!options_.file_grid(name)) {
      return false;
    }
    const auto found = positions(name, value, own);
    return found && found->from != found->to;
  }

  // If the tensor `name` holds position embeddings of another grid than the
  // model's, records that they are resampled and returns true.
  bool can_resize(
      const std::string& name,
      const TensorLayout& value,
      const TensorLayout& own) {
    const auto positions = this->positions(name, value, own);
    if (!positions) {
      return false;
    }
    const auto text = [](const ImageSize& grid) {
      return fmt::format("{}x{}", grid.height, grid.width);
    };
    result_.resamplings[name] = *positions;
    result_.report.resized.push_back(fmt::format(
        "{}: {} -> {}", name, text(positions->from), text(positions->to)));
    return true;
  }

  // If the tensor `name` is a first convolution for colour images, and the
  // model has another number of input channels, records that it is adapted and
  // returns true.
  bool can_adapt(
      const std::string& name,
      const std::vector<std::int64_t>& given,
      const std::vector<std::int64_t>& own) {
    constexpr std::int64_t kColours = 3;
    if (given.size() != 4 || own.size() != 4 || given[1] != kColours) {
      return false;
    }
    std::vector<std::int64_t> adapted = given;
    adapted[1] = own[1];
    if (adapted != own) {
      return false;
    }
    result_.adapted.insert(name);
    auto& report = own[1] == 1 ? result_.report.grey : result_.report.repeated;
    report.push_back(name);
    return true;
  }

  const Layouts& own_;
  const Layouts& given_;
  const LoadOptions& options_;
  std::vector<std::string> problems_;
  bool only_head_ = true; // true if all problems are about the classifier
  Match result_;
};

void add_line(
    std::vector<std::string>& lines,
    const char* what,
    const std::vector<std::string>& items) {
  constexpr std::size_t kShown = 4;
  if (items.empty()) {
    return;
  }
  lines.push_back(fmt::format(
      "{}: {}{}",
      what,
      fmt::join(items | std::views::take(kShown), ", "),
      items.size() > kShown ? fmt::format(" and {} more", items.size() - kShown)
                            : ""));
}

} // namespace

bool same_values(
    const std::vector<std::int64_t>& a,
    const std::vector<std::int64_t>& b) {
  const std::size_t common = std::min(a.size(), b.size());
  const auto ones = [&](const std::vector<std::int64_t>& shape) {
    return std::all_of(
        shape.begin() + static_cast<std::ptrdiff_t>(common),
        shape.end(),
        [](std::int64_t size) { return size == 1; });
  };
  return common > 0 &&
          std::equal(
              a.begin(),
              a.begin() + static_cast<std::ptrdiff_t>(common),
              b.begin())
      ? ones(a) && ones(b)
      : a == b;
}

Layouts layouts_of(const Archive& archive) {
  Layouts layouts;
  for (const auto& [name, tensor] : archive.tensors) {
    layouts[name] = {.shape = tensor.shape, .type = tensor.type};
  }
  return layouts;
}

std::vector<std::string> LoadReport::lines() const {
  std::vector<std::string> lines;
  add_line(lines, "classifier not loaded, freshly initialised", fresh);
  add_line(lines, "not needed, left out", left_out);
  add_line(lines, "resampled to the model's grid", resized);
  add_line(lines, "summed over colours for grey images", grey);
  add_line(
      lines,
      "colours repeated in turn for the channels, times 3 over their number",
      repeated);
  add_line(lines, "converted", converted);
  add_line(lines, "warning: NaN or Inf in", non_finite);
  return lines;
}

Match match_weights(
    const Layouts& own,
    const Layouts& given,
    const LoadOptions& options,
    const std::string& source) {
  return Matcher(own, given, options).result(source);
}

} // namespace vitrain::weights
