#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/place.h"
#include "core/error.h"
#include "faults.h"
#include "snapshots.h"
#include "states/store.h"

// Ends the process before, or fails, each file operation of a save in turn. In
// every case the newest checkpoint is the old or the new one, complete; the
// next save works; no temporary file is left.
namespace vitrain::states {
namespace {

namespace fs = std::filesystem;

const checkpoint::RetentionOptions kRetention{.keep_last = 2, .keep_best = 1};

struct Scenario {
  const char* name;
  std::vector<std::int64_t> before; // steps saved before
  std::int64_t step; // the save under test
  bool exchange = true; // the file system can exchange folders
};

const Scenario kScenarios[] = {
    {"First", {}, 20},
    {"Next", {10}, 20},
    {"Removing", {5, 10, 15}, 20},
    {"Replacing", {10, 20}, 20},
    {"ReplacingWithoutExchange", {10, 20}, 20, false},
};

class CrashTest : public testing::TestWithParam<Scenario> {
 protected:
  ~CrashTest() override {
    faults::disarm();
    faults::refuse_exchange(false);
  }

  // A folder as it was before the save under test.
  void prepare() {
    fs::remove_all(folder_);
    for (const std::int64_t step : GetParam().before) {
      Store(folder_, kRetention).save(make_snapshot(step, 1.0 / double(step)));
    }
    faults::refuse_exchange(!GetParam().exchange);
  }

  Snapshot next() const {
    return make_snapshot(GetParam().step, 0.3, /*content=*/0.5);
  }

  void check_after(const std::string& when) {
    const auto found = checkpoint::newest_valid(folder_);
    if (GetParam().before.empty() && !found) {
      return save_again(when);
    }
    ASSERT_TRUE(found) << when;
    const Snapshot snapshot = load(*found);
    const bool is_new =
        snapshot.step == GetParam().step && snapshot.metric == 0.3;
    // A complete new checkpoint is used, whatever `latest` says.
    const bool replaces =
        std::ranges::count(GetParam().before, GetParam().step);
    const auto target = folder_ / checkpoint::folder_name(GetParam().step);
    EXPECT_TRUE(is_new || replaces || !fs::exists(target)) << when;
    if (is_new) {
      expect_same(snapshot, next());
    } else {
      const auto& before = GetParam().before;
      EXPECT_NE(
          std::find(before.begin(), before.end(), snapshot.step), before.end())
          << when;
      expect_same(
          snapshot, make_snapshot(snapshot.step, 1.0 / double(snapshot.step)));
    }
    save_again(when);
  }

  void save_again(const std::string& when) {
    const Snapshot later = make_snapshot(30, 0.1);
    expect_same(load(Store(folder_, kRetention).save(later)), later);
    EXPECT_EQ(checkpoint::newest_valid(folder_), folder_ / "step-000000030")
        << when;
    for (const std::string& name : names_in(folder_)) {
      EXPECT_EQ(name.find(".tmp-"), std::string::npos) << when << ": " << name;
    }
  }

  TempFolder temporary_;
  fs::path folder_ = temporary_.path() / "checkpoints";
};

TEST_P(CrashTest, EndsBeforeEachOperation) {
  int crashes = 0;
  for (int n = 0;; ++n) {
    prepare();
    const Snapshot snapshot = next();
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      faults::arm(faults::Mode::kCrash, n);
      try {
        Store(folder_, kRetention).save(snapshot);
      } catch (...) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    const int exit = WEXITSTATUS(status);
    ASSERT_TRUE(exit == 0 || exit == faults::kCrashExit) << exit;
    check_after("crash at operation " + std::to_string(n));
    if (exit == 0) {
      break;
    }
    ++crashes;
  }
  EXPECT_GT(crashes, 20);
}

TEST_P(CrashTest, FailsAtEachOperation) {
  for (const int error : {EIO, ENOSPC}) {
    int refused = 0;
    for (int n = 0;; ++n) {
      prepare();
      faults::arm(faults::Mode::kFail, n, error);
      bool failed = false;
      try {
        Store(folder_, kRetention).save(next());
      } catch (const Error& caught) {
        failed = true;
        EXPECT_EQ(caught.code(), ExitCode::kStorage) << caught.what();
        EXPECT_THAT(
            caught.what(), testing::HasSubstr(temporary_.path().native()));
      }
      const int operations = faults::disarm();
      refused += failed ? 1 : 0;
      for (const std::string& name : fs::exists(folder_)
               ? names_in(folder_)
               : std::vector<std::string>()) {
        if (failed) {
          EXPECT_EQ(name.find(".tmp-"), std::string::npos) << n << ": " << name;
        }
      }
      check_after("failure of operation " + std::to_string(n));
      if (operations <= n) {
        EXPECT_FALSE(failed);
        break;
      }
    }
    EXPECT_GT(refused, 12);
  }
}

// A copy appears completely or not at all; the original stays as it is.
TEST(CopyTest, IsCompleteWheneverTheProcessEnds) {
  const TempFolder temporary;
  const fs::path folder = temporary.path() / "checkpoints";
  const fs::path mirror = temporary.path() / "mirror";
  const Snapshot snapshot = make_snapshot(20, 0.5);
  const fs::path saved = Store(folder, kRetention).save(snapshot);
  const fs::path older = Store(mirror, kRetention).save(make_snapshot(10));
  for (int n = 0, exit = faults::kCrashExit; exit != 0; ++n) {
    fs::remove_all(mirror / "step-000000020");
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      faults::arm(faults::Mode::kCrash, n);
      checkpoint::copy(saved, mirror);
      checkpoint::keep(mirror, {.keep_last = 9}, 20);
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    exit = WEXITSTATUS(status);
    const auto found = checkpoint::newest_valid(mirror);
    ASSERT_TRUE(found) << n;
    EXPECT_TRUE(*found == older || load(*found).step == 20) << n;
    EXPECT_TRUE(exit != 0 || (*found != older && n > 15)) << n;
    expect_same(load(saved), snapshot);
  }
}

TEST(CopyTest, OfADamagedCheckpointIsRefused) {
  const TempFolder temporary;
  const fs::path saved =
      Store(temporary.path() / "a", {}).save(make_snapshot(20));
  fs::resize_file(saved / "model.safetensors", 100);
  const fs::path folder = temporary.path() / "b";
  try {
    checkpoint::copy(saved, folder);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kStorage);
    EXPECT_THAT(error.what(), testing::HasSubstr("model.safetensors"));
  }
  EXPECT_TRUE(names_in(folder).empty());
}

INSTANTIATE_TEST_SUITE_P(
    Saves,
    CrashTest,
    testing::ValuesIn(kScenarios),
    [](const auto& scenario) { return std::string(scenario.param.name); });

} // namespace
} // namespace vitrain::states
