#include "launch/processes/error_file.h"

#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "core/json.h"
#include "core/system/files.h"
#include "core/text.h"

namespace vitrain::launch {

void write_error_file(const std::string& message) noexcept {
  try {
    const char* path = std::getenv("TORCHELASTIC_ERROR_FILE");
    std::error_code error;
    if (path == nullptr || *path == '\0' ||
        std::filesystem::exists(path, error)) {
      return;
    }
    const std::string text = valid_utf8(message);
    const Json json{
        {"message",
         {{"message", text},
          {"extraInfo",
           {{"py_callstack", text},
            // torchrun's agent compares these numbers and shows them as dates.
            {"timestamp", std::to_string(std::time(nullptr))}}}}}};
    make_folders(std::filesystem::path(path).parent_path());
    write_file_atomically(path, json.dump());
  } catch (const std::exception&) {
    // The message has been printed as well.
  }
}

} // namespace vitrain::launch
