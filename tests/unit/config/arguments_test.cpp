#include "config/command_line/arguments.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/command_line/options.h"
#include "config/load_recipe.h"
#include "core/text.h"
#include "support.h"
#include "support/files.h"
#include "support/messages.h"

namespace vitrain::config {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

Arguments parse(std::vector<std::string> words) {
  return parse_arguments(words);
}

std::string refusal(std::vector<std::string> words) {
  return usage_error([&] { parse_arguments(words); });
}

Recipe recipe_of(std::vector<std::string> words) {
  words.insert(words.begin(), {"config", "show"});
  return load(parse(words).load_request()).recipe;
}

TEST(Arguments, DefaultVerbIsTrain) {
  const Arguments arguments = parse({"-cfg", "a.yaml"});
  EXPECT_EQ(arguments.verb, Verb::kTrain);
  EXPECT_FALSE(arguments.verb_given);
  EXPECT_EQ(arguments.cfg, "a.yaml");
  EXPECT_THAT(arguments.overrides, IsEmpty());
  EXPECT_EQ(parse({"train", "-cfg", "a.yaml"}).verb, Verb::kTrain);
}

TEST(Arguments, EvalIsAVerbAndAnOption) {
  EXPECT_EQ(parse({"-cfg", "a.yaml", "-eval"}).verb, Verb::kEval);
  EXPECT_EQ(parse({"eval", "-cfg", "a.yaml"}).verb, Verb::kEval);
  EXPECT_EQ(parse({"eval", "-cfg", "a.yaml", "-eval"}).verb, Verb::kEval);
  expect_message(refusal({"config", "show", "-eval"}), {"-eval"});
}

TEST(Arguments, VerbsThatLookAtRuns) {
  EXPECT_THAT(parse({"runs"}).data.files, IsEmpty());
  EXPECT_EQ(
      parse({"runs", "x", "-sort", "result"}).runs.order, RunOrder::kResult);
  EXPECT_TRUE(parse({"runs", "--json"}).runs.json);
  EXPECT_EQ(
      parse({"report", "a", "b", "-output", "c.html"}).runs.output, "c.html");
  expect_message(refusal({"runs", "a", "b"}), {});
  expect_message(refusal({"runs", "-sort", "size"}), {});
  expect_message(refusal({"show"}), {});
  EXPECT_THAT(
      refusal({"report", "a", "-output", "a/config.yaml"}),
      HasSubstr("ends in .html"));
}

TEST(Arguments, ARunThatIsNamedNeedsNoConfig) {
  EXPECT_EQ(parse({"-resume", "runs/x"}).resume, "runs/x");
  EXPECT_EQ(parse({"-eval", "-pretrained", "runs/x"}).verb, Verb::kEval);
  expect_message(refusal({"-resume"}), {});
  expect_message(refusal({"-resume", "auto"}), {});
  expect_message(refusal({"-eval"}), {});
  expect_message(refusal({"-pretrained", "runs/x"}), {});
}

TEST(Arguments, EveryVerbIsKnown) {
  for (const VerbInfo& info : verbs()) {
    std::vector<std::string> words = split(info.words, ' ');
    words.insert(words.end(), {"--help"});
    const Arguments arguments = parse(words);
    EXPECT_EQ(arguments.verb, info.verb) << info.words;
    EXPECT_TRUE(arguments.verb_given);
    EXPECT_TRUE(arguments.help);
    EXPECT_EQ(verb_name(info.verb), info.words);
  }
}

TEST(Arguments, VerbsUnderOtherNames) {
  EXPECT_TRUE(parse({"help"}).help);
  EXPECT_FALSE(parse({"help"}).verb_given);
  const Arguments of_eval = parse({"help", "eval"});
  EXPECT_TRUE(of_eval.help && of_eval.verb_given);
  EXPECT_EQ(of_eval.verb, Verb::kEval);
  EXPECT_EQ(parse({"help", "config", "check"}).verb, Verb::kConfigCheck);
  EXPECT_EQ(parse({"help", "data"}).verb_group, "data");
  EXPECT_EQ(parse({"help", "infer"}).verb, Verb::kPredict);
  EXPECT_EQ(parse({"test", "-cfg", "a.yaml"}).verb, Verb::kEval);
  const Arguments images = parse({"infer", "a.jpg", "-pretrained", "runs/x"});
  EXPECT_EQ(images.verb, Verb::kPredict);
  EXPECT_THAT(images.data.files, testing::ElementsAre("a.jpg"));
}

TEST(Arguments, UnknownVerbs) {
  expect_message(refusal({"trian", "-cfg", "a.yaml"}), {"'train'"});
  EXPECT_THAT(refusal({"help", "nonsense"}), StartsWith("nonsense: unknown"));
  expect_message(refusal({"config"}), {});
  expect_message(refusal({"config", "shwo"}), {"'shwo'", "'show'"});
  expect_message(refusal({"data"}), {});
  expect_message(refusal({"serve"}), {});
  expect_message(refusal({"a\x1b.txt"}), {"x1b.txt"});
}

TEST(Arguments, SpellingsOfOneOption) {
  const std::vector<std::vector<std::string>> spellings{
      {"-batch_size", "8"},
      {"--batch_size", "8"},
      {"-batch-size", "8"},
      {"--batch-size", "8"},
      {"-batch_size=8"},
      {"--batch-size=8"}};
  for (const std::vector<std::string>& words : spellings) {
    EXPECT_EQ(recipe_of(words).data.batch_size, 8) << words[0];
  }
  EXPECT_TRUE(parse({"-h"}).help);
  EXPECT_TRUE(parse({"--help"}).help);
}

TEST(Arguments, NamedOptionsSetTheirKeys) {
  const Recipe recipe = recipe_of(
      {"-dataset",
       "cifar",
       "-data_path",
       "d/c",
       "-image_size",
       "64",
       "-output",
       "out",
       "-accum_iter",
       "4",
       "-amp",
       "-pretrained",
       "w.st",
       "-batch_size",
       "16",
       "-devices",
       "cpu:3"});
  EXPECT_EQ(recipe.data.train.kind, SourceKind::kCifar);
  EXPECT_EQ(recipe.data.eval.kind, SourceKind::kCifar);
  EXPECT_EQ(recipe.data.train.path, "d/c");
  EXPECT_EQ(recipe.data.eval.path, "d/c");
  EXPECT_EQ(recipe.model.image_size, 64);
  EXPECT_EQ(recipe.run.output, "out");
  EXPECT_EQ(recipe.train.accumulate, 4);
  EXPECT_EQ(recipe.train.precision, Precision::kBf16);
  EXPECT_EQ(recipe.model.pretrained, "w.st");
  EXPECT_EQ(recipe.data.batch_size, 16);
  EXPECT_EQ(recipe.data.eval_batch_size, 16);
  EXPECT_EQ(recipe.devices.kind, DeviceKind::kCpu);
  EXPECT_EQ(recipe.devices.count, 3);
}

TEST(Arguments, BatchSizeIsPerDevice) {
  const Recipe recipe = recipe_of({"-batch_size", "16"});
  EXPECT_EQ(recipe.data.batch_mode, BatchMode::kPerDevice);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"-batch_size", "16", "-batch_size_eval", "5"},
        {"-batch_size_eval", "5", "-batch_size", "16"}}) {
    EXPECT_EQ(recipe_of(words).data.batch_size, 16);
    EXPECT_EQ(recipe_of(words).data.eval_batch_size, 5);
  }
}

TEST(Arguments, DeviceChoices) {
  const auto devices = [](std::vector<std::string> words) {
    return recipe_of(std::move(words)).devices;
  };
  EXPECT_EQ(devices({"-ngpus", "4"}).kind, DeviceKind::kCuda);
  EXPECT_EQ(devices({"-ngpus", "4"}).count, 4);
  EXPECT_EQ(devices({"-ngpus", "-1"}).kind, DeviceKind::kAuto);
  EXPECT_EQ(devices({"-ngpus=-1"}).count, -1);
  EXPECT_THAT(devices({"-gpus", "0,2"}).ids, ElementsAre("0", "2"));
  EXPECT_EQ(devices({"-gpus", "0,2"}).kind, DeviceKind::kCuda);
  EXPECT_EQ(devices({"-devices", "cuda"}).count, -1);
  EXPECT_EQ(devices({"-devices", "cpu"}).kind, DeviceKind::kCpu);
  expect_message(
      refusal({"-cfg", "a", "-gpus", "0", "-devices", "cpu"}),
      {"-gpus", "-devices"});
  for (const char* bad : {"npu:2", "cpu:", "cpu:0", "cpu:x", ":2", "cpu:1:2"}) {
    EXPECT_THAT(
        usage_error([&] {
          devices({"-devices", bad});
        }),
        StartsWith("-devices: devices."))
        << bad;
  }
  expect_message(
      usage_error([&] {
        devices({"-devices", "npu:2"});
      }),
      {"devices.kind"});
  expect_message(
      usage_error([&] {
        devices({"-ngpus", "0"});
      }),
      {"-ngpus", "devices.count", "1", "0"});
}

TEST(Arguments, SetComesAfterNamedOptions) {
  const Arguments arguments = parse(
      {"-cfg",
       "a.yaml",
       "-set",
       "data.batch_size=4",
       "-batch_size",
       "8",
       "-set=optim.lr=1e-2"});
  EXPECT_EQ(arguments.overrides.back().key, "optim.lr");
  EXPECT_EQ(arguments.overrides.back().value, "1e-2");
  EXPECT_EQ(arguments.overrides.back().source, "-set #2");
  EXPECT_EQ(
      recipe_of({"-set", "data.batch_size=4", "-batch_size", "8"})
          .data.batch_size,
      4);
}

// Torture row 32.
TEST(Arguments, SetMistakes) {
  const auto set = [](std::vector<std::string> words) {
    return usage_error([&] { recipe_of(std::move(words)); });
  };
  expect_message(
      set({"-set", "optim.lr"}),
      {"-set", "1", "KEY=VALUE", "optim.lr=5e", "4"});
  expect_message(set({"-set", "optim.lr="}), {"-set", "1", "optim.lr"});
  expect_message(set({"-set", "=1"}), {"-set", "1", "KEY=VALUE"});
  expect_message(set({"-set"}), {"-set", "KEY=VALUE"});
  expect_message(set({"-set", ""}), {"-set"});
  expect_message(
      set({"-set", "run.seed=1", "-set", "optim.lrx=2"}),
      {"-set", "2", "optim.lrx"});
}

TEST(Arguments, ResumeHasAnOptionalValue) {
  EXPECT_EQ(parse({"-cfg", "a", "-resume"}).resume, "auto");
  EXPECT_EQ(parse({"-resume", "-cfg", "a"}).resume, "auto");
  EXPECT_EQ(parse({"-cfg", "a", "-resume", "auto"}).resume, "auto");
  EXPECT_EQ(parse({"-cfg", "a", "-resume=runs/x"}).resume, "runs/x");
  EXPECT_EQ(parse({"-cfg", "a", "-resume", "runs/x"}).resume, "runs/x");
  EXPECT_FALSE(parse({"-cfg", "a"}).resume.has_value());
  expect_message(refusal({"-cfg", "a", "-resume="}), {"-resume"});
}

TEST(Arguments, OptionsOfPaddleScriptsAreReportedInEvaluation) {
  const Arguments arguments =
      parse({"-cfg", "a", "-eval", "-amp", "-accum_iter", "2"});
  EXPECT_THAT(
      arguments.notes,
      ElementsAre(
          "-amp: has no effect with eval",
          "-accum_iter: has no effect with eval"));
  EXPECT_THAT(arguments.overrides, IsEmpty());
}

TEST(Arguments, OptionsWithoutMeaningAreRefused) {
  expect_message(refusal({"models", "-cfg", "a"}), {"-cfg"});
  expect_message(refusal({"-cfg", "a", "-eval", "-resume"}), {"-resume"});
  expect_message(refusal({"-cfg", "a", "-origin"}), {"-origin"});
  expect_message(
      refusal({"config", "check", "-cfg", "a", "-dry_run"}), {"-dry_run"});
}

// It was taken, and nothing was written there.
TEST(Arguments, OutputIsForVerbsThatWriteThere) {
  for (const std::string verb : {"check", "show", "dump", "pack"}) {
    EXPECT_THAT(
        refusal({"data", verb, "-cfg", "a", "-output", "b"}),
        HasSubstr(
            "-output: has no meaning with data " + verb +
            ": it writes no run folder; what it writes is -out FILE"));
  }
  expect_message(
      refusal({"predict", "a.jpg", "-pretrained", "w", "-output", "b"}),
      {"-csv"});
  expect_message(
      refusal({"data", "order", "-cfg", "a", "-output", "b"}), {"-output"});
  for (const std::vector<std::string>& verb :
       std::vector<std::vector<std::string>>{
           {"train"}, {"eval"}, {"config", "check"}, {"config", "show"}}) {
    std::vector<std::string> words = verb;
    words.insert(words.end(), {"-cfg", "a", "-output", "b"});
    EXPECT_EQ(parse(words).overrides.at(0).key, "run.output") << verb.back();
  }
}

// As the option's own help has it.
TEST(Arguments, ImageSizeMayBeAList) {
  for (const char* text : {"[224, 160]", "[224,160]"}) {
    const Recipe recipe = recipe_of({"-image_size", text});
    EXPECT_EQ(recipe.model.image_size->height, 224);
    EXPECT_EQ(recipe.model.image_size->width, 160);
  }
  EXPECT_EQ(recipe_of({"-image_size", "64"}).model.image_size->width, 64);
}

TEST(Arguments, SpellingsOfOtherLaunchers) {
  const auto devices = [](const std::vector<std::string>& words) {
    return recipe_of(words).devices;
  };
  // torchrun, Paddle's launch, horovodrun.
  EXPECT_EQ(devices({"--nproc_per_node=4"}).count, 4);
  EXPECT_EQ(devices({"--nproc-per-node", "4"}).kind, DeviceKind::kAuto);
  EXPECT_EQ(devices({"-np", "2"}).count, 2);
  EXPECT_THAT(devices({"--gpus", "0,2"}).ids, ElementsAre("0", "2"));
  EXPECT_THAT(devices({"--devices", "0,2"}).ids, ElementsAre("0", "2"));
  EXPECT_THAT(devices({"--devices=3"}).ids, ElementsAre("3"));
  EXPECT_EQ(devices({"--nnodes", "2"}).nodes, 2);
  EXPECT_EQ(recipe_of({"--max_restart", "3"}).run.max_restarts, 3);
  EXPECT_EQ(recipe_of({"--max-restarts=3"}).run.max_restarts, 3);
  EXPECT_EQ(recipe_of({"--log_dir", "logs"}).log.folder, "logs");

  const Arguments arguments = parse_arguments(std::vector<std::string>{
      "-cfg",
      "a",
      "-np",
      "4",
      "-H",
      "h1:2,h2:2",
      "--master",
      "h1:1",
      "--ssh",
      "-devices",
      "cpu",
      "-set",
      "run.seed=3"});
  EXPECT_EQ(arguments.launch.hosts, "h1:2,h2:2");
  EXPECT_EQ(arguments.launch.workers, 4);
  EXPECT_EQ(arguments.launch.master, "h1:1");
  EXPECT_TRUE(arguments.launch.ssh);
  // The part of the command that every host runs.
  EXPECT_THAT(
      arguments.launch.shared,
      ElementsAre("-cfg", "a", "-devices", "cpu", "-set", "run.seed=3"));
  expect_message(refusal({"-cfg", "a", "-ssh"}), {"-ssh", "-hosts"});
  expect_message(
      refusal({"-cfg", "a", "-H", "a:1", "-nnodes", "2"}),
      {"-hosts", "-nnodes", "-node_rank"});
  expect_message(refusal({"-cfg", "a", "-nnodes", "1:4"}), {});
  expect_message(refusal({"-cfg", "a", "-np", "0"}), {"-np", "1"});
}

TEST(Arguments, OptionsOfPaddleViTThatAreNotHereHaveAnswers) {
  for (const auto& [name, here] :
       {std::pair("teacher_model_path", "-set train.distill.pretrained=1"),
        {"mae_pretrain", "configs/imagenet_mae_pretrain.yaml"},
        {"multi_scale_sampler_ddp", "data.augment.stages"},
        {"deploy", "vitrain export"}}) {
    const std::string said =
        refusal({"-cfg", "a", std::string("-") + name, "1"});
    EXPECT_THAT(
        said, StartsWith(fmt::format("-{}: is PaddleViT's; here: ", name)));
    EXPECT_THAT(said, HasSubstr(here));
    expect_message(said, {});
  }
}

// As PaddleViT's scripts pass it; the epoch is in the checkpoint.
TEST(Arguments, LastEpochGoesWithResume) {
  EXPECT_THAT(
      parse({"-cfg", "a", "-last_epoch=5", "-resume", "r"}).notes,
      ElementsAre(
          "-last_epoch: has no effect: the checkpoint knows its epoch"));
  EXPECT_THAT(
      parse({"-cfg", "a", "-last_epoch", "0"}).notes,
      ElementsAre("-last_epoch: has no effect: a new run begins with epoch 1"));
  EXPECT_THAT(
      parse({"-cfg", "a", "-eval", "-last_epoch", "3"}).notes,
      ElementsAre("-last_epoch: has no effect with eval"));
  expect_message(refusal({"-cfg", "a", "-last_epoch", "3"}), {"-last_epoch"});
  expect_message(
      refusal({"-cfg", "a", "-last_epoch", "x"}), {"-last_epoch", "0"});
}

TEST(Arguments, WordsOfOtherTrainersAreAnswered) {
  expect_message(
      refusal(
          {"-cfg",
           "a",
           "--epochs",
           "300",
           "--opt-betas",
           "0.9",
           "0.95",
           "--pin-mem",
           "-j",
           "8",
           "--epoch"}),
      {"-epochs",
       "'s and torchvision'",
       "run.epochs=300",
       "opt_betas",
       "'s; here: -set optim.betas='",
       "0.95",
       "'\n-pin_mem: is timm'",
       "data.threads=8"});
  // Options that are here keep their meaning.
  EXPECT_EQ(recipe_of({"--batch-size", "8"}).data.batch_size, 8);
}

TEST(Arguments, TranslationsTakeAFileOrACommand) {
  const Arguments one =
      parse({"config", "from-timm", "args.yaml", "-output", "recipe.yaml"});
  EXPECT_EQ(one.verb, Verb::kConfigFromTimm);
  EXPECT_THAT(one.foreign, ElementsAre("args.yaml"));
  EXPECT_EQ(one.output, "recipe.yaml");
  const Arguments command =
      parse({"config", "from-torchvision", "--model resnet50 --lr 0.5"});
  EXPECT_EQ(command.verb, Verb::kConfigFromTorchvision);
  EXPECT_THAT(command.foreign, ElementsAre("--model resnet50 --lr 0.5"));
  const Arguments words = parse(
      {"config", "from-timm", "-output", "x", "--", "--model", "resnet50"});
  EXPECT_EQ(words.output, "x");
  EXPECT_THAT(words.foreign, ElementsAre("--model", "resnet50"));
  expect_message(refusal({"config", "from-timm"}), {});
}

TEST(Arguments, AFileOfWeightsIsNoRun) {
  for (const char* file :
       {"Epoch-3-Loss-1.2.pdparams",
        "w.pth",
        "model_best.pth.tar",
        "a/b.pt",
        "x.bin"}) {
    EXPECT_THAT(
        refusal({"-cfg", "a", "-resume", file}),
        StartsWith("-resume: a file of weights is not a run to go on with; "
                   "-pretrained"))
        << file;
  }
}

TEST(Arguments, Mistakes) {
  expect_message(
      refusal({"-cfg", "a", "-batchsize", "3"}), {"-batchsize", "-batch_size"});
  expect_message(
      refusal({"-cfg", "a", "--xyzzyxyzzy"}), {"-xyzzyxyzzy", "--help"});
  expect_message(refusal({}), {"-cfg"});
  expect_message(refusal({"-cfg"}), {"-cfg"});
  expect_message(refusal({"-cfg", "-eval"}), {"-cfg"});
  expect_message(refusal({"-cfg", ""}), {"-cfg"});
  expect_message(refusal({"-cfg="}), {"-cfg"});
  expect_message(refusal({"-cfg", "a", "-cfg", "b"}), {"-cfg"});
  expect_message(refusal({"-cfg", "a", "-amp=1"}), {"-amp"});
  expect_message(refusal({"a.yaml"}), {"a.yaml", "-cfg"});
  expect_message(refusal({"-cfg", "a", "stray"}), {});
  expect_message(
      refusal({"data", "order", "-cfg", "a", "-epoch", "-1"}),
      {"-epoch", "0", "1"});
  expect_message(refusal({"-cfg", "a", "--"}), {});
}

TEST(Arguments, GpuIsCuda) {
  EXPECT_EQ(recipe_of({"-devices", "gpu"}).devices.kind, DeviceKind::kCuda);
  // Paddle's gpu:1 is one device, cuda:1 is the number of them.
  const std::string error = refusal({"-cfg", "a", "-devices", "gpu:1"});
  expect_message(error, {"-devices", "1", "-gpus"});
  expect_message(
      refusal({"-cfg", "a", "-devices", "cuda:0"}), {"-devices", "0", "-gpus"});
  expect_message(error, {});
}

TEST(Arguments, MessagesNameTheOptionThatWasGiven) {
  expect_message(
      refusal({"-cfg", "a", "-nproc_per_node", "2", "-devices", "cpu:3"}),
      {"-nproc_per_node", "-devices"});
  expect_message(
      refusal({"-cfg", "a", "--nproc-per-node=0"}), {"-nproc_per_node", "1"});
}

TEST(Arguments, DatasetsHaveTheNamesOfOtherPrograms) {
  for (const std::string name : {"cifar10", "CIFAR10", "cifar100"}) {
    const Recipe recipe = recipe_of({"-dataset=" + name, "-data_path", "c"});
    EXPECT_EQ(recipe.data.train.kind, SourceKind::kCifar) << name;
    EXPECT_EQ(recipe.data.eval.kind, SourceKind::kCifar) << name;
    EXPECT_EQ(recipe.data.train.path, "c") << name;
  }
  EXPECT_EQ(
      recipe_of({"-dataset", "fashion_mnist"}).data.eval.kind,
      SourceKind::kMnist);
  EXPECT_EQ(
      recipe_of({"-dataset", "ImageFolder"}).data.eval.kind,
      SourceKind::kFolder);
  expect_message(
      usage_error([] {
        recipe_of({"-dataset", "cifar11"});
      }),
      {"data.train.kind"});
}

TEST(Arguments, ImageNetIsWhatTheFolderHas) {
  const TempFolder folder;
  const auto kind = [&](const std::string& path) {
    return recipe_of({"-data_path", path, "-dataset=imagenet2012"})
        .data.train.kind;
  };
  const std::string root = folder.path().native();
  EXPECT_EQ(kind(root), SourceKind::kList);
  EXPECT_EQ(kind("/no/such/folder"), SourceKind::kList);
  folder.write("train/a/1.jpg");
  EXPECT_EQ(kind(root), SourceKind::kFolder);
  EXPECT_EQ(kind(root + "/train/"), SourceKind::kFolder);
  folder.write("train.tar");
  EXPECT_EQ(kind(root), SourceKind::kTar);
  folder.write("val_list.txt");
  EXPECT_EQ(kind(root), SourceKind::kList);
  EXPECT_EQ(
      recipe_of({"-dataset=imagenet2012"}).data.train.kind, SourceKind::kList);
  EXPECT_EQ(
      recipe_of({"-dataset=imagenet"}).data.train.kind, SourceKind::kList);
}

TEST(Arguments, AllMistakesAtOnce) {
  expect_message(
      refusal({"-deploy", "2", "-batchsize", "3", "-set", "x", "-cfg"}), {});
}

// -devices splits its value at a colon.
TEST(Arguments, UrlsWithPasswordsAreNotShown) {
  for (const Option& option : options()) {
    if (!option.label.empty()) {
      const std::string shown = refusal(
          {"-" + std::string(option.name), "http://me:secret@host", "-x"});
      EXPECT_THAT(shown, Not(HasSubstr("secret"))) << option.name;
    }
  }
}

TEST(Arguments, OneMistakeIsOneMessage) {
  expect_message(usage_error([] { recipe_of({"-batch_size", "x"}); }), {});
  expect_message(usage_error([] { recipe_of({"-dataset", "imagnet"}); }), {});
  // The message suggests -data_path for kinds that take it.
  EXPECT_THAT(
      usage_error([] {
        recipe_of({"-dataset", "imagnet", "-data_path", "/d"});
      }),
      Not(HasSubstr("-data_path")));
  expect_message(
      refusal({"-cfg", "a", "-devices", "cpu:2", "-devices", "cpu:3"}), {});
}

TEST(Arguments, HelpAndVersionWinOverMistakes) {
  EXPECT_TRUE(parse({"-help", "-nonsense"}).help);
  EXPECT_TRUE(parse({"-version"}).version);
  EXPECT_TRUE(parse({"nonsense", "--version"}).version);
}

TEST(Arguments, DataOrderTakesAnEpoch) {
  const Arguments arguments =
      parse({"data", "order", "-cfg", "a", "-epoch", "3"});
  EXPECT_EQ(arguments.verb, Verb::kDataOrder);
  EXPECT_EQ(arguments.data.epoch, 3);
}

TEST(Arguments, DataDumpTakesFilesAnywhere) {
  const Arguments arguments = parse(
      {"data",
       "dump",
       "a.jpg",
       "--resize",
       "256",
       "b c.png",
       "-crop=224",
       "--filter",
       "bilinear",
       "--out",
       "x.npy",
       "eval.yaml"});
  EXPECT_EQ(arguments.verb, Verb::kDataDump);
  EXPECT_THAT(
      arguments.data.files, ElementsAre("a.jpg", "b c.png", "eval.yaml"));
  EXPECT_EQ(arguments.data.resize, 256);
  EXPECT_EQ(arguments.data.crop, 224);
  EXPECT_EQ(arguments.data.filter, Filter::kBilinear);
  EXPECT_EQ(arguments.data.out, "x.npy");
  const Arguments train = parse(
      {"data",
       "dump",
       "a",
       "-cfg",
       "f",
       "-out",
       "x",
       "-train",
       "-epoch",
       "3",
       "-index",
       "17"});
  EXPECT_TRUE(train.data.train);
  EXPECT_EQ(train.data.epoch, 3);
  EXPECT_EQ(train.data.index, 17);
}

// A number above the largest limit once got a message about the smallest.
TEST(Arguments, PredictTakesImagesAnywhere) {
  const Arguments arguments = parse(
      {"predict",
       "a.jpg",
       "--batch-size",
       "4",
       "-",
       "-pretrained",
       "runs/x",
       "-top=3",
       "-csv",
       "-",
       "-devices",
       "cpu:2",
       "@list"});
  EXPECT_EQ(arguments.verb, Verb::kPredict);
  EXPECT_THAT(arguments.data.files, ElementsAre("a.jpg", "-", "@list"));
  EXPECT_EQ(arguments.predict.batch, 4);
  EXPECT_EQ(arguments.predict.top, 3);
  EXPECT_EQ(arguments.predict.csv, "-");
  EXPECT_FALSE(arguments.predict.jsonl);
  EXPECT_THAT(
      refusal({"predict", "-top", "0", "-csv", "-", "-jsonl", "-"}),
      AllOf(
          HasSubstr("IMAGES: no image"),
          HasSubstr("-top: expected integer >= 1"),
          HasSubstr("-csv, -jsonl: one of them")));
  expect_message(
      refusal({"export", "-format", "onnx", "-output", "a", "-top", "3"}),
      {"-top"});
}

TEST(Arguments, TheRunThatIsExportedNeedsNoOption) {
  const Arguments arguments = parse_arguments(std::vector<std::string>{
      "export", "runs/a, b", "-format", "onnx", "-output", "a.onnx"});
  ASSERT_EQ(arguments.overrides.size(), 1U);
  EXPECT_EQ(arguments.overrides[0].key, "model.pretrained");
  EXPECT_EQ(
      load(arguments.load_request()).recipe.model.pretrained, "runs/a, b");
  const std::vector<std::string> rest{"-format", "onnx", "-output", "a.onnx"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "export");
    words.insert(words.end(), rest.begin(), rest.end());
    return refusal(words);
  };
  expect_message(with({"runs/a", "runs/b"}), {});
  expect_message(with({"runs/a", "-pretrained", "b"}), {});
}

TEST(Arguments, NumbersHaveLimits) {
  expect_message(
      refusal({"data", "dump", "a", "-out", "x", "-resize", "8193"}),
      {"-resize", "8192", "8193"});
  expect_message(
      refusal({"data", "show", "-cfg", "a", "-count", "99999999999"}),
      {"-count", "2147483647", "99999999999"});
}

// A trial trains, a dry run must not.
TEST(Arguments, ATrialIsNoDryRun) {
  for (const std::string trial : {"-try", "-find_lr"}) {
    EXPECT_THAT(
        refusal({"-cfg", "a", trial, "-dry_run"}), StartsWith("-dry_run: "))
        << trial;
    EXPECT_EQ(refusal({"-cfg", "a", trial}), "") << trial;
  }
}

TEST(Arguments, DataDumpSaysWhatDoesNotFitTogether) {
  expect_message(
      refusal({"data", "dump", "-crop", "0", "-filter", "cubic"}),
      {"-crop",
       "8192",
       "0",
       "-filter",
       "-resize",
       "-pillow",
       "-out",
       "FILE.npy"});
  expect_message(
      refusal({"data", "dump", "a", "-out", "x", "-train"}), {"-train"});
  expect_message(
      refusal({"data", "dump", "a", "-out", "x", "-set", "optim.lr=1"}),
      {"-set", "1"});
  expect_message(
      refusal({"data", "dump", "a", "-out", "x", "-index", "1"}),
      {"-index", "-train"});
  expect_message(
      refusal({"data", "dump", "a", "-out", "x", "-cfg", "f", "-crop", "9"}),
      {"-crop"});
  expect_message(refusal({"data", "check", "file.png"}), {"file.png"});
  expect_message(refusal({"data", "check"}), {"-cfg"});
  expect_message(
      refusal({"data", "show", "-cfg", "a", "-crop", "9"}), {"-crop"});
}

// Words that have a meaning to CLI11.
TEST(Arguments, AnyWordCanBeAValueOrAFile) {
  for (const std::string word : {"runs", "{}", "[a,b]", "++", "-1", "-.5"}) {
    EXPECT_EQ(parse({"-output", word, "-cfg", word}).cfg, word);
    EXPECT_THAT(
        parse({"predict", "a", word, "-csv", word, word}).data.files,
        ElementsAre("a", word, word));
  }
}

TEST(Help, FitsAndNamesEverything) {
  std::vector<std::string> texts{help()};
  for (const VerbInfo& info : verbs()) {
    texts.push_back(help(info.verb));
    EXPECT_THAT(texts[0], HasSubstr("\n  " + std::string(info.words) + " "));
    EXPECT_THAT(texts.back(), HasSubstr("vitrain " + std::string(info.words)));
  }
  for (const std::string& text : texts) {
    for (const std::string& line : split(text, '\n')) {
      EXPECT_LE(line.size(), 100u) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
  for (const Option& option : options()) {
    for (const VerbInfo& info : verbs()) {
      const std::string label = "\n  -" + std::string(option.name) + " ";
      EXPECT_EQ(
          help(info.verb).find(label) != std::string::npos,
          contains(option.verbs, info.verb))
          << option.name << " " << info.words;
    }
  }
}

} // namespace
} // namespace vitrain::config
