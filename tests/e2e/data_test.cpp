// Bad samples in training and evaluation, and the verbs that look at data.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>

#include "core/text.h"
#include "program.h"

namespace vitrain::e2e {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

std::string golden(const std::string& name) {
  return VITRAIN_SOURCE_DIR "/tests/golden/image/files/" + name;
}

// Two classes of 20 images each for training, of 3 for evaluation; some of the
// training images of class a cannot be read.
void write_dataset(const fs::path& folder, int bad) {
  const std::string image = slurp(golden("rgb_420.jpg"));
  for (const char* name : {"a", "b"}) {
    for (const auto& [split, count] : {std::pair("train", 20), {"val", 3}}) {
      const fs::path place = folder / split / name;
      fs::create_directories(place);
      for (int i = 0; i < count; ++i) {
        const bool broken =
            *name == 'a' && split == std::string("train") && i < bad;
        std::ofstream(place / (std::to_string(10 + i) + ".jpg"))
            << image.substr(0, broken ? 300 + 10 * i : image.size());
      }
    }
  }
}

// A run on write_dataset()'s images.
Words training(
    const TempFolder& folder,
    const std::string& output,
    const Options& more = {}) {
  const Options common{
      .set =
          {"data.batch_mode=global",
           "data.batch_size=8",
           "data.on_bad_sample=replace",
           "data.bad_samples.fraction=0.5",
           "schedule.warmup=1st",
           "data.augment.crop=resized"},
      .more = {"-dataset", "folder", "-data_path", folder / "data"}};
  return tiny_run(folder / output, common.with(more));
}

std::string listed(const fs::path& output) {
  return slurp(newest_run(output) / "bad_samples.jsonl");
}

// Row 42 of the torture table.
TEST(BadSamples, AreReplacedAlikeOnAnyNumberOfWorkersAndAfterAResume) {
  const TempFolder folder;
  write_dataset(folder / "data", 4);
  const Result one = run(training(folder, "one", {.devices = "cpu:1"}));
  ASSERT_EQ(one.exit_code, 0) << one.err;
  const std::string bad = listed(folder / "one");
  EXPECT_EQ(std::ranges::count(bad, '\n'), 4) << bad;
  const Json first = Json::parse(bad.substr(0, bad.find('\n')));
  EXPECT_EQ(first.at("epoch"), 1);
  EXPECT_THAT(first.at("path").get<std::string>(), HasSubstr("train/a/1"));
  EXPECT_NE(first.at("replacement"), first.at("sample"));
  EXPECT_FALSE(first.at("reason").get<std::string>().empty());
  const auto trained = records(newest_run(folder / "one"), "train");
  EXPECT_EQ(trained.back().at("bad_samples"), 4);
  std::int64_t replaced = 0;
  for (const Json& record : trained) {
    replaced += record.value("replaced", 0);
  }
  EXPECT_EQ(replaced, 8); // in two epochs
  EXPECT_THAT(one.out, HasSubstr("bad 4"));
  EXPECT_THAT(one.out, HasSubstr("4 bad training samples were replaced"));

  const Result two = run(training(folder, "two", {.devices = "cpu:2"}));
  ASSERT_EQ(two.exit_code, 0) << two.err;
  EXPECT_EQ(listed(folder / "two"), bad);

  // The first epoch alone, then the rest of the same run.
  const Options more{.devices = "cpu:1", .set = {"schedule.name=constant"}};
  const auto half = more.with({.set = {"run.max_steps=3"}});
  ASSERT_EQ(run(training(folder, "three", half)).exit_code, 0);
  const auto rest = more.with({.resume = newest_run(folder / "three")});
  const Result resumed = run(training(folder, "three", rest));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(listed(folder / "three"), bad);
}

// Rows 40 and 41.
TEST(BadSamples, EndTheRunBeyondTheirLimits) {
  const TempFolder folder;
  write_dataset(folder / "data", 4);
  const Result strict =
      run(training(folder, "runs", {.set = {"data.on_bad_sample=error"}}));
  EXPECT_EQ(strict.exit_code, 3);
  EXPECT_THAT(
      strict.err,
      AllOf(
          HasSubstr("/train/a/1"),
          HasSubstr("vitrain data check"),
          HasSubstr("data.on_bad_sample")));
  const Result limited =
      run(training(folder, "runs", {.set = {"data.bad_samples.limit=1"}}));
  EXPECT_EQ(limited.exit_code, 3);
  EXPECT_THAT(
      limited.err, HasSubstr("2 of 40 training samples are bad so far"));
  EXPECT_LT(limited.seconds, 30);

  write_dataset(folder / "data", 20);
  const Result half = run(training(folder, "runs"));
  EXPECT_EQ(half.exit_code, 3);
  EXPECT_THAT(
      half.err, HasSubstr("all 20 training samples of class 'a' are bad"));

  for (const auto& file : fs::recursive_directory_iterator(folder / "data")) {
    if (file.is_regular_file()) {
      std::ofstream(file.path()) << "no image";
    }
  }
  const Result none = run(training(folder, "runs"));
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err, HasSubstr("16 of 16 samples that were tried"));
}

TEST(BadSamples, OfTheEvaluationAreNeverReplaced) {
  const TempFolder folder;
  write_dataset(folder / "data", 0);
  std::ofstream(folder / "data/val/b/11.jpg") << "no image";
  const Result result = run(training(folder, "runs"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("/val/b/11.jpg: "));
}

TEST(DataCheck, SaysWhatIsBad) {
  const TempFolder folder;
  write_dataset(folder / "data", 2);
  const Words words{
      "data",
      "check",
      "-cfg",
      kTiny,
      "-dataset",
      "folder",
      "-data_path",
      folder / "data",
      "-out",
      folder / "report.json"};
  const Result bad = run(words);
  EXPECT_EQ(bad.exit_code, 3) << bad.err;
  EXPECT_THAT(bad.out, HasSubstr("2 of 46 samples are bad"));
  const Json report = Json::parse(slurp(folder / "report.json"));
  EXPECT_EQ(report.at("splits").at("train").at("bad").size(), 2u);
  EXPECT_EQ(report.at("clean"), false);
  fs::remove_all(folder / "data");
  write_dataset(folder / "data", 0);
  const Result good = run(words);
  EXPECT_EQ(good.exit_code, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("none of 46 samples are bad"));
  // An unwritable output is reported before the data are read.
  for (const std::string& out :
       {folder.path().native(), std::string("/no/such/report.json")}) {
    Words unwritable = words;
    unwritable.back() = out;
    const Result refused = run(unwritable);
    EXPECT_EQ(refused.exit_code, 8);
    EXPECT_EQ(refused.out, "");
    EXPECT_THAT(refused.err, HasSubstr(out + ": cannot be written: "));
  }
}

TEST(DataShow, WritesASheet) {
  const TempFolder folder;
  const fs::path sheet = folder / "sheet.png";
  const Result result = run(
      {"data",
       "show",
       "-cfg",
       kTiny,
       "-count",
       "5",
       "-epoch",
       "1",
       "-out",
       sheet});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(slurp(sheet), testing::StartsWith("\x89PNG"));
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 7) << result.out;
  const Result other =
      run({"data", "show", "-cfg", kTiny, "-out", folder / "sheet.jpg"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("give a name that ends in .png"));
}

// Epochs count from 0 here, and from 1 in a recipe.
TEST(DataOutput, HasTheStageOfItsEpoch) {
  const TempFolder folder;
  const auto output = [&](Words words, const std::string& epoch, Words sets) {
    const fs::path out = folder / (words[1] == "show" ? "x.png" : "x.npy");
    words.insert(words.end(), {"-cfg", kTiny, "-epoch", epoch, "-out", out});
    for (const std::string& set : sets) {
      words.insert(words.end(), {"-set", set});
    }
    const Result result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return slurp(out);
  };
  const Words stages{
      "data.augment.stages=[{from_epoch: 2, image_size: 24, padding: 5}]"};
  const Words second{"data.augment.image_size=24", "data.augment.padding=5"};
  for (const Words& verb :
       {Words{"data", "show", "-count", "4"},
        Words{"data", "dump", golden("rgb_8.png"), "-train"}}) {
    EXPECT_EQ(output(verb, "0", stages), output(verb, "0", {})) << verb[1];
    EXPECT_EQ(output(verb, "1", stages), output(verb, "1", second)) << verb[1];
    EXPECT_NE(output(verb, "1", second), output(verb, "1", {})) << verb[1];
  }
}

// Only files written by vitrain are replaced.
TEST(DataOutput, ReplacesNoImage) {
  const TempFolder folder;
  const fs::path image = folder / "rgb_8.png";
  fs::copy_file(golden("rgb_8.png"), image);
  const fs::path pixels = folder / "x.npy";
  for (const Words& words :
       {Words{"data", "show", "-cfg", kTiny, "-out", image},
        Words{"data", "dump", golden("rgb_420.jpg"), "-out", image}}) {
    const Result result = run(words);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_THAT(result.err, HasSubstr("a file is there already that is not"));
    EXPECT_EQ(slurp(image), slurp(golden("rgb_8.png")));
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(
        run({"data", "show", "-cfg", kTiny, "-out", folder / "a.png"})
            .exit_code,
        0);
    EXPECT_EQ(
        run({"data", "dump", golden("rgb_8.png"), "-out", pixels}).exit_code,
        0);
  }
}

// The first image can be read, the second cannot.
TEST(DataDump, LeavesTheOldFileIfItFails) {
  const TempFolder folder;
  const fs::path out = folder / "x.npy";
  ASSERT_EQ(
      run({"data", "dump", golden("rgb_8.png"), "-out", out}).exit_code, 0);
  const std::string old = slurp(out);
  const fs::path bad = folder / "bad.jpg";
  std::ofstream(bad) << "text";
  const Result result =
      run({"data", "dump", golden("rgb_420.jpg"), bad, "-out", out});
  EXPECT_EQ(result.exit_code, 3) << result.out;
  EXPECT_THAT(result.err, HasSubstr("bad.jpg: "));
  EXPECT_EQ(slurp(out), old);
  const auto files = fs::directory_iterator(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 2);
}

// A row of tests/golden/data/dump.csv: torchvision's pixels.
TEST(DataDump, WritesTorchvisionsPixels) {
  const TempFolder folder;
  const fs::path pixels = folder / "x.npy";
  const Result result = run(
      {"data",
       "dump",
       golden("rgb_420.jpg"),
       "--out",
       pixels,
       "--resize",
       "40",
       "--filter",
       "bicubic",
       "--crop",
       "32"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string bytes = slurp(pixels);
  ASSERT_EQ(bytes.size(), 128u + 32 * 32 * 3);
  EXPECT_EQ(
      crc32(
          0,
          reinterpret_cast<const Bytef*>(bytes.data()) + 128,
          static_cast<uInt>(bytes.size() - 128)),
      1837462783u);
}

// Without a network: evaluation's pixels of a recipe.
TEST(DataDump, TakesTheTransformOfARecipe) {
  const TempFolder folder;
  const auto dump = [&](Words words) {
    const fs::path out = folder / "x.npy";
    words.insert(
        words.begin(), {"data", "dump", golden("rgb_420.jpg"), "-out", out});
    const Result result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return slurp(out);
  };
  const std::string evaluated = dump({"-cfg", kTiny});
  EXPECT_EQ(evaluated, dump({"-resize", "16", "-crop", "16"}));
  // 61 x 47 pixels; without a crop nothing is cut off.
  EXPECT_THAT(dump({"-resize", "16"}), HasSubstr("'shape': (1, 16, 20, 3), }"));
  EXPECT_NE(
      dump({"-cfg", kTiny, "-train", "-epoch", "1"}),
      dump({"-cfg", kTiny, "-train", "-epoch", "2"}));
}

// Training sees the same pixels, and the files come back.
TEST(DataPack, TrainsAsItsFilesDoAndUnpacksToThem) {
  const TempFolder folder;
  write_dataset(folder / "data", 0);
  const std::string data = folder / "data";
  const std::string packed = folder / "packed";
  const Result pack = run(
      {"data",
       "pack",
       "-cfg",
       VITRAIN_SOURCE_DIR "/configs/cifar10_vit.yaml",
       "-data_path",
       data,
       "-set",
       "data.eval.path=" + data + "/val",
       "-out",
       packed});
  ASSERT_EQ(pack.exit_code, 0) << pack.err;
  EXPECT_THAT(
      pack.out, HasSubstr("train: 40 images, 40 packed, 0 as they are"));
  const Result files = run(training(folder, "files"));
  ASSERT_EQ(files.exit_code, 0) << files.err;
  const Result tar = run(training(
      folder,
      "tar",
      {.set = {
           "data.train.kind=tar",
           "data.train.path=" + packed + "/train-*.tar",
           "data.eval.kind=tar",
           "data.eval.path=" + packed + "/eval-*.tar"}}));
  ASSERT_EQ(tar.exit_code, 0) << tar.err;
  const auto expected = records(newest_run(folder / "files"), "train");
  const auto got = records(newest_run(folder / "tar"), "train");
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].at("loss"), expected[i].at("loss")) << "record " << i;
  }
  const Result unpack = run(
      {"data",
       "unpack",
       packed + "/train-000000.tar",
       "-out",
       (folder / "back").string()});
  ASSERT_EQ(unpack.exit_code, 0) << unpack.err;
  EXPECT_EQ(
      slurp(folder / "back/a/17.jpg"), slurp(folder / "data/train/a/17.jpg"));

  const Result again =
      run({"data", "pack", "-cfg", "x.yaml", "-shard_mb", "0"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("give the folder to write to"));
}

// The line printed by pack is all that training needs; labels used to follow
// folders named 0, 1, 10, 11, 2, ...
TEST(DataPack, KeepsTheNumbersOfAList) {
  const TempFolder folder;
  const std::string image = slurp(golden("rgb_420.jpg"));
  for (const char* split : {"train", "val"}) {
    fs::create_directories(folder / "data" / split);
    std::ofstream list(folder / "data" / (split + std::string("_list.txt")));
    for (int i = 0; i < 24; ++i) {
      const std::string name = fmt::format("{}/{}.jpg", split, i);
      std::ofstream(folder / "data" / name) << image;
      list << name << ' ' << i % 12 << '\n';
    }
  }
  const Options from{
      .set = {"data.train.kind=list", "data.eval.kind=list"},
      .more = {"-data_path", folder / "data"}};
  Words words = from.words();
  words.insert(words.begin(), {"data", "pack", "-out", folder / "packed"});
  const Result pack = run(words);
  ASSERT_EQ(pack.exit_code, 0) << pack.err;
  const std::string says = "To train on them: ";
  const std::size_t at = pack.out.find(says);
  ASSERT_NE(at, std::string::npos);
  Options packed;
  for (std::string word : split(trim(pack.out.substr(at + says.size())), ' ')) {
    std::erase(word, '\''); // the shell's
    packed.more.push_back(word);
  }
  const auto numbers = [&](const char* name, const Options& data) {
    const Options options{
        .devices = "cpu:1",
        .set = {"run.max_steps=2", "schedule.warmup=0st", "data.batch_size=8"}};
    train(folder / name, options.with(data));
    return numbers_of(folder / name);
  };
  EXPECT_EQ(numbers("packed-run", packed), numbers("run", from));

  // Mistakes about the place to write to are no defects of the program.
  words[3] = kTiny;
  EXPECT_EQ(run(words).exit_code, 8);
  const Result unpack = run(
      {"data", "unpack", folder / "packed/train-000000.tar", "-out", kTiny});
  EXPECT_EQ(unpack.exit_code, 8);
  EXPECT_THAT(unpack.err, HasSubstr("tiny.yaml: cannot create the folder"));
}

// Two classes of 16-bit grey images, dark and bright: all white as Pillow
// clips them.
void write_wide_images(const fs::path& folder) {
  for (const auto& [split, count] : {std::pair("train", 8), {"val", 4}}) {
    for (const auto& [name, value] : {std::pair("a", 5000), {"b", 50000}}) {
      fs::create_directories(folder / split / name);
      for (int i = 0; i < count; ++i) {
        std::ofstream file(folder / split / name / fmt::format("{}.pgm", i));
        file << "P2 32 32 65535\n";
        for (int pixel = 0; pixel < 32 * 32; ++pixel) {
          file << value + 100 * i + pixel << '\n';
        }
      }
    }
  }
}

TEST(WideImages, AreReportedAtOnceAndListed) {
  const TempFolder folder;
  write_wide_images(folder / "data");
  const Options options{
      .devices = "cpu:2",
      .set =
          {"data.batch_mode=global",
           "data.batch_size=8",
           "run.max_steps=2",
           "run.epochs=1",
           "schedule.warmup=0st"},
      .more = {"-dataset", "folder", "-data_path", folder / "data"}};
  const Result clipped = run(tiny_run(folder / "clipped", options));
  ASSERT_EQ(clipped.exit_code, 0) << clipped.err;
  const std::string text = clipped.out + clipped.err;
  EXPECT_THAT(text, HasSubstr("data.preprocess.range"));
  EXPECT_THAT(text, HasSubstr(".pgm"));
  std::int64_t count = 0;
  for (const Json& record : records(newest_run(folder / "clipped"), "train")) {
    count += record.value("clipped_images", 0);
  }
  EXPECT_EQ(count, 16);
  EXPECT_EQ(
      records(newest_run(folder / "clipped"), "eval")
          .back()
          .at("clipped_images"),
      8);
  const Options scaled_options =
      options.with({.set = {"data.preprocess.range=[0, 65535]"}});
  const Result scaled = run(tiny_run(folder / "scaled", scaled_options));
  ASSERT_EQ(scaled.exit_code, 0) << scaled.err;
  EXPECT_THAT(scaled.out + scaled.err, testing::Not(HasSubstr("are clipped")));
  for (const Json& record : records(newest_run(folder / "scaled"), "train")) {
    EXPECT_FALSE(record.contains("clipped_images"));
  }
  // The weights bring the range along.
  const fs::path image = folder / "data/val/a/0.pgm";
  const Result predicted = run(
      Words{"predict", image, "-pretrained", newest_run(folder / "scaled")});
  EXPECT_EQ(predicted.exit_code, 0) << predicted.err;
  EXPECT_THAT(predicted.err, testing::Not(HasSubstr("clipped to")));
  const Result lost = run(
      Words{"predict", image, "-pretrained", newest_run(folder / "clipped")});
  EXPECT_EQ(lost.exit_code, 0) << lost.err;
  EXPECT_THAT(lost.err, HasSubstr(image.native()));
  const Result empty = run(tiny_run(
      folder / "empty",
      options.with({.set = {"data.preprocess.range=[7, 7]"}})));
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_THAT(empty.err, HasSubstr("data.preprocess.range"));
}

// Lists with several labels for an image, to the verbs that look at data.
TEST(LabelLists, AreShownCheckedAndPackedWithAllLabelsOrNotAtAll) {
  const TempFolder folder;
  const std::string image = slurp(golden("rgb_420.jpg"));
  for (const char* name : {"a.jpg", "b.jpg", "c.jpg", "d.jpg"}) {
    folder.write(name, image);
  }
  const auto list =
      folder.write("list.txt", "a.jpg 1\nb.jpg 1\nc.jpg -\nd.jpg 0,1\n");
  const Words data{"-cfg", kTiny,
                   "-set", "data.train.kind=list",
                   "-set", "data.train.path=" + list.native(),
                   "-set", "data.train.multi_label=true",
                   "-set", "data.eval.kind=list",
                   "-set", "data.eval.path=" + list.native(),
                   "-set", "data.eval.multi_label=true",
                   "-set", "train.loss=binary_cross_entropy",
                   "-set", "checkpoint.metric=map",
                   "-set", "data.batch_size=2"};
  const auto verb = [&](Words words) {
    words.insert(words.end(), data.begin(), data.end());
    return run(words);
  };
  const Result pack = verb({"data", "pack", "-out", folder / "packed"});
  EXPECT_EQ(pack.exit_code, 3) << pack.out;
  EXPECT_FALSE(fs::exists(folder / "packed"));
  const Result check = verb({"data", "check", "-out", folder / "report.json"});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  const Json report = Json::parse(slurp(folder / "report.json"));
  EXPECT_EQ(report["splits"]["train"]["classes"][0]["samples"], 1);
  EXPECT_EQ(report["splits"]["train"]["classes"][1]["samples"], 3);
  const Result show =
      verb({"data", "show", "-count", "4", "-out", folder / "sheet.png"});
  EXPECT_EQ(show.exit_code, 0) << show.err;
  EXPECT_THAT(show.out, HasSubstr(" 0,1 " + (folder / "d.jpg").native()));
  EXPECT_THAT(show.out, HasSubstr(" - " + (folder / "c.jpg").native()));
}

} // namespace
} // namespace vitrain::e2e
