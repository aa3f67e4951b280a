#include "results/result_folder.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"

namespace vitrain::results {

namespace fs = std::filesystem;

ResultFolder::ResultFolder(fs::path path)
    : path_(std::move(path)), part_(path_.native() + ".part") {
  std::error_code ignored;
  fs::remove_all(part_, ignored);
  make_folders(part_);
}

void ResultFolder::write(const char* name, std::string_view bytes) const {
  const fs::path path = part_ / name;
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  VITRAIN_CHECK(
      file.good(),
      ExitCode::kStorage,
      "{}: cannot write it: {}",
      printable(path.native()),
      error_text(errno));
}

void ResultFolder::finish() const {
  std::error_code error;
  // Exchanges the folders, so that complete results exist at any time.
  if (::renameat2(
          AT_FDCWD, part_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) ==
      0) {
    fs::remove_all(part_, error);
    return;
  }
  // There is no folder yet, or the file system cannot exchange: the former
  // results stay until the new ones have their name.
  const fs::path former = part_.native() + "-former";
  std::error_code ignored;
  fs::rename(path_, former, ignored);
  fs::rename(part_, path_, error);
  if (error) {
    fs::rename(former, path_, ignored);
  } else {
    fs::remove_all(former, ignored);
  }
  VITRAIN_CHECK(
      !error,
      ExitCode::kStorage,
      "{}: cannot name it: {}",
      printable(path_.native()),
      error.message());
}

} // namespace vitrain::results
