#include <algorithm>
#include <string_view>

#include "core/text.h"
#include "weights/torch_tensors.h"
#include "weights/weight_formats.h"
#include "weights/weights_check.h"

namespace vitrain::weights {
namespace {

// Size limit of the pickle, which has only names and shapes; 100,000 tensors
// need 20 MB.
constexpr std::int64_t kMemberLimit = 256 << 20;

class TorchZip : public Archive {
 public:
  TorchZip(const InputFile& file, ZipFile zip, const std::string& part)
      : zip_(std::move(zip)) {
    source = file.source();
    format = "PyTorch";
    const std::string folder = find_folder();
    check_byte_order(folder);
    const std::string name = folder + "data.pkl";
    const std::string bytes = read_member(name, kMemberLimit);
    const Pickle pickle(bytes, source);
    std::vector<std::string> keys;
    add_torch_tensors(pickle, part, *this, keys);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      members_.push_back(fmt::format("{}data/{}", folder, keys[i]));
      const auto found = zip_.members().find(members_.back());
      VITRAIN_CHECK_WEIGHTS(
          found != zip_.members().end(),
          "{}: its storage '{}' is not there",
          source,
          printable(members_.back()));
      VITRAIN_CHECK_WEIGHTS(
          found->second.bytes == storages[i],
          "{}: its storage '{}' has {} bytes, its tensors say {}",
          source,
          printable(members_.back()),
          found->second.bytes,
          storages[i]);
    }
  }

  void read(std::size_t storage, void* bytes) const override {
    zip_.read(members_.at(storage), bytes, storages[storage]);
  }

 private:
  std::string find_folder() const {
    constexpr std::string_view kPickle = "/data.pkl";
    const auto found = std::ranges::find_if(
        zip_.members(),
        [&](const auto& member) { return member.first.ends_with(kPickle); });
    return found->first.substr(0, found->first.size() - kPickle.size() + 1);
  }

  std::string read_member(const std::string& name, std::int64_t limit) const {
    const std::int64_t size = zip_.members().at(name).bytes;
    VITRAIN_CHECK_WEIGHTS(
        size <= limit,
        "{}: '{}' has {} (at most {})",
        source,
        printable(name),
        human_bytes(static_cast<double>(size)),
        human_bytes(static_cast<double>(limit)));
    std::string bytes(static_cast<std::size_t>(size), '\0');
    zip_.read(name, bytes.data(), size);
    return bytes;
  }

  void check_byte_order(const std::string& folder) const {
    constexpr std::int64_t kLongest = 16;
    const std::string name = folder + "byteorder";
    VITRAIN_CHECK_WEIGHTS(
        !zip_.members().contains(name) ||
            read_member(name, kLongest) == "little",
        "{}: was written on a machine with another byte order",
        source);
  }

  ZipFile zip_;
  std::vector<std::string> members_; // one per storage
};

} // namespace

std::unique_ptr<Archive>
open_torch_zip(InputFile file, ZipFile zip, const std::string& part) {
  return std::make_unique<TorchZip>(file, std::move(zip), part);
}

} // namespace vitrain::weights
