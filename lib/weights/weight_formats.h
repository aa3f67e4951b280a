#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "weights/archive.h"
#include "weights/input_file.h"
#include "weights/zip_file.h"

// One function per format; open_archive() chooses by the first bytes, or by the
// name *.index.json. All throw Error(kWeights) like open_archive().
namespace vitrain::weights {

std::unique_ptr<Archive> open_safetensors(InputFile file);
// Files of torch.save since PyTorch 1.6.
std::unique_ptr<Archive>
open_torch_zip(InputFile file, ZipFile zip, const std::string& part);
// Files of torch.save before 1.6, or with _use_new_zipfile_serialization=False.
std::unique_ptr<Archive> open_torch_legacy(
    InputFile file,
    const std::string& part);
// Files of numpy.savez and savez_compressed.
std::unique_ptr<Archive> open_npz(InputFile file, ZipFile zip);
// Files of paddle.save: a pickle that contains NumPy arrays.
std::unique_ptr<Archive> open_paddle(InputFile file, const std::string& part);
// Opens the files of an index (weights_index.h) as one archive. Each tensor
// comes from the file that the index names; other tensors in the files get a
// note. The metadata are those that all files share. `open` opens one file.
std::unique_ptr<Archive> open_index(
    const std::filesystem::path& path,
    const InputFile& file,
    const std::function<std::unique_ptr<Archive>(const std::filesystem::path&)>&
        open);

} // namespace vitrain::weights
