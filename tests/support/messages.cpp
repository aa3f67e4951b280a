#include "support/messages.h"

#include <errno.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <utility>

#include <gtest/gtest.h>

namespace vitrain {
namespace {

// Messages in the order of the calls, by test name: "Suite.Test".
using Messages = std::map<std::string, std::vector<std::string>>;

// Reads a file of messages. Its lines: "[Suite.Test]"; "* " and the first line
// of a message; "  " and a further line of it.
Messages read(const std::string& file) {
  Messages all;
  std::vector<std::string>* test = nullptr;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("[")) {
      test = &all[line.substr(1, line.size() - 2)];
    } else if (test != nullptr && line.starts_with("* ")) {
      test->push_back(line.substr(2));
    } else if (test != nullptr && !test->empty() && line.starts_with("  ")) {
      test->back() += "\n" + line.substr(2);
    }
  }
  return all;
}

void write(const std::string& file, const Messages& all) {
  static const std::regex kLineEnd("\n");
  std::ofstream stream(file);
  for (const auto& [test, messages] : all) {
    stream << (test == all.begin()->first ? "[" : "\n[") << test << "]\n";
    for (const std::string& message : messages) {
      stream << "* " << std::regex_replace(message, kLineEnd, "\n  ") << "\n";
    }
  }
}

// Collects the messages of a test, and compares them with the file when the
// test ends.
class Listener : public testing::EmptyTestEventListener {
 public:
  static Listener& instance() {
    // gtest deletes its listeners.
    static auto* const listener = [] {
      auto* const created = new Listener;
      testing::UnitTest::GetInstance()->listeners().Append(created);
      return created;
    }();
    return *listener;
  }

  void add(std::string_view message) {
    // Replaced, because they differ between runs: folders and process ids.
    constexpr std::string_view kSource(VITRAIN_SOURCE_DIR);
    static const std::regex kFolder(R"([^\s'"(=]*vitrain-test-\w{6})");
    static const std::regex kPid("pid \\d+");
    std::string text(message);
    while (text.ends_with('\n')) {
      text.pop_back();
    }
    for (std::size_t at = 0; (at = text.find(kSource, at)) != text.npos;) {
      text.replace(at, kSource.size(), "SOURCE");
    }
    text = std::regex_replace(text, kFolder, "TMP");
    messages_.push_back(std::regex_replace(text, kPid, "pid N"));
  }

  void OnTestEnd(const testing::TestInfo& test) override {
    const auto messages = std::exchange(messages_, {});
    if (messages.empty() || !test.result()->Passed()) {
      return;
    }
    const std::string name =
        std::string(test.test_suite_name()) + "." + test.name();
    if (writes_) {
      written_[name] = messages;
    } else {
      EXPECT_EQ(messages, expected_[name])
          << file_ << ": other words for [" << name
          << "]; VITRAIN_WRITE_MESSAGES=1 writes the file";
    }
  }

  void OnTestProgramEnd(const testing::UnitTest& program) override {
    if (!writes_) {
      return;
    }
    if (program.test_to_run_count() != program.total_test_count()) {
      written_.merge(expected_);
    }
    write(file_, written_);
  }

 private:
  const std::string file_ = std::string(VITRAIN_SOURCE_DIR) +
      "/tests/golden/messages/" + program_invocation_short_name + ".txt";
  const bool writes_ = std::getenv("VITRAIN_WRITE_MESSAGES") != nullptr;
  Messages expected_ = read(file_);
  Messages written_;
  std::vector<std::string> messages_;
};

} // namespace

void expect_message(
    std::string_view message,
    const std::vector<std::string>& parts,
    std::source_location where) {
  if (message.empty()) {
    ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line()))
        << "no message";
  }
  for (const std::string& part : parts) {
    if (message.find(part) == std::string_view::npos) {
      ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line()))
          << "'" << part << "' is not in: " << message;
    }
  }
  Listener::instance().add(message);
}

} // namespace vitrain
