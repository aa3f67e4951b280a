// Evaluated, initial and saved weights are complete, the requested ones, and
// finite.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Divides the tensors of a .safetensors file among three in `folder`, as
// transformers' save_pretrained() writes them. Returns their index.
std::filesystem::path divide(
    const std::filesystem::path& file,
    const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const std::map<std::string, StoredTensor> tensors = read_tensors(file);
  Json index{{"metadata", {{"total_size", 1}}}};
  for (std::size_t i = 1; i <= 3; ++i) {
    const std::string name =
        "model-0000" + std::to_string(i) + "-of-00003.safetensors";
    Json header{{"__metadata__", {{"format", "pt"}}}};
    std::string data;
    std::size_t number = 0;
    for (const auto& [tensor, stored] : tensors) {
      if (number++ % 3 == i - 1) {
        header[tensor] = {
            {"dtype", stored.dtype},
            {"shape", stored.shape},
            {"data_offsets", {data.size(), data.size() + stored.bytes.size()}}};
        data += stored.bytes;
        index["weight_map"][tensor] = name;
      }
    }
    const std::string text = header.dump();
    const std::uint64_t size = text.size();
    std::string start(sizeof(size), '\0');
    std::memcpy(start.data(), &size, sizeof(size));
    write(folder / name, start + text + data);
  }
  const auto path = folder / "model.safetensors.index.json";
  write(path, index.dump(/*indent=*/2));
  write(folder / "config.json", "{}");
  return path;
}

class Weights : public testing::Test {
 protected:
  // A run of one epoch; the network has this many outputs.
  void train(int outputs) {
    run_ = e2e::train(
        folder_ / "runs",
        {.devices = "cpu:1",
         .set = {
             "run.epochs=1", "model.num_classes=" + std::to_string(outputs)}});
    file_ = checkpoint(run_, 40) / "model.safetensors";
    write(folder_ / "bare.safetensors", bare_safetensors(slurp(file_)));
  }

  // On one worker.
  Result start(const Options& options) const {
    return run(tiny_run(folder_ / "again", options.with({.devices = "cpu:1"})));
  }
  Result evaluate(
      const std::filesystem::path& weights,
      const Options& options = {}) const {
    return start(options.with({.evaluate = weights}));
  }

  TempFolder folder_;
  std::filesystem::path run_;
  std::filesystem::path file_;
};

TEST_F(Weights, AnEvaluatedClassifierIsTheLoadedOne) {
  train(12);
  const std::string other =
      "'head.weight' is [12, 32], the model's is [10, 32]";
  const auto bare_file = folder_ / "bare.safetensors";
  for (const auto& more : std::vector<Options>{
           {}, {.more = {"-dry_run"}}, {.set = {"model.head_init=load"}}}) {
    const Result result = evaluate(bare_file, more);
    EXPECT_EQ(result.exit_code, 4) << result.out << result.err;
    EXPECT_THAT(
        result.err, AllOf(HasSubstr(other), HasSubstr("model.num_classes")));
  }
  const Result asked = evaluate(run_, {.set = {"model.num_classes=14"}});
  EXPECT_EQ(asked.exit_code, 4) << asked.out << asked.err;
  EXPECT_THAT(asked.err, HasSubstr("the model's is [14, 32]"));
  const Result same = evaluate(bare_file, {.set = {"model.num_classes=12"}});
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_THAT(same.out, Not(HasSubstr("freshly initialised")));

  const Result fresh = evaluate(bare_file, {.set = {"model.head_init=fresh"}});
  EXPECT_EQ(fresh.exit_code, 2) << fresh.out << fresh.err;
  EXPECT_THAT(fresh.err, HasSubstr("model.head_init: fresh"));
  // Training may have another classifier.
  const Result tuned =
      start({.set = {"run.max_steps=20"}, .more = {"-pretrained", bare_file}});
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr("freshly initialised: head.bias"));
}

TEST_F(Weights, AFileIsVerifiedByTheManifestBesideIt) {
  train(10);
  EXPECT_EQ(evaluate(file_).exit_code, 0);
  std::string bytes = slurp(file_);
  for (std::size_t i = 0; i < 4; ++i) {
    bytes[bytes.size() - 100 + i] ^= 1;
  }
  write(file_, bytes);
  const auto link = folder_ / "link.safetensors";
  std::filesystem::create_symlink(file_, link);
  const auto index = file_.parent_path() / "model.safetensors.index.json";
  write(index, R"({"weight_map": {"head.bias": "model.safetensors"}})");
  for (const auto& path : {file_, link, index}) {
    for (const auto& more : std::vector<Options>{{}, {.more = {"-dry_run"}}}) {
      const Result result = evaluate(path, more);
      EXPECT_EQ(result.exit_code, 4) << path << result.out << result.err;
      EXPECT_THAT(
          result.err,
          HasSubstr("its hash does not agree with its manifest: damaged"));
    }
  }
  const Result tuned = start({.more = {"-pretrained", file_}});
  EXPECT_EQ(tuned.exit_code, 4) << tuned.out << tuned.err;
  // A copy elsewhere has no manifest.
  write(folder_ / "copy.safetensors", bytes);
  EXPECT_EQ(evaluate(folder_ / "copy.safetensors").exit_code, 0);
}

TEST_F(Weights, OfSeveralFilesAreThoseOfOne) {
  train(10);
  const auto whole = folder_ / "bare.safetensors";
  const auto folder = folder_ / "hf";
  const auto index = divide(whole, folder);
  EXPECT_EQ(evaluate(whole).exit_code, 0);
  const Json numbers = numbers_of(folder_ / "again");
  for (const auto& path : {folder, index}) {
    const Result result = evaluate(path);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(
        result.out,
        HasSubstr("loaded 32 tensors of " + index.native() + " (safetensors)"));
    EXPECT_EQ(numbers_of(folder_ / "again"), numbers) << path;
    const Result dry =
        start({.more = {"-dry_run", "-pretrained", path.native()}});
    EXPECT_EQ(dry.exit_code, 0) << dry.err;
    EXPECT_THAT(
        dry.out, HasSubstr("would load 32 tensors of " + index.native()));
    EXPECT_THAT(
        run({"weights", "show", path}).out,
        HasSubstr(index.native() + ": safetensors, 32 tensors with "));
    const auto out = folder_ / "out.safetensors";
    for (const Words& words : std::vector<Words>{
             {"weights", "convert", path, out},
             {"weights", "average", path, whole, "-out", out}}) {
      EXPECT_EQ(run(words).exit_code, 0) << words[1];
      for (const auto& same : {path, out}) {
        const Result diff = run({"weights", "diff", whole, same});
        EXPECT_EQ(diff.exit_code, 0) << diff.out << diff.err;
        EXPECT_THAT(diff.out, HasSubstr("32 tensors the same"));
      }
      std::filesystem::remove(out);
    }
  }
  const auto second = folder / "model-00002-of-00003.safetensors";
  std::filesystem::remove(second);
  for (const auto& path : {folder, index}) {
    for (const Result& result :
         {evaluate(path),
          start({.more = {"-pretrained", path}}),
          run({"weights", "show", path})}) {
      EXPECT_EQ(result.exit_code, 4) << result.out << result.err;
      EXPECT_THAT(
          result.err,
          HasSubstr(
              index.native() +
              ": lists files that are not beside it, 1 of 3: 'model-00002"));
    }
  }
}

// Equal numbers of patches in rows of 4 and of 2 are different grids.
TEST_F(Weights, OfImagesThatAreNotSquareFitOthers) {
  const auto wide = e2e::train(
      folder_ / "wide",
      {.devices = "cpu:1",
       .set = {
           "run.max_steps=2",
           "schedule.warmup=0st",
           "model.patch_size=4",
           "model.image_size=[8, 16]"}});
  const std::map<std::string, std::string> grids{
      {"[16, 8]", "2x4 -> 4x2"}, {"16", "2x4 -> 4x4"}};
  for (const auto& [size, text] : grids) {
    const Result result = start(
        {.set = {"model.patch_size=4"},
         .more = {
             "-dry_run", "-image_size", size, "-pretrained", wide.native()}});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("pos_embed: " + text)) << size;
  }
}

TEST_F(Weights, ADryRunOpensAndMatchesThem) {
  train(10);
  const auto dry = [&](const Options& options) {
    return start(options.with({.more = {"-dry_run"}}));
  };
  const auto bare_file = (folder_ / "bare.safetensors").native();
  const Result good = dry({.more = {"-pretrained", bare_file}});
  EXPECT_EQ(good.exit_code, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("would load 32 tensors of " + bare_file));
  EXPECT_EQ(dry({.more = {"-pretrained", run_}}).exit_code, 0);
  EXPECT_EQ(dry({.resume = run_}).exit_code, 0);

  const Result missing = dry({.more = {"-pretrained", "/no/such.safetensors"}});
  EXPECT_EQ(missing.exit_code, 4);
  EXPECT_THAT(missing.err, HasSubstr("/no/such.safetensors: no such file"));
  const Result wide =
      dry({.set = {"model.embed_dim=48"}, .more = {"-pretrained", bare_file}});
  EXPECT_EQ(wide.exit_code, 4);
  const Result in_a_run = start(
      {.set = {"model.embed_dim=48"}, .more = {"-pretrained", bare_file}});
  EXPECT_EQ(in_a_run.exit_code, 4);
  const std::string reason =
      "'blocks.0.attn.proj.bias' is [32], the model's is [48]";
  EXPECT_THAT(wide.err, HasSubstr(reason));
  EXPECT_THAT(in_a_run.err, HasSubstr(reason));

  write(bare_file, slurp(bare_file).substr(0, 5000));
  EXPECT_EQ(dry({.more = {"-pretrained", bare_file}}).exit_code, 4);
  write(file_, "");
  EXPECT_EQ(dry({.resume = file_.parent_path()}).exit_code, 4);
}

// The raw ones were taken, -part failed, and damage was not seen.
TEST_F(Weights, OfACheckpointAreTheAverageOrThePartThatIsChosen) {
  const auto average = e2e::train(
      folder_ / "runs",
      {.devices = "cpu:1",
       .set = {
           "run.max_steps=4", "schedule.warmup=0st", "train.ema.decay=0.5"}});
  const auto step = checkpoint(average, 4);
  const auto show = [&](const Words& more) {
    Words words{"weights", "show", average.native()};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  EXPECT_THAT(
      show({}).out, HasSubstr((step / "ema.safetensors").native() + ":"));
  EXPECT_THAT(
      show({"-part", "ema"}).out,
      HasSubstr((step / "ema.safetensors").native() + ":"));
  EXPECT_THAT(
      show({"-part", "model"}).out,
      HasSubstr((step / "model.safetensors").native() + ":"));
  const Result other = show({"-part", "state_dict"});
  EXPECT_EQ(other.exit_code, 2) << other.out;
  EXPECT_THAT(other.err, HasSubstr("-part: 'state_dict': a checkpoint"));
  const auto converted = folder_ / "converted.safetensors";
  EXPECT_EQ(run({"weights", "convert", average, converted}).exit_code, 0);
  EXPECT_EQ(
      run({"weights", "diff", converted, step / "ema.safetensors"}).exit_code,
      0);

  std::string bytes = slurp(step / "ema.safetensors");
  bytes[bytes.size() - 100] ^= 1;
  write(step / "ema.safetensors", bytes);
  const auto unused = folder_ / "unused.safetensors";
  for (const Words& words : std::vector<Words>{
           {"weights", "show", average},
           {"weights", "show", step},
           {"weights", "show", step / "ema.safetensors"},
           {"weights", "convert", average, unused},
           {"weights", "average", converted, step, "-out", unused},
           {"weights", "diff", step, converted}}) {
    const Result damaged = run(words);
    EXPECT_EQ(damaged.exit_code, 4) << words[1] << damaged.out << damaged.err;
    EXPECT_THAT(damaged.err, HasSubstr("damaged"));
  }
}

// The newest checkpoint was evaluated in its place, without a word.
TEST_F(Weights, ADamagedBestCheckpointIsNotReplaced) {
  train(10);
  std::filesystem::copy(
      file_.parent_path(),
      run_ / "checkpoints/step-000000041",
      std::filesystem::copy_options::recursive);
  write(file_, slurp(file_).substr(0, 5000));
  std::filesystem::remove(run_ / "checkpoints/best");
  write(run_ / "checkpoints/best", "step-000000040\n"); // of an older version
  const auto out = (folder_ / "x.safetensors").native();
  for (const Result& result :
       {evaluate(run_),
        start({.more = {"-pretrained", run_}}),
        run(
            {"export",
             "-pretrained",
             run_,
             "-format",
             "safetensors",
             "-output",
             out})}) {
    EXPECT_EQ(result.exit_code, 4) << result.out << result.err;
    EXPECT_THAT(result.err, HasSubstr("its best checkpoint cannot be used: "));
  }
}

// Every fp32 number of a .safetensors file.
bool all_finite(const std::filesystem::path& file) {
  for (const auto& [name, tensor] : read_tensors(file)) {
    if (tensor.dtype == "F32" &&
        !std::ranges::all_of(tensor.floats(), [](float value) {
          return std::isfinite(value);
        })) {
      return false;
    }
  }
  return true;
}

// Issue 14, item 5: the first update of AdamW with such a rate is infinite. The
// warm-up makes a good one before it.
TEST_F(Weights, ThatAreNotFiniteAreNeverSaved) {
  for (const std::string mode :
       {"allreduce", "delayed_allreduce", "local_sgd", "async_ps", "hogwild"}) {
    const auto output = folder_ / mode;
    const Result result = run(tiny_run(
        output,
        {.devices = "cpu:2",
         .set = {
             "optim.lr=1e38",
             "checkpoint.every=1st",
             "eval.every=1st",
             "schedule.warmup=1st",
             "dist.sync.mode=" + mode}}));
    EXPECT_EQ(result.exit_code, 5) << mode << result.out << result.err;
    EXPECT_THAT(
        result.err,
        AllOf(
            // Workers of hogwild see other workers' updates in their gradients.
            AnyOf(
                HasSubstr("the weights are not finite after step 2"),
                HasSubstr("the gradient norm is")),
            // Ranks of hogwild do not wait for each other.
            AnyOf(
                HasSubstr("the last checkpoint is of step 1. "),
                HasSubstr("that of step 1 is being written"))))
        << mode;
    int found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(
             newest_run(output) / "checkpoints")) {
      if (entry.is_directory()) {
        ++found;
        EXPECT_TRUE(all_finite(entry.path() / "model.safetensors"))
            << entry.path();
      }
    }
    EXPECT_GE(found, 1) << mode;
  }
}

// Issue 14, item 15.
TEST_F(Weights, AnOverflowOfFp16IsNotDivergence) {
  // The gradient of a linear layer is as large as its inputs.
  const auto config = folder_ / "linear.yaml";
  write(config, R"(
run: {max_steps: 3}
model: {name: linear, image_size: 16}
data:
  train: {kind: shapes, count: 64, size: 16, seed: 0}
  eval: {kind: shapes, count: 32, size: 16, seed: 1}
  batch_size: 16
  preprocess: {crop_pct: 1.0, std: [1.0e-7, 1.0e-7, 1.0e-7]}
optim: {name: sgd, lr: 1.0e-9}
schedule: {warmup: 0st, min_lr: 1.0e-9}
)");
  const auto with = [&](const std::string& compress) {
    return run(tiny_run(
        folder_ / "again",
        {.config = config,
         .devices = "cpu:2",
         .set = {"dist.compress=" + compress}}));
  };
  EXPECT_EQ(with("none").exit_code, 0);
  EXPECT_EQ(with("bf16").exit_code, 0);
  const Result result = with("fp16");
  EXPECT_EQ(result.exit_code, 5) << result.out << result.err;
  EXPECT_THAT(
      result.err,
      AllOf(
          HasSubstr("dist.compress: fp16, in which they and their sums travel"),
          HasSubstr("at step 1"),
          Not(HasSubstr("optim.lr"))));
}

} // namespace
} // namespace vitrain::e2e
