#include "states/weights_files.h"

#include <algorithm>
#include <memory>
#include <optional>

#include <ATen/ATen.h>
#include <c10/util/accumulate.h>
#include <fmt/ranges.h>

#include "core/system/new_file.h"
#include "core/text.h"
#include "weights/adapters.h"
#include "weights/format_name.h"
#include "weights/names/timm_names.h"
#include "weights/weights_check.h"

namespace vitrain::states {
namespace {

std::unique_ptr<weights::Archive> open(
    const std::filesystem::path& path,
    const WeightsChoice& choice) {
  auto archive =
      weights::merge_adapters(weights::open_archive(path, choice.part));
  weights::to_timm_names(*archive, choice.names);
  return archive;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

// Returns for each element whether its bytes differ.
at::Tensor differing_bytes(const at::Tensor& first, const at::Tensor& second) {
  const auto bytes = [](const at::Tensor& tensor) {
    return at::from_blob(
        tensor.data_ptr(), {tensor.numel(), tensor.element_size()}, at::kByte);
  };
  return bytes(first).ne(bytes(second)).any(/*dim=*/1);
}

// Returns the largest difference of 64-bit integers, which double precision
// would round.
template <typename Integer>
std::uint64_t largest_gap_of(
    const at::Tensor& first,
    const at::Tensor& second) {
  const auto* a = static_cast<const Integer*>(first.data_ptr());
  const auto* b = static_cast<const Integer*>(second.data_ptr());
  std::uint64_t largest = 0;
  for (std::int64_t i = 0; i < first.numel(); ++i) {
    largest = std::max(
        largest,
        static_cast<std::uint64_t>(std::max(a[i], b[i])) -
            static_cast<std::uint64_t>(std::min(a[i], b[i])));
  }
  return largest;
}

// Returns a text with the largest difference of the elements in `differs`,
// ignoring non-finite differences.
std::string largest_gap(
    const at::Tensor& first,
    const at::Tensor& second,
    const at::Tensor& differs) {
  if (first.scalar_type() == at::kLong) {
    return fmt::format(
        "by at most {}", largest_gap_of<std::int64_t>(first, second));
  }
  if (first.scalar_type() == at::kUInt64) {
    return fmt::format(
        "by at most {}", largest_gap_of<std::uint64_t>(first, second));
  }
  const at::ScalarType wide =
      first.is_complex() ? at::kComplexDouble : at::kDouble;
  const at::Tensor gaps =
      (first.to(wide) - second.to(wide)).abs().flatten().masked_select(differs);
  const at::Tensor finite = gaps.masked_select(gaps.isfinite());
  const std::int64_t others = gaps.numel() - finite.numel();
  if (finite.numel() == 0) {
    return "with NaN or Inf in each of them";
  }
  return fmt::format(
      "by at most {}{}",
      shortest(finite.max().item<double>()),
      others == 0
          ? ""
          : fmt::format(", {} of them NaN or Inf", with_commas(others)));
}

// Describes how two tensors of the same name differ; nullopt if their types,
// shapes and bytes are equal.
std::optional<std::string> difference(
    const at::Tensor& first,
    const at::Tensor& second) {
  if (first.scalar_type() != second.scalar_type() ||
      first.sizes() != second.sizes()) {
    return fmt::format(
        "{} {}, and {} {}",
        c10::toString(first.scalar_type()),
        shape_text(first.sizes().vec()),
        c10::toString(second.scalar_type()),
        shape_text(second.sizes().vec()));
  }
  const at::Tensor differs = differing_bytes(first, second);
  const auto count = differs.sum().item<std::int64_t>();
  if (count == 0) {
    return std::nullopt;
  }
  return fmt::format(
      "{} of {} values differ, {}",
      with_commas(count),
      with_commas(first.numel()),
      largest_gap(first, second, differs));
}

bool has_mean(at::ScalarType type) {
  return at::isFloatingType(type) || at::isComplexType(type);
}

// Returns the dtype in which values are summed: double precision for dtypes
// with a mean; others are unchanged.
at::ScalarType summed_as(at::ScalarType type) {
  return at::isComplexType(type) ? at::kComplexDouble
      : has_mean(type)           ? at::kDouble
                                 : type;
}

// Throws Error(kWeights) unless both files have the same dtype for `name`, or
// floating-point dtypes.
void check_types(
    const std::string& name,
    at::ScalarType first,
    at::ScalarType next,
    const std::filesystem::path& path) {
  VITRAIN_CHECK_WEIGHTS(
      first == next || (at::isFloatingType(first) && at::isFloatingType(next)),
      "{}: '{}' is {}, and {} in the first file; only one model's weights can "
      "be averaged",
      printable(path.native()),
      printable(name),
      c10::toString(next),
      c10::toString(first));
}

} // namespace

std::string describe_weights(
    const std::filesystem::path& path,
    const WeightsChoice& choice) {
  const auto archive = open(path, choice);
  // One long name does not widen the other rows.
  constexpr std::size_t kWidest = 100;
  std::size_t width = 4;
  std::int64_t values = 0;
  for (const auto& [name, tensor] : archive->tensors) {
    width = std::min(kWidest, std::max(width, printable(name).size()));
    values += c10::multiply_integers(tensor.shape);
  }
  std::string text = fmt::format(
      "{}: {}, {} with {} values\n",
      archive->source,
      archive->format,
      counted(std::ssize(archive->tensors), "tensor"),
      with_commas(values));
  for (const std::string& note : archive->notes) {
    text += "  " + note + "\n";
  }
  for (const auto& [key, value] : archive->metadata) {
    text += fmt::format("  {}: {}\n", printable(key), printable(value));
  }
  for (const auto& [name, tensor] : archive->tensors) {
    text += fmt::format(
        "{:<{}}  {:<5} {}\n",
        printable(name),
        width,
        tensor.type->name,
        shape_text(tensor.shape));
  }
  return text;
}

TensorFile read_weights(
    const std::filesystem::path& path,
    const WeightsChoice& choice,
    std::vector<std::string>& notes) {
  const auto archive = open(path, choice);
  notes = archive->notes;
  return read_tensors(*archive);
}

WeightsDifference compare_weights(
    const std::filesystem::path& first,
    const std::filesystem::path& second,
    const WeightsChoice& choice) {
  WeightsDifference result;
  std::vector<std::string> notes;
  const TensorFile a = read_weights(first, choice, result.notes);
  const TensorFile b = read_weights(second, choice, notes);
  result.notes.insert(result.notes.end(), notes.begin(), notes.end());
  for (const auto& [name, tensor] : a.tensors) {
    const auto other = b.tensors.find(name);
    if (other == b.tensors.end()) {
      result.lines.push_back(fmt::format("- {}", printable(name)));
    } else if (const auto differs = difference(tensor, other->second)) {
      result.lines.push_back(
          fmt::format("! {}: {}", printable(name), *differs));
    } else {
      ++result.same;
    }
  }
  for (const auto& [name, tensor] : b.tensors) {
    if (!a.tensors.contains(name)) {
      result.lines.push_back(fmt::format("+ {}", printable(name)));
    }
  }
  return result;
}

TensorFile average_weights(
    const std::vector<std::filesystem::path>& paths,
    const WeightsChoice& choice,
    std::vector<std::string>* notes) {
  std::vector<std::string> chosen;
  const TensorFile first = read_weights(paths.at(0), choice, chosen);
  if (notes != nullptr) {
    *notes = chosen;
  }
  TensorFile sum = first;
  for (auto& [name, tensor] : sum.tensors) {
    tensor = tensor.to(summed_as(tensor.scalar_type()));
  }
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const TensorFile next = read_weights(paths[i], choice, chosen);
    for (const auto& [name, tensor] : next.tensors) {
      VITRAIN_CHECK_WEIGHTS(
          sum.tensors.contains(name),
          "{}: '{}' is not in {}",
          printable(paths[i].native()),
          printable(name),
          printable(paths[0].native()));
    }
    for (auto& [name, total] : sum.tensors) {
      const auto found = next.tensors.find(name);
      VITRAIN_CHECK_WEIGHTS(
          found != next.tensors.end() && found->second.sizes() == total.sizes(),
          "{}: has no '{}' {}, as {} has; only one model's weights can be "
          "averaged",
          printable(paths[i].native()),
          printable(name),
          shape_text(total.sizes().vec()),
          printable(paths[0].native()));
      check_types(
          name,
          first.tensors.at(name).scalar_type(),
          found->second.scalar_type(),
          paths[i]);
      if (has_mean(total.scalar_type())) {
        total.add_(found->second.to(total.scalar_type()));
      } else {
        total = found->second;
      }
    }
  }
  for (auto& [name, total] : sum.tensors) {
    const at::ScalarType type = first.tensors.at(name).scalar_type();
    if (has_mean(type)) {
      total = total.div_(static_cast<double>(paths.size())).to(type);
    }
  }
  return sum;
}

void check_new_weights(const std::filesystem::path& path) {
  weights::check_name(path, weights::FileFormat::kSafetensors);
  check_is_new(path);
}

void write_new_weights(
    const std::filesystem::path& path,
    const TensorFile& file) {
  weights::check_name(path, weights::FileFormat::kSafetensors);
  write_new_file(path, [&](int fd) {
    std::int64_t bytes = 0;
    return write_safetensors(fd, file, /*hasher=*/nullptr, bytes);
  });
}

} // namespace vitrain::states
