#include "config/command_line/completion.h"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/command_line/man_page.h"
#include "config/command_line/options.h"
#include "config/schema/schema.h"
#include "config/sections/recipe.h"
#include "core/text.h"
#include "support/files.h"

namespace vitrain::config {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

const CompletionWords kWords{
    .models = {"vit_tiny_patch16_224", "resnet50"},
    .launchers = {"torchrun", "slurm"}};

bool is_here(const std::string& program) {
  return std::system(
             fmt::format("command -v {} >/dev/null 2>&1", program).c_str()) ==
      0;
}

// The lines that a command prints on stdout; its last is "exit N".
std::vector<std::string> lines_of(const std::string& command) {
  std::FILE* pipe = ::popen((command + "; echo exit $?").c_str(), "r");
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    text += static_cast<char>(c);
  }
  ::pclose(pipe);
  std::vector<std::string> lines = split(text, '\n');
  lines.pop_back(); // after the last end of line
  return lines;
}

// The words that complete() offers for the last of these; before them "files"
// or "folders" if it wants the shell to offer these too.
std::vector<std::string> offered(const std::vector<std::string>& words) {
  std::vector<std::string> found;
  for (const std::string& line : split(complete(words, kWords), '\n')) {
    found.push_back(split(line, '\t').front());
  }
  found.pop_back(); // after the last end of line
  const std::string kind = found.front();
  if (kind == "w") {
    found.erase(found.begin());
  } else {
    found.front() = kind == "f" ? "files" : kind == "d" ? "folders" : kind;
  }
  return found;
}

TEST(Completion, OffersEveryVerbOptionAndKey) {
  for (const VerbInfo& info : verbs()) {
    std::vector<std::string> words = split(info.words, ' ');
    EXPECT_THAT(offered(words), Contains(words.back()));
    words.emplace_back("-");
    const std::vector<std::string> options_of_it = offered(words);
    for (const Option& option : options()) {
      const std::string name = fmt::format("-{}", option.name);
      if (contains(option.verbs, info.verb)) {
        EXPECT_THAT(options_of_it, Contains(name)) << info.words;
      } else if (info.verb != Verb::kTrain) { // -eval makes it eval
        EXPECT_THAT(options_of_it, Not(Contains(name))) << info.words;
      }
    }
  }
  Recipe recipe;
  const std::vector<std::string> keys = offered({"-set", ""});
  for (const Field& field : schema_of(recipe).fields) {
    EXPECT_THAT(keys, Contains(field.path + "="));
  }
}

TEST(Completion, ExplainsWords) {
  EXPECT_EQ(
      complete({"mo"}, kWords),
      "w\nmodels\tList the models that model.name can be, or those with a word "
      "in the name\n");
  EXPECT_EQ(
      complete({"-launcher"}, kWords),
      "w\n-launcher\tWho started this process\n");
}

TEST(Completion, OffersVerbs) {
  EXPECT_THAT(offered({""}), IsSupersetOf({"train", "config", "weights"}));
  EXPECT_THAT(offered({"config", "s"}), ElementsAre("show"));
  EXPECT_THAT(
      offered({"weights", ""}),
      ElementsAre("show", "diff", "convert", "average", "fetch"));
  EXPECT_THAT(offered({"completion", "z"}), ElementsAre("zsh"));
  EXPECT_THAT(offered({"models", "resn"}), ElementsAre("resnet50"));
  EXPECT_THAT(offered({"weights", "show", ""}), ElementsAre("files"));
  EXPECT_THAT(offered({"report", ""}), ElementsAre("folders"));
}

TEST(Completion, OffersOptionsOfTheVerb) {
  EXPECT_THAT(offered({"-dev"}), ElementsAre("-devices"));
  EXPECT_THAT(offered({"--dev"}), ElementsAre("--devices"));
  EXPECT_THAT(offered({"config", "show", "-orig"}), ElementsAre("-origin"));
  EXPECT_THAT(offered({"train", "-orig"}), IsEmpty());
  EXPECT_THAT(offered({"export", "-form"}), ElementsAre("-format"));
  // After an option without a value, or with an optional one.
  EXPECT_THAT(offered({"-amp", "-dev"}), ElementsAre("-devices"));
  EXPECT_THAT(offered({"-resume", "-dev"}), ElementsAre("-devices"));
}

TEST(Completion, OffersValues) {
  EXPECT_THAT(offered({"--cfg", "a"}), ElementsAre("files"));
  EXPECT_THAT(offered({"-cfg=a"}), ElementsAre("files"));
  EXPECT_THAT(offered({"-data-path", ""}), ElementsAre("folders"));
  EXPECT_THAT(offered({"-dataset", "mn"}), ElementsAre("mnist"));
  EXPECT_THAT(offered({"--dataset=mn"}), ElementsAre("--dataset=mnist"));
  EXPECT_THAT(offered({"export", "-format", "o"}), ElementsAre("onnx"));
  EXPECT_THAT(offered({"-launcher", "s"}), ElementsAre("slurm"));
  EXPECT_THAT(
      offered({"runs", "-sort", "st"}), ElementsAre("started", "state"));
  EXPECT_THAT(offered({"-batch_size", ""}), IsEmpty());
  EXPECT_THAT(offered({"-resume", "au"}), ElementsAre("files", "auto"));
}

TEST(Completion, OffersKeysAndTheirValues) {
  EXPECT_THAT(offered({"-set", "optim.na"}), ElementsAre("optim.name="));
  EXPECT_THAT(offered({"-set=optim.na"}), ElementsAre("-set=optim.name="));
  EXPECT_THAT(
      offered({"-set", "optim.name=ada"}), Contains("optim.name=adamw"));
  // bash splits NAME=VALUE into words by default.
  EXPECT_THAT(offered({"-set", "optim.name", "=", "ada"}), Contains("adamw"));
  EXPECT_THAT(offered({"-set", "optim.name", "="}), Contains("sgd"));
  EXPECT_THAT(
      offered({"-set", "=", "train.precision", "=", "bf"}),
      ElementsAre("bf16"));
  EXPECT_THAT(
      offered({"-set", "model.name", "=", "res"}), ElementsAre("resnet50"));
}

TEST(ManPage, HasEveryVerbOptionAndExitCode) {
  const std::string page = man_page("1.2-3");
  EXPECT_THAT(page, HasSubstr("\"vitrain 1.2\\-3\""));
  for (const VerbInfo& info : verbs()) {
    const std::string words = join(split(info.words, '-'), "\\-"); // no hyphen
    EXPECT_THAT(page, HasSubstr(fmt::format(".TP\n\\fB{}\\fR", words)));
  }
  for (const Option& option : options()) {
    EXPECT_THAT(
        page, HasSubstr(fmt::format(".TP\n\\fB\\-{}\\fR", option.name)));
  }
  EXPECT_THAT(page, HasSubstr("\\fB75\\fR\nstopped on request"));
}

TEST(ManPage, IsOneThatManReads) {
  if (!is_here("mandoc")) {
    GTEST_SKIP() << "mandoc is not installed";
  }
  const TempFolder folder;
  const auto page = folder.write("vitrain.1", man_page("0.1.0"));
  // There is no date, so that builds are reproducible; styles are ignored.
  EXPECT_THAT(
      lines_of(fmt::format(
          "mandoc -T lint -W warning {} | grep -v 'missing date'; true",
          page.native())),
      ElementsAre("exit 0"));
}

} // namespace
} // namespace vitrain::config
