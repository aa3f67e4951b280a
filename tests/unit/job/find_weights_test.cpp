// Weights that a path, a run or timm:NAME stands for.

#include "job/find_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include "checkpoint/find.h"
#include "checkpoint/manifest.h"
#include "core/error.h"
#include "core/system/system.h"
#include "job/checkpoint_weights.h"
#include "support/files.h"
#include "support/messages.h"

namespace vitrain::job {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

// Returns the message of the Error with this code that `does` throws.
std::string refusal(ExitCode code, const std::function<void()>& does) {
  try {
    does();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}

class FindWeights : public testing::Test {
 protected:
  // A run with checkpoints of these steps, the last of which is `latest`.
  void write_run(const std::vector<std::int64_t>& steps) {
    for (const std::int64_t step : steps) {
      const std::string name = checkpoint::folder_name(step);
      temp_.write(
          "run/checkpoints/" + name + "/manifest.json",
          checkpoint::Manifest{.step = step}.text());
      temp_.write("run/checkpoints/latest", name + "\n");
    }
  }
  void point_best(std::int64_t step) {
    temp_.write("run/checkpoints/best", checkpoint::folder_name(step) + "\n");
  }
  std::int64_t found(bool best) {
    return checkpoint::folder_step(
               find_checkpoint(run_, best).filename().native())
        .value_or(-1);
  }

  TempFolder temp_;
  const fs::path run_ = temp_.path() / "run";
};

TEST_F(FindWeights, TheBestOneOrWithoutSuchTheNewest) {
  write_run({8, 16});
  EXPECT_EQ(found(/*best=*/true), 16);
  point_best(8);
  EXPECT_EQ(found(/*best=*/true), 8);
  EXPECT_EQ(found(/*best=*/false), 16);
}

// Other weights than the named ones were once evaluated silently.
TEST_F(FindWeights, NothingStandsInForTheBestOne) {
  write_run({8, 16});
  point_best(8);
  const auto reason = [&] {
    return refusal(
        ExitCode::kWeights, [&] { find_checkpoint(run_, /*best=*/true); });
  };
  const auto newest = AllOf(
      HasSubstr("its best checkpoint cannot be used"),
      HasSubstr("step-000000008"),
      EndsWith("checkpoints/step-000000016"));
  temp_.write("run/checkpoints/step-000000008/manifest.json", "{}");
  EXPECT_THAT(reason(), newest);
  refusal(ExitCode::kWeights, [&] { run_of_weights(run_.native()); });
  fs::remove_all(run_ / "checkpoints/step-000000008");
  EXPECT_THAT(reason(), newest);
  temp_.write("run/checkpoints/best", "elsewhere\n");
  expect_message(reason(), {});
  fs::remove_all(run_ / "checkpoints/step-000000016");
  expect_message(reason(), {});
  write_run({24});
  EXPECT_EQ(found(/*best=*/false), 24); // the weights that a resume takes
}

// Runs in a process of its own, as a user who is not root: root may read all.
int check_unreadable(const fs::path& run) {
  if (::geteuid() == 0 && ::setuid(65534) != 0) {
    return 1;
  }
  const std::string inside =
      refusal(ExitCode::kWeights, [&] { find_checkpoint(run, /*best=*/true); });
  const std::string below = refusal(ExitCode::kWeights, [&] {
    find_checkpoint(run / "checkpoints/step-000000008", /*best=*/false);
  });
  std::fprintf(stderr, "%s\n%s\n", inside.c_str(), below.c_str());
  return inside.find(run.native()) == 0 &&
          inside.ends_with("Permission denied") &&
          below.ends_with("Permission denied")
      ? 0
      : 2;
}

TEST_F(FindWeights, ARunThatMayNotBeReadIsToldByItsName) {
  write_run({8});
  fs::permissions(temp_.path(), fs::perms::all);
  fs::permissions(run_, fs::perms::none);
  EXPECT_EXIT(
      std::_Exit(check_unreadable(run_)), testing::ExitedWithCode(0), "");
  fs::permissions(run_, fs::perms::owner_all);
}

TEST_F(FindWeights, AFolderWithoutACheckpointHidesNoFile) {
  const std::string name = temp_.path() / "b";
  temp_.write("b.pth");
  temp_.write("b/notes.txt");
  EXPECT_EQ(resolve_weights(name), name + ".pth");
  for (const char* of_run : {"config.yaml", "manifest.json", "latest"}) {
    const fs::path file = temp_.write(std::string("b/") + of_run);
    EXPECT_EQ(resolve_weights(name), name) << of_run;
    fs::remove(file);
  }
  fs::create_directory(temp_ / "b/checkpoints");
  EXPECT_EQ(resolve_weights(name), name);
  fs::remove(name + ".pth");
  EXPECT_EQ(resolve_weights(name), name);
}

// Its weights are read by the hashes of its manifest, or not at all.
TEST_F(FindWeights, ACheckpointWithoutItsManifestIsNoFolderOfWeights) {
  const std::string folder = temp_.path() / "step-000000008";
  temp_.write("step-000000008/model.safetensors");
  EXPECT_EQ(resolve_weights(folder), folder);
  EXPECT_EQ(resolve_weights(folder + "/"), folder + "/");
  const std::string copied = temp_.path() / "copied";
  temp_.write("copied/model.safetensors");
  temp_.write("copied/optimizer.safetensors");
  EXPECT_EQ(resolve_weights(copied), copied);
}

// As transformers' save_pretrained() and its Trainer write them.
TEST_F(FindWeights, AFolderWithOneFileOfWeightsMeansIt) {
  const std::string folder = temp_.path() / "hf";
  temp_.write("hf/config.json", "{}");
  temp_.write("hf/optimizer.pt");
  temp_.write("hf/training_args.bin");
  EXPECT_EQ(resolve_weights(folder), folder);
  expect_message(
      refusal(
          ExitCode::kWeights, [&] { find_checkpoint(folder, /*best=*/true); }),
      {});
  const fs::path file = temp_.write("hf/model.safetensors");
  EXPECT_EQ(resolve_weights(folder), file);
  temp_.write("hf/pytorch_model.bin");
  expect_message(
      refusal(ExitCode::kUsage, [&] { resolve_weights(folder); }),
      {"2", "hf/model.safetensors", "hf/pytorch_model.bin"});
  temp_.write("hf/latest", "step-000000008\n"); // may be a run's
  EXPECT_EQ(resolve_weights(folder), folder);
}

// As save_pretrained(FOLDER, max_shard_size=...) writes them.
TEST_F(FindWeights, FilesThatAreOneTogetherAreTheirIndex) {
  const std::string folder = temp_.path() / "hf";
  temp_.write("hf/config.json", "{}");
  const fs::path first = temp_.write("hf/model-00001-of-00002.safetensors");
  temp_.write("hf/model-00002-of-00002.safetensors");
  const auto several = [&] {
    return refusal(ExitCode::kUsage, [&] { resolve_weights(folder); });
  };
  expect_message(several(), {"2"});
  for (const char* name :
       {"hf/model.safetensors.index.json",
        "hf/model.safetensors.index.fp16.json"}) {
    const fs::path index = temp_.write(
        name,
        R"({"weight_map": {"a": "model-00001-of-00002.safetensors",
                            "b": "model-00002-of-00002.safetensors"}})");
    for (const std::string& path : {folder, folder + "/", index.native()}) {
      EXPECT_EQ(resolve_weights(path), index) << path;
    }
    temp_.write("hf/model.safetensors"); // which of them?
    EXPECT_THAT(
        several(),
        AllOf(
            HasSubstr("has 2 files of weights: say which"),
            HasSubstr("hf/model.safetensors or "),
            HasSubstr(index.native())));
    EXPECT_EQ(resolve_weights(index), index);
    fs::remove(temp_ / "hf/model.safetensors");
    temp_.write("hf/latest", "step-000000008\n"); // may be a run's
    EXPECT_EQ(resolve_weights(folder), folder);
    fs::remove(temp_ / "hf/latest");
    temp_.write(name, "{}");
    EXPECT_THAT(
        refusal(ExitCode::kWeights, [&] { resolve_weights(folder); }),
        AllOf(
            HasSubstr(index.native()),
            HasSubstr("is JSON without 'weight_map'")));
    fs::remove(index);
  }
  // An index of other files than weights is ignored.
  fs::remove(first);
  temp_.write("hf/page.index.json", "{}");
  EXPECT_EQ(
      resolve_weights(folder), folder + "/model-00002-of-00002.safetensors");
}

// It names itself, and another one.
TEST_F(FindWeights, AnIndexIsNoPartOfAnother) {
  temp_.write(
      "hf/a.bin.index.json",
      R"({"weight_map": {"a": "a.bin.index.json", "b": "b.bin.index.json"}})");
  const std::string folder = temp_.path() / "hf";
  EXPECT_EQ(resolve_weights(folder), folder + "/a.bin.index.json");
  temp_.write("hf/b.bin.index.json", R"({"weight_map": {"a": "c"}})");
  expect_message(
      refusal(ExitCode::kUsage, [&] { resolve_weights(folder); }), {"2"});
}

TEST_F(FindWeights, ThePartOfACheckpoint) {
  write_run({8});
  const fs::path step = run_ / "checkpoints/step-000000008";
  const auto part = [&](const std::string& name) {
    return weights_in(step, name, "-part");
  };
  // A manifest that lists nothing.
  expect_message(
      refusal(ExitCode::kWeights, [&] { part(""); }), {"model.safetensors"});
  expect_message(
      refusal(ExitCode::kWeights, [&] { part("ema"); }), {"ema.safetensors"});
  expect_message(
      refusal(ExitCode::kUsage, [&] { part("state_dict"); }),
      {"-part", "'state_dict'"});
  temp_.write("run/checkpoints/step-000000008/manifest.json", "{}");
  refusal(ExitCode::kWeights, [&] { part(""); });
}

// An environment variable while the object lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value)
      : name_(name), before_(environment_variable(name)) {
    ::setenv(name, value.c_str(), /*overwrite=*/1);
  }
  ~Variable() { ::setenv(name_, before_.c_str(), /*overwrite=*/1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_; // "" means the same as none
};

class HubCache : public FindWeights {
 protected:
  // A repository of timm's in the cache, with the revision `main` or without.
  fs::path add(const std::string& name, const std::string& revision) {
    return temp_.write(
        "hub/models--timm--" + name + "/snapshots/" + revision +
        "/model.safetensors");
  }
  void set_main(const std::string& name, const std::string& revision) {
    temp_.write("hub/models--timm--" + name + "/refs/main", revision);
  }

  const Variable hub_{"HF_HUB_CACHE", temp_.path() / "hub"};
  const Variable torch_{"TORCH_HOME", temp_.path() / "torch"};
  const Variable own_{"VITRAIN_WEIGHTS", ""};
};

TEST_F(HubCache, TheNameItselfComesBeforeThoseWithATag) {
  const fs::path plain = add("vit_tiny", "1");
  set_main("vit_tiny", "1");
  const fs::path tagged = add("vit_tiny.augreg", "2");
  set_main("vit_tiny.augreg", "2");
  EXPECT_EQ(resolve_weights("timm:vit_tiny"), plain);
  EXPECT_EQ(resolve_weights("timm:vit_tiny.augreg"), tagged);
  fs::remove_all(temp_.path() / "hub/models--timm--vit_tiny");
  EXPECT_EQ(resolve_weights("timm:vit_tiny"), tagged);
  add("vit_tiny.other", "3");
  set_main("vit_tiny.other", "3");
  expect_message(
      refusal(ExitCode::kUsage, [] { resolve_weights("timm:vit_tiny"); }),
      {"vit_tiny.augreg", "vit_tiny.other"});
}

TEST_F(HubCache, TheOnlySnapshotNeedsNoMain) {
  const fs::path only = add("vit_tiny", "1");
  EXPECT_EQ(resolve_weights("timm:vit_tiny"), only);
  add("vit_tiny", "2");
  EXPECT_EQ(resolve_weights("timm:vit_tiny"), "timm:vit_tiny");
  set_main("vit_tiny", "1\n");
  EXPECT_EQ(resolve_weights("timm:vit_tiny"), only);
}

TEST_F(HubCache, ARepositorysWholeNameMayStandBehindTimm) {
  const fs::path path = add("vit_tiny.augreg", "1");
  EXPECT_EQ(resolve_weights("timm:timm/vit_tiny.augreg"), path);
  expect_message(
      refusal(
          ExitCode::kWeights, [] { check_exists("timm:timm/vit_tiny.none"); }),
      {"timm/vit_tiny.none"});
}

TEST_F(HubCache, TheSameWeightsUnderTheNamesOfOtherPrograms) {
  const fs::path path = add("resnet50.a1_in1k", "1");
  for (const char* name :
       {"resnet50.a1_in1k",
        "resnet50",
        "timm/resnet50.a1_in1k",
        "hf-hub:timm/resnet50.a1_in1k",
        "hf_hub:timm/resnet50.a1_in1k@main",
        "https://huggingface.co/timm/resnet50.a1_in1k/tree/main"}) {
    EXPECT_EQ(resolve_weights(name), path) << name;
  }
  // Another tag, branch and network.
  for (const char* name :
       {"resnet50.a2_in1k", "timm/resnet50.a1_in1k@other", "resnet34"}) {
    EXPECT_EQ(resolve_weights(name), name);
  }
  // Another branch.
  const fs::path other = temp_.write(
      "hub/models--timm--resnet50.a1_in1k/snapshots/2/model.safetensors");
  temp_.write("hub/models--timm--resnet50.a1_in1k/refs/other", "2");
  set_main("resnet50.a1_in1k", "1");
  EXPECT_EQ(resolve_weights("hf_hub:timm/resnet50.a1_in1k@other"), other);
  EXPECT_EQ(resolve_weights("resnet50.a1_in1k"), path);
}

TEST_F(HubCache, ARepositoryOfTransformers) {
  const fs::path path =
      temp_.write("hub/models--google--vit-base-patch16-224/snapshots/1/"
                  "pytorch_model.bin");
  EXPECT_EQ(resolve_weights("google/vit-base-patch16-224"), path);
  EXPECT_EQ(resolve_weights("hf-hub:google/vit-base-patch16-224"), path);
  EXPECT_EQ(
      resolve_weights("google/vit-large-patch16-224"),
      "google/vit-large-patch16-224");
}

TEST_F(HubCache, TimmsDefaultWeightsComeFirst) {
  add("resnet50.a2_in1k", "1");
  add("resnet50.a3_in1k", "1");
  expect_message(
      refusal(ExitCode::kUsage, [] { resolve_weights("timm:resnet50"); }),
      {"resnet50.a2_in1k", "resnet50.a3_in1k"});
  const fs::path first = add("resnet50.a1_in1k", "1");
  EXPECT_EQ(resolve_weights("timm:resnet50"), first);
}

// The names of files are those of torchvision 0.26 and timm 1.0.31.
TEST_F(HubCache, TheCacheOfTorchHub) {
  const Variable torch("TORCH_HOME", temp_.path() / "torch");
  const fs::path path =
      temp_.write("torch/hub/checkpoints/vit_b_16-c867db91.pth");
  for (const char* name :
       {"ViT_B_16_Weights.IMAGENET1K_V1",
        "ViT_B_16_Weights.DEFAULT",
        "torchvision.models.ViT_B_16_Weights.DEFAULT",
        "vit_b_16"}) {
    EXPECT_EQ(resolve_weights(name), path) << name;
  }
  const fs::path timms =
      temp_.write("torch/hub/checkpoints/resnet50_a1_0-14fe96d1.pth");
  EXPECT_EQ(resolve_weights("timm:resnet50.a1_in1k"), timms);
}

TEST_F(HubCache, TheUsersOwnFolderComesFirst) {
  add("resnet50.a1_in1k", "1");
  const Variable own("VITRAIN_WEIGHTS", temp_.path() / "own");
  for (const char* file :
       {"own/resnet50_a1_0-14fe96d1.pth",
        "own/resnet50.a1_in1k/model.safetensors",
        "own/resnet50.a1_in1k.safetensors",
        "own/timm/resnet50.a1_in1k/model.safetensors"}) {
    const fs::path path = temp_.write(file);
    EXPECT_EQ(resolve_weights("timm:resnet50.a1_in1k"), path);
  }
  EXPECT_THAT(
      refusal(
          ExitCode::kWeights, [] { check_exists("timm:resnet18.a1_in1k"); }),
      AllOf(
          HasSubstr((temp_.path() / "own").native()),
          HasSubstr((temp_.path() / "hub").native()),
          HasSubstr("hub/checkpoints"),
          EndsWith("vitrain weights fetch timm:resnet18.a1_in1k")));
}

TEST_F(HubCache, AVariableMayBeginWithTheHomeFolder) {
  const fs::path path = add("vit_tiny", "1");
  const Variable home("HOME", temp_.path());
  const Variable hub("HF_HUB_CACHE", "~/hub");
  EXPECT_EQ(resolve_weights("timm:vit_tiny"), path);
}

TEST_F(HubCache, ItsOlderVariableIsLookedAtBehindTheNewOne) {
  const fs::path path = add("vit_tiny", "1");
  const Variable older("HUGGINGFACE_HUB_CACHE", temp_.path() / "none");
  EXPECT_EQ(resolve_weights("timm:vit_tiny"), path);
  const Variable unset("HF_HUB_CACHE", "");
  EXPECT_EQ(resolve_weights("timm:vit_tiny"), "timm:vit_tiny");
  const Variable there("HUGGINGFACE_HUB_CACHE", temp_.path() / "hub");
  EXPECT_EQ(resolve_weights("timm:vit_tiny"), path);
}

TEST(CheckExists, SaysHowAnAddressIsFetched) {
  const auto said = [](const std::string& name) {
    return refusal(ExitCode::kWeights, [&] { check_exists(name); });
  };
  expect_message(
      said("https://download.pytorch.org/models/resnet18-f37072fd.pth"),
      {"resnet18-f37072fd.pth"});
  for (const char* name :
       {"https://huggingface.co/timm/resnet18.a1_in1k/resolve/main/"
        "model.safetensors",
        "hf-hub:timm/resnet18.a1_in1k",
        "hf_hub:google/vit-base-patch16-224"}) {
    EXPECT_THAT(
        said(name), EndsWith(std::string("vitrain weights fetch ") + name));
  }
}

TEST(CheckExists, NamesParametersForInferenceBesideTheName) {
  const TempFolder folder;
  folder.write("inference.pdiparams");
  expect_message(
      refusal(
          ExitCode::kWeights,
          [&] { check_exists((folder / "inference").native()); }),
      {"inference.pdiparams"});
}

} // namespace
} // namespace vitrain::job
