#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "weights/archive.h"
#include "weights/formats/input_file.h"
#include "weights/formats/zip_file.h"

// One function per format; open_archive chooses by the first bytes. Each throws
// Error(kWeights) as it does.
namespace vitrain::weights {

std::unique_ptr<Archive> open_safetensors(InputFile file);
// torch.save since PyTorch 1.6.
std::unique_ptr<Archive>
open_torch_zip(InputFile file, ZipFile zip, const std::string& part);
// torch.save before, or with _use_new_zipfile_serialization=False.
std::unique_ptr<Archive> open_torch_legacy(
    InputFile file,
    const std::string& part);
// numpy.savez and savez_compressed.
std::unique_ptr<Archive> open_npz(InputFile file, ZipFile zip);
// paddle.save: a pickle with NumPy arrays in it.
std::unique_ptr<Archive> open_paddle(InputFile file, const std::string& part);
// Opens the files of an index (weights_index.h) as one archive: each tensor
// comes from the file named by the index; further tensors get a note. Metadata
// are those common to all files. `open` opens one file.
std::unique_ptr<Archive> open_index(
    const std::filesystem::path& path,
    const InputFile& file,
    const std::function<std::unique_ptr<Archive>(const std::filesystem::path&)>&
        open);

} // namespace vitrain::weights
