#include <algorithm>
#include <iterator>
#include <string_view>

#include "core/text.h"
#include "weights/numpy.h"
#include "weights/weight_formats.h"
#include "weights/weights_check.h"

namespace vitrain::weights {
namespace {

class Npz : public Archive {
 public:
  Npz(const InputFile& file, ZipFile zip) : zip_(std::move(zip)) {
    constexpr std::string_view kExtension = ".npy";
    source = file.source();
    format = "npz";
    for (const auto& [member, info] : zip_.members()) {
      const std::string what =
          fmt::format("{}: '{}'", source, printable(member));
      VITRAIN_CHECK_WEIGHTS(
          member.ends_with(kExtension), "{} is no .npy", what);
      std::string start(
          static_cast<std::size_t>(std::min(info.bytes, kNpyHeaderLimit)), 0);
      zip_.read(member, start.data(), std::ssize(start));
      ArrayHeader header = parse_npy_header(start, what);
      VITRAIN_CHECK_WEIGHTS(
          header.bytes == info.bytes - header.start,
          "{}: its shape needs {} bytes, there are {}",
          what,
          header.bytes,
          info.bytes - header.start);
      tensors[member.substr(0, member.size() - kExtension.size())] =
          stored_array(header, storages.size());
      storages.push_back(header.bytes);
      arrays_.push_back({member, std::move(header)});
    }
  }

  void read(std::size_t storage, void* bytes) const override {
    const auto& [member, header] = arrays_.at(storage);
    zip_.read(member, bytes, header.bytes, header.start);
    swap_bytes(bytes, header.bytes, header.swapped);
  }

 private:
  ZipFile zip_;
  std::vector<std::pair<std::string, ArrayHeader>> arrays_; // one per storage
};

} // namespace

std::unique_ptr<Archive> open_npz(InputFile file, ZipFile zip) {
  return std::make_unique<Npz>(file, std::move(zip));
}

} // namespace vitrain::weights
