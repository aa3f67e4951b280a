#include "config/schema/document.h"

#include <algorithm>
#include <sstream>
#include <unordered_map>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "config/schema/yaml_problem.h"
#include "core/text.h"
#include "core/url.h"

namespace vitrain::config {
namespace {

constexpr std::size_t kMostLevels = 64;
constexpr std::size_t kMostValues = 100000;
constexpr std::size_t kLongestShown = 60;

// Thrown after a problem that makes the rest of the text meaningless.
struct Abandoned {};

// Builds the tree from yaml-cpp's events, in which duplicate keys, aliases and
// a second document can be detected and refused. yaml-cpp's own tree
// (YAML::Node) keeps duplicate keys, follows aliases into exponential or
// endless walks, and hides a second document.
class Builder : public YAML::EventHandler {
 public:
  Builder(const std::string& source, Problems& problems)
      : source_(source), problems_(problems) {}

  std::optional<Node> take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      abandon(mark, "a second document: a config is one document");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    put(make(Node::Kind::kNull, mark));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    abandon(mark, "aliases (*name) are not supported: write the value out");
  }

  void OnScalar(
      const YAML::Mark& mark,
      const std::string& tag,
      YAML::anchor_t anchor,
      const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    Node node = make(Node::Kind::kScalar, mark);
    node.text = value;
    node.quoted = tag == "!";
    const bool null = !node.quoted &&
        (value.empty() || value == "~" || value == "null" || value == "Null" ||
         value == "NULL");
    if (null) {
      node.kind = Node::Kind::kNull;
    }
    put(std::move(node));
  }

  void OnSequenceStart(
      const YAML::Mark& mark,
      const std::string& tag,
      YAML::anchor_t anchor,
      YAML::EmitterStyle::value) override {
    begin(Node::Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { end(); }

  void OnMapStart(
      const YAML::Mark& mark,
      const std::string& tag,
      YAML::anchor_t anchor,
      YAML::EmitterStyle::value) override {
    begin(Node::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { end(); }

 private:
  // A list or map that has not ended.
  struct Open {
    Node node;
    std::optional<Node> key; // kMap: a key whose value has not been read
    std::unordered_map<std::string, int> seen; // kMap: key -> line
  };

  Position position(const YAML::Mark& mark) const {
    return {source_, mark.line + 1, mark.column + 1};
  }

  // Returns the path of the current key, such as "data.train".
  std::string path() const {
    std::string text;
    for (const Open& open : open_) {
      if (open.key) {
        text += (text.empty() ? "" : ".") + printable(open.key->text);
      }
    }
    return text;
  }

  [[noreturn]] void abandon(const YAML::Mark& mark, const std::string& text) {
    problems_.add(position(mark), path(), text);
    throw Abandoned();
  }

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      abandon(mark, "anchors (&name) are not supported: write the value out");
    }
  }

  // yaml-cpp reports the tag "?" for plain and "!" for quoted text.
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") {
      abandon(mark, fmt::format("tags ({}) are not supported", printable(tag)));
    }
  }

  Node make(Node::Kind kind, const YAML::Mark& mark) {
    if (++values_ > kMostValues) {
      abandon(mark, fmt::format("more than {} values", kMostValues));
    }
    Node node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  void begin(
      Node::Kind kind,
      const YAML::Mark& mark,
      const std::string& tag,
      YAML::anchor_t anchor) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (open_.size() >= kMostLevels) {
      abandon(mark, fmt::format("more than {} levels deep", kMostLevels));
    }
    if (expects_key()) {
      abandon(mark, "expected a key, got a list or a map");
    }
    open_.push_back({make(kind, mark), std::nullopt, {}});
  }

  void end() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    put(std::move(node));
  }

  bool expects_key() const {
    return !open_.empty() && open_.back().node.kind == Node::Kind::kMap &&
        !open_.back().key;
  }

  void put(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& top = open_.back();
    if (top.node.kind == Node::Kind::kList) {
      top.node.items.push_back(std::move(node));
    } else if (!top.key) {
      // "~" and an empty key are not names.
      if (node.kind != Node::Kind::kScalar) {
        node.text.clear();
      }
      top.key = std::move(node);
    } else {
      put_entry(top, std::move(node));
    }
  }

  void put_entry(Open& top, Node value) {
    const Node& key = *top.key;
    const Position where{source_, key.line, key.column};
    const auto [known, added] = top.seen.emplace(key.text, key.line);
    if (key.text == "<<" && !key.quoted) {
      problems_.add(
          where, path(), "merge keys are not supported: use `base:` files");
    } else if (key.text.empty()) {
      problems_.add(where, "", "expected a key, got nothing");
    } else if (!added) {
      problems_.add(
          where,
          path(),
          fmt::format("duplicate key, already in line {}", known->second));
    } else {
      top.node.entries.push_back(
          {key.text, key.line, key.column, std::move(value)});
    }
    top.key.reset();
  }

  const std::string& source_;
  Problems& problems_;
  std::optional<Node> root_;
  std::vector<Open> open_;
  std::size_t values_ = 0;
  int documents_ = 0;
};

// Adds a problem for text that YAML does not allow, before the parser sees it:
// invalid UTF-8, control characters, tabs as indentation. Returns true if there
// is none.
bool check_characters(
    std::string_view text,
    const std::string& source,
    Problems& problems) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    problems.add({source, 1, 1}, "", "UTF-16: save the file as UTF-8");
    return false;
  }
  if (const std::size_t zero = text.find('\0'); zero != text.npos) {
    const std::string_view before = text.substr(0, zero);
    problems.add(
        {source,
         static_cast<int>(std::ranges::count(before, '\n')) + 1,
         static_cast<int>(zero - (before.rfind('\n') + 1)) + 1},
        "",
        "control character \\x00, as in binary files: a config is a YAML text");
    return false;
  }
  bool good = true;
  int line = 1;
  while (!text.empty()) {
    const std::string_view row = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(row.size() + 1, text.size()));
    const std::size_t start = row.find_first_not_of(' ');
    const bool blank = trim(row).empty();
    std::string wrong;
    std::size_t at = 0;
    if (!blank && start < row.size() && row[start] == '\t') {
      wrong = "a tab in the indentation: use spaces";
      at = start;
    } else if (valid_utf8(row) != row) {
      wrong = "not valid UTF-8";
    } else {
      for (std::size_t i = 0; i < row.size() && wrong.empty(); ++i) {
        const auto byte = static_cast<unsigned char>(row[i]);
        const bool ends_line = byte == '\r' && i + 1 == row.size();
        if ((byte < 0x20 && byte != '\t' && !ends_line) || byte == 0x7F) {
          wrong = fmt::format("control character \\x{:02x}", byte);
          at = i;
        }
      }
    }
    if (!wrong.empty()) {
      problems.add({source, line, static_cast<int>(at) + 1}, "", wrong);
      good = false;
    }
    ++line;
  }
  return good;
}

void parse(
    std::string_view text,
    const std::string& source,
    Problems& problems,
    Builder& builder) {
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    problems.add(
        {source, error.mark.line + 1, error.mark.column + 1},
        "",
        fmt::format(
            "not valid YAML: {}",
            explain_yaml_problem(
                text, error.mark.line + 1, error.mark.column + 1, error.msg)));
  } catch (const Abandoned&) {
    return; // the problem is recorded
  }
}

} // namespace

std::optional<Node> parse_document(
    std::string_view text,
    const std::string& source,
    Problems& problems) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  if (!check_characters(text, source, problems)) {
    return std::nullopt;
  }
  const std::size_t before = problems.size();
  Builder builder(source, problems);
  parse(text, source, problems, builder);
  std::optional<Node> root = builder.take();
  if (!root && problems.size() == before) {
    problems.add({source, 1, 1}, "", "the file is empty");
  }
  return root;
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "nothing";
    case Node::Kind::kList:
      return "a list";
    case Node::Kind::kMap:
      return "a map of keys";
    case Node::Kind::kScalar:
      break;
  }
  std::string shown =
      printable(hide_user_info(node.text).substr(0, kLongestShown));
  if (node.text.size() > kLongestShown) {
    shown += "...";
  }
  return node.quoted ? fmt::format("\"{}\"", shown) : shown;
}

} // namespace vitrain::config
