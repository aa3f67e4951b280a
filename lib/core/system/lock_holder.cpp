#include "core/system/lock_holder.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <random>
#include <system_error>

#include "core/check.h"
#include "core/system/clock.h"
#include "core/system/files.h"
#include "core/system/system.h"
#include "core/text.h"

namespace vitrain {
namespace {

namespace fs = std::filesystem;

// Variables with the id of the batch job that a process belongs to, and with
// the number of a task whose job has several (nullptr: the id has it). A
// requeued or restarted job keeps both.
constexpr std::array<std::array<const char*, 2>, 6> kJobVariables{{
    {"SLURM_JOB_ID", nullptr},
    {"PBS_JOBID", nullptr},
    {"LSB_JOBID", "LSB_JOBINDEX"},
    {"JOB_ID", "SGE_TASK_ID"},
    {"JOB_NAME", "BUILD_ID"}, // Jenkins' name is that of all builds
    {"POD_NAME", nullptr},
}};

std::string pid_space() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/ns/pid", ignored).native();
}

std::map<std::string, std::string> jobs_of_this_process() {
  std::map<std::string, std::string> jobs;
  for (const auto& [name, task] : kJobVariables) {
    if (const std::string value = environment_variable(name); !value.empty()) {
      const std::string number =
          task == nullptr ? "" : environment_variable(task);
      jobs[name] = value;
      if (!number.empty()) {
        jobs[name] += "." + number;
      }
    }
  }
  // Grid Engine sets both; its JOB_NAME is the script's, and not unique.
  if (jobs.contains("JOB_ID")) {
    jobs.erase("JOB_NAME");
  }
  // In Kubernetes, a container's host name is the name of its pod.
  if (!environment_variable("KUBERNETES_SERVICE_HOST").empty()) {
    jobs["pod"] = host_name();
  }
  return jobs;
}

enum class Life { kRuns, kEnded, kHidden };

Life look_at(std::int64_t pid, const ProcessStatus& status) {
  if (status.state == 0) {
    const bool none = ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
    return none ? Life::kEnded : Life::kHidden;
  }
  // A zombie has ended; its parent has not yet waited for it.
  return status.state == 'Z' || status.state == 'X' ? Life::kEnded
                                                    : Life::kRuns;
}

bool on_this_kernel(const LockHolder& holder, const LockHolder& own) {
  return !own.boot.empty() && holder.boot == own.boot;
}

// Returns true if this process can look up the holder's pid: both are on one
// machine, in one pid namespace.
bool has_visible_pid(const LockHolder& holder, const LockHolder& own) {
  return on_this_kernel(holder, own) && holder.host == own.host &&
      holder.machine == own.machine && holder.pid_space == own.pid_space &&
      holder.pid > 0;
}

// Returns true if the kernel has a lock on the holder's file. nullopt if that
// cannot be known: the holder had no kernel lock, or had it on another kernel
// or mount, where this kernel need not see it.
std::optional<bool> is_locked_by_kernel(
    const LockHolder& holder,
    const LockHolder& own,
    const fs::path& file) {
  if (holder.device == 0 || !on_this_kernel(holder, own)) {
    return std::nullopt;
  }
  const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 ||
      static_cast<std::uint64_t>(status.st_dev) != holder.device) {
    return std::nullopt;
  }
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(fd.get(), F_OFD_GETLK, &lock) != 0) {
    return std::nullopt;
  }
  return lock.l_type != F_UNLCK;
}

// Takes the kernel's lock on a file. Returns the device number of its file
// system; 0 if the lock cannot be taken, as on a file system without locks.
std::uint64_t lock_by_kernel(int fd) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  struct stat status {};
  return ::fcntl(fd, F_OFD_SETLK, &lock) == 0 && ::fstat(fd, &status) == 0
      ? static_cast<std::uint64_t>(status.st_dev)
      : 0;
}

// Creates a file, which must not exist, locks it by the kernel and writes it.
// Returns 0 or an errno.
int create_locked(const fs::path& path, LockHolder& holder, Fd& fd) {
  fd = Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd) {
    return errno;
  }
  holder.device = lock_by_kernel(fd.get());
  const std::string text = lock_text(holder);
  const int error = write_all(fd.get(), text.data(), text.size());
  if (error == 0 && ::fsync(fd.get()) == 0) {
    return 0;
  }
  const int failure = error != 0 ? error : errno;
  ::unlink(path.c_str());
  return failure;
}

// Gives a complete file its name with a call of the file system that cannot
// replace another file. Returns 0 or an errno; EOPNOTSUPP if the file system
// has no such call.
int name_exclusively(const fs::path& temporary, const fs::path& path) {
  const auto is_unknown = [] {
    return errno == EPERM || errno == EINVAL || errno == ENOSYS ||
        errno == EOPNOTSUPP;
  };
  if (::link(temporary.c_str(), path.c_str()) == 0) {
    return 0;
  }
  if (!is_unknown()) {
    return errno;
  }
  if (::renameat2(
          AT_FDCWD,
          temporary.c_str(),
          AT_FDCWD,
          path.c_str(),
          RENAME_NOREPLACE) == 0) {
    return 0;
  }
  return is_unknown() ? EOPNOTSUPP : errno;
}

} // namespace

Fd create_lock_file(const fs::path& file, LockHolder& holder) {
  const fs::path temporary = file.native() + ".new-" + holder.nonce;
  Fd fd;
  const int error = create_locked(temporary, holder, fd);
  VITRAIN_CHECK(
      error == 0,
      ExitCode::kStorage,
      "{}: cannot write: {}",
      printable(temporary.native()),
      error_text(error));
  int named = name_exclusively(temporary, file);
  ::unlink(temporary.c_str());
  if (named == EOPNOTSUPP) {
    named = create_locked(file, holder, fd);
  }
  std::error_code ignored;
  VITRAIN_CHECK(
      named == 0 || named == EEXIST ||
          fs::exists(fs::symlink_status(file, ignored)),
      ExitCode::kStorage,
      "{}: cannot create: {}",
      printable(file.native()),
      error_text(named));
  return fd;
}

std::string LockHolder::text() const {
  return fmt::format(
      "pid {} on host {} since {}", pid, printable(host), printable(since));
}

void to_json(Json& json, const LockHolder& holder) {
  json = Json{
      {"host", holder.host},
      {"machine", holder.machine},
      {"boot", holder.boot},
      {"pid_space", holder.pid_space},
      {"pid", holder.pid},
      {"start", holder.start},
      {"since", holder.since},
      {"nonce", holder.nonce},
      {"jobs", holder.jobs},
      {"device", holder.device},
      {"time", holder.time}};
}

void from_json(const Json& json, LockHolder& holder) {
  json.at("host").get_to(holder.host);
  json.at("machine").get_to(holder.machine);
  json.at("boot").get_to(holder.boot);
  json.at("pid_space").get_to(holder.pid_space);
  json.at("pid").get_to(holder.pid);
  json.at("start").get_to(holder.start);
  json.at("since").get_to(holder.since);
  json.at("nonce").get_to(holder.nonce);
  if (json.contains("time")) {
    json.at("jobs").get_to(holder.jobs);
    json.at("device").get_to(holder.device);
    json.at("time").get_to(holder.time);
  }
}

std::string sign_of_life() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  std::tm utc{};
  ::gmtime_r(&now.tv_sec, &utc);
  return fmt::format(
      "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:09} UTC",
      utc.tm_year + 1900,
      utc.tm_mon + 1,
      utc.tm_mday,
      utc.tm_hour,
      utc.tm_min,
      utc.tm_sec,
      now.tv_nsec);
}

LockHolder this_process() {
  std::random_device random;
  return {
      .host = host_name(),
      .machine = first_line("/etc/machine-id"),
      .boot = first_line("/proc/sys/kernel/random/boot_id"),
      .pid_space = pid_space(),
      .pid = ::getpid(),
      .start = static_cast<std::int64_t>(status_of(::getpid()).start_time),
      .since = local_time("%Y-%m-%d %H:%M:%S"),
      .nonce = fmt::format("{:08x}{:08x}", random(), random()),
      .jobs = jobs_of_this_process(),
      .device = 0,
      .time = sign_of_life()};
}

std::string lock_text(const LockHolder& holder) {
  return Json(holder).dump(2, ' ', false, Json::error_handler_t::replace) +
      "\n";
}

std::optional<LockHolder> read_holder(const fs::path& file) {
  std::error_code error;
  const auto is_absent = [&] {
    return fs::symlink_status(file, error).type() == fs::file_type::not_found;
  };
  if (is_absent()) {
    return std::nullopt;
  }
  std::string text;
  try {
    text = read_file(file, kLockSizeLimit, ExitCode::kStorage);
  } catch (const Error&) {
    if (is_absent()) {
      return std::nullopt; // released just now
    }
    throw;
  }
  try {
    return Json::parse(text).get<LockHolder>();
  } catch (const Json::exception&) {
    fail(
        ExitCode::kUsage,
        "{}: is in the place of a lock and is none, so that nobody can say who "
        "writes to this folder: remove it if no run does",
        printable(file.native()));
  }
}

std::optional<bool> is_running(const LockHolder& holder, const fs::path& file) {
  const LockHolder own = this_process();
  if (const auto locked = is_locked_by_kernel(holder, own, file)) {
    return locked;
  }
  if (!has_visible_pid(holder, own)) {
    return std::nullopt;
  }
  const ProcessStatus status = status_of(static_cast<pid_t>(holder.pid));
  const Life life = look_at(holder.pid, status);
  if (life == Life::kHidden) {
    return std::nullopt;
  }
  return life == Life::kRuns &&
      static_cast<std::int64_t>(status.start_time) == holder.start;
}

bool is_gone(const LockHolder& holder, const fs::path& file) {
  return !is_running(holder, file).value_or(true);
}

bool is_seen_running(const LockHolder& holder) {
  if (!has_visible_pid(holder, this_process())) {
    return false;
  }
  const ProcessStatus status = status_of(static_cast<pid_t>(holder.pid));
  return look_at(holder.pid, status) == Life::kRuns && status.state != 'T' &&
      status.state != 't' &&
      static_cast<std::int64_t>(status.start_time) == holder.start;
}

bool is_of_same_job(const LockHolder& holder, const LockHolder& own) {
  return std::ranges::any_of(own.jobs, [&](const auto& job) {
    const auto found = holder.jobs.find(job.first);
    return found != holder.jobs.end() && found->second == job.second;
  });
}

bool was_rebooted(const LockHolder& holder, const LockHolder& own) {
  return holder.host == own.host && holder.machine == own.machine &&
      !holder.boot.empty() && !own.boot.empty() && holder.boot != own.boot;
}

} // namespace vitrain
