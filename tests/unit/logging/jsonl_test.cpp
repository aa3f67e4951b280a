#include "logging/record_files.h"

#include <limits>

#include "support.h"

namespace vitrain::logging {
namespace {

TEST(Jsonl, OneValidObjectPerLineWhateverTheNames) {
  const TempFolder folder;
  {
    JsonlWriter writer(folder / "metrics.jsonl");
    writer.write({{"kind", "train"}, {"step", 1}, {"loss", 0.1}});
    writer.write(
        {{"kind", "train"},
         {"a/b ..\n\x1b\xff", std::numeric_limits<double>::infinity()}});
    writer.write(Json{{std::string("nul\0x", 5), "-rf\r\n"}});
    EXPECT_EQ(writer.sink().dropped(), 0);
  }
  EXPECT_EQ(
      slurp(folder / "metrics.jsonl"),
      "{\"kind\":\"train\",\"step\":1,\"loss\":0.1}\n"
      "{\"kind\":\"train\",\"a/b ..\\n\\u001b\xEF\xBF\xBD\":\"inf\"}\n"
      "{\"nul\\u0000x\":\"-rf\\r\\n\"}\n");
}

TEST(Jsonl, AnotherWriterContinuesTheFile) {
  const TempFolder folder;
  JsonlWriter(folder / "m").write({{"step", 1}});
  JsonlWriter(folder / "m").write({{"step", 2}});
  EXPECT_EQ(slurp(folder / "m"), "{\"step\":1}\n{\"step\":2}\n");
}

TEST(TruncateJsonl, RemovesWhatCameAfterTheStep) {
  const TempFolder folder;
  const std::string kept = "{\"kind\":\"start\"}\n"
                           "{\"kind\":\"train\",\"step\":20}\n"
                           "{\"kind\":\"train\",\"step\":40}\n"
                           "{\"kind\":\"checkpoint\",\"step\":40}\n";
  spill(
      folder / "m",
      kept +
          "{\"kind\":\"train\",\"step\":60}\n"
          "{\"kind\":\"note\"}\n"
          "{\"kind\":\"train\",\"step\":40}\n");
  EXPECT_EQ(truncate_jsonl_after(folder / "m", 40), 3);
  EXPECT_EQ(slurp(folder / "m"), kept);
  EXPECT_EQ(truncate_jsonl_after(folder / "m", 40), 0);
  EXPECT_EQ(slurp(folder / "m"), kept);
}

// Torn at every byte of the last record, as a kill would leave it.
TEST(TruncateJsonl, RemovesATornRecordWhereverItIsTorn) {
  const TempFolder folder;
  const std::string first = "{\"step\":1}\n";
  const std::string last = "{\"step\":2,\"x\":[1,{\"y\":\"\\u00e9\"}]}\n";
  for (std::size_t size = 1; size < last.size(); ++size) {
    spill(folder / "m", first + last.substr(0, size));
    EXPECT_EQ(truncate_jsonl_after(folder / "m", 5), 1);
    EXPECT_EQ(slurp(folder / "m"), first) << size;
  }
  spill(folder / "m", first + last);
  EXPECT_EQ(truncate_jsonl_after(folder / "m", 5), 0);
  EXPECT_EQ(slurp(folder / "m"), first + last);
}

TEST(TruncateJsonl, RemovesLinesThatAreNoObjects) {
  const TempFolder folder;
  spill(
      folder / "m",
      std::string("{\"step\":1}\n\0\0\0\n", 15) +
          "{\"step\":2}{\"step\":3}\n[1]\n\n{\"step\":3}\n");
  EXPECT_EQ(truncate_jsonl_after(folder / "m", 9), 4);
  EXPECT_EQ(slurp(folder / "m"), "{\"step\":1}\n{\"step\":3}\n");
}

TEST(TruncateJsonl, DeepNestingDoesNotExhaustTheStack) {
  const TempFolder folder;
  spill(folder / "m", std::string(1'000'000, '[') + "\n{\"step\":1}\n");
  EXPECT_EQ(truncate_jsonl_after(folder / "m", 9), 1);
  EXPECT_EQ(slurp(folder / "m"), "{\"step\":1}\n");
}

TEST(TruncateJsonl, EmptyAndMissingFilesStayAsTheyAre) {
  const TempFolder folder;
  EXPECT_EQ(truncate_jsonl_after(folder / "missing", 1), 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "missing"));
  spill(folder / "empty", "");
  EXPECT_EQ(truncate_jsonl_after(folder / "empty", 1), 0);
}

TEST(TruncateJsonl, AFolderOfThatNameIsAStorageError) {
  const TempFolder folder;
  try {
    truncate_jsonl_after(folder.path(), 1);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kStorage);
  }
}

} // namespace
} // namespace vitrain::logging
