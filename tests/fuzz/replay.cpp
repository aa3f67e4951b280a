// Feeds a fuzz target its seeds and damaged copies of them: what any compiler
// can run, as a test.
//   replay_NAME LIST [ROUNDS]   LIST: a file of seed files, separated by commas
//   replay_NAME FILE...         these inputs as they are, such as a finding
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "core/random.h"
#include "fuzz/fuzz.h"
#include "support/damage.h"

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  vitrain::fuzz::expect(file.good(), path.c_str());
  return {std::istreambuf_iterator<char>(file), {}};
}

// Message for a process that dies in the target.
char running[512];

void on_death(int signal) {
  [[maybe_unused]] const auto written =
      write(STDERR_FILENO, running, std::strlen(running));
  std::_Exit(128 + signal);
}

void feed(const std::string& path, int round, const Bytes& bytes) {
  std::snprintf(
      running, sizeof(running), "died of %s, round %d\n", path.c_str(), round);
  // A copy of exactly this size: reading beyond it is found.
  const Bytes exact(bytes);
  vitrain::fuzz::fuzz(exact);
}

void replay_list(const std::string& list, int rounds) {
  const Bytes text = read(list);
  std::stringstream names(std::string(text.begin(), text.end()));
  std::uint64_t seed = 0;
  std::uint64_t inputs = 0;
  for (std::string path; std::getline(names, path, ','); ++seed) {
    const Bytes whole = read(path);
    feed(path, 0, whole);
    vitrain::Random random(seed, vitrain::Purpose::kInit, 0, 0);
    for (int round = 1; round <= rounds; ++round, ++inputs) {
      Bytes bytes = whole;
      vitrain::damage(bytes, random);
      feed(path, round, bytes);
    }
  }
  vitrain::fuzz::expect(inputs > 0, "there are seeds");
  std::printf(
      "%llu seeds, %llu damaged copies\n",
      static_cast<unsigned long long>(seed),
      static_cast<unsigned long long>(inputs));
}

} // namespace

int main(int argc, char** argv) {
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    std::signal(signal, on_death);
  }
  const std::string first = argc > 1 ? argv[1] : "";
  if (first.ends_with(".seeds")) {
    replay_list(first, argc > 2 ? std::atoi(argv[2]) : 100);
    return 0;
  }
  for (int i = 1; i < argc; ++i) {
    feed(argv[i], 0, read(argv[i]));
  }
  return 0;
}
