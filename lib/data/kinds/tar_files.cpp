#include "data/kinds/tar_files.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "core/check.h"
#include "core/text.h"
#include "data/kinds/kinds.h"
#include "data/sources/image_names.h"

namespace vitrain::data {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNames = 1'000'000;

std::vector<std::string> in_folder(const fs::path& folder) {
  std::vector<std::string> files =
      names_in_folder(folder, "folder", [](const std::string& name) {
        return is_tar_name(name) && !name.starts_with(".");
      });
  VITRAIN_CHECK_DATA(
      !files.empty(),
      "{}: no .tar file is in this folder",
      printable(folder.native()));
  for (std::string& file : files) {
    file = (folder / file).native();
  }
  return files;
}

// Returns the longest prefix of a path, ending with '/', that is an existing
// folder; wildcard characters in it are taken literally.
std::string_view existing_folder(const std::string& path) {
  std::size_t end = 0;
  std::error_code error;
  for (std::size_t slash = path.find('/'); slash != path.npos;
       slash = path.find('/', slash + 1)) {
    if (!fs::is_directory(path.substr(0, slash + 1), error)) {
      break;
    }
    end = slash + 1;
  }
  return std::string_view(path).substr(0, end);
}

// Returns the pattern for glob(); wildcard characters in the existing folder
// are escaped.
std::string glob_pattern(const std::string& path) {
  const std::string_view folder = existing_folder(path);
  std::string pattern;
  for (const char c : folder) {
    if (c == '*' || c == '?' || c == '[' || c == '\\') {
      pattern += '\\';
    }
    pattern += c;
  }
  return pattern + path.substr(folder.size());
}

std::vector<std::string> matching(const std::string& path) {
  glob_t found{};
  const int result = ::glob(
      glob_pattern(path).c_str(), GLOB_ERR | GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> files(
      found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  VITRAIN_CHECK_DATA(
      result == 0 && !files.empty(),
      "{}: no file matches this pattern",
      printable(path));
  std::ranges::sort(files);
  return files;
}

std::vector<std::string> matching_all(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  std::error_code error;
  for (const std::string& path : paths) {
    const bool has_pattern =
        path.find_first_of("*?[", existing_folder(path).size()) != path.npos;
    if (!has_pattern || fs::exists(path, error)) {
      files.push_back(path);
    } else {
      std::ranges::move(matching(path), std::back_inserter(files));
    }
  }
  return files;
}

// Expands the braces after the existing folder of a path.
std::vector<std::string> expand_file_braces(const std::string& path) {
  const std::string folder(existing_folder(path));
  std::vector<std::string> names = expand_braces(path.substr(folder.size()));
  for (std::string& name : names) {
    name.insert(0, folder);
  }
  return names;
}

// Expands the text between braces: "1..3", or "a,b". Throws Error(kData) for
// other texts with "..".
std::vector<std::string> alternatives(
    const std::string& pattern,
    const std::string& inside) {
  const std::size_t dots = inside.find("..");
  if (dots == inside.npos) {
    return split(inside, ',');
  }
  const std::string first = inside.substr(0, dots);
  const std::string last = inside.substr(dots + 2);
  std::int64_t from = 0;
  std::int64_t to = 0;
  VITRAIN_CHECK_DATA(
      parse_int(first, from) && parse_int(last, to) && from >= 0 &&
          from <= to && to - from < static_cast<std::int64_t>(kMostNames),
      "{}: {{{}}} is no range of numbers; expected {{FIRST..LAST}}, such as "
      "{{000..146}}, of at most {} numbers",
      printable(pattern),
      printable(inside),
      kMostNames);
  const bool zeros = (first.size() > 1 && first.front() == '0') ||
      (last.size() > 1 && last.front() == '0');
  const std::size_t width = zeros ? std::max(first.size(), last.size()) : 0;
  std::vector<std::string> numbers;
  for (std::int64_t i = from; i <= to; ++i) {
    numbers.push_back(fmt::format("{:0{}}", i, width));
  }
  return numbers;
}

} // namespace

std::vector<std::string> expand_braces(const std::string& pattern) {
  std::vector<std::string> names = {""};
  std::size_t done = 0;
  while (true) {
    const std::size_t open = pattern.find('{', done);
    const std::string before = pattern.substr(done, open - done);
    for (std::string& name : names) {
      name += before;
    }
    if (open == pattern.npos) {
      return names;
    }
    const std::size_t close = pattern.find('}', open);
    VITRAIN_CHECK_DATA(
        close != pattern.npos, "{}: a {{ has no }}", printable(pattern));
    const auto choices =
        alternatives(pattern, pattern.substr(open + 1, close - open - 1));
    VITRAIN_CHECK_DATA(
        choices.size() <= kMostNames / names.size(),
        "{}: makes more than {} names",
        printable(pattern),
        kMostNames);
    std::vector<std::string> longer;
    longer.reserve(names.size() * choices.size());
    for (const std::string& name : names) {
      for (const std::string& choice : choices) {
        longer.push_back(name + choice);
      }
    }
    names = std::move(longer);
    done = close + 1;
  }
}

TarPath find_tars(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return {in_folder(path), ""};
  }
  if (fs::exists(path, error)) {
    return {{path}, ""};
  }
  // The path may name a folder inside an archive: data.tar/train.
  const fs::path whole(path);
  for (fs::path file = whole.parent_path(); file.has_relative_path();
       file = file.parent_path()) {
    if (fs::is_regular_file(file, error)) {
      return {
          {file.native()},
          whole.lexically_relative(file).lexically_normal().native()};
    }
  }
  return {matching_all(expand_file_braces(path)), ""};
}

Index::Place place_of(
    const TarMember& member,
    std::uint32_t file,
    const std::string& archive) {
  VITRAIN_CHECK_DATA(
      member.size <= detail::kMostFileBytes,
      "{}: {} (byte {}): has {} bytes, more than an image may have",
      archive,
      printable(member.name),
      member.offset,
      with_commas(member.size));
  return {member.offset, static_cast<std::uint32_t>(member.size), file};
}

TarFile::TarFile(const std::string& path)
    : DataFile(path, "", "kind tar takes tar archives") {
  // Disables read-ahead: with it, listing the headers would read the whole
  // archive.
  ::posix_fadvise(fd(), 0, 0, POSIX_FADV_RANDOM);
}

ReadAt TarFile::reader() const {
  return [this](std::int64_t offset, std::span<char> into) {
    return read_at(offset, into);
  };
}

// Reads the header and the content with one call. The header is checked,
// because the file may have been truncated or replaced after it was listed.
void TarFile::read(std::int64_t offset, std::int64_t size, std::string& bytes)
    const {
  bytes.resize(static_cast<std::size_t>(size));
  std::array<char, kTarBlock> header;
  const std::array<iovec, 2> parts = {
      iovec{header.data(), header.size()}, iovec{bytes.data(), bytes.size()}};
  const std::int64_t start = offset - std::ssize(header);
  ssize_t got = 0;
  do {
    got = ::preadv(fd(), parts.data(), 2, start);
  } while (got < 0 && errno == EINTR);
  VITRAIN_CHECK_DATA(got >= 0, "{}: {}", name(), error_text(errno));
  const auto total = static_cast<ssize_t>(header.size() + bytes.size());
  if (got >= std::ssize(header) && got < total) {
    // preadv() returns less than requested beyond 2 GiB and on some network
    // file systems.
    const auto rest = static_cast<std::size_t>(got - std::ssize(header));
    got += static_cast<ssize_t>(
        read_at(start + got, std::span(bytes).subspan(rest)));
  }
  VITRAIN_CHECK_DATA(
      got == total,
      "{}: ends at byte {}, in the middle of a member that was there when the "
      "archive was listed",
      name(),
      start + got);
  VITRAIN_CHECK_DATA(
      TarHeader({header.data(), header.size()}).is_valid(),
      "{}: byte {}: has no header of a member any more; the archive was "
      "changed after it was listed",
      name(),
      start);
}

} // namespace vitrain::data
