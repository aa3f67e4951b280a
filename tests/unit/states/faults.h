#pragma once

#include <string>

// Makes file operations of this process fail, or end it. The test program
// defines open, write, fsync, close, rename, renameat2 and mkdir itself, in
// place of the C library's, so that the tested code needs no hook. fsync only
// records the call, because a slow disk would make the tests slow.
namespace vitrain::faults {

enum class Mode {
  kOff, // nothing is counted
  kCount, // operations are counted and watched
  kFail, // the n-th operation fails
  kCrash, // the process exits before the n-th operation
  kShort, // every write accepts half of its bytes
};

// Starts counting at 0. `error`: errno of the failure.
void arm(Mode mode, int n = 0, int error = 0);
// Number of operations since arm(); stops counting.
int disarm();
// renameat2 is answered with EINVAL, as file systems that cannot exchange do.
void refuse_exchange(bool refuse);
// Files and folders cannot be removed.
void refuse_removal(bool refuse);
// Returns a description of the first durability fault since arm(): a file or
// folder that was renamed before its content was synced, or never synced. "" if
// none.
std::string undurable();

constexpr int kCrashExit = 77;

} // namespace vitrain::faults
