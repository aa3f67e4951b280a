#include "weights/archive.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "core/text.h"
#include "weights/other_content.h"
#include "weights/weight_formats.h"
#include "weights/weights_check.h"
#include "weights/weights_index.h"

namespace vitrain::weights {
namespace {

// Format of a file, detected from its first bytes.
enum class Content { kSafetensors, kZip, kTorchLegacy, kPickle, kIndex };

// Offset of tar's magic bytes.
constexpr std::int64_t kTarMagic = 257;

// True if the file is JSON or is named like an index. No other format begins
// with "{": safetensors files begin with a number of 8 bytes, whose low byte
// may be "{", but which contains zeros.
bool is_index(const InputFile& file, std::string_view start) {
  const std::size_t brace = start.find_first_not_of(" \t\r\n");
  constexpr std::size_t kNumber = 8;
  return file.source().ends_with(".index.json") ||
      (brace != start.npos && start[brace] == '{' &&
       start.substr(0, kNumber).find('\0') == start.npos);
}

// True if a JSON header follows its length of 8 bytes.
bool is_safetensors(std::string_view start) {
  constexpr std::size_t kLength = 8;
  return start.size() > kLength && start[kLength] == '{';
}

// True if a file begins with torch.save's magic number
// (0x1950a86a20f9469cfc6c), pickled in any protocol.
bool is_torch_legacy(std::string_view start) {
  using namespace std::string_view_literals;
  if (start.starts_with("L119547037146038801333356L\n"sv)) { // protocols 0, 1
    return true;
  }
  if (start.size() < 2 || start[0] != '\x80' || start[1] < 2 || start[1] > 5) {
    return false;
  }
  start.remove_prefix(2);
  constexpr std::size_t kFrame = 9; // opcode FRAME and its length
  if (start.starts_with('\x95')) { // protocol 4 or later
    start.remove_prefix(std::min(kFrame, start.size()));
  }
  return start.starts_with(
      "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv);
}

Content content_of(const InputFile& file) {
  using namespace std::string_view_literals;
  const std::string start = file.read(
      std::min<std::int64_t>(file.size(), kTarMagic + 5), /*offset=*/0);
  const std::string_view text = start;
  if (text.starts_with("PK\3\4"sv)) {
    return Content::kZip;
  }
  VITRAIN_CHECK_WEIGHTS(
      !text.starts_with("PK\5\6"sv),
      "{}: is an empty zip archive",
      file.source());
  if (is_torch_legacy(text)) {
    return Content::kTorchLegacy;
  }
  // A safetensors file begins with the size of its header, which may be 0x0580.
  const bool header =
      text.size() > 3 && text.substr(3).starts_with("\0\0\0\0\0{"sv);
  if (!header && text.size() > 2 && text[0] == '\x80' && text[1] >= 2 &&
      text[1] <= 5) {
    return Content::kPickle;
  }
  const bool tar =
      text.size() > kTarMagic && text.substr(kTarMagic).starts_with("ustar"sv);
  VITRAIN_CHECK_WEIGHTS(
      !tar && !text.starts_with("\x89HDF"sv),
      "{}: is {}; write the weights with safetensors' save_file or torch.save",
      file.source(),
      tar ? "a tar archive, as PyTorch wrote before 0.1.10"
          : "HDF5, as Keras writes");
  if (is_index(file, text)) {
    return Content::kIndex;
  }
  if (!is_safetensors(text)) {
    const std::string other = other_content(file.source(), text);
    VITRAIN_CHECK_WEIGHTS(other.empty(), "{}: {}", file.source(), other);
  }
  return Content::kSafetensors;
}

std::unique_ptr<Archive> open_zip(InputFile file, const std::string& part) {
  ZipFile zip(file);
  const auto has = [&](std::string_view end) {
    return std::ranges::any_of(zip.members(), [&](const auto& member) {
      return member.first.ends_with(end);
    });
  };
  VITRAIN_CHECK_WEIGHTS(
      !has("/constants.pkl"),
      "{}: is a TorchScript program, not a file of weights; write those with "
      "torch.save(torch.jit.load(FILE).state_dict(), OUT)",
      file.source());
  if (has("/data.pkl")) {
    return open_torch_zip(std::move(file), std::move(zip), part);
  }
  VITRAIN_CHECK_WEIGHTS(
      has(".npy"),
      "{}: is a zip archive, but neither PyTorch's (with data.pkl) nor NumPy's "
      "(with .npy)",
      file.source());
  VITRAIN_CHECK_WEIGHTS(
      part.empty(),
      "{}: a .npz file has no parts; '{}' was asked for",
      file.source(),
      part);
  return open_npz(std::move(file), std::move(zip));
}

// Opens a file that an index names.
std::unique_ptr<Archive> open_listed(const std::filesystem::path& path);

std::unique_ptr<Archive> open_content(
    Content content,
    const std::filesystem::path& path,
    InputFile file,
    const std::string& part) {
  switch (content) {
    case Content::kZip:
      return open_zip(std::move(file), part);
    case Content::kTorchLegacy:
      return open_torch_legacy(std::move(file), part);
    case Content::kPickle:
      return open_paddle(std::move(file), part);
    case Content::kIndex:
      return open_index(path, file, open_listed);
    case Content::kSafetensors:
      break;
  }
  return open_safetensors(std::move(file));
}

std::unique_ptr<Archive> open_listed(const std::filesystem::path& path) {
  InputFile file(path);
  const Content content = content_of(file);
  VITRAIN_CHECK_WEIGHTS(
      content != Content::kIndex,
      "{}: an index names it as a file of weights, and it is JSON, as another "
      "index: fetch the file anew",
      file.source());
  return open_content(content, path, std::move(file), /*part=*/"");
}

} // namespace

void check_name_length(std::string_view name, const std::string& source) {
  constexpr std::size_t kShown = 40;
  VITRAIN_CHECK_WEIGHTS(
      name.size() <= kLongestName,
      "{}: the name of a tensor, '{}...', has {} bytes (at most {})",
      source,
      printable(name.substr(0, kShown)),
      with_commas(std::ssize(name)),
      with_commas(kLongestName));
}

void check_tensor_name(std::string_view name, const std::string& source) {
  check_name_length(name, source);
  VITRAIN_CHECK_WEIGHTS(
      name != kMetadataName,
      "{}: a tensor has the name '{}', which safetensors files have for texts: "
      "give it another",
      source,
      kMetadataName);
  VITRAIN_CHECK_WEIGHTS(
      valid_utf8(name) == name,
      "{}: the name of the tensor '{}' is not UTF-8: give it another",
      source,
      printable(name));
}

std::vector<std::int64_t> contiguous_strides(
    const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * std::max<std::int64_t>(shape[i], 1);
  }
  return strides;
}

std::unique_ptr<Archive> open_archive(
    const std::filesystem::path& path,
    const std::string& part) {
  InputFile file(path);
  const Content content = content_of(file);
  const bool index = content == Content::kIndex;
  VITRAIN_CHECK_WEIGHTS(
      part.empty() || (!index && content != Content::kSafetensors),
      "{}: {} has no parts; '{}' was asked for",
      file.source(),
      index ? "an index" : "a safetensors file",
      part);
  auto archive = open_content(content, path, std::move(file), part);
  for (const auto& [name, tensor] : archive->tensors) {
    check_tensor_name(name, archive->source);
  }
  return archive;
}

std::map<std::string, std::string> read_metadata(
    const std::filesystem::path& path) {
  InputFile file(path);
  const Content content = content_of(file);
  if (content != Content::kSafetensors && content != Content::kIndex) {
    return {};
  }
  return open_content(content, path, std::move(file), /*part=*/"")->metadata;
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& path) {
  const InputFile file(path);
  return content_of(file) == Content::kIndex
      ? read_index(file).paths(path)
      : std::vector<std::filesystem::path>{path};
}

} // namespace vitrain::weights
