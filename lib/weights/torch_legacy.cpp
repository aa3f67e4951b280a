#include <algorithm>
#include <map>

#include "core/text.h"
#include "weights/torch_tensors.h"
#include "weights/weight_formats.h"
#include "weights/weights_check.h"

namespace vitrain::weights {
namespace {

using Kind = PickleValue::Kind;

// Size limit of names and shapes, which precede the values.
constexpr std::int64_t kPickleLimit = 64 << 20;
constexpr std::int64_t kProtocol = 1001; // content of the second pickle

class TorchLegacy : public Archive {
 public:
  TorchLegacy(InputFile file, const std::string& part)
      : file_(std::move(file)) {
    source = file_.source();
    format = "PyTorch (before 1.6)";
    const std::string bytes =
        file_.read(std::min(file_.size(), kPickleLimit), /*offset=*/0);
    std::string_view rest = bytes;
    const auto next = [&] {
      Pickle pickle(rest, source);
      rest.remove_prefix(pickle.size());
      return pickle;
    };
    next(); // magic number, checked before
    const Pickle protocol = next();
    VITRAIN_CHECK_WEIGHTS(
        protocol.root().is(Kind::kInteger) &&
            protocol.root().integer == kProtocol,
        "{}: is not of the version of torch.save that is read",
        source);
    next(); // properties of the machine that wrote the file
    const Pickle object = next();
    const Pickle order = next();
    std::vector<std::string> keys;
    add_torch_tensors(object, part, *this, keys);
    const auto places = places_of(
        object, order, static_cast<std::int64_t>(bytes.size() - rest.size()));
    for (const std::string& key : keys) {
      const auto found = places.find(key);
      VITRAIN_CHECK_WEIGHTS(
          found != places.end(),
          "{}: its storage '{}' is not there",
          source,
          printable(key));
      offsets_.push_back(found->second);
    }
  }

  void read(std::size_t storage, void* bytes) const override {
    file_.read(bytes, storages.at(storage), offsets_[storage]);
  }

 private:
  // Returns the offset of each storage's values. Storages follow each other in
  // `order`, each after its number of elements.
  std::map<std::string, std::int64_t> places_of(
      const Pickle& object,
      const Pickle& order,
      std::int64_t start) const {
    std::map<std::string, TorchStorage> known;
    for (const PickleValue::Ref persistent : object.persistent()) {
      TorchStorage storage = torch_storage(*persistent, source);
      std::string key = storage.key;
      known.insert_or_assign(std::move(key), std::move(storage));
    }
    std::map<std::string, std::int64_t> places;
    for (const PickleValue::Ref item : order.root().items) {
      const auto found = known.find(std::string(item->text));
      VITRAIN_CHECK_WEIGHTS(
          // 8 bytes: number of elements.
          found != known.end() && file_.size() - start >= 8,
          "{}: ends before its storage '{}', or has no tensor of it",
          source,
          printable(item->text));
      const TorchStorage& storage = found->second;
      std::int64_t count = 0;
      file_.read(&count, sizeof(count), start);
      start += static_cast<std::int64_t>(sizeof(count));
      const std::int64_t bytes = storage.count * storage.element_bytes;
      VITRAIN_CHECK_WEIGHTS(
          count == storage.count && bytes <= file_.size() - start,
          "{}: storage '{}' has {} elements, its tensors say {}, and {} bytes "
          "are left: truncated (an incomplete download?)",
          source,
          printable(storage.key),
          count,
          storage.count,
          file_.size() - start);
      places[storage.key] = start;
      start += bytes;
    }
    return places;
  }

  InputFile file_;
  std::vector<std::int64_t> offsets_; // one per storage
};

} // namespace

std::unique_ptr<Archive> open_torch_legacy(
    InputFile file,
    const std::string& part) {
  return std::make_unique<TorchLegacy>(std::move(file), part);
}

} // namespace vitrain::weights
