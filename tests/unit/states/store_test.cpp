#include "states/store.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/folder.h"
#include "core/error.h"
#include "faults.h"
#include "snapshots.h"
#include "states/space.h"
#include "support/errors.h"
#include "support/messages.h"

namespace vitrain::states {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kFiles = {
    "manifest.json",
    "model.safetensors",
    "optimizer.safetensors"};

class StoreTest : public testing::Test {
 protected:
  ~StoreTest() override {
    faults::disarm();
    faults::refuse_exchange(false);
  }

  TempFolder temporary_;
  fs::path folder_ = temporary_.path() / "checkpoints";
};

TEST_F(StoreTest, LoadsWhatWasSavedAndSavesTheSameBytesAgain) {
  Store store(folder_, {});
  const Snapshot snapshot = make_snapshot(1250, 0.75);
  const fs::path first = store.save(snapshot);
  EXPECT_EQ(first, folder_ / "step-000001250");
  EXPECT_THAT(names_in(first), testing::ElementsAreArray(kFiles));
  const Snapshot back = load(first);
  expect_same(back, snapshot);
  const fs::path second = Store(temporary_.path() / "other", {}).save(back);
  for (const std::string& name : kFiles) {
    EXPECT_EQ(read_bytes(first / name), read_bytes(second / name)) << name;
  }
}

// The run may have been taken over while the checkpoint was written.
TEST_F(StoreTest, ACheckpointThatIsRefusedItsNameIsDiscarded) {
  Store store(folder_, {});
  store.save(make_snapshot(1));
  const auto refuse = [] { throw Error(ExitCode::kStorage, "lost"); };
  EXPECT_THROW(store.save(make_snapshot(2), refuse), Error);
  EXPECT_THAT(
      names_in(folder_),
      testing::UnorderedElementsAre("latest", "step-000000001"));
  EXPECT_EQ(fs::read_symlink(folder_ / "latest"), "step-000000001");
}

// The run may have been taken over after the checkpoint got its name.
TEST_F(StoreTest, OldCheckpointsAreKeptIfTheirRemovalIsRefused) {
  Store store(folder_, {.keep_last = 1});
  store.save(make_snapshot(1));
  int calls = 0;
  const auto refuse = [&] {
    if (++calls == 2) {
      throw Error(ExitCode::kStorage, "lost");
    }
  };
  EXPECT_THROW(store.save(make_snapshot(2), refuse), Error);
  EXPECT_THAT(
      names_in(folder_),
      testing::UnorderedElementsAre(
          "latest", "step-000000001", "step-000000002"));
  EXPECT_EQ(fs::read_symlink(folder_ / "latest"), "step-000000001");
}

TEST_F(StoreTest, AveragedWeightsHaveAFileOfTheirOwn) {
  Snapshot snapshot = make_snapshot(10, 0.5);
  snapshot.ema["head.weight"] = at::full({3, 5}, 0.125);
  Store store(folder_, {});
  const fs::path path = store.save(snapshot);
  EXPECT_THAT(
      names_in(path),
      ElementsAre(
          "ema.safetensors",
          "manifest.json",
          "model.safetensors",
          "optimizer.safetensors"));
  expect_same(load(path), snapshot);
}

TEST_F(StoreTest, KeepsTensorsOfEveryLayout) {
  Snapshot snapshot = make_snapshot(1);
  snapshot.model["part"] = at::arange(12).view({3, 4}).t().narrow(0, 1, 2);
  snapshot.model["scalar"] = at::full({}, 0.5, at::kDouble);
  snapshot.model["half"] = at::full({2}, 1.5, at::kBFloat16);
  snapshot.model["none"] = at::empty({0, 3});
  snapshot.model["nan"] = at::full({2}, std::nan(""));
  snapshot.optimizer.clear();
  const Snapshot back = load(Store(folder_, {}).save(snapshot));
  EXPECT_TRUE(back.model.at("nan").isnan().all().item<bool>());
  snapshot.model.erase("nan");
  Snapshot rest = back;
  rest.model.erase("nan");
  expect_same(rest, snapshot);
}

TEST_F(StoreTest, PointsAtTheLatestAndTheBest) {
  Store store(folder_, {.keep_last = 1, .keep_best = 1});
  store.save(make_snapshot(10, 0.5));
  EXPECT_EQ(fs::read_symlink(folder_ / "latest"), "step-000000010");
  EXPECT_EQ(fs::read_symlink(folder_ / "best"), "step-000000010");
  store.save(make_snapshot(20, 0.9));
  store.save(make_snapshot(30, 0.9));
  EXPECT_EQ(fs::read_symlink(folder_ / "latest"), "step-000000030");
  EXPECT_EQ(fs::read_symlink(folder_ / "best"), "step-000000020");
  EXPECT_EQ(checkpoint::best_valid(folder_), folder_ / "step-000000020");
  EXPECT_THAT(
      names_in(folder_),
      ElementsAre("best", "latest", "step-000000020", "step-000000030"));
}

// A run that resumes with another metric: 0.9 of the first is not a loss.
TEST_F(StoreTest, ComparesValuesOfOneMetric) {
  Snapshot before = make_snapshot(10, 0.9);
  before.metric_name = "top1";
  Store(folder_, {.metric_name = "top1"}).save(before);
  Store store(
      folder_,
      {.keep_last = 1, .smaller_is_better = true, .metric_name = "loss"});
  for (const auto& [step, loss] :
       {std::pair(20, 2.5), {30, 2.25}, {40, 2.75}}) {
    Snapshot snapshot = make_snapshot(step, loss);
    snapshot.metric_name = "loss";
    store.save(snapshot);
  }
  EXPECT_EQ(fs::read_symlink(folder_ / "best"), "step-000000030");
  EXPECT_THAT(
      names_in(folder_),
      ElementsAre("best", "latest", "step-000000030", "step-000000040"));
  EXPECT_EQ(load(folder_ / "step-000000040").metric_name, "loss");
}

TEST_F(StoreTest, HasNoBestWithoutAMetric) {
  Store store(folder_, {.keep_last = 1, .keep_best = 0});
  store.save(make_snapshot(10, 0.5));
  EXPECT_TRUE(fs::exists(folder_ / "best"));
  store.save(make_snapshot(20));
  EXPECT_THAT(names_in(folder_), ElementsAre("latest", "step-000000020"));
}

TEST_F(StoreTest, TakesTheSmallestLossForBest) {
  Store store(
      folder_, {.keep_last = 1, .keep_best = 1, .smaller_is_better = true});
  store.save(make_snapshot(10, 0.5));
  store.save(make_snapshot(20, 0.9));
  EXPECT_EQ(fs::read_symlink(folder_ / "best"), "step-000000010");
}

TEST_F(StoreTest, LeavesForeignFilesAlone) {
  fs::create_directories(folder_ / "step-1");
  fs::create_directories(folder_ / "mine");
  fs::create_directories(folder_ / "step-000000005"); // without manifest
  write_bytes(folder_ / "step-000000006", "a file");
  write_bytes(folder_ / ".hidden.tmp-1", "not ours");
  Store store(folder_, {.keep_last = 1, .keep_best = 0});
  for (const std::int64_t step : {10, 20, 30}) {
    store.save(make_snapshot(step));
  }
  EXPECT_THAT(
      names_in(folder_),
      ElementsAre(
          ".hidden.tmp-1",
          "latest",
          "mine",
          "step-000000005",
          "step-000000006",
          "step-000000030",
          "step-1"));
}

// An older run in the folder went further than this one.
TEST_F(StoreTest, KeepsItsOwnNewestBesideAHigherStep) {
  Store store(folder_, {.keep_last = 1, .keep_best = 0});
  const auto of_seed = [](int seed, std::int64_t step) {
    Snapshot snapshot = make_snapshot(step);
    snapshot.state["identity"] = {{"seed", seed}};
    return snapshot;
  };
  store.save(of_seed(1, 1000));
  const fs::path own = store.save(of_seed(2, 20));
  EXPECT_EQ(checkpoint::newest_valid(folder_), own);
  EXPECT_EQ(checkpoint::newest_valid(folder_), store.save(of_seed(2, 30)));
}

// Regression: five old checkpoints piled up silently.
TEST_F(StoreTest, SaysWhichOldCheckpointsCannotBeRemoved) {
  Store store(folder_, {.keep_last = 1, .keep_best = 0});
  const auto warning_of = [&](std::int64_t step) {
    std::string warning = "none";
    store.save(
        make_snapshot(step), [] {}, &warning);
    return warning;
  };
  EXPECT_EQ(warning_of(10), "");
  EXPECT_EQ(warning_of(20), "");
  faults::refuse_removal(true);
  EXPECT_THAT(
      warning_of(30),
      AllOf(
          HasSubstr("1 old checkpoint "),
          HasSubstr((folder_ / "step-000000020").native() + ": Permission")));
  expect_message(warning_of(40), {"000000030"});
  faults::refuse_removal(false);
  EXPECT_EQ(warning_of(50), "");
  EXPECT_THAT(names_in(folder_), ElementsAre("latest", "step-000000050"));
}

TEST_F(StoreTest, ReplacesACheckpointOfTheSameStep) {
  Store store(folder_, {});
  store.save(make_snapshot(10));
  for (const bool refuse : {false, true}) {
    faults::refuse_exchange(refuse);
    const Snapshot other = make_snapshot(10, {}, refuse ? 0.25 : 0.5);
    expect_same(load(store.save(other)), other);
    EXPECT_THAT(names_in(folder_), ElementsAre("latest", "step-000000010"));
  }
}

TEST_F(StoreTest, RefusesToReplaceAFile) {
  fs::create_directories(folder_);
  write_bytes(folder_ / "step-000000010", "in the way");
  Store store(folder_, {});
  EXPECT_THROW(store.save(make_snapshot(10)), Error);
  EXPECT_THAT(names_in(folder_), ElementsAre("step-000000010"));
}

TEST_F(StoreTest, RemovesWhatDeadProcessesLeft) {
  // A child that has ended is the surest dead process.
  const pid_t dead = ::fork();
  if (dead == 0) {
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(dead, nullptr, 0), dead);
  const auto name = [](const char* base, pid_t pid) {
    return fmt::format("{}.tmp-{}", base, pid);
  };
  const std::string alive = name(".step-000000010", ::getppid());
  for (const std::string& folder :
       {alive,
        name(".step-000000010", dead),
        name(".step-000000020", ::getpid()),
        name(".replaced-step-000000010", dead)}) {
    fs::create_directories(folder_ / folder / "deep");
  }
  write_bytes(folder_ / name("latest", dead), "");
  write_bytes(folder_ / name("best", dead), "");
  write_bytes(folder_ / name("notes", dead), "");
  Store(folder_, {}).save(make_snapshot(10));
  EXPECT_THAT(
      names_in(folder_),
      ElementsAre(alive, "latest", name("notes", dead), "step-000000010"));
}

// A colleague can evaluate a shared run if the umask allows reading.
TEST_F(StoreTest, FollowsTheUmask) {
  int step = 0;
  for (const mode_t mask : {0022U, 0077U, 0000U, 0027U}) {
    const mode_t before = ::umask(mask);
    const fs::path path =
        Store(folder_, {.keep_last = 9}).save(make_snapshot(++step, 0.1));
    ::umask(before);
    EXPECT_EQ(fs::status(path).permissions(), fs::perms(0777 & ~mask));
    for (const std::string& name : kFiles) {
      EXPECT_EQ(fs::status(path / name).permissions(), fs::perms(0666 & ~mask))
          << name;
    }
  }
}

TEST_F(StoreTest, RepairsAFolderInThePlaceOfAPointer) {
  fs::create_directories(folder_ / "latest");
  write_bytes(folder_ / "best", "");
  fs::remove(folder_ / "best");
  fs::create_directories(folder_ / "best");
  write_bytes(folder_ / "best" / "mine", "kept");
  EXPECT_THAT(
      checkpoint::repair_pointers(folder_),
      ElementsAre(
          AllOf(HasSubstr("/latest was an empty folder"), HasSubstr("removed")),
          AllOf(
              HasSubstr("/best was a folder"),
              HasSubstr("it is best.folder-1"))));
  EXPECT_TRUE(checkpoint::repair_pointers(folder_).empty());
  EXPECT_EQ(read_bytes(folder_ / "best.folder-1" / "mine"), "kept");
  // It also works in the middle of a run, and retention continues.
  Store store(folder_, {.keep_last = 1, .keep_best = 0});
  store.save(make_snapshot(10, 0.5));
  fs::remove(folder_ / "latest");
  fs::create_directories(folder_ / "latest" / "deep");
  store.save(make_snapshot(20));
  EXPECT_THAT(
      names_in(folder_),
      ElementsAre(
          "best.folder-1", "latest", "latest.folder-1", "step-000000020"));
  EXPECT_EQ(fs::read_symlink(folder_ / "latest"), "step-000000020");
}

TEST_F(StoreTest, LeftoversOfAllProcessesCanBeRemoved) {
  Store(folder_, {}).save(make_snapshot(10));
  // Temporary folders of a reused pid and of a running process.
  for (const pid_t pid : {::getppid(), 1}) {
    const fs::path left = folder_ / fmt::format(".step-000000020.tmp-{}", pid);
    fs::create_directories(left);
    write_bytes(left / "model.safetensors", std::string(1000, 'x'));
  }
  write_bytes(folder_ / "latest.tmp-1", "");
  write_bytes(folder_ / ".notes.tmp-1", "");
  const checkpoint::Leftovers found = checkpoint::remove_leftovers(folder_);
  EXPECT_EQ(found.folders, 2);
  EXPECT_EQ(found.bytes, 2000.0);
  EXPECT_THAT(
      names_in(folder_),
      ElementsAre(".notes.tmp-1", "latest", "step-000000010"));
  EXPECT_EQ(checkpoint::remove_leftovers(folder_ / "absent").folders, 0);
}

TEST_F(StoreTest, KnowsTheSizeOfACheckpointBeforeItIsWritten) {
  Snapshot snapshot = make_snapshot(10);
  snapshot.model["large"] = at::zeros({1000, 1000});
  const double expected = checkpoint_bytes(snapshot.model, snapshot.optimizer);
  double written = 0.0;
  for (const auto& entry :
       fs::directory_iterator(Store(folder_, {}).save(snapshot))) {
    written += static_cast<double>(entry.file_size());
  }
  EXPECT_GE(expected, written);
  EXPECT_LE(expected, 1.02 * written + (64 << 10));
  // Three, of which one is there already; never less than the next one.
  EXPECT_EQ(needed_bytes(folder_ / "absent", 10.0, 1.0), 31.0);
  EXPECT_EQ(needed_bytes(folder_, 10.0, 1.0), 21.0);
  Store store(folder_, {.keep_last = 9});
  for (const std::int64_t step : {20, 30, 40}) {
    store.save(make_snapshot(step));
  }
  EXPECT_EQ(needed_bytes(folder_, 10.0, 1.0), 11.0);
}

TEST_F(StoreTest, SaysHowMuchSpaceIsMissing) {
  const auto free = free_bytes(folder_ / "absent" / "deep");
  ASSERT_TRUE(free.has_value());
  EXPECT_NO_THROW(check_space(folder_, 1.0, "logs"));
  EXPECT_THAT(
      error_of(
          ExitCode::kStorage,
          [&] { check_space(folder_, 1e30, "three checkpoints"); }),
      AllOf(
          HasSubstr(folder_.native()),
          HasSubstr(" are needed for three checkpoints")));
}

TEST_F(StoreTest, SyncsEverythingBeforeItIsNamed) {
  Store store(folder_, {.keep_last = 1});
  store.save(make_snapshot(10, 0.5));
  for (const std::int64_t step : {20, 20, 30}) {
    faults::arm(faults::Mode::kCount);
    store.save(make_snapshot(step, 0.6));
    EXPECT_GT(faults::disarm(), 10);
    EXPECT_EQ(faults::undurable(), "");
  }
}

TEST_F(StoreTest, ContinuesShortWrites) {
  Store store(folder_, {});
  faults::arm(faults::Mode::kShort);
  const Snapshot snapshot = make_snapshot(10);
  const fs::path path = store.save(snapshot);
  faults::disarm();
  expect_same(load(path), snapshot);
}

// Ends the process: a limit on the size of its files stands for a full disk.
[[noreturn]] void save_beyond_limit(Store store) {
  ::signal(SIGXFSZ, SIG_IGN);
  const ::rlimit limit = {20000, 20000};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  Snapshot large = make_snapshot(20);
  large.optimizer["large"] = at::zeros({10000});
  try {
    store.save(large);
  } catch (const Error& error) {
    const std::string message = error.what();
    const bool good = error.code() == ExitCode::kStorage &&
        message.find("optimizer.safetensors") != std::string::npos &&
        message.find("File too large") != std::string::npos;
    ::_exit(good ? 42 : 2);
  }
  ::_exit(1);
}

TEST_F(StoreTest, SurvivesAFullDisk) {
  Store store(folder_, {});
  store.save(make_snapshot(10));
  EXPECT_EXIT(save_beyond_limit(store), testing::ExitedWithCode(42), "");
  EXPECT_EQ(checkpoint::newest_valid(folder_), folder_ / "step-000000010");
  EXPECT_THAT(names_in(folder_), ElementsAre("latest", "step-000000010"));
}

TEST_F(StoreTest, SaysWhereItCannotWrite) {
  write_bytes(folder_, "a file where the folder should be");
  EXPECT_THAT(
      error_of(
          ExitCode::kStorage,
          [&] { Store(folder_, {}).save(make_snapshot(10)); }),
      HasSubstr(folder_.native()));
}

} // namespace
} // namespace vitrain::states
