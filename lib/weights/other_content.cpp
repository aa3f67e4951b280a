#include "weights/other_content.h"

#include <algorithm>

#include "core/ascii.h"

namespace vitrain::weights {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kImageRemedy =
    "give the file of weights here (to classify an image: vitrain predict "
    "IMAGE -pretrained WEIGHTS)";
constexpr std::string_view kPackedRemedy =
    "unpack it and give the file of weights in it";
constexpr std::string_view kPageRemedy =
    "a download may have been answered with a page (a log-in, an error): fetch "
    "the file itself";

// File type that is detected by its first bytes.
struct Magic {
  std::string_view start;
  std::string_view what;
  std::string_view remedy;
};
constexpr Magic kMagics[] = {
    {"\xff\xd8\xff"sv, "a JPEG image", kImageRemedy},
    {"\x89PNG\r\n"sv, "a PNG image", kImageRemedy},
    {"GIF8"sv, "a GIF image", kImageRemedy},
    {"RIFF"sv, "a WebP image or another RIFF file", kImageRemedy},
    {"II*\0"sv, "a TIFF image", kImageRemedy},
    {"MM\0*"sv, "a TIFF image", kImageRemedy},
    {"\x1f\x8b"sv, "a gzip archive", kPackedRemedy},
    {"\xfd"
     "7zXZ\0"sv,
     "an xz archive",
     kPackedRemedy},
    {"BZh"sv, "a bzip2 archive", kPackedRemedy},
    {"7z\xbc\xaf"sv, "a 7-Zip archive", kPackedRemedy},
    {"Rar!"sv, "a RAR archive", kPackedRemedy},
    {"\x28\xb5\x2f\xfd"sv, "a Zstandard archive", kPackedRemedy},
    {"version https://git-lfs"sv,
     "a pointer of Git LFS, which stands for the file",
     "fetch the file itself (git lfs pull)"},
    {"<"sv, "a web page or another XML file", kPageRemedy},
    {"%PDF"sv, "a PDF document", kPageRemedy},
    {"GGUF"sv,
     "a GGUF file of llama.cpp",
     "give the safetensors or PyTorch file that it was made of"},
    {"\x93NUMPY"sv,
     "a single NumPy array",
     "write the arrays with their names by numpy.savez"},
};

// File type that is detected by the file's extension.
struct Named {
  std::string_view extension;
  std::string_view what;
  std::string_view remedy;
};
constexpr Named kNamed[] = {
    {".pdiparams",
     "PaddlePaddle's parameters for inference, in which no tensor has a name",
     "save the network with paddle.save(model.state_dict(), 'FILE.pdparams') "
     "and give that file"},
    {".pdmodel",
     "a program of PaddlePaddle without weights",
     "save the network with paddle.save(model.state_dict(), 'FILE.pdparams') "
     "and give that file"},
    {".onnx", "an ONNX graph", "give the weights that it was exported from"},
    {".yaml", "a recipe", "give it as -cfg FILE, and the weights here"},
    {".yml", "a recipe", "give it as -cfg FILE, and the weights here"},
};

std::string sentence(std::string_view what, std::string_view remedy) {
  std::string text = "is ";
  text += what;
  text += ", not a file of weights: ";
  return text += remedy;
}

} // namespace

std::string other_content(std::string_view name, std::string_view start) {
  const std::string lower = ascii_lower(std::string(name));
  for (const Named& named : kNamed) {
    if (lower.ends_with(named.extension)) {
      return sentence(named.what, named.remedy);
    }
  }
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  const std::string_view text =
      first == start.npos ? start : start.substr(first);
  for (const Magic& magic : kMagics) {
    if (start.starts_with(magic.start) ||
        (magic.start == "<" && text.starts_with(magic.start))) {
      return sentence(magic.what, magic.remedy);
    }
  }
  return "";
}

} // namespace vitrain::weights
