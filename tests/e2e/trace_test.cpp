#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "program.h"

namespace vitrain::e2e {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

struct Event {
  std::string name;
  std::string category;
  Json track; // process and thread
  double begin = 0.0; // microseconds
  double end = 0.0;
  Json args;

  bool contains(const Event& other, double slack) const {
    return begin - slack <= other.begin && other.end <= end + slack;
  }
};

// The events of a trace that have a length, by name.
std::multimap<std::string, Event> read_trace(
    const std::filesystem::path& path) {
  std::multimap<std::string, Event> events;
  const Json trace = Json::parse(slurp(path));
  for (const Json& row : trace.at("traceEvents")) {
    if (row.at("ph") == "X") {
      const double begin = row.at("ts");
      events.emplace(
          row.at("name"),
          Event{
              .name = row.at("name"),
              .category = row.value("cat", ""),
              .track = {row.at("pid"), row.at("tid")},
              .begin = begin,
              .end = begin + row.at("dur").get<double>(),
              .args = row.value("args", Json::object())});
    }
  }
  return events;
}

std::set<std::string> names(const std::multimap<std::string, Event>& events) {
  std::set<std::string> names;
  for (const auto& [name, event] : events) {
    names.insert(name);
  }
  return names;
}

// Rule of Chrome's format for a track: two events are nested or disjoint.
void expect_nested(const std::multimap<std::string, Event>& events) {
  std::map<std::string, std::vector<Event>> tracks;
  for (const auto& [name, event] : events) {
    tracks[event.track.dump()].push_back(event);
  }
  for (auto& [track, of_track] : tracks) {
    std::ranges::sort(of_track, [](const Event& a, const Event& b) {
      return std::pair(a.begin, -a.end) < std::pair(b.begin, -b.end);
    });
    std::vector<const Event*> open;
    for (const Event& event : of_track) {
      while (!open.empty() && open.back()->end <= event.begin) {
        open.pop_back();
      }
      // Kineto rounds to nanoseconds.
      EXPECT_TRUE(open.empty() || open.back()->contains(event, 0.002))
          << track << ": " << event.name << " crosses " << open.back()->name;
      open.push_back(&event);
    }
  }
}

TEST(Trace, HasThePartsOfStepsAndBucketsOnTracksOfTheirOwn) {
  const TempFolder folder;
  const auto run = train(
      folder.path(),
      {
          .devices = "cpu:2",
          .set =
              {"log.trace=2-3",
               "run.max_steps=5",
               "schedule.warmup=0st",
               "dist.first_bucket_mb=0.01"},
      });
  std::set<std::int64_t> bytes; // that each rank sent in a step
  for (const char* rank : {"rank0", "rank1"}) {
    const auto events =
        read_trace(run / "trace" / (std::string(rank) + ".json"));
    EXPECT_THAT(
        names(events),
        IsSupersetOf(
            {"step 2",
             "step 3",
             "loading a batch",
             "making inputs",
             "forward",
             "backward",
             "the exchange of gradients",
             "the optimizer",
             "aten::addmm",
             "all-reduce of bucket 0",
             "all-reduce of bucket 1"}));
    EXPECT_THAT(names(events), Not(Contains("step 1")));
    EXPECT_THAT(names(events), Not(Contains("step 4")));
    EXPECT_EQ(events.count("forward"), 2u);
    expect_nested(events);
    std::map<std::int64_t, std::int64_t> sent;
    for (const auto& [name, event] : events) {
      if (event.category != "exchange") {
        continue;
      }
      // Perfetto takes 32 bits of a track's number.
      EXPECT_LT(event.track.at(1), std::int64_t{1} << 31);
      const std::int64_t step = event.args.at("step");
      sent[step] += event.args.at("bytes").get<std::int64_t>();
      // Gradients travel within their step: another clock would not show that.
      const Event& around = events.find("step " + std::to_string(step))->second;
      EXPECT_TRUE(around.contains(event, /*slack=*/50.0))
          << event.name << ' ' << event.begin << ' ' << event.end << " of "
          << around.begin << ' ' << around.end;
    }
    ASSERT_EQ(sent.size(), 2u);
    bytes.insert({sent.at(2), sent.at(3)});
  }
  ASSERT_EQ(bytes.size(), 1u);
  // As the run's own records count them.
  EXPECT_EQ(
      static_cast<double>(*bytes.begin()),
      records(run, "train").back().at("comm_bytes"));
  EXPECT_FALSE(std::filesystem::exists(run / "trace/rank0.json.kineto"));
}

TEST(Trace, EndsWithTheRunAndAsksForSteps) {
  const TempFolder folder;
  const auto run = train(
      folder.path(),
      {.set = {"log.trace=3-90", "run.max_steps=4", "schedule.warmup=0st"}});
  EXPECT_THAT(
      names(read_trace(run / "trace/rank0.json")),
      IsSupersetOf({"step 3", "step 4"}));
  for (const char* wrong : {"0-3", "5-2", "1-101"}) {
    const Result result = e2e::run(
        {"config",
         "check",
         "-cfg",
         kTiny,
         "-set",
         std::string("log.trace=") + wrong});
    EXPECT_EQ(result.exit_code, 2) << wrong;
    EXPECT_THAT(result.err, HasSubstr("log.trace")) << wrong;
  }
}

} // namespace
} // namespace vitrain::e2e
