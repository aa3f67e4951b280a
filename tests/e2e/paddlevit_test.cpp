// PaddleViT's own files, lists and command lines on the real binary.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "program.h"

namespace vitrain::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string kSource = VITRAIN_SOURCE_DIR;
const std::string kConfig =
    "-cfg=" + kSource + "/configs/paddlevit/vit_base_patch16_224.yaml";

// The content of /dataset/imagenet: train_list.txt, val_list.txt and images.
class PaddleViT : public testing::Test {
 protected:
  PaddleViT() {
    const fs::path data = folder_ / "imagenet";
    fs::create_directories(data / "train/n 1");
    fs::create_directories(data / "val");
    const fs::path images = kSource + "/tests/golden/image/files";
    std::ofstream train(data / "train_list.txt");
    std::ofstream val(data / "val_list.txt");
    for (int i = 0; i < 8; ++i) {
      const std::string name = std::to_string(i) + ".JPEG";
      fs::copy(images / "grey.jpg", data / "train/n 1" / name);
      train << "train/n 1/" << name << " " << i % 3 << "\n";
      if (i < 5) {
        fs::copy(images / "grey.jpg", data / "val" / name);
        val << "val/" << name << " " << i % 3 << "\n";
      }
    }
  }

  std::string data() const { return (folder_ / "imagenet").native(); }
  fs::path output() const { return folder_ / "output"; }

  TempFolder folder_;
};

// One block of ViT-B instead of twelve, and one epoch of two steps.
TEST_F(PaddleViT, TrainsAndEvaluatesFromItsCommandLines) {
  const std::vector<std::string> smaller = {
      "-image_size=32",
      "-output=" + output().native(),
      "-set",
      "MODEL.DEPTH=1"};
  std::vector<std::string> training = {
      kConfig,
      "-dataset=imagenet2012",
      "-batch_size=2",
      "-data_path=" + data(),
      "-devices=cpu:2",
      "-set",
      "TRAIN.NUM_EPOCHS=1",
      "-set",
      "TRAIN.WARMUP_EPOCHS=0",
      "-set",
      "REPORT_FREQ=1"};
  training.insert(training.end(), smaller.begin(), smaller.end());
  const Result trained = run(training, 200);
  ASSERT_EQ(trained.exit_code, 0) << trained.out << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("read as PaddleViT's"));
  EXPECT_THAT(trained.err, HasSubstr("MODEL.NAME: has no effect: a label"));
  const fs::path run_folder = newest_run(output());
  const auto steps = records(run_folder, "train");
  ASSERT_EQ(steps.size(), 2u);
  for (const Json& step : steps) {
    EXPECT_EQ(step.at("count"), 4);
    EXPECT_EQ(step.at("lr"), 3e-3);
    EXPECT_TRUE(std::isfinite(step.at("loss").get<double>()));
  }
  const auto evaluated = records(run_folder, "eval");
  ASSERT_EQ(evaluated.size(), 1u);
  EXPECT_EQ(evaluated[0].at("count"), 5);

  std::vector<std::string> evaluation = {
      kConfig,
      "-dataset",
      "imagenet2012",
      "-batch_size",
      "16",
      "-data_path",
      data(),
      "-eval",
      "-pretrained",
      (run_folder / "checkpoints/step-000000002/model.safetensors").native(),
      "-amp",
      "-devices=cpu:2"};
  evaluation.insert(evaluation.end(), smaller.begin(), smaller.end());
  const Result again = run(evaluation, 100);
  ASSERT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_THAT(again.err, HasSubstr("-amp: has no effect with eval"));
  const auto numbers = records(newest_run(output()), "eval");
  ASSERT_EQ(numbers.size(), 1u);
  EXPECT_EQ(numbers[0].at("count"), 5);
  EXPECT_EQ(numbers[0].at("correct1"), evaluated[0].at("correct1"));
  EXPECT_NEAR(
      numbers[0].at("loss").get<double>(),
      evaluated[0].at("loss").get<double>(),
      1e-4); // batches of another shape: the last bits differ
}

TEST_F(PaddleViT, MistakesEndBeforeAnythingStarts) {
  const std::vector<std::string> common = {
      kConfig, "-output=" + output().native(), "-devices=cpu:1"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), common.begin(), common.end());
    return run(more, 20);
  };
  const Result pickle =
      with({"-data_path=" + data(), "-eval", "-pretrained=./vit.pdparams"});
  EXPECT_EQ(pickle.exit_code, 4);
  EXPECT_THAT(pickle.err, HasSubstr("./vit.pdparams: no such file or folder"));
  const Result nowhere = with({"-data_path=/no/such/folder"});
  EXPECT_EQ(nowhere.exit_code, 3);
  EXPECT_THAT(nowhere.err, HasSubstr("/no/such/folder/train_list.txt"));
  const Result cswin = with({"-set", "MODEL.TYPE=cswin"});
  EXPECT_EQ(cswin.exit_code, 2);
  EXPECT_THAT(cswin.err, HasSubstr("-set #1: MODEL.TYPE: CSwin is not avail"));
  // PaddleViT has 1000 classes by default; a label beyond them gets a message.
  std::ofstream(folder_ / "imagenet/train_list.txt", std::ios::app)
      << "train/n 1/0.JPEG 1000\n";
  const Result label = with({"-data_path=" + data()});
  EXPECT_EQ(label.exit_code, 3);
  EXPECT_THAT(
      label.err,
      HasSubstr("train_list.txt:9: label 1000 is not one of the 1,000 classes, "
                "0 to 999"));
  EXPECT_FALSE(fs::exists(output()));
}

// By default the last epoch still learns.
TEST_F(PaddleViT, TheLastEpochIsAtEndLrWhenAskedFor) {
  const auto rates = [&](const std::string& exact) {
    const std::vector<std::string> options = {
        kConfig,
        "-dataset=random",
        "-batch_size=2",
        "-image_size=16",
        "-output=" + (folder_ / exact).native(),
        "-devices=cpu:1",
        "-set",
        "MODEL.DEPTH=1",
        "-set",
        "MODEL.EMBED_DIM=24",
        "-set",
        "TRAIN.NUM_EPOCHS=2",
        "-set",
        "TRAIN.WARMUP_EPOCHS=1",
        "-set",
        "REPORT_FREQ=1",
        "-set",
        "data.train.count=2",
        "-set",
        "data.eval.count=2",
        "-set",
        "schedule.paddle_exact_schedule=" + exact};
    const Result result = run(options, 60);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::vector<double> values;
    for (const Json& step : records(newest_run(folder_ / exact), "train")) {
      values.push_back(step.at("lr"));
    }
    return values;
  };
  EXPECT_THAT(rates("false"), testing::ElementsAre(1e-6, 3e-3));
  EXPECT_THAT(rates("true"), testing::ElementsAre(3e-3, 0.0));
}

TEST_F(PaddleViT, TheRecipeThatIsShownIsTheSame) {
  const Result check = run({"config", "check", kConfig}, 20);
  ASSERT_EQ(check.exit_code, 0) << check.err;
  EXPECT_THAT(check.err, HasSubstr("MODEL.NAME: has no effect"));
  const Result shown =
      run({"config", "show", kConfig, "-data_path=" + data()}, 20);
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  const fs::path file = folder_ / "own.yaml";
  std::ofstream(file) << shown.out;
  const Result again = run({"config", "show", "-cfg=" + file.native()}, 20);
  EXPECT_EQ(again.out, shown.out);
}

// The commands of a section of the guide, one string each.
std::vector<std::string> guide_commands(const std::string& title) {
  std::ifstream guide(kSource + "/docs/guide/other-programs.md");
  std::vector<std::string> commands;
  bool inside = false;
  bool open = false; // the last line continues
  for (std::string line; std::getline(guide, line);) {
    if (line.starts_with("## ")) {
      inside = line == "## " + title;
    }
    if (inside && (open || line.starts_with("vitrain "))) {
      const bool more = line.ends_with("\\");
      const std::string text = line.substr(0, line.size() - (more ? 1 : 0));
      const std::string plain = text.substr(0, text.find(" #"));
      open ? void(commands.back() += plain) : commands.push_back(plain);
      open = more;
    }
  }
  return commands;
}

TEST_F(PaddleViT, TheGuidesCommandsWork) {
  const auto commands = guide_commands("Coming from PaddleViT");
  ASSERT_GE(commands.size(), 4u);
  for (const std::string& command : commands) {
    std::istringstream words(command);
    std::vector<std::string> arguments;
    bool runs = true;
    for (std::string word; words >> word;) {
      if (word == "vitrain") {
        continue;
      }
      for (const auto& [name, here] :
           {std::pair<std::string, std::string>("/dataset/imagenet", data()),
            {"configs/", kSource + "/configs/"},
            {"./configs/", kSource + "/configs/"}}) {
        const std::size_t at = word.find(name);
        if (at != std::string::npos &&
            (name != "configs/" || at == 0 || word[at - 1] == '=')) {
          word.replace(at, name.size(), here);
          break;
        }
      }
      runs = runs && word != "config" && word != "data";
      arguments.push_back(word);
    }
    if (runs) {
      // A dry run opens the weights, and the guide's do not exist here.
      const bool loads = command.find("-pretrained") != std::string::npos;
      arguments.insert(
          arguments.end(),
          {"-batch_size=2",
           "-devices=cpu:1",
           loads ? "-print_config" : "-dry_run",
           "-set", // -amp is bf16, which not every processor has
           "train.precision=fp32"});
      std::erase_if(arguments, [](const std::string& word) {
        return word.starts_with("-batch_size=") && word != "-batch_size=2";
      });
    }
    const Result result = run(arguments, 20);
    EXPECT_EQ(result.exit_code, 0) << command << "\n" << result.err;
  }
}

// Masks depend on the micro-batch, not on its worker. Another order of sums
// diverges slowly: 1e-4 as in Train.TwoWorkersEqualOne.
TEST(Dropout, DoesNotDependOnTheNumberOfWorkers) {
  const TempFolder folder;
  const Options plain{
      .devices = "cpu:2", .set = {"run.max_steps=12", "data.batch_size=8"}};
  const Options drops =
      plain.with({.set = {"model.dropout=0.2", "model.attention_dropout=0.2"}});
  const auto a = losses(train(
      folder / "one",
      drops.with({.devices = "cpu:1", .more = {"-accum_iter=2"}})));
  const auto b = losses(train(folder / "two", drops));
  const auto none = losses(train(folder / "none", plain));
  ASSERT_EQ(a.size(), 12u);
  ASSERT_EQ(b.size(), 12u);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], 1e-4 * a[i]) << "step " << i + 1;
    EXPECT_GT(std::abs(a[i] - none.at(i)), 1e-4 * a[i]) << "step " << i + 1;
  }
}

} // namespace
} // namespace vitrain::e2e
