#include "core/check.h"
#include "core/random.h"
#include "data/kinds/kinds.h"
#include "data/kinds/table.h"
#include "data/sources/lines.h"

namespace vitrain::data::detail {
namespace {

// Maximum count of numbers: 1 GiB as fp32.
constexpr std::int64_t kMostNumbers = std::int64_t{1} << 28;

// Generates features and targets from the standard normal distribution: there
// is nothing to learn, as in the examples of torch's guides. A larger count
// adds rows and keeps the existing ones.
std::vector<float> generate(const SourceOptions& options) {
  const std::int64_t columns = options.features + options.targets;
  VITRAIN_CHECK_DATA(
      options.count >= 1 && options.features >= 1 && options.targets >= 1 &&
          options.count <= kMostNumbers / columns,
      "vectors: {} rows of {} features and {} targets cannot be generated; "
      "there must be at least one of each, and at most {} numbers",
      options.count,
      options.features,
      options.targets,
      kMostNumbers);
  std::vector<float> numbers;
  numbers.reserve(static_cast<std::size_t>(options.count * columns));
  for (std::int64_t row = 0; row < options.count; ++row) {
    Random random = generated(options, Purpose::kVectors, columns, row);
    for (std::int64_t column = 0; column < columns; ++column) {
      numbers.push_back(static_cast<float>(random.normal()));
    }
  }
  return numbers;
}

} // namespace

Index list_vectors(const SourceOptions& options) {
  Index::Contents contents;
  contents.options = options;
  std::vector<float> numbers;
  if (options.path.empty()) {
    numbers = generate(options);
    contents.samples = options.count;
  } else {
    Table table = read_table(options.path);
    VITRAIN_CHECK_DATA(
        table.columns > options.targets,
        "{}: has {} columns, and the last {} are targets: no features are left",
        shown(options.path),
        table.columns,
        options.targets);
    if (table.separator != ',') {
      contents.notes.push_back(fmt::format(
          "numbers are read with {} between them, as in the first line",
          separator_name(table.separator)));
    }
    contents.options.features = table.columns - options.targets;
    contents.samples = table.rows;
    numbers = std::move(table.values);
  }
  contents.payload.assign(
      reinterpret_cast<const char*>(numbers.data()),
      numbers.size() * sizeof(float));
  return Index(std::move(contents));
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): like every open_*.
std::unique_ptr<Source> open_vectors(std::shared_ptr<const Index> /*index*/) {
  fail(ExitCode::kInternal, "vectors are no images: open_rows() has them");
}

} // namespace vitrain::data::detail
