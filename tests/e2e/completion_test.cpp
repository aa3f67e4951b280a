// Completion in real shells.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "core/text.h"
#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

// A folder with the script of a shell and some files, in which that shell
// finds the program.
class Shell {
 public:
  explicit Shell(const std::string& name) {
    folder_.write("script", run({"completion", name}).out);
    folder_.write("a.yaml");
    folder_.write("b c.yaml");
    std::filesystem::create_directory(folder_ / "data");
  }

  // Returns the lines that a command prints there.
  Words lines_of(const Words& command) const {
    const std::string place =
        std::filesystem::path(binary()).parent_path().native();
    Words words{"env", "-C", folder_.path().native()};
    words.insert(words.end(), command.begin(), command.end());
    const Result result = run(Command{
        words,
        {{"PATH", place + ":" + std::getenv("PATH")},
         {"HOME", folder_.path().native()}}});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    Words lines = split(result.out, '\n');
    lines.pop_back();
    return lines;
  }

 private:
  TempFolder folder_;
};

bool is_missing(const std::string& program) {
  return run(Command{{"sh", "-c", "command -v " + program}, {}}).exit_code != 0;
}

TEST(Completion, Bash) {
  const Shell shell("bash");
  const auto offered = [&](const Words& typed) {
    Words command{
        "bash",
        "-uc",
        ". ./script; COMP_WORDS=(vitrain \"$@\"); COMP_CWORD=$#; _vitrain; "
        "for reply in \"${COMPREPLY[@]}\"; do echo \"$reply\"; done",
        "bash"};
    command.insert(command.end(), typed.begin(), typed.end());
    return shell.lines_of(command);
  };
  EXPECT_THAT(offered({"mo"}), ElementsAre("models"));
  EXPECT_THAT(offered({"config", "s"}), ElementsAre("show"));
  EXPECT_THAT(offered({"train", "-orig"}), IsEmpty());
  EXPECT_THAT(offered({"-cfg", "b"}), ElementsAre("b c.yaml"));
  EXPECT_THAT(offered({"-cfg", "=", "a"}), ElementsAre("a.yaml"));
  EXPECT_THAT(offered({"-cfg", "="}), IsSupersetOf({"a.yaml", "b c.yaml"}));
  EXPECT_THAT(offered({"-data-path", ""}), ElementsAre("data"));
  EXPECT_THAT(offered({"-set", "optim.na"}), ElementsAre("optim.name="));
  EXPECT_THAT(offered({"-set", "optim.name", "="}), Contains("sgd"));
  EXPECT_THAT(offered({"models", "resnet50d"}), ElementsAre("resnet50d"));
  EXPECT_THAT(offered({"-launcher", "s"}), ElementsAre("slurm"));
}

TEST(Completion, Zsh) {
  if (is_missing("zsh")) {
    GTEST_SKIP() << "zsh is not installed";
  }
  const Shell shell("zsh");
  // zsh's own functions work only in an interactive shell.
  const auto offered = [&](const Words& typed) {
    Words command{
        "zsh",
        "-fc",
        "compdef() {}; compset() {}; _files() { print -rl -- $@ *(/) }; "
        "_describe() { print -rl -- ${(P)4} \"${@[5,-1]}\" }; . ./script; "
        "words=(vitrain \"$@\") CURRENT=$#words; _vitrain",
        "zsh"};
    command.insert(command.end(), typed.begin(), typed.end());
    return shell.lines_of(command);
  };
  EXPECT_THAT(
      offered({"config", "s"}), ElementsAre("show:Print the resolved recipe"));
  EXPECT_THAT(offered({"config", "show", "-orig"}).size(), 1);
  EXPECT_THAT(offered({"train", "-orig"}), IsEmpty());
  EXPECT_THAT(offered({"-data-path", ""}), ElementsAre("-/", "data"));
  EXPECT_THAT(offered({"-dataset", "mn"}), ElementsAre("mnist"));
  EXPECT_THAT(
      offered({"-set", "optim.name=sg"}), ElementsAre("optim.name=sgd"));
  EXPECT_THAT(offered({"-set", "optim.na"}), IsSupersetOf({"-S", ""}));
}

TEST(Completion, Fish) {
  if (is_missing("fish")) {
    GTEST_SKIP() << "fish is not installed";
  }
  const Shell shell("fish");
  const auto offered = [&](const std::string& typed) {
    Words words;
    for (const std::string& line : shell.lines_of(
             {"fish",
              "--no-config",
              "-c",
              "source script; complete -C '" + typed + "'"})) {
      words.push_back(split(line, '\t').front());
    }
    return words;
  };
  EXPECT_THAT(offered("vitrain mo"), ElementsAre("models"));
  EXPECT_THAT(offered("vitrain config s"), ElementsAre("show"));
  EXPECT_THAT(offered("vitrain config show -orig"), ElementsAre("-origin"));
  EXPECT_THAT(offered("vitrain train -orig"), Not(Contains("-origin")));
  EXPECT_THAT(offered("vitrain -dataset mn"), ElementsAre("mnist"));
  EXPECT_THAT(offered("vitrain -cfg a"), ElementsAre("a.yaml"));
  EXPECT_THAT(offered("vitrain -data_path "), ElementsAre("data/"));
  EXPECT_THAT(
      offered("vitrain -set model.name=resnet50d"),
      ElementsAre("model.name=resnet50d"));
}

} // namespace
} // namespace vitrain::e2e
