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

std::vector<Shell> shells() {
  return {Shell::kBash, Shell::kZsh, Shell::kFish};
}

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

// Returns the completions that bash offers for the last of these words.
std::vector<std::string> in_bash(const std::vector<std::string>& words) {
  const TempFolder folder;
  const auto script = folder.write("vitrain", completion(Shell::kBash, kWords));
  std::string typed;
  for (const std::string& word : words) {
    typed += fmt::format(" '{}'", word);
  }
  std::vector<std::string> lines = lines_of(fmt::format(
      "cd {} && mkdir data && touch a.yaml 'b c.yaml' && bash -uc '. "
      "./vitrain; "
      "COMP_WORDS=(vitrain \"$@\"); COMP_CWORD=$#; _vitrain; "
      "for reply in \"${{COMPREPLY[@]}}\"; do echo \"$reply\"; done' bash{}",
      folder.path().native(),
      typed));
  EXPECT_EQ(lines.back(), "exit 0");
  lines.pop_back();
  return lines;
}

TEST(Completion, HasEveryVerbOptionAndKey) {
  Recipe recipe;
  const Schema schema = schema_of(recipe);
  for (const Shell shell : shells()) {
    const std::string text = completion(shell, kWords);
    for (const VerbInfo& info : verbs()) {
      for (const std::string& word : split(info.words, ' ')) {
        EXPECT_THAT(text, HasSubstr(word)) << name_of(shell);
      }
    }
    for (const Option& option : options()) {
      // fish: -o cfg
      const std::string name = shell == Shell::kFish
          ? fmt::format("-o {} ", option.name)
          : fmt::format("-{}", option.name);
      EXPECT_THAT(text, HasSubstr(name)) << name_of(shell);
    }
    for (const Field& field : schema.fields) {
      EXPECT_THAT(text, HasSubstr(field.path)) << name_of(shell);
    }
    EXPECT_THAT(text, HasSubstr("vit_tiny_patch16_224"));
    EXPECT_THAT(text, HasSubstr("torchrun"));
  }
}

TEST(Completion, BashCompletesVerbs) {
  EXPECT_THAT(in_bash({"mo"}), ElementsAre("models"));
  EXPECT_THAT(in_bash({""}), IsSupersetOf({"train", "config", "weights"}));
  EXPECT_THAT(in_bash({"config", "s"}), ElementsAre("show"));
  EXPECT_THAT(
      in_bash({"weights", ""}),
      IsSupersetOf({"show", "diff", "convert", "average"}));
  EXPECT_THAT(in_bash({"completion", "z"}), ElementsAre("zsh"));
}

TEST(Completion, BashCompletesTheOptionsOfTheVerb) {
  EXPECT_THAT(in_bash({"-dev"}), ElementsAre("-devices"));
  EXPECT_THAT(in_bash({"config", "show", "-orig"}), ElementsAre("-origin"));
  EXPECT_THAT(in_bash({"train", "-orig"}), IsEmpty());
  EXPECT_THAT(in_bash({"export", "-form"}), ElementsAre("-format"));
  // After an option without a value, or with an optional one.
  EXPECT_THAT(in_bash({"-amp", "-dev"}), ElementsAre("-devices"));
  EXPECT_THAT(in_bash({"-resume", "-dev"}), ElementsAre("-devices"));
}

TEST(Completion, BashCompletesValues) {
  EXPECT_THAT(in_bash({"-cfg", "b"}), ElementsAre("b c.yaml"));
  EXPECT_THAT(in_bash({"--cfg", "a"}), ElementsAre("a.yaml"));
  EXPECT_THAT(in_bash({"-cfg", "=", "a"}), ElementsAre("a.yaml"));
  EXPECT_THAT(in_bash({"-data-path", ""}), ElementsAre("data"));
  EXPECT_THAT(in_bash({"-dataset", "mn"}), ElementsAre("mnist"));
  EXPECT_THAT(in_bash({"export", "-format", "o"}), ElementsAre("onnx"));
  EXPECT_THAT(in_bash({"-launcher", "s"}), ElementsAre("slurm"));
  EXPECT_THAT(
      in_bash({"runs", "-sort", "st"}), ElementsAre("started", "state"));
  EXPECT_THAT(in_bash({"-batch_size", ""}), IsEmpty());
  EXPECT_THAT(in_bash({"-resume", "au"}), ElementsAre("auto"));
  EXPECT_THAT(in_bash({"models", "resn"}), ElementsAre("resnet50"));
}

TEST(Completion, BashCompletesKeysAndTheirValues) {
  EXPECT_THAT(in_bash({"-set", "optim.na"}), ElementsAre("optim.name="));
  // bash splits NAME=VALUE into words by default.
  EXPECT_THAT(in_bash({"-set", "optim.name", "=", "ada"}), Contains("adamw"));
  EXPECT_THAT(in_bash({"-set", "optim.name", "="}), Contains("sgd"));
  EXPECT_THAT(
      in_bash({"-set", "optim.name=ada"}), Contains("optim.name=adamw"));
  EXPECT_THAT(
      in_bash({"-set", "model.name", "=", "res"}), ElementsAre("resnet50"));
  EXPECT_THAT(
      in_bash({"-set", "train.precision", "=", "bf"}), ElementsAre("bf16"));
}

TEST(Completion, FishOffersTheSame) {
  if (!is_here("fish")) {
    GTEST_SKIP() << "fish is not installed";
  }
  const TempFolder folder;
  const auto script =
      folder.write("vitrain.fish", completion(Shell::kFish, kWords));
  const auto offered = [&](const std::string& line) {
    std::vector<std::string> words;
    for (const std::string& offer : lines_of(fmt::format(
             "cd {0} && HOME={0} fish --no-config -c \"source vitrain.fish; "
             "complete -C '{1}'\" 2>&1",
             folder.path().native(),
             line))) {
      words.push_back(split(offer, '\t').front());
    }
    words.pop_back();
    return words;
  };
  EXPECT_THAT(offered("vitrain mo"), ElementsAre("models"));
  EXPECT_THAT(offered("vitrain config s"), ElementsAre("show"));
  EXPECT_THAT(offered("vitrain config show -orig"), ElementsAre("-origin"));
  EXPECT_THAT(offered("vitrain train -orig"), Not(Contains("-origin")));
  EXPECT_THAT(offered("vitrain -dataset mn"), ElementsAre("mnist"));
  EXPECT_THAT(offered("vitrain -cfg vit"), Contains("vitrain.fish"));
  EXPECT_THAT(
      offered("vitrain -set model.name=res"),
      ElementsAre("model.name=resnet50"));
}

TEST(Completion, ZshReadsIt) {
  if (!is_here("zsh")) {
    GTEST_SKIP() << "zsh is not installed";
  }
  const TempFolder folder;
  const auto script = folder.write("_vitrain", completion(Shell::kZsh, kWords));
  EXPECT_THAT(
      lines_of(fmt::format("zsh -fn {} 2>&1", script.native())),
      ElementsAre("exit 0"));
  // The tables are read, and _arguments takes the options that they give.
  EXPECT_THAT(
      lines_of(fmt::format(
          "zsh -fc 'compdef() {{ }}; . {}; _vitrain_options \"config show\"; "
          "print -l $names; print -r -- $_vitrain_specs[launcher]' 2>&1",
          script.native())),
      IsSupersetOf(
          {"origin",
           "-launcher[Who started this process]:NAME:(auto none torchrun "
           "slurm)"}));
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
