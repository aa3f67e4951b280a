#include <algorithm>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "weights/weight_formats.h"
#include "weights/weights_check.h"
#include "weights/weights_index.h"

namespace vitrain::weights {
namespace {

// Returns "'a', 'b' and 3 more": the first names, each shortened.
std::string some_of(const std::vector<std::string_view>& names) {
  constexpr std::size_t kMost = 8;
  constexpr std::size_t kBytes = 80;
  const std::size_t count = std::min(kMost, names.size());
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < count; ++i) {
    shown.push_back(fmt::format("'{}'", printable(names[i].substr(0, kBytes))));
  }
  const std::size_t more = names.size() - count;
  return join(shown, ", ") +
      (more > 0 ? fmt::format(" and {} more", more) : "");
}

// Throws Error(kWeights) if a file of the index does not exist.
void check_are_there(
    const WeightsIndex& index,
    const std::vector<std::filesystem::path>& paths,
    const std::string& source) {
  std::vector<std::string_view> missing;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    std::error_code error;
    if (!std::filesystem::exists(paths[i], error)) {
      missing.push_back(index.files[i]);
    }
  }
  VITRAIN_CHECK_WEIGHTS(
      missing.empty(),
      "{}: lists files that are not beside it, {} of {}: {}; put them there, "
      "too",
      source,
      missing.size(),
      paths.size(),
      some_of(missing));
}

// Archive that consists of the storages of all files, in order.
class JoinedFiles : public Archive {
 public:
  JoinedFiles(
      const WeightsIndex& index,
      std::vector<std::unique_ptr<Archive>> files,
      const std::string& path)
      : files_(std::move(files)) {
    source = path;
    format = files_.front()->format;
    metadata = files_.front()->metadata;
    std::vector<std::size_t> starts; // index of each file's first storage
    for (std::size_t i = 0; i < files_.size(); ++i) {
      check_format(*files_[i]);
      starts.push_back(storages.size());
      add_storages(i);
      add_texts(*files_[i]);
    }
    take_tensors(index, starts);
    leave_others_out();
  }

  void read(std::size_t storage, void* bytes) const override {
    const StorageLocation& location = locations_.at(storage);
    files_[location.file]->read(location.storage, bytes);
  }

 private:
  struct StorageLocation {
    std::size_t file = 0; // index in files_
    std::size_t storage = 0; // index in the file's storages
  };

  void check_format(const Archive& file) const {
    VITRAIN_CHECK_WEIGHTS(
        std::string_view(file.format) == format,
        "{}: its files are of several formats: {} is {}, and {} is {}",
        source,
        files_.front()->source,
        format,
        file.source,
        file.format);
  }

  void add_storages(std::size_t number) {
    const auto& own = files_[number]->storages;
    storages.insert(storages.end(), own.begin(), own.end());
    for (std::size_t i = 0; i < own.size(); ++i) {
      locations_.push_back({.file = number, .storage = i});
    }
  }

  // Keeps only metadata that all files share, and adds a file's notes.
  void add_texts(const Archive& file) {
    std::erase_if(metadata, [&](const auto& text) {
      const auto found = file.metadata.find(text.first);
      return found == file.metadata.end() || found->second != text.second;
    });
    for (const std::string& note : file.notes) {
      if (std::ranges::find(notes, note) == notes.end()) {
        notes.push_back(note);
      }
    }
  }

  // Takes the tensors named by the index; other tensors of the files are
  // ignored. Throws Error(kWeights) if a file lacks one.
  void take_tensors(
      const WeightsIndex& index,
      const std::vector<std::size_t>& starts) {
    std::vector<std::string_view> lacking;
    const Archive* first = nullptr; // first file that lacks a tensor
    for (const auto& [name, file] : index.tensors) {
      auto taken = files_[file]->tensors.extract(name);
      if (taken.empty()) {
        first = first == nullptr ? files_[file].get() : first;
        lacking.push_back(name);
        continue;
      }
      StoredTensor& tensor = taken.mapped();
      for (StridedPart& part : tensor.parts) {
        part.storage += starts[file];
      }
      if (tensor.added) {
        tensor.added->storage += starts[file];
      }
      tensors.insert(tensors.end(), std::move(taken));
    }
    VITRAIN_CHECK_WEIGHTS(
        lacking.empty(),
        "{}: names tensors that are not in their files, {} of {}: {} (the "
        "first not in {}); index and files are of different networks: take all "
        "of them from one place",
        source,
        with_commas(std::ssize(lacking)),
        with_commas(std::ssize(index.tensors)),
        some_of(lacking),
        first->source);
  }

  void leave_others_out() {
    std::vector<std::string_view> names;
    for (const auto& file : files_) {
      for (const auto& [name, tensor] : file->tensors) {
        names.push_back(name);
      }
    }
    if (!names.empty()) {
      notes.push_back(fmt::format(
          "left out {} that the index does not look for where they are: {}",
          counted(std::ssize(names), "tensor"),
          some_of(names)));
    }
    for (const auto& file : files_) {
      file->tensors.clear();
    }
  }

  std::vector<std::unique_ptr<Archive>> files_;
  std::vector<StorageLocation> locations_; // one per storage
};

} // namespace

std::unique_ptr<Archive> open_index(
    const std::filesystem::path& path,
    const InputFile& file,
    const std::function<std::unique_ptr<Archive>(const std::filesystem::path&)>&
        open) {
  const WeightsIndex index = read_index(file);
  const auto paths = index.paths(path);
  check_are_there(index, paths, file.source());
  std::vector<std::unique_ptr<Archive>> files;
  for (const std::filesystem::path& one : paths) {
    files.push_back(open(one));
  }
  return std::make_unique<JoinedFiles>(index, std::move(files), file.source());
}

} // namespace vitrain::weights
