#include "weights/zip_file.h"

#include <algorithm>
#include <array>

#include <minizip/unzip.h>

#include "core/check.h"
#include "core/inflation.h"
#include "core/text.h"
#include "weights/weights_check.h"

namespace vitrain::weights {
namespace {

constexpr unsigned kEncrypted = 1; // bit in a member's flags
// Largest expansion factor of Deflate.
constexpr std::uint64_t kMostInflation = 1032;
constexpr std::size_t kMostMembers = 100'000; // PyTorch writes one per tensor

struct MemberInfo {
  std::string name;
  unz_file_info64 info{};
};

MemberInfo current_member(unzFile handle, const std::string& source) {
  MemberInfo member;
  int status = unzGetCurrentFileInfo64(
      handle, &member.info, nullptr, 0, nullptr, 0, nullptr, 0);
  if (status == UNZ_OK) {
    member.name.resize(member.info.size_filename);
    // The buffer has one byte more, because minizip appends a zero if it fits.
    std::string name(member.name.size() + 1, '\0');
    status = unzGetCurrentFileInfo64(
        handle,
        &member.info,
        name.data(),
        static_cast<uLong>(name.size()),
        nullptr,
        0,
        nullptr,
        0);
    member.name.assign(name, 0, member.name.size());
  }
  VITRAIN_CHECK_WEIGHTS(
      status == UNZ_OK, "{}: the zip archive's directory is damaged", source);
  return member;
}

void check_member(const MemberInfo& member, const InputFile& file) {
  const unz_file_info64& info = member.info;
  VITRAIN_CHECK_WEIGHTS(
      (info.flag & kEncrypted) == 0,
      "{}: '{}' is encrypted",
      file.source(),
      printable(member.name));
  const auto size = static_cast<std::uint64_t>(file.size());
  const bool stored = info.compression_method == 0;
  VITRAIN_CHECK_WEIGHTS(
      info.compressed_size <= size &&
          info.uncompressed_size <=
              info.compressed_size * (stored ? 1 : kMostInflation),
      "{}: '{}' cannot have {} bytes in an archive of {}",
      file.source(),
      printable(member.name),
      info.uncompressed_size,
      size);
}

} // namespace

void ZipFile::Closer::operator()(void* handle) const {
  unzClose(handle);
}

ZipFile::ZipFile(const InputFile& file)
    : source_(file.source()),
      handle_(unzOpen64(file.descriptor_path().c_str())) {
  VITRAIN_CHECK_WEIGHTS(
      handle_ != nullptr,
      "{}: begins as a zip archive, but has no directory at its end: "
      "truncated (an incomplete download?)",
      source_);
  int status = unzGoToFirstFile(handle_.get());
  unz_global_info64 global{};
  unzGetGlobalInfo64(handle_.get(), &global);
  if (global.number_entry == 0) {
    return;
  }
  const std::uint64_t most =
      most_unpacked(static_cast<std::uint64_t>(file.size()));
  std::uint64_t packed = 0; // compressed size of all members
  std::uint64_t unpacked = 0;
  for (; status == UNZ_OK; status = unzGoToNextFile(handle_.get())) {
    const MemberInfo member = current_member(handle_.get(), source_);
    check_member(member, file);
    packed += member.info.compressed_size;
    VITRAIN_CHECK_WEIGHTS(
        packed <= static_cast<std::uint64_t>(file.size()),
        "{}: its members overlap: they have more bytes than the archive's {}",
        source_,
        file.size());
    // Cannot overflow: check_member() bounds it by 1,032 times the file's size.
    unpacked += member.info.uncompressed_size;
    VITRAIN_CHECK_WEIGHTS(
        unpacked <= most,
        "{}: its members unpack to {}, more than the limit of {} for its size: "
        "save it without compression",
        source_,
        human_bytes(static_cast<double>(unpacked)),
        human_bytes(static_cast<double>(most)));
    VITRAIN_CHECK_WEIGHTS(
        members_.size() < kMostMembers,
        "{}: has more than {} members",
        source_,
        with_commas(kMostMembers));
    unz64_file_pos position{};
    unzGetFilePos64(handle_.get(), &position);
    const bool fresh = members_
                           .try_emplace(
                               member.name,
                               Member{
                                   .bytes = static_cast<std::int64_t>(
                                       member.info.uncompressed_size),
                                   .position = position.pos_in_zip_directory,
                                   .number = position.num_of_file})
                           .second;
    VITRAIN_CHECK_WEIGHTS(
        fresh, "{}: has '{}' twice", source_, printable(member.name));
  }
  VITRAIN_CHECK_WEIGHTS(
      status == UNZ_END_OF_LIST_OF_FILE,
      "{}: the zip archive's directory is damaged",
      source_);
}

void ZipFile::read(
    const std::string& name,
    void* bytes,
    std::int64_t size,
    std::int64_t skip) const {
  const Member& member = members_.at(name);
  const auto damaged = [&](const char* what) {
    fail(
        ExitCode::kWeights,
        "{}: '{}' is damaged: {}",
        source_,
        printable(name),
        what);
  };
  unz64_file_pos position{
      .pos_in_zip_directory = member.position, .num_of_file = member.number};
  unzFile handle = handle_.get();
  if (unzGoToFilePos64(handle, &position) != UNZ_OK ||
      unzOpenCurrentFile(handle) != UNZ_OK) {
    damaged("its header disagrees with the archive's directory");
  }
  const auto take = [&](char* into, std::int64_t count) {
    constexpr std::int64_t kMost = 1 << 30; // bytes per call
    while (count > 0) {
      const int got = unzReadCurrentFile(
          handle, into, static_cast<unsigned>(std::min(count, kMost)));
      if (got <= 0) {
        unzCloseCurrentFile(handle);
        damaged("it ends early");
      }
      into += got;
      count -= got;
    }
  };
  std::array<char, 1 << 12> skipped{};
  for (std::int64_t left = skip; left > 0;) {
    const std::int64_t count =
        std::min<std::int64_t>(left, std::ssize(skipped));
    take(skipped.data(), count);
    left -= count;
  }
  take(static_cast<char*>(bytes), size);
  if (unzCloseCurrentFile(handle) == UNZ_CRCERROR &&
      skip + size == member.bytes) {
    damaged("its bytes do not have its checksum");
  }
}

} // namespace vitrain::weights
