#include "core/system/new_file.h"

#include <unistd.h>

#include <cerrno>

#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"

namespace vitrain {
namespace {

// Temporary file, removed by the destructor. link() gives its content a
// permanent name before.
class Part {
 public:
  explicit Part(const std::filesystem::path& path)
      : fd_(create_part(path, path_)) {
    VITRAIN_CHECK(
        fd_,
        ExitCode::kStorage,
        "{}: cannot create it: {}",
        printable(path.native()),
        error_text(errno));
  }
  ~Part() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  int fd() const { return fd_.get(); }
  const char* path() const { return path_.c_str(); }

 private:
  std::filesystem::path path_;
  Fd fd_;
};

} // namespace

void check_is_new(const std::filesystem::path& path) {
  std::error_code error;
  VITRAIN_CHECK(
      !std::filesystem::exists(path, error),
      ExitCode::kUsage,
      "{}: is there already; remove it first, or give another name",
      printable(path.native()));
}

void write_new_file(
    const std::filesystem::path& path,
    const std::function<int(int fd)>& write) {
  check_is_new(path);
  const Part part(path);
  const auto check = [&](int code, const char* what) {
    VITRAIN_CHECK(
        code == 0,
        ExitCode::kStorage,
        "{}: cannot {}: {}",
        printable(path.native()),
        what,
        error_text(code));
  };
  check(write(part.fd()), "write it");
  check(::fsync(part.fd()) == 0 ? 0 : errno, "sync it");
  // Unlike rename(), link() does not replace another process's file.
  check(::link(part.path(), path.c_str()) == 0 ? 0 : errno, "name it");
  sync_folder(std::filesystem::absolute(path).parent_path());
}

} // namespace vitrain
