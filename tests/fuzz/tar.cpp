#include <algorithm>

#include "data/kinds/tar_reader.h"
#include "fuzz/fuzz.h"

// An archive in memory: members lie within it and do not overlap, and their
// names stay below the folder into which the archive is unpacked.
void vitrain::fuzz::fuzz(std::span<const std::uint8_t> input) {
  const auto size = static_cast<std::int64_t>(input.size());
  const data::ReadAt read = [&](std::int64_t offset, std::span<char> into) {
    expect(offset >= 0 && offset <= size, "reads start inside the file");
    const auto rest = input.subspan(static_cast<std::size_t>(offset));
    const std::size_t got = std::min(rest.size(), into.size());
    std::copy_n(rest.begin(), got, into.begin());
    return got;
  };
  accepts([&] {
    data::TarReader reader("x.tar", read, 0, size);
    data::TarMember member;
    std::int64_t end = 0;
    while (reader.next(member)) {
      expect(member.offset >= end + data::kTarBlock, "a header is in front");
      expect(
          member.size >= 0 && member.size <= size - member.offset,
          "a member lies in the file");
      end = member.offset + member.size;
      expect(
          !member.name.empty() && member.name.front() != '/' &&
              member.name.back() != '/' &&
              member.name.find('\0') == member.name.npos,
          "a name is that of a file");
      const std::string slashes = "/" + member.name + "/";
      expect(slashes.find("/../") == slashes.npos, "a name leads nowhere else");
      expect(
          std::ssize(reader.contents(member, size)) == member.size,
          "a member has all its bytes");
    }
  });
}
