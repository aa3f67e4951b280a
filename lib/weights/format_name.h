#pragma once

#include <filesystem>

namespace vitrain::weights {

// Formats of exported files.
enum class FileFormat { kSafetensors, kTorchScript, kOnnx };

// Throws Error(kUsage) if an output file's name has the extension, in any case,
// of another format of weights (".h5", ".zip"); no extension and unknown ones
// are allowed.
void check_name(const std::filesystem::path& path, FileFormat format);

} // namespace vitrain::weights
