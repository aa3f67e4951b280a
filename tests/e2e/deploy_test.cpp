// The files of deploy/, as far as one machine without a cluster can use them:
// the command of each pod is run as the pod would run it, Slurm's script under
// sbatch where tests/e2e/with_slurm.sh makes a cluster, torchrun's where
// VITRAIN_TORCH_PYTHON has one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cstdlib>

#include <fmt/format.h>

#include "core/text.h"
#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::HasSubstr;

const std::string kDeploy = VITRAIN_SOURCE_DIR "/deploy/";

// A training of two workers that is over in a second.
const Words kShortTraining{
    "-devices",
    "cpu:1",
    "-set",
    "run.max_steps=10",
    "-set",
    "dist.timeouts.setup=30"};

// "$(NAME)" in a text, as Kubernetes replaces it by variables of the container.
std::string expanded(std::string text, const Environment& variables) {
  for (const auto& [name, value] : variables) {
    const std::string reference = "$(" + name + ")";
    for (std::size_t at = text.find(reference); at != std::string::npos;
         at = text.find(reference)) {
      text.replace(at, reference.size(), value);
    }
  }
  return text;
}

// Returns the command of a pod with these variables. Cluster-only values of the
// manifest (files, the port) are replaced by this machine's.
Command pod(
    const YAML::Node& container,
    const std::filesystem::path& folder,
    const Environment& given) {
  Environment variables = kOneThread;
  for (const YAML::Node& variable : container["env"]) {
    if (variable["value"]) {
      variables[variable["name"].as<std::string>()] =
          variable["value"].as<std::string>();
    }
  }
  for (const auto& [name, value] : given) {
    variables[name] = value;
  }
  EXPECT_EQ(container["command"].as<Words>(), Words{"vitrain"});
  Words words{binary()};
  for (const std::string& word : container["args"].as<Words>()) {
    std::string text = expanded(word, variables);
    if (text == "/data/recipe.yaml") {
      text = kTiny;
    } else if (text == "/data/runs") {
      text = folder / "runs";
    } else if (text.ends_with(":29500")) {
      text = "127.0.0.1:" + given.at("MASTER_PORT");
    }
    words.push_back(text);
  }
  words.insert(words.end(), kShortTraining.begin(), kShortTraining.end());
  return {.words = words, .environment = variables};
}

void expect_one_run_of_two(const std::filesystem::path& output) {
  EXPECT_EQ(
      std::distance(
          std::filesystem::directory_iterator(output),
          std::filesystem::directory_iterator()),
      1);
  const auto run = newest_run(output);
  EXPECT_THAT(records(run, "start").at(0).dump(), HasSubstr("\"workers\":2"));
  EXPECT_EQ(steps_in_order(run), 10);
}

void expect_to_train(const Command& first, const Command& second) {
  Program other(second);
  const Result result = run(first, 60);
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  const Result its = other.wait(30);
  EXPECT_EQ(its.exit_code, 0) << its.out << its.err;
}

TEST(Deploy, PodsOfAnIndexedJobTrainTogether) {
  const TempFolder folder;
  const std::vector<YAML::Node> documents =
      YAML::LoadAllFromFile(kDeploy + "kubernetes/job.yaml");
  const YAML::Node service = documents.at(0);
  const YAML::Node job = documents.at(1);
  ASSERT_EQ(job["spec"]["completions"].as<int>(), 2);
  const YAML::Node spec = job["spec"]["template"]["spec"];
  const YAML::Node container = spec["containers"][0];
  // Where pod 0 is: <job>-<index>.<service>, if the pods say so.
  EXPECT_EQ(
      container["env"][0]["value"].as<std::string>(),
      fmt::format(
          "{}-0.{}",
          job["metadata"]["name"].as<std::string>(),
          service["metadata"]["name"].as<std::string>()));
  EXPECT_EQ(
      spec["subdomain"].as<std::string>(),
      service["metadata"]["name"].as<std::string>());
  EXPECT_EQ(
      service["spec"]["selector"]["job-name"].as<std::string>(),
      job["metadata"]["name"].as<std::string>());
  const std::string port = free_port();
  const auto one = [&](const char* index) {
    return pod(
        container,
        folder.path(),
        {{"JOB_COMPLETION_INDEX", index},
         {"MASTER_PORT", port},
         {"MASTER", "127.0.0.1"}});
  };
  expect_to_train(one("0"), one("1"));
  expect_one_run_of_two(folder / "runs");
}

TEST(Deploy, PodsOfAPyTorchJobTrainTogether) {
  const TempFolder folder;
  const YAML::Node job = YAML::LoadFile(kDeploy + "kubernetes/pytorchjob.yaml");
  const std::string port = free_port();
  const auto one = [&](const char* kind, const char* rank) {
    const YAML::Node replicas = job["spec"]["pytorchReplicaSpecs"][kind];
    EXPECT_EQ(replicas["replicas"].as<int>(), 1);
    // Variables that the operator adds to containers named pytorch.
    const YAML::Node container = replicas["template"]["spec"]["containers"][0];
    EXPECT_EQ(container["name"].as<std::string>(), "pytorch");
    return pod(
        container,
        folder.path(),
        {{"WORLD_SIZE", "2"},
         {"RANK", rank},
         {"MASTER_ADDR", "127.0.0.1"},
         {"MASTER_PORT", port},
         {"PET_NPROC_PER_NODE", "1"}});
  };
  expect_to_train(one("Master", "0"), one("Worker", "1"));
  expect_one_run_of_two(folder / "runs");
}

TEST(Deploy, ManifestsFitTheirSchemas) {
  const char* python = std::getenv("VITRAIN_PEER_PYTHON");
  if (python == nullptr ||
      run(Command{.words = {python, "-c", "import kubernetes_validate"}})
              .exit_code != 0) {
    GTEST_SKIP() << "VITRAIN_PEER_PYTHON names no Python with "
                    "kubernetes-validate";
  }
  const Result result = run(Command{
      .words = {
          python,
          VITRAIN_SOURCE_DIR "/tests/e2e/check_manifests.py",
          kDeploy + "kubernetes/job.yaml",
          kDeploy + "kubernetes/pytorchjob.yaml"}});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

// A folder in which `vitrain` is the binary, in front of PATH.
Environment with_vitrain_on_path(
    const TempFolder& folder,
    const std::string& others = "") {
  std::filesystem::create_directories(folder / "bin");
  std::filesystem::create_symlink(binary(), folder / "bin/vitrain");
  Environment environment = kOneThread;
  environment["PATH"] = fmt::format(
      "{}:{}{}", (folder / "bin").native(), others, std::getenv("PATH"));
  return environment;
}

Words short_run(Words words, const std::filesystem::path& output) {
  words.insert(
      words.end(),
      {kTiny,
       "-devices",
       "cpu",
       "-set",
       "run.max_steps=10",
       "-output",
       output});
  return words;
}

TEST(Deploy, SbatchTrains) {
  if (std::system("sinfo --noheader >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "there is no Slurm cluster: see tests/e2e/with_slurm.sh";
  }
  const TempFolder folder;
  // One node, and without the GPUs that the script asks for.
  std::string script = slurp(kDeploy + "slurm/train.sbatch");
  const auto replace = [&](const std::string& from, const std::string& to) {
    ASSERT_NE(script.find(from), std::string::npos) << from;
    script.replace(script.find(from), from.size(), to);
  };
  replace("#SBATCH --nodes=2", "#SBATCH --nodes=1");
  replace(
      "#SBATCH --ntasks-per-node=4",
      "#SBATCH --ntasks-per-node=2 --overcommit");
  replace("#SBATCH --gpus-per-node=4\n", "");
  replace("#SBATCH --cpus-per-task=8\n", "");
  const auto file = folder.write("train.sbatch", script);
  const Result result = run(
      Command{
          .words = short_run(
              {"sbatch",
               "--wait",
               "--export=ALL",
               "--output=" + (folder / "log").native(),
               file},
              folder / "runs"),
          .environment = with_vitrain_on_path(folder)},
      120);
  EXPECT_EQ(result.exit_code, 0) << result.err << slurp(folder / "log");
  expect_one_run_of_two(folder / "runs");
}

TEST(Deploy, TorchrunTrains) {
  const char* python = std::getenv("VITRAIN_TORCH_PYTHON");
  if (python == nullptr) {
    GTEST_SKIP() << "VITRAIN_TORCH_PYTHON names no Python with torch";
  }
  const TempFolder folder;
  Environment environment = with_vitrain_on_path(
      folder, std::filesystem::path(python).parent_path().native() + ":");
  environment["NPROC"] = "2";
  const Result result = run(
      Command{
          .words = short_run({kDeploy + "torchrun.sh"}, folder / "runs"),
          .environment = environment},
      120);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_one_run_of_two(folder / "runs");
}

} // namespace
} // namespace vitrain::e2e
