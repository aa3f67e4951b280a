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
// The files of an index (weights_index.h) as one: each tensor from the file
// that the index names for it; what else they have, a note tells. Metadata are
// those that all of them have. `open` opens one of them.
std::unique_ptr<Archive> open_index(
    const std::filesystem::path& path,
    const InputFile& file,
    const std::function<std::unique_ptr<Archive>(const std::filesystem::path&)>&
        open);

} // namespace vitrain::weights
