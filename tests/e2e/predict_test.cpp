// Predictions: the verb `predict`, and the files of an evaluation.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <sstream>

#include "program.h"

namespace vitrain::e2e {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

const std::string kImages = VITRAIN_SOURCE_DIR "/tests/golden/image/files";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

class Predict : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TempFolder>();
    run_ = train(
        *folder_ / "runs", {.devices = "cpu:1", .set = {"run.max_steps=20"}});
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static Result predict(Words words) {
    words.insert(words.begin(), "predict");
    words.insert(words.end(), {"-pretrained", run_});
    return run(vitrain(words, kOneThread));
  }

  static std::unique_ptr<TempFolder> folder_;
  static fs::path run_;
};
std::unique_ptr<TempFolder> Predict::folder_;
fs::path Predict::run_;

TEST_F(Predict, GivesTheSameBytesOnAnyNumberOfWorkers) {
  const TempFolder out;
  std::vector<std::string> tables;
  for (const std::string devices : {"cpu:1", "cpu:2"}) {
    const auto csv = out / (devices + ".csv");
    const Result result = predict(
        {kImages,
         "-devices",
         devices,
         "-batch_size",
         "4",
         "-top",
         "3",
         "-csv",
         csv,
         "-sheet",
         out / (devices + ".png")});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(csv));
    tables.push_back(slurp(csv));
    EXPECT_THAT(
        slurp(out / (devices + ".png")), StartsWith("\x89PNG\r\n\x1a\n"));
  }
  EXPECT_EQ(tables[0], tables[1]);
  const auto lines = lines_of(tables[0]);
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(kImages)) {
    files.push_back(entry.path().native());
  }
  std::ranges::sort(files);
  ASSERT_THAT(lines, SizeIs(files.size() + 1));
  EXPECT_EQ(
      lines[0],
      "path,prediction,probability,prediction_2,probability_2,prediction_3,"
      "probability_3,problem");
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_THAT(lines[i + 1], StartsWith(files[i] + ",")) << i;
  }
  EXPECT_EQ(tables[0], slurp(out / "cpu:1.csv"));
}

TEST_F(Predict, SaysWhatCannotBeRead) {
  const TempFolder folder;
  // In their order: circle, square, triangle, ...
  const Json known = Json::parse(
      predict({kImages + "/rgb_8.png", "-jsonl", "-", "-top", "99"}).out);
  std::string names;
  for (std::size_t i = 0; i < known.at("top").size(); ++i) {
    names += "kind " + std::to_string(i) + "\n";
  }
  const auto classes = folder.write("classes.txt", names);
  const auto broken = folder.write("a,b.jpg", "<html>");
  const auto list =
      folder.write("list.txt", kImages + "/rgb_8.png 3\na,b.jpg\nnone.png\n");
  const Result result =
      predict({"@" + list.native(), "-classes", classes, "-csv", "-"});
  EXPECT_EQ(result.exit_code, 3);
  const auto lines = lines_of(result.out);
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_THAT(lines[1], HasSubstr("rgb_8.png,kind "));
  EXPECT_THAT(
      lines[2],
      AllOf(StartsWith("\"" + broken.native() + "\",,"), HasSubstr("HTML")));
  EXPECT_THAT(lines[3], HasSubstr("none.png,,,,,,,,,,,No such file"));
  EXPECT_THAT(result.err, HasSubstr("3 images, 2 of them unreadable"));

  const Result table = predict({kImages + "/rgb_8.png"});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(lines_of(table.out), SizeIs(1));
  EXPECT_THAT(
      table.out,
      HasSubstr(known.at("top")[0].at("class").get<std::string>() + " "));
  EXPECT_EQ(table.err, "");
}

// If the file name after an option is forgotten, an image becomes its value.
TEST_F(Predict, FailsIfItsOutputIsLost) {
  const Words words{
      "predict", kImages + "/rgb_420.jpg", "-pretrained", run_.native()};
  const Result closed = run(
      vitrain(words, kOneThread).after({"sh", "-c", "exec \"$@\" >&-", "sh"}));
  EXPECT_EQ(closed.exit_code, 8) << closed.err;
  EXPECT_THAT(closed.err, HasSubstr("standard output"));
}

TEST_F(Predict, NeverReplacesAnImage) {
  const TempFolder folder;
  std::string before;
  for (const auto& entry : fs::directory_iterator(kImages)) {
    if (entry.path().extension() == ".png") {
      fs::copy_file(
          entry, folder / "a.png", fs::copy_options::overwrite_existing);
      before = slurp(folder / "a.png");
    }
  }
  ASSERT_FALSE(before.empty());
  fs::copy_file(folder / "a.png", folder / "b.jpg");
  const std::string kept = "a.png\n";
  folder.write("x.tar", kept);
  folder.write("list.txt", kept);
  for (const Words& words :
       {Words{"-csv", folder / "b.jpg", folder / "a.png"},
        Words{"-jsonl", folder / "b.jpg", folder / "a.png"},
        Words{"-sheet", folder / "a.png", folder / "a.png"},
        Words{"-csv", folder / "x.tar", folder / "a.png"},
        Words{"-jsonl", folder / "list.txt", folder / "a.png"},
        Words{"-csv", folder / "list.txt", folder / "list.txt"},
        Words{"-sheet", folder / "a.png", folder.path()},
        Words{"-sheet", folder / "a.png", folder / "b.jpg"}}) {
    const Result result = predict(words);
    EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
    EXPECT_THAT(result.err, StartsWith(words.front() + " ")) << result.err;
    EXPECT_EQ(slurp(folder / "a.png"), before);
    EXPECT_EQ(slurp(folder / "b.jpg"), before);
    EXPECT_EQ(slurp(folder / "x.tar"), kept);
    EXPECT_EQ(slurp(folder / "list.txt"), kept);
  }
}

TEST_F(Predict, ReplacesASheet) {
  const TempFolder folder;
  const auto sheet = folder / "sheet.png";
  std::vector<std::string> drawn;
  for (const std::string name : {"rgb_8.png", "rgb_420.jpg"}) {
    const Result result = predict({kImages + "/" + name, "-sheet", sheet});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    drawn.push_back(slurp(sheet));
  }
  EXPECT_NE(drawn[0], drawn[1]);
}

// A list is no table of predictions because it begins with a path, nor a free
// name because it is called in another way than the input.
TEST_F(Predict, NeverReplacesAListOfSomebody) {
  const TempFolder folder;
  const std::string image = kImages + "/rgb_8.png";
  const auto list = folder.write("train.csv", "path,label\n" + image + ",1\n");
  const auto json =
      folder.write("mine.jsonl", "{\"path\":\"" + image + "\",\"label\":1}\n");
  const auto evaluated = folder / "predictions.csv";
  fs::copy_file(run_ / "evaluation/predictions.csv", evaluated);
  const auto made = folder / "made.csv";
  EXPECT_EQ(predict({image, "-csv", made}).exit_code, 0);
  fs::create_symlink("made.csv", folder / "link.csv");
  std::map<std::string, std::string> before;
  for (const fs::path& file : {list, json, evaluated, made}) {
    before[file] = slurp(file);
  }
  for (const Words& words :
       {Words{"-csv", list, "@" + list.native()},
        Words{"-csv", list, image},
        Words{"-jsonl", json, image},
        Words{"-csv", evaluated, image},
        Words{"-csv", folder / "link.csv", "@" + made.native()},
        Words{"-csv", made, folder / "link.csv"}}) {
    const Result result = predict(words);
    EXPECT_EQ(result.exit_code, 2) << words[1] << ": " << result.err;
    EXPECT_THAT(result.err, StartsWith(words.front() + " ")) << result.err;
    for (const auto& [file, bytes] : before) {
      EXPECT_EQ(slurp(file), bytes) << file;
    }
  }
  EXPECT_EQ(predict({image, "-csv", folder / "link.csv"}).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(folder / "link.csv"));
}

// A link of the kind that /dev/stdout is.
TEST_F(Predict, WritesToAnOpenFileAsItIs) {
  const TempFolder folder;
  const auto link = folder / "stdout";
  fs::create_symlink("/proc/self/fd/1", link);
  for (const std::string option : {"-csv", "-jsonl"}) {
    const Result result = predict({kImages + "/rgb_8.png", option, link});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("rgb_8.png")) << option;
    EXPECT_TRUE(fs::is_symlink(link));
  }
}

TEST_F(Predict, SaysAtTheStartWhatCannotBeWritten) {
  const TempFolder folder;
  const std::string image = kImages + "/rgb_8.png";
  const auto sheet = folder / "none/sheet.png";
  const auto csv = folder / "a.csv";
  const Result result = predict({image, "-csv", csv, "-sheet", sheet});
  EXPECT_EQ(result.exit_code, 8);
  EXPECT_THAT(
      result.err,
      HasSubstr(sheet.native() + ": cannot be written: No such file"));
  EXPECT_TRUE(fs::is_empty(folder.path()));

  // A failure at the end does not lose the table.
  fs::create_symlink("/dev/full", folder / "full.png");
  const Result late =
      predict({image, "-csv", csv, "-sheet", folder / "full.png"});
  EXPECT_EQ(late.exit_code, 8);
  EXPECT_THAT(late.err, HasSubstr("full.png: cannot write it: No space"));
  EXPECT_THAT(lines_of(slurp(csv)), SizeIs(2));
}

TEST_F(Predict, NeedsADifferentNameForEachFile) {
  const TempFolder folder;
  const std::string name = (folder / "x.png").native();
  const std::string other = folder.path().native() + "/./x.csv";
  const std::string image = kImages + "/rgb_8.png";
  fs::create_symlink("x.csv", name);
  for (const Words& words :
       {Words{image, "-csv", folder / "x.csv", "-jsonl", other},
        Words{image, "-csv", other, "-sheet", name},
        Words{image, "-jsonl", other, "-sheet", name}}) {
    const Result result = predict(words);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr("give them different names"));
  }
}

TEST_F(Predict, TakesMoreWorkersThanCores) {
  const Result result =
      predict({kImages + "/rgb_8.png", "-devices", "cpu:99999"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(lines_of(result.out), SizeIs(1));
}

TEST_F(Predict, NotesThatAnArchiveMayBeCutOff) {
  const TempFolder folder;
  fs::copy_file(kImages + "/rgb_8.png", folder / "a.png");
  const auto tar = folder / "a.tar";
  ASSERT_EQ(
      run(Command{.words = {"tar", "-cf", tar, "-C", folder.path(), "a.png"}})
          .exit_code,
      0);
  EXPECT_EQ(predict({tar}).err, "");
  // A header and whole blocks: only the zeros are gone.
  const auto bytes = static_cast<std::uintmax_t>(512) +
      (fs::file_size(folder / "a.png") + 511) / 512 * 512;
  fs::resize_file(tar, bytes);
  const Result cut = predict({tar});
  EXPECT_EQ(cut.exit_code, 0) << cut.err;
  EXPECT_THAT(cut.err, HasSubstr("end without zeros"));
}

TEST_F(Predict, EvaluationCanBeLookedInto) {
  // The last evaluation of the training, and evaluations of the same weights.
  std::vector<fs::path> folders{run_ / "evaluation"};
  Result result;
  for (const std::string devices : {"cpu:1", "cpu:2"}) {
    const TempFolder unused;
    const auto output = *folder_ / ("evaluated " + devices);
    result = run(tiny_run(
        output, {.devices = devices, .evaluate = run_ / "checkpoints/latest"}));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    folders.push_back(newest_run(output) / "evaluation");
  }
  for (const std::string name :
       {"predictions.csv",
        "per_class.csv",
        "confusion.csv",
        "reliability.csv"}) {
    const std::string expected = slurp(folders[0] / name);
    EXPECT_GT(expected.size(), 50U) << name;
    for (const fs::path& folder : folders) {
      EXPECT_EQ(slurp(folder / name), expected) << folder / name;
    }
  }
  for (const std::string name :
       {"confusion.png", "reliability.png", "mistakes.png"}) {
    EXPECT_THAT(slurp(folders[1] / name), StartsWith("\x89PNG\r\n\x1a\n"));
  }
  const auto lines = lines_of(slurp(folders[0] / "predictions.csv"));
  ASSERT_THAT(lines, SizeIs(102));
  EXPECT_EQ(lines[0], "path,label,prediction,probability,loss");
  EXPECT_THAT(lines[1], StartsWith("shapes image 0 of seed 1,bars,"));
  EXPECT_THAT(lines[101], StartsWith("shapes image 100 of seed 1,"));
  for (const std::string label :
       {"accuracy", "worst", "confused", "mistakes", "calibration"}) {
    EXPECT_THAT(result.out, HasSubstr("\n  " + label + " ")) << result.out;
  }
}

} // namespace
} // namespace vitrain::e2e
