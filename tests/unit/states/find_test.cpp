#include "checkpoint/find.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/system/files.h"
#include "snapshots.h"
#include "support/errors.h"
#include "support/messages.h"

namespace vitrain::states {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

TEST(FolderName, IsReadBackOnlyAsItIsWritten) {
  EXPECT_EQ(checkpoint::folder_name(1250), "step-000001250");
  EXPECT_EQ(checkpoint::folder_name(12345678901), "step-12345678901");
  for (const std::int64_t step : {0L, 7L, 999999999L, 1000000000L}) {
    EXPECT_EQ(checkpoint::folder_step(checkpoint::folder_name(step)), step);
  }
  for (const char* name :
       {"step-",
        "step-1250",
        "step-0000001250",
        "step-00000125x",
        "step-+00001250",
        "step--00001250",
        "step-000001250 ",
        "Step-000001250",
        "step-000001250/..",
        "step-99999999999999999999",
        "",
        "000001250"}) {
    EXPECT_EQ(checkpoint::folder_step(name), std::nullopt) << name;
  }
}

// Steps 10 (older) and 20 (newest), both kept.
class FindTest : public testing::Test {
 protected:
  FindTest() {
    Store store(folder_, {.keep_last = 9});
    older_ = store.save(make_snapshot(10));
    newest_ = store.save(make_snapshot(20));
  }

  // Writes a pointer as older versions did.
  void write_pointer(const char* name, const std::string& text) const {
    fs::remove(folder_ / name);
    write_bytes(folder_ / name, text);
  }

  // Returns newest_valid and records the rejected checkpoints.
  std::optional<fs::path> find() {
    rejected_.clear();
    return checkpoint::newest_valid(folder_, &rejected_);
  }

  TempFolder temporary_;
  fs::path folder_ = temporary_.path() / "run" / "checkpoints";
  fs::path older_;
  fs::path newest_;
  std::vector<std::string> rejected_;
};

TEST_F(FindTest, TakesTheLatest) {
  EXPECT_EQ(find(), newest_);
  EXPECT_TRUE(rejected_.empty());
  EXPECT_TRUE(checkpoint::is_checkpoint(newest_));
  EXPECT_FALSE(checkpoint::is_checkpoint(folder_));
  // Other programs open this.
  EXPECT_TRUE(fs::exists(folder_ / "latest" / checkpoint::kModelFile));
}

TEST_F(FindTest, FindsNothingWhereNothingIs) {
  EXPECT_EQ(
      checkpoint::newest_valid(temporary_.path() / "absent"), std::nullopt);
  EXPECT_EQ(checkpoint::newest_valid(temporary_.path()), std::nullopt);
  EXPECT_EQ(checkpoint::best_valid(temporary_.path()), std::nullopt);
}

// The process ended between the rename of 20 and that of `latest`.
TEST_F(FindTest, TakesANewerOneThanLatest) {
  write_pointer("latest", "step-000000010\n");
  EXPECT_EQ(find(), newest_);
  EXPECT_TRUE(rejected_.empty());
  write_bytes(newest_ / checkpoint::kModelFile, "damaged");
  EXPECT_EQ(find(), older_);
  EXPECT_EQ(rejected_.size(), 1U);
}

TEST_F(FindTest, FollowsLatestRatherThanAHigherStepOfAnotherRun) {
  Store store(folder_, {.keep_last = 9});
  Snapshot other = make_snapshot(30);
  Snapshot own = make_snapshot(20);
  other.state["identity"] = {{"seed", 1}, {"train_folder", "/data"}};
  own.state["identity"] = {{"seed", 2}, {"train_folder", "/data"}};
  const fs::path higher = store.save(other);
  EXPECT_EQ(store.save(own), newest_);
  EXPECT_EQ(find(), newest_);
  own.state["identity"] = {{"seed", 1}, {"train_folder", "/moved"}};
  store.save(own);
  EXPECT_EQ(find(), higher);
}

TEST_F(FindTest, FollowsAPointerThatIsGivenItself) {
  const fs::path best = folder_ / "best";
  write_file_atomically(best, older_.filename().native() + "\n");
  EXPECT_TRUE(checkpoint::is_pointer(best));
  EXPECT_TRUE(checkpoint::is_pointer(folder_ / "latest"));
  EXPECT_FALSE(checkpoint::is_pointer(folder_));
  // A user's link.
  fs::create_directory_symlink(folder_, temporary_.path() / "best");
  EXPECT_FALSE(checkpoint::is_pointer(temporary_.path() / "best"));
  EXPECT_FALSE(checkpoint::is_pointer(older_ / checkpoint::kManifestName));
  EXPECT_EQ(checkpoint::pointed_to(best), older_);
  EXPECT_EQ(checkpoint::pointed_to(folder_ / "latest"), newest_);
  write_file_atomically(best, "../elsewhere");
  expect_message(
      error_of(ExitCode::kWeights, [&] { checkpoint::pointed_to(best); }), {});
}

TEST_F(FindTest, AFileThatIsNamedAgreesWithTheManifestBesideIt) {
  const fs::path model = newest_ / checkpoint::kModelFile;
  EXPECT_NO_THROW(checkpoint::verify_named(model));
  const fs::path copy = temporary_.path() / "w.safetensors";
  fs::copy_file(older_ / checkpoint::kModelFile, copy);
  fs::copy_file(copy, newest_ / "extra.safetensors");
  fs::copy_file(copy, model, fs::copy_options::overwrite_existing);
  const fs::path link = temporary_.path() / "link.safetensors";
  fs::create_symlink(model, link);
  // A file that an index names counts too.
  const fs::path index = newest_ / "w.safetensors.index.json";
  write_bytes(index, R"({"weight_map": {"a": "model.safetensors"}})");
  const fs::path outside = temporary_.path() / "w.safetensors.index.json";
  write_bytes(outside, R"({"weight_map": {"a": "link.safetensors"}})");
  for (const fs::path& path : {model, link, index, outside}) {
    expect_message(
        error_of(ExitCode::kWeights, [&] { checkpoint::verify_named(path); }),
        {"model.safetensors"});
  }
  // The manifest does not list these files.
  EXPECT_NO_THROW(checkpoint::verify_named(copy));
  write_bytes(
      outside, R"({"weight_map": {"a": "w.safetensors", "b": "none"}})");
  EXPECT_NO_THROW(checkpoint::verify_named(outside));
  EXPECT_NO_THROW(checkpoint::verify_named(newest_ / "extra.safetensors"));
  write_bytes(
      temporary_.path() / checkpoint::kManifestName,
      "{\"name\": \"a page\"}\n");
  EXPECT_NO_THROW(checkpoint::verify_named(copy));
  // A manifest that cannot be trusted vouches for nothing.
  write_bytes(newest_ / checkpoint::kManifestName, "{\"format_version\": 1");
  EXPECT_THROW(checkpoint::verify_named(model), Error);
}

TEST_F(FindTest, FallsBackWhenTheNewestIsDamaged) {
  std::mt19937 random(7);
  for (const char* name :
       {"model.safetensors", "optimizer.safetensors", "manifest.json"}) {
    const fs::path path = newest_ / name;
    const std::string good = read_bytes(path);
    for (int trial = 0; trial < 100; ++trial) {
      std::string bad = good;
      bad[random() % bad.size()] ^= static_cast<char>(1U << (random() % 8));
      write_bytes(path, bad);
      ASSERT_EQ(find(), older_) << name << " trial " << trial;
      ASSERT_THAT(rejected_, testing::ElementsAre(HasSubstr(path.native())));
      ASSERT_THROW(load(newest_), Error);
    }
    for (int trial = 0; trial < 50; ++trial) {
      write_bytes(path, good.substr(0, random() % good.size()));
      ASSERT_EQ(find(), older_) << name << " trial " << trial;
    }
    write_bytes(path, good + '\0');
    ASSERT_EQ(find(), older_);
    write_bytes(path, "");
    ASSERT_EQ(find(), older_);
    fs::remove(path);
    ASSERT_EQ(find(), older_);
    fs::create_directory(path);
    ASSERT_EQ(find(), older_);
    fs::remove(path);
    fs::create_symlink("/dev/zero", path);
    ASSERT_EQ(find(), older_);
    fs::remove(path);
    write_bytes(path, good);
    ASSERT_EQ(find(), newest_);
  }
}

TEST_F(FindTest, NamesTheFileAndTheReason) {
  write_bytes(newest_ / "model.safetensors", "short");
  EXPECT_THAT(
      error_of(ExitCode::kWeights, [&] { checkpoint::verify(newest_); }),
      AllOf(
          HasSubstr((newest_ / "model.safetensors").native()),
          HasSubstr("has 5 bytes, its manifest says")));
}

TEST_F(FindTest, NamesEveryFileThatIsDamaged) {
  write_bytes(newest_ / "model.safetensors", "short");
  fs::remove(newest_ / "optimizer.safetensors");
  EXPECT_EQ(find(), older_);
  EXPECT_THAT(
      rejected_,
      testing::ElementsAre(AllOf(
          HasSubstr("/model.safetensors: has 5 bytes"),
          HasSubstr("/optimizer.safetensors: cannot open"))));
}

TEST_F(FindTest, DoesWithoutALatest) {
  fs::remove(folder_ / "latest");
  EXPECT_EQ(find(), newest_);
  EXPECT_TRUE(rejected_.empty());
}

TEST_F(FindTest, IsNotLedAstrayByLatest) {
  // A valid checkpoint elsewhere, which must not be taken for this run's.
  Store other(temporary_.path() / "other", {});
  const fs::path outside = other.save(make_snapshot(99));
  for (const std::string& text :
       {std::string("step-000000777\n"),
        outside.native() + "\n",
        std::string("../../other/step-000000099\n"),
        std::string("..\n"),
        std::string(""),
        std::string("\x1b[31m\n"),
        std::string(10000, 'x'),
        std::string("step-000000010\0\n", 16)}) {
    write_pointer("latest", text);
    EXPECT_EQ(find(), newest_) << text.substr(0, 60);
    EXPECT_THAT(rejected_, testing::SizeIs(1));
    EXPECT_THAT(rejected_.front(), testing::Not(HasSubstr("\x1b")));
  }
  fs::remove(folder_ / "latest");
  fs::create_directory(folder_ / "latest");
  EXPECT_EQ(find(), newest_);
  fs::remove(folder_ / "latest");
  fs::create_symlink("nowhere", folder_ / "latest");
  EXPECT_EQ(find(), newest_);
  fs::remove(folder_ / "latest");
  fs::create_directory_symlink(outside, folder_ / "latest");
  EXPECT_EQ(find(), newest_);
}

TEST_F(FindTest, DoesNotFollowLinksOutOfTheFolder) {
  Store other(temporary_.path() / "other", {});
  fs::create_directory_symlink(
      other.save(make_snapshot(99)), folder_ / "step-000000099");
  fs::remove(folder_ / "latest");
  EXPECT_EQ(find(), newest_);
}

TEST_F(FindTest, IgnoresWhatIsNotACheckpoint) {
  fs::create_directory(folder_ / "step-999999999");
  fs::create_directory(folder_ / "stepping-stone");
  write_bytes(folder_ / "step-888888888", "a file");
  fs::remove(folder_ / "latest");
  EXPECT_EQ(find(), newest_);
  EXPECT_THAT(rejected_, testing::ElementsAre(HasSubstr("step-999999999")));
}

TEST_F(FindTest, FindsNothingWhenAllAreDamaged) {
  write_bytes(older_ / "manifest.json", "");
  write_bytes(newest_ / "manifest.json", "");
  EXPECT_EQ(find(), std::nullopt);
  EXPECT_EQ(rejected_.size(), 2U);
}

TEST_F(FindTest, RefusesAFormatOfTheFuture) {
  write_bytes(newest_ / "manifest.json", "{\"format_version\": 2}");
  EXPECT_EQ(find(), older_);
  EXPECT_THAT(rejected_, testing::ElementsAre(HasSubstr("newer version")));
}

} // namespace
} // namespace vitrain::states
