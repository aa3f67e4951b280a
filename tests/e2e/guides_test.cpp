// The jobs of other frameworks' guides (configs/paddle_*, pytorch_*,
// horovod_*): the numbers as printed there in a dry run, and a few steps of
// little data.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <regex>
#include <sstream>

#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::HasSubstr;

// A guide's config with options and `-set` settings.
std::vector<std::string> guide(
    const std::string& name,
    const std::vector<std::string>& options,
    const std::vector<std::string>& settings = {}) {
  std::vector<std::string> arguments{
      "-cfg", VITRAIN_SOURCE_DIR "/configs/" + name + ".yaml"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  for (const std::string& setting : settings) {
    arguments.insert(arguments.end(), {"-set", setting});
  }
  return arguments;
}

Json golden(const std::string& name) {
  std::ifstream file(VITRAIN_SOURCE_DIR "/tests/golden/guides/" + name);
  return Json::parse(file);
}

// Returns the output of a dry run, which must succeed.
std::string plan_of(const std::vector<std::string>& arguments) {
  auto dry = arguments;
  dry.push_back("-dry_run");
  const Result result = run(dry, 30);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

// Records of one kind of a run that must succeed.
std::vector<Json> run_records(
    const std::vector<std::string>& arguments,
    const std::string& kind = "train") {
  const TempFolder folder;
  auto whole = arguments;
  whole.insert(whole.end(), {"-output", (folder / "runs").native()});
  const Result result = run(whole, 120);
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  return result.exit_code == 0 ? records(newest_run(folder / "runs"), kind)
                               : std::vector<Json>();
}

TEST(GuideJobs, PaddlesResNetHasTheGuidesNumbers) {
  const std::string plan =
      plan_of(guide("paddle_resnet50", {"-devices", "cpu:2"}));
  EXPECT_THAT(plan, HasSubstr("3,200 images, 102 classes, random 224 px"));
  EXPECT_THAT(plan, HasSubstr("32 x 2 workers x 1 = 64"));
  EXPECT_THAT(plan, HasSubstr("50 steps x 10 epochs = 500 steps"));
  EXPECT_THAT(plan, HasSubstr("0.1 (not scaled), constant"));
  EXPECT_THAT(plan, HasSubstr("sgd, weight decay 0.0001"));
  EXPECT_THAT(
      plan_of(guide("paddle_resnet50_scaled", {"-devices", "cpu:4"})),
      HasSubstr("0.1 x 4 workers = 0.4"));
}

// DistributedBatchSampler(shuffle=False, drop_last=True): blocks of a batch for
// each card, in the dataset's order, the same in every epoch.
TEST(GuideJobs, PaddlesResNetTakesItsSamplesInTheGuidesOrder) {
  for (const char* epoch : {"0", "3"}) {
    const Result order =
        run({"data",
             "order",
             "-cfg",
             VITRAIN_SOURCE_DIR "/configs/paddle_resnet50.yaml",
             "-world",
             "2",
             "-epoch",
             epoch},
            30);
    ASSERT_EQ(order.exit_code, 0) << order.err;
    std::istringstream words(order.out);
    int count = 0;
    for (int sample = 0; words >> sample; ++count) {
      ASSERT_EQ(sample, count);
    }
    EXPECT_EQ(count, 3200);
  }
}

// The guide prints loss, acc1 and acc5 when `batch_id % 5 == 0`, in each epoch.
TEST(GuideJobs, PaddlesResNetTrainsAndReportsEveryFiveBatches) {
  const TempFolder folder;
  const Result result =
      run(guide(
              "paddle_resnet50",
              {"-devices",
               "cpu:2",
               "-batch_size",
               "2",
               "-output",
               (folder / "runs").native()},
              {"run.max_steps=19",
               "data.train.count=52",
               "model.image_size=32",
               "data.train.size=32",
               "data.eval.size=32",
               "data.eval.count=4"}),
          120);
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const auto trained = records(newest_run(folder / "runs"), "train");
  // 13 batches an epoch. An evaluation ends an interval too.
  std::vector<std::array<int, 3>> lines;
  for (const Json& record : trained) {
    EXPECT_EQ(record.at("lr"), 0.1);
    lines.push_back(
        {record.at("step"), record.at("batch"), record.at("count")});
  }
  EXPECT_EQ(
      lines,
      (std::vector<std::array<int, 3>>{
          {1, 0, 4},
          {6, 5, 20},
          {11, 10, 20},
          {13, 12, 8},
          {14, 0, 4},
          {19, 5, 20}}));
  for (const char* batch : {"batch 0/", "batch 5/", "batch 10/"}) {
    EXPECT_TRUE(std::regex_search(
        result.out,
        std::regex(
            std::string(batch) +
            "13  loss [0-9.e+]+  top1 [0-9.]+  top5 [0-9.]+")))
        << result.out;
  }
}

struct Place {
  std::string name;
  std::string devices;
  std::string mode; // dist.mode
};

void PrintTo(const Place& place, std::ostream* out) {
  *out << place.name;
}

// Losses of torch's DistributedDataParallel on two processes, and of its
// DataParallel, from the same weights and data:
// tests/golden/guides/make_fixtures.py.
class TorchsExample : public testing::TestWithParam<Place> {};

TEST_P(TorchsExample, HasTorchsLosses) {
  const std::string folder = VITRAIN_SOURCE_DIR "/tests/golden/guides/";
  const auto trained = run_records(guide(
      "pytorch_ddp_example",
      {"-devices",
       GetParam().devices,
       "-pretrained",
       folder + "linear.safetensors"},
      {"data.train.path=" + folder + "regression.npy",
       "dist.mode=" + GetParam().mode}));
  const Json results = golden("regression.json");
  for (const char* of : {"ddp", "dp"}) {
    const auto expected =
        results.at(of).at("losses").get<std::vector<double>>();
    ASSERT_EQ(trained.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // Sums of 100 fp32 squares in another order, over up to 10 steps.
      EXPECT_NEAR(trained[i].at("loss").get<double>(), expected[i], 2e-6)
          << of << " step " << i + 1;
    }
  }
  for (const Json& record : trained) {
    EXPECT_EQ(record.at("count"), 100);
  }
  EXPECT_FALSE(trained[0].contains("top1"));
}

INSTANTIATE_TEST_SUITE_P(
    Places,
    TorchsExample,
    testing::Values(
        Place{"OneProcess", "cpu:1", "processes"},
        Place{"TwoProcesses", "cpu:2", "processes"},
        Place{"FourProcesses", "cpu:4", "processes"},
        Place{"TwoReplicas", "cpu:2", "single_process"},
        Place{"FourReplicas", "cpu:4", "single_process"}),
    [](const auto& test) { return test.param.name; });

// As DataParallel's guide has it: 30 of 100 rows a step, on 4 devices 8, 8, 8
// and 6.
TEST(GuideJobs, TorchsDataParallelSharesUnequally) {
  const auto losses = [](const std::string& devices) {
    std::vector<double> taken;
    for (const Json& record : run_records(guide(
             "pytorch_ddp_example",
             {"-devices", devices, "-batch_size", "30"},
             {"data.batch_mode=global",
              "run.epochs=2",
              "checkpoint.every=2ep",
              "dist.mode=single_process"}))) {
      EXPECT_EQ(record.at("count"), taken.size() % 4 == 3 ? 10 : 30);
      taken.push_back(record.at("loss"));
    }
    return taken;
  };
  const auto one = losses("cpu:1");
  ASSERT_EQ(one.size(), 8u);
  for (const char* devices : {"cpu:4", "cpu:8"}) {
    const auto shared = losses(devices);
    ASSERT_EQ(shared.size(), one.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      // Sums of 30 fp32 squares in another order.
      EXPECT_NEAR(shared[i], one[i], 2e-6) << devices << " step " << i + 1;
    }
  }
}

TEST(GuideJobs, TorchsExampleSaysWhatItIs) {
  const std::string plan =
      plan_of(guide("pytorch_ddp_example", {"-devices", "cpu:2"}));
  EXPECT_THAT(plan, HasSubstr("100 rows of 10 features and 1 target, vectors"));
  EXPECT_THAT(
      plan, HasSubstr("linear, 11 parameters, 10 features to 1 output"));
  EXPECT_THAT(plan, HasSubstr("1 step x 10 epochs = 10 steps"));
  EXPECT_THAT(plan, HasSubstr("0.01 (not scaled), constant"));
}

// y = 2 a - b + 1, in a folder as -data_path finds it.
TEST(GuideJobs, TorchsExampleLearnsFromTheUsersOwnFile) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "data");
  for (const char* name : {"train.csv", "val.csv"}) {
    std::ofstream file(folder / "data" / name);
    file << "a,b,y\n";
    for (int i = 0; i < 200; ++i) {
      const double a = std::sin(1.7 * i);
      const double b = std::cos(2.9 * i);
      file << a << "," << b << "," << 2 * a - b + 1 << "\n";
    }
  }
  const auto evaluated = run_records(
      guide(
          "pytorch_ddp_example",
          {"-devices", "cpu:2", "-data_path", (folder / "data").native()},
          {"optim.lr=0.1", "run.epochs=70", "eval.every=35ep"}),
      "eval");
  // The mean square of y around its mean is 2.5; 70 steps of 0.1 leave none.
  ASSERT_EQ(evaluated.size(), 2u);
  EXPECT_LT(evaluated.back().at("loss").get<double>(), 0.01);
  EXPECT_EQ(evaluated.back().at("count"), 200);
}

// Every mode that `config reference` lists, so that a new one is tried too.
TEST(GuideJobs, TorchsExampleTrainsInEveryMode) {
  const Result reference = run({"config", "reference"}, 20);
  std::smatch found;
  ASSERT_TRUE(std::regex_search(
      reference.out, found, std::regex("\\| one of (allreduce[^|]*)\\|")))
      << "no dist.sync.mode in the reference";
  const std::string modes = found[1];
  int tried = 0;
  const std::regex word("[a-z_]+");
  for (auto mode = std::sregex_iterator(modes.begin(), modes.end(), word);
       mode != std::sregex_iterator();
       ++mode) {
    SCOPED_TRACE(mode->str());
    const auto evaluated = run_records(
        guide(
            "pytorch_ddp_example",
            {"-devices", "cpu:2"},
            {"run.epochs=2",
             "checkpoint.every=2ep",
             "dist.sync.group_sizes=[1, -1]",
             "dist.sync.mode=" + mode->str()}),
        "eval");
    ASSERT_FALSE(evaluated.empty());
    EXPECT_LT(evaluated.back().at("loss").get<double>(), 10.0);
    ++tried;
  }
  EXPECT_GE(tried, 7);
}

void append_word(std::string& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<char>(value >> shift));
  }
}

// Writes IDX files of distinguishable digits: a bar in row 2 * label.
void write_mnist(
    const std::filesystem::path& folder,
    const std::string& prefix,
    std::uint32_t count) {
  std::string images;
  std::string labels;
  for (const std::uint32_t value : {0x803U, count, 28U, 28U}) {
    append_word(images, value);
  }
  for (const std::uint32_t value : {0x801U, count}) {
    append_word(labels, value);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t label = i % 10;
    labels.push_back(static_cast<char>(label));
    for (std::uint32_t p = 0; p < 784; ++p) {
      const bool bar = p / 28 / 2 == label + 2;
      images.push_back(static_cast<char>(bar ? 200 + p % 50 : (i * p) % 60));
    }
  }
  std::filesystem::create_directories(folder);
  std::ofstream(folder / (prefix + "-images-idx3-ubyte"), std::ios::binary)
      << images;
  std::ofstream(folder / (prefix + "-labels-idx1-ubyte"), std::ios::binary)
      << labels;
}

TEST(GuideJobs, HorovodsMnistTrains) {
  const TempFolder folder;
  write_mnist(folder / "mnist", "train", 640);
  write_mnist(folder / "mnist", "t10k", 100);
  const std::vector<std::string> options{
      "-devices", "cpu:2", "-data_path", (folder / "mnist").native()};
  const std::string plan = plan_of(guide("horovod_mnist", options));
  EXPECT_THAT(plan, HasSubstr("mnist_convnet, 28 px grey, 21,840 parameters"));
  EXPECT_THAT(plan, HasSubstr("64 x 2 workers x 1 = 128"));
  EXPECT_THAT(plan, HasSubstr("0.01 x 2 workers = 0.02, constant"));
  const auto evaluated = run_records(
      guide("horovod_mnist", options, {"data.batch_size=8", "eval.every=5ep"}),
      "eval");
  ASSERT_EQ(evaluated.size(), 2u);
  EXPECT_EQ(evaluated.back().at("count"), 100);
  // 400 steps are enough to learn the bars; chance is 10 %.
  EXPECT_GT(evaluated.back().at("top1").get<double>(), 50.0);
}

// Dropout is keyed by seed, step and position, so that it does not depend on
// the number of workers.
TEST(GuideJobs, DropoutDoesNotDependOnTheNumberOfWorkers) {
  const TempFolder folder;
  write_mnist(folder / "mnist", "train", 200);
  write_mnist(folder / "mnist", "t10k", 20);
  const auto losses = [&](const std::string& devices) {
    std::vector<double> result;
    for (const Json& record : run_records(guide(
             "horovod_mnist",
             {"-devices", devices, "-data_path", (folder / "mnist").native()},
             {"data.batch_mode=global",
              "data.batch_size=48",
              "data.sampler.policy=global",
              "log.every=1",
              "run.max_steps=5"}))) {
      result.push_back(record.at("loss"));
    }
    return result;
  };
  const auto one = losses("cpu:1");
  const auto two = losses("cpu:2");
  ASSERT_EQ(one.size(), 5u);
  ASSERT_EQ(two.size(), 5u);
  for (std::size_t i = 0; i < one.size(); ++i) {
    // fp32 sums in another order; other masks would differ by about 0.01.
    EXPECT_NEAR(one[i], two[i], 1e-5) << i;
  }
}

TEST(GuideJobs, HorovodsResNetTrainsTwoSteps) {
  const std::vector<std::string> generated{
      "data.train.count=2560", "data.eval.count=4", "data.train.classes=1000"};
  const std::string plan = plan_of(guide(
      "horovod_imagenet_resnet50",
      {"-devices", "cpu:4", "-dataset", "random"},
      generated));
  EXPECT_THAT(plan, HasSubstr("32 x 4 workers x 1 = 128"));
  EXPECT_THAT(
      plan, HasSubstr("0.0125 x 4 workers = 0.05, step after 100 steps"));
  EXPECT_THAT(plan, HasSubstr("20 steps x 90 epochs = 1,800 steps"));
  EXPECT_THAT(plan, HasSubstr("sgd, weight decay 5e-05"));
  auto small = generated;
  small.insert(
      small.end(),
      {"run.max_steps=2",
       "schedule.warmup=1st",
       "data.train.size=32",
       "data.eval.size=32",
       "log.every=1"});
  const auto trained = run_records(guide(
      "horovod_imagenet_resnet50",
      {"-devices",
       "cpu:2",
       "-dataset",
       "random",
       "-batch_size",
       "2",
       "-image_size",
       "32"},
      small));
  ASSERT_EQ(trained.size(), 2u);
  EXPECT_EQ(trained[0].at("lr"), 0.0125);
  EXPECT_EQ(trained[1].at("lr"), 0.025);
}

} // namespace
} // namespace vitrain::e2e
