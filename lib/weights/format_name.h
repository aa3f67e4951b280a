#pragma once

#include <filesystem>

namespace vitrain::weights {

// What is written for others.
enum class FileFormat { kSafetensors, kTorchScript, kOnnx };

// Throws Error(kUsage) where the name of a file that is to be written has the
// extension of another format; one that no format has is as good as any.
void check_name(const std::filesystem::path& path, FileFormat format);

} // namespace vitrain::weights
