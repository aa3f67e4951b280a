#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/text.h"
#include "data/source.h"

// The kinds of sources, for list() and open() only: one file each.
namespace vitrain::data::detail {

// A path for messages.
inline std::string shown(const std::filesystem::path& path) {
  return printable(path.native());
}

// Reads an image file as Source::read() does. Throws Error(kData) that names
// it.
void read_image_file(const std::filesystem::path& file, std::string& bytes);

Index list_folder(const SourceOptions& options);
std::unique_ptr<Source> open_folder(std::shared_ptr<const Index> index);

Index list_cifar(const SourceOptions& options);
std::unique_ptr<Source> open_cifar(std::shared_ptr<const Index> index);

Index list_shapes(const SourceOptions& options);
std::unique_ptr<Source> open_shapes(std::shared_ptr<const Index> index);

Index list_list(const SourceOptions& options);
std::unique_ptr<Source> open_list(std::shared_ptr<const Index> index);

Index list_mnist(const SourceOptions& options);
std::unique_ptr<Source> open_mnist(std::shared_ptr<const Index> index);

Index list_vectors(const SourceOptions& options);

Index list_random(const SourceOptions& options);
std::unique_ptr<Source> open_random(std::shared_ptr<const Index> index);

} // namespace vitrain::data::detail
