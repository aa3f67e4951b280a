#pragma once

#include <unistd.h>

#include <sys/mman.h>

#include <string>
#include <vector>

#include "core/system/files.h"
#include "fuzz/fuzz.h"
#include "weights/archive.h"
#include "weights/names/timm_names.h"

namespace vitrain::fuzz {

// A file of weights: its tensors lie in their storages, which are not larger
// than such a file can make them, and have all their bytes; so they do under
// the names of timm.
inline void fuzz_archive(std::span<const std::uint8_t> input) {
  constexpr std::int64_t kMostInflation = 1032;
  constexpr std::int64_t kMostRead = 1 << 24;
  const Fd fd(::memfd_create("weights", MFD_CLOEXEC));
  expect(write_all(fd.get(), input.data(), input.size()) == 0, "written");
  const auto check = [](const weights::Archive& archive) {
    for (const auto& [name, tensor] : archive.tensors) {
      const auto check_part = [&](const weights::StridedPart& part) {
        std::int64_t last = part.offset;
        std::int64_t count = 1;
        for (std::size_t i = 0; i < part.shape.size(); ++i) {
          count *= part.shape[i];
          last += (part.shape[i] - 1) * part.strides[i];
        }
        expect(
            count == 0 ||
                (part.offset >= 0 &&
                 (last + 1) * tensor.type->bytes <=
                     archive.storages.at(part.storage)),
            "a tensor lies in its storage");
        return count;
      };
      std::int64_t elements = 0;
      for (const weights::StridedPart& part : tensor.parts) {
        elements += check_part(part);
      }
      std::int64_t shown = 1;
      for (const std::int64_t size : tensor.shape) {
        shown *= size;
      }
      expect(shown == elements, "a shape has as many elements as there are");
      expect(
          !tensor.added || check_part(*tensor.added) == elements,
          "as many values are added");
    }
  };
  accepts(
      [&] {
        const auto archive =
            weights::open_archive("/proc/self/fd/" + std::to_string(fd.get()));
        check(*archive);
        for (std::size_t i = 0; i < archive->storages.size(); ++i) {
          const std::int64_t bytes = archive->storages[i];
          expect(
              bytes <= std::ssize(input) * kMostInflation,
              "a storage is not larger than the file can make it");
          if (bytes <= kMostRead) {
            std::vector<char> values(static_cast<std::size_t>(bytes));
            archive->read(i, values.data());
          }
        }
        weights::to_timm_names(*archive, "auto");
        check(*archive);
      },
      ExitCode::kWeights);
}

} // namespace vitrain::fuzz
