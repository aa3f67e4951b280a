#include "data/source.h"

#include "core/check.h"
#include "core/files.h"
#include "core/text.h"
#include "data/sources.h"
#include "image/decode.h"

namespace vitrain::data {

namespace {

// Photographs have a few MiB.
constexpr std::size_t kMostFileBytes = std::size_t{256} << 20;

} // namespace

void detail::read_image_file(
    const std::filesystem::path& file,
    std::string& bytes) {
  read_file(file, kMostFileBytes, ExitCode::kData, bytes);
}

bool Source::read(std::int64_t /*sample*/, std::string& /*bytes*/) const {
  return false;
}

image::Image Source::load(std::int64_t sample) const {
  // Kept by each thread: a buffer of its own for every image would be zeroed
  // and returned to the system each time.
  thread_local std::string bytes;
  VITRAIN_CHECK(
      read(sample, bytes),
      ExitCode::kInternal,
      "{}: a source has files or pixels",
      describe(sample));
  try {
    return image::decode(
        {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  } catch (const Error& error) {
    fail(error.code(), "{}: {}", describe(sample), error.what());
  }
}

Index list(const SourceOptions& options) {
  switch (options.kind) {
    case SourceKind::kFolder:
      return detail::list_folder(options);
    case SourceKind::kShapes:
      return detail::list_shapes(options);
    case SourceKind::kCifar:
      return detail::list_cifar(options);
    case SourceKind::kRandom:
      return detail::list_random(options);
    case SourceKind::kList:
      return detail::list_list(options);
    case SourceKind::kMnist:
      return detail::list_mnist(options);
    case SourceKind::kVectors:
      return detail::list_vectors(options);
  }
  fail(ExitCode::kInternal, "unknown kind of source");
}

std::unique_ptr<Source> open(std::shared_ptr<const Index> index) {
  switch (index->options().kind) {
    case SourceKind::kFolder:
      return detail::open_folder(std::move(index));
    case SourceKind::kShapes:
      return detail::open_shapes(std::move(index));
    case SourceKind::kCifar:
      return detail::open_cifar(std::move(index));
    case SourceKind::kRandom:
      return detail::open_random(std::move(index));
    case SourceKind::kList:
      return detail::open_list(std::move(index));
    case SourceKind::kMnist:
      return detail::open_mnist(std::move(index));
    case SourceKind::kVectors:
      break; // no images: open_rows
  }
  fail(ExitCode::kInternal, "unknown kind of source");
}

void check_for_training(const Index& index) {
  VITRAIN_CHECK(
      index.options().kind == SourceKind::kVectors ||
          index.classes().size() >= 2,
      ExitCode::kData,
      "{}: only one class ('{}') was found, and one class cannot be learned; "
      "put the images of each class into a sub-folder of their own",
      printable(index.options().path),
      printable(index.classes().at(0)));
}

void check_same_classes(const Index& train, const Index& eval) {
  if (train.options().kind == SourceKind::kVectors &&
      eval.options().kind == SourceKind::kVectors) {
    const SourceOptions& a = train.options();
    const SourceOptions& b = eval.options();
    VITRAIN_CHECK(
        a.features == b.features && a.targets == b.targets,
        ExitCode::kData,
        "training data have {} features and {} targets, evaluation data {} and "
        "{}: they must be the same",
        a.features,
        a.targets,
        b.features,
        b.targets);
    return;
  }
  const auto& a = train.classes();
  const auto& b = eval.classes();
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::string* left = i < a.size() ? &a[i] : nullptr;
    const std::string* right = i < b.size() ? &b[i] : nullptr;
    if (left != nullptr && right != nullptr && *left == *right) {
      continue;
    }
    const auto name = [](const std::string* text) {
      return text == nullptr ? std::string("missing")
                             : "'" + printable(*text) + "'";
    };
    fail(
        ExitCode::kData,
        "training and evaluation data have different classes, so labels would "
        "not mean the same: class {} is {} in the training data ({} classes, "
        "{}) and {} in the evaluation data ({} classes, {}); give both the "
        "same classes",
        i,
        name(left),
        a.size(),
        printable(train.options().path),
        name(right),
        b.size(),
        printable(eval.options().path));
  }
}

} // namespace vitrain::data
